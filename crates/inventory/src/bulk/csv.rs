//! Comma-separated values, in and out: RFC 4180, UTF-8, a header row with the names of fields.
//!
//! A cell that a spreadsheet would calculate gets an apostrophe on the way out and loses it on the way in; nothing else
//! is changed for its sake, such as what looks like a number.

pub use base::csv::{unescape_formula, write};
use csv_core::ReadRecordResult;

use super::row::{LONGEST, Stop};

/// More columns than any file needs; a file with more is not a table of resources.
const MOST_CELLS: usize = 4096;

/// Cuts pieces into records. No more than one record is held.
pub struct Records {
    core: csv_core::Reader,
    /// The cells of the record that is being read, one after the other.
    cells: Vec<u8>,
    filled: usize,
    /// Where each cell ends.
    ends: Vec<usize>,
    ended: usize,
    /// The line that is being read, and the one on which the record began.
    line: u64,
    began: u64,
    inside: bool,
    quotes: Quotes,
    /// Has the record text behind the quote that closes a cell?
    stray: bool,
}

/// Where the text of a record stands to its quotes. The reader takes any text for cells; this tells which is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// At the start of a cell.
    Start,
    /// In a cell that does not begin with a quote; quotes in it are text.
    Plain,
    /// In a cell that begins with a quote.
    Open,
    /// Behind a quote in such a cell: another one makes it text, and anything else has to end the cell.
    Closed,
}

/// A record: its cells as bytes.
#[derive(Clone, Copy)]
pub struct Record<'r> {
    /// The line on which it begins.
    pub line: u64,
    /// Is there text behind the quote that closes a cell?
    pub stray: bool,
    cells: &'r [u8],
    ends: &'r [usize],
}

/// The error for a record that is [`Record::stray`].
pub const STRAY: &str = "has text behind the quote that closes a cell; a quote in a cell is written twice";

impl<'r> Record<'r> {
    /// Its cells, in their order.
    pub fn cells(self) -> impl Iterator<Item = &'r [u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends).map(move |(start, end)| self.cells.get(start..*end).unwrap_or_default())
    }

    /// How many cells it has.
    pub fn len(self) -> usize {
        self.ends.len()
    }
}

impl Default for Records {
    fn default() -> Self {
        Self {
            core: csv_core::Reader::new(),
            cells: vec![0; 4 << 10],
            filled: 0,
            ends: vec![0; 128],
            ended: 0,
            line: 1,
            began: 1,
            inside: false,
            quotes: Quotes::Start,
            stray: false,
        }
    }
}

impl Records {
    /// How many bytes are held of the record that is being read.
    pub fn memory_bytes(&self) -> usize {
        self.cells.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    /// Takes a piece in, and hands on every record that it ends. Blank lines are left out.
    pub fn push(&mut self, mut piece: &[u8], mut each: impl FnMut(Record<'_>) -> Result<(), Stop>) -> Result<(), Stop> {
        while !piece.is_empty() {
            let read = self.step(piece, &mut each)?;
            piece = piece.get(read..).unwrap_or_default();
        }
        Ok(())
    }

    /// Hands on the last record, where the body does not end with a line break.
    ///
    /// # Errors
    /// When a quote is not closed: what follows it in the body belongs to no row.
    pub fn end(&mut self, mut each: impl FnMut(Record<'_>) -> Result<(), Stop>) -> Result<(), Stop> {
        if self.inside && self.quotes == Quotes::Open {
            return Err(Stop::new(self.began, "has a quote that is not closed before the end of the body"));
        }
        // Without input the reader ends the record that it has begun; each step makes room, or is the last.
        while self.inside {
            self.step(&[], &mut each)?;
        }
        Ok(())
    }

    /// One step of the reader; answers how many bytes it took.
    fn step(&mut self, piece: &[u8], each: &mut impl FnMut(Record<'_>) -> Result<(), Stop>) -> Result<usize, Stop> {
        let mut skipped = 0;
        if !self.inside {
            // What stands between records, so that the line of the next one is known.
            skipped = piece.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            self.line += breaks(&piece[..skipped]);
            if skipped == piece.len() {
                return Ok(skipped);
            }
            self.inside = true;
            self.began = self.line;
        }
        let piece = &piece[skipped..];
        let (result, read, written, ended) =
            self.core.read_record(piece, &mut self.cells[self.filled..], &mut self.ends[self.ended..]);
        let taken = piece.get(..read).unwrap_or_default();
        self.line += breaks(taken);
        self.follow_quotes(taken);
        self.filled += written;
        self.ended += ended;
        match result {
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::OutputFull if self.cells.len() >= LONGEST => return Err(Stop::too_long(self.began)),
            ReadRecordResult::OutputFull => self.cells.resize((2 * self.cells.len()).min(LONGEST), 0),
            ReadRecordResult::OutputEndsFull if self.ends.len() >= MOST_CELLS => {
                return Err(Stop::new(self.began, format!("has more than {MOST_CELLS} cells")));
            }
            ReadRecordResult::OutputEndsFull => self.ends.resize((2 * self.ends.len()).min(MOST_CELLS), 0),
            ReadRecordResult::Record => {
                let cells = &self.cells[..self.filled];
                let ends = &self.ends[..self.ended];
                each(Record { line: self.began, stray: self.stray, cells, ends })?;
                self.filled = 0;
                self.ended = 0;
                self.inside = false;
                self.quotes = Quotes::Start;
                self.stray = false;
            }
            ReadRecordResult::End => self.inside = false,
        }
        Ok(skipped + read)
    }

    fn follow_quotes(&mut self, taken: &[u8]) {
        for byte in taken {
            self.quotes = match (self.quotes, byte) {
                (Quotes::Open, b'"') => Quotes::Closed,
                (Quotes::Open, _) | (Quotes::Start | Quotes::Closed, b'"') => Quotes::Open,
                (_, b',' | b'\r' | b'\n') => Quotes::Start,
                (before, _) => {
                    self.stray |= before == Quotes::Closed;
                    Quotes::Plain
                }
            };
        }
    }
}

fn breaks(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests;
