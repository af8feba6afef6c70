//! The reader of a bulk body: bytes in, rows out.

use base::{
    body::{ignored, parse_json},
    near,
};

use super::{
    columns::{self, Columns},
    csv::{Record, Records},
    elements::Elements,
    ndjson::Lines,
    row::{Entry, LONGEST, Row, Stop, as_row_error},
};
use crate::resources::input::SYNONYMS;

/// How rows are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A JSON object on each line.
    Ndjson,
    /// A JSON array of objects, or one of them on each line, by what the body begins with.
    Json,
    /// Comma-separated values with a header row.
    Csv,
}

/// Reads the rows of a body that arrives in pieces. It holds one line, and the rows that were not taken yet.
pub struct Reader {
    tenant: String,
    parser: Parser,
    /// The first bytes, until a byte order mark is ruled out or removed; `None` from then on.
    start: Option<Vec<u8>>,
    rows: Vec<Row>,
    /// The bytes that these rows were made of.
    bytes: usize,
    /// The names that mean nothing here.
    ignored: Vec<String>,
}

enum Parser {
    /// Nothing has come but blank lines.
    Json(Lines),
    Array(Box<Elements>),
    Ndjson(Lines),
    Csv(Box<Records>, Option<Columns>),
}

/// The memory that a row takes, as a multiple of its text.
const MADE: usize = 3;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Reader {
    /// For the rows of a tenant.
    pub fn new(format: Format, tenant: &str) -> Self {
        let parser = match format {
            Format::Json => Parser::Json(Lines::default()),
            Format::Ndjson => Parser::Ndjson(Lines::default()),
            Format::Csv => Parser::Csv(Box::default(), None),
        };
        Self {
            tenant: tenant.to_owned(),
            parser,
            start: Some(Vec::new()),
            rows: Vec::new(),
            bytes: 0,
            ignored: Vec::new(),
        }
    }

    /// Takes a piece in.
    ///
    /// # Errors
    /// Where the body cannot be read on; rows before that can still be taken.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Stop> {
        self.collecting_ignored(|reader| reader.push_bytes(piece))
    }

    fn push_bytes(&mut self, piece: &[u8]) -> Result<(), Stop> {
        let Some(mut start) = self.start.take() else { return self.parse(piece) };
        start.extend_from_slice(piece);
        if start.len() < BYTE_ORDER_MARK.len() {
            self.start = Some(start);
            return Ok(());
        }
        if start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF") {
            return Err(Stop::new(1, "is UTF-16; send UTF-8"));
        }
        self.parse(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&start))
    }

    /// Ends the body.
    pub fn end(&mut self) -> Result<(), Stop> {
        self.collecting_ignored(Self::finish)
    }

    /// Warnings about ignored fields, one sentence for each name.
    pub fn warnings(&self) -> Vec<String> {
        let warning = |name: &String| {
            if let Some((synonym, name)) = SYNONYMS.iter().find(|(synonym, _)| synonym == name) {
                return format!("{synonym} stands beside {name}, which means the same, and was ignored");
            }
            let near = near::hint(name, columns::names(), "");
            format!("{name} is not a field of a resource and was ignored{near}")
        };
        let mut warnings: Vec<String> = self.ignored.iter().take(ignored::MOST).map(warning).collect();
        if self.ignored.len() > ignored::MOST {
            warnings.push("more fields were ignored".to_owned());
        }
        warnings
    }

    /// Collects the names of fields that `read` ignores, and passes them on to the request's own collector.
    fn collecting_ignored<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let (done, names) = ignored::collect(|| read(self));
        ignored::add(&mut self.ignored, names.clone());
        ignored::report(names);
        done
    }

    fn finish(&mut self) -> Result<(), Stop> {
        if let Some(start) = self.start.take() {
            self.parse(&start)?;
        }
        let Self { tenant, parser, rows, bytes, .. } = self;
        match parser {
            Parser::Json(_) => {}
            Parser::Array(elements) => elements.end(|line, text| take_line(tenant, rows, bytes, line, text))?,
            Parser::Ndjson(lines) => lines.end(|line, text| take_line(tenant, rows, bytes, line, text)),
            Parser::Csv(records, columns) => {
                records.end(|record| take_record(tenant, rows, bytes, columns, record))?;
                if columns.is_none() {
                    return Err(Stop::new(1, "must be a header row with the names of fields"));
                }
            }
        }
        Ok(())
    }

    fn parse(&mut self, piece: &[u8]) -> Result<(), Stop> {
        let Self { tenant, parser, rows, bytes, .. } = self;
        if let Parser::Json(lines) = parser
            && let Some(first) = piece.iter().find(|byte| !byte.is_ascii_whitespace())
        {
            *parser =
                if *first == b'[' { Parser::Array(Box::default()) } else { Parser::Ndjson(std::mem::take(lines)) };
        }
        match parser {
            Parser::Array(elements) => elements.push(piece, |line, text| take_line(tenant, rows, bytes, line, text)),
            Parser::Json(lines) | Parser::Ndjson(lines) => {
                lines.push(piece, |line, text| take_line(tenant, rows, bytes, line, text))
            }
            Parser::Csv(records, columns) => {
                records.push(piece, |record| take_record(tenant, rows, bytes, columns, record))
            }
        }
    }

    /// About how many bytes it holds in memory.
    pub fn memory_bytes(&self) -> usize {
        let begun = match &self.parser {
            Parser::Array(elements) => elements.memory_bytes(),
            Parser::Json(lines) | Parser::Ndjson(lines) => lines.memory_bytes(),
            Parser::Csv(records, _) => records.memory_bytes(),
        };
        begun + MADE * self.bytes + size_of::<Row>() * self.rows.capacity()
    }

    /// Is the body a JSON array?
    pub const fn is_array(&self) -> bool {
        matches!(self.parser, Parser::Array(_))
    }

    /// How many rows were read and not taken.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is that a batch: so many rows, or so many bytes of them that no more should be held?
    pub fn is_full(&self, rows: usize) -> bool {
        self.rows.len() >= rows || self.bytes >= LONGEST
    }

    /// Takes up to `most` of the rows that were read.
    pub fn take(&mut self, most: usize) -> Vec<Row> {
        let rest = self.rows.split_off(most.min(self.rows.len()));
        if rest.is_empty() {
            self.bytes = 0;
        }
        std::mem::replace(&mut self.rows, rest)
    }
}

fn take_line(tenant: &str, rows: &mut Vec<Row>, bytes: &mut usize, line: u64, text: &[u8]) {
    let entry = match parse_json(text) {
        Ok(value) => Entry::read(&value, tenant),
        Err(problem) => Err(problem.errors.into_iter().map(as_row_error).collect()),
    };
    *bytes += text.len();
    rows.push(Row { line, entry });
}

fn take_record(
    tenant: &str,
    rows: &mut Vec<Row>,
    bytes: &mut usize,
    columns: &mut Option<Columns>,
    record: Record<'_>,
) -> Result<(), Stop> {
    match columns {
        None => *columns = Some(Columns::of(record)?),
        Some(columns) => {
            *bytes += record.cells().map(<[u8]>::len).sum::<usize>();
            rows.push(Row { line: record.line, entry: columns.read(record, tenant) });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
