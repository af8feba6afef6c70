//! A splitter of lines of a body that arrives in pieces.

use super::row::{LONGEST, Stop};

/// Cuts pieces into lines. No more than one line is held.
#[derive(Debug)]
pub struct Lines {
    /// The number of the line that is being read, from 1.
    line: u64,
    /// Its beginning, where a piece ended inside it.
    begun: Vec<u8>,
}

impl Default for Lines {
    fn default() -> Self {
        Self { line: 1, begun: Vec::new() }
    }
}

impl Lines {
    /// Takes a piece in, and hands on every line that it ends, without the line break. Blank lines are left out.
    pub fn push(&mut self, mut piece: &[u8], mut each: impl FnMut(u64, &[u8])) -> Result<(), Stop> {
        while let Some(end) = piece.iter().position(|byte| *byte == b'\n') {
            let head = &piece[..end];
            let rest = &piece[end + 1..];
            self.check(head)?;
            if self.begun.is_empty() {
                hand_on(self.line, head, &mut each);
            } else {
                self.begun.extend_from_slice(head);
                hand_on(self.line, &self.begun, &mut each);
                self.begun.clear();
            }
            self.line += 1;
            piece = rest;
        }
        self.check(piece)?;
        self.begun.extend_from_slice(piece);
        Ok(())
    }

    /// How many bytes are held of the line that is being read.
    pub const fn memory_bytes(&self) -> usize {
        self.begun.capacity()
    }

    /// Hands on the last line, where the body does not end with a line break.
    pub fn end(&mut self, mut each: impl FnMut(u64, &[u8])) {
        hand_on(self.line, &self.begun, &mut each);
        self.begun = Vec::new();
    }

    fn check(&self, more: &[u8]) -> Result<(), Stop> {
        if self.begun.len() + more.len() <= LONGEST { Ok(()) } else { Err(Stop::too_long(self.line)) }
    }
}

fn hand_on(number: u64, line: &[u8], each: &mut impl FnMut(u64, &[u8])) {
    let line = line.trim_ascii();
    if !line.is_empty() {
        each(number, line);
    }
}

#[cfg(test)]
mod tests;
