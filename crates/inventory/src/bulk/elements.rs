//! A splitter of a JSON array that arrives in pieces.

use super::{ndjson::Lines, row::Stop};

/// Cuts pieces of an array into its elements. It holds no more than one of them, and judges none: what is between two
/// commas is handed on, whether it is JSON or not.
#[derive(Debug, Default)]
pub struct Elements {
    lines: Lines,
    state: State,
    /// How many brackets and braces are open, that of the array among them.
    depth: usize,
    in_string: bool,
    /// The next byte of a string belongs to the backslash before it.
    escaped: bool,
    /// There is something of the element that is being read.
    begun: bool,
    /// How many elements were ended by a comma.
    ended: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Before,
    Inside,
    Behind,
}

impl Elements {
    /// Takes a piece in, and hands on every element that it ends, with its number from 1.
    pub fn push(&mut self, piece: &[u8], mut each: impl FnMut(u64, &[u8])) -> Result<(), Stop> {
        // An element is a line without breaks, so that the bound of a line is that of an element.
        let mut lines = Vec::with_capacity(piece.len());
        let end = piece.iter().try_for_each(|byte| self.take(*byte, &mut lines));
        self.lines.push(&lines, &mut each)?;
        end
    }

    /// Ends the array.
    pub fn end(&mut self, each: impl FnMut(u64, &[u8])) -> Result<(), Stop> {
        match self.state {
            State::Before => Err(Stop::new(1, "must be a JSON array")),
            State::Inside => Err(Stop::new(self.ended + 1, "ends inside the array: a part of the body is missing")),
            State::Behind => {
                self.lines.end(each);
                Ok(())
            }
        }
    }

    /// How many bytes are held of the element that is being read.
    pub const fn memory_bytes(&self) -> usize {
        self.lines.memory_bytes()
    }

    fn take(&mut self, byte: u8, lines: &mut Vec<u8>) -> Result<(), Stop> {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            match byte {
                // JSON does not allow a line break inside a string; it is read as an escaped one.
                b'\n' => lines.extend_from_slice(b"\\n"),
                _ => lines.push(byte),
            }
            return Ok(());
        }
        match (self.state, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => {
                lines.push(b' ');
                return Ok(());
            }
            (State::Before, b'[') => {
                self.state = State::Inside;
                self.depth = 1;
                return Ok(());
            }
            (State::Before, _) => return Err(Stop::new(1, "must be a JSON array")),
            (State::Behind, _) => return Err(Stop::new(self.ended + 1, "goes on behind the end of the array")),
            (State::Inside, b',') if self.depth == 1 => {
                return self.end_element(lines);
            }
            (State::Inside, b']') if self.depth == 1 => {
                // `[]` has no element, and `[1,]` lacks one.
                if !self.begun && self.ended > 0 {
                    return Err(self.missing());
                }
                self.state = State::Behind;
                self.depth = 0;
                return Ok(());
            }
            (State::Inside, b'[' | b'{') => self.depth += 1,
            (State::Inside, b']' | b'}') => self.depth = self.depth.saturating_sub(1).max(1),
            (State::Inside, b'"') => self.in_string = true,
            (State::Inside, _) => {}
        }
        self.begun = true;
        lines.push(byte);
        Ok(())
    }

    fn end_element(&mut self, lines: &mut Vec<u8>) -> Result<(), Stop> {
        if !std::mem::take(&mut self.begun) {
            return Err(self.missing());
        }
        self.ended += 1;
        lines.push(b'\n');
        Ok(())
    }

    fn missing(&self) -> Stop {
        Stop::new(self.ended + 1, "has a comma without an element")
    }
}

#[cfg(test)]
mod tests;
