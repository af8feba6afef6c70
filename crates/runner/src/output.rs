//! What a script prints, within bounds.

use std::{io::Read, sync::Mutex};

/// What is kept of the output: a little more than the service keeps, so that it can tell that there was more.
const MOST_OUTPUT: usize = (1 << 20) + (64 << 10);

/// A line is cut into pieces of this size.
const LONGEST_LINE: usize = 64 << 10;

/// Lines that were printed and not taken yet.
#[derive(Default)]
pub struct Output {
    /// The lines, and how many bytes were kept so far.
    lines: Mutex<(Vec<String>, usize)>,
}

impl Output {
    /// What was printed since this was asked last.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut base::lock(&self.lines).0)
    }

    fn push(&self, line: &[u8]) {
        let mut lines = base::lock(&self.lines);
        // What does not fit is read all the same, so that the script does not wait, and dropped.
        if lines.1 + line.len() <= MOST_OUTPUT {
            lines.1 += line.len() + 1;
            // No text of the service has a NUL.
            lines.0.push(String::from_utf8_lossy(line).replace('\0', "\u{FFFD}"));
        }
    }

    /// Reads a stream to its end.
    pub fn read(&self, mut stream: impl Read) {
        let (mut piece, mut line) = ([0; 8 << 10], Vec::new());
        while let Ok(length @ 1..) = stream.read(&mut piece) {
            for byte in piece.iter().take(length) {
                if *byte == b'\n' || line.len() >= LONGEST_LINE {
                    self.push(&line);
                    line.clear();
                }
                if *byte != b'\n' {
                    line.push(*byte);
                }
            }
        }
        if !line.is_empty() {
            self.push(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_replaced() {
        let output = Output::default();
        output.read(&b"a\0b\n\xFFc\n"[..]);
        assert_eq!(output.take(), ["a\u{FFFD}b", "\u{FFFD}c"]);
        assert!(output.take().is_empty());
    }

    #[test]
    fn it_is_bounded_and_read_to_its_end() {
        let output = Output::default();
        let much = b"0123456789abcdef\n".repeat(500_000);
        let mut stream = &much[..];
        output.read(&mut stream);
        let bytes: usize = output.take().iter().map(|line| line.len() + 1).sum();
        assert!(stream.is_empty());
        assert!((1 << 20..=MOST_OUTPUT + LONGEST_LINE).contains(&bytes), "{bytes}");
        output.read(&vec![b'x'; 2 * LONGEST_LINE][..]);
        assert!(output.take().iter().all(|line| line.len() <= LONGEST_LINE));
    }
}
