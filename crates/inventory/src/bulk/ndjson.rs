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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(pieces: &[&[u8]]) -> Result<Vec<(u64, String)>, Stop> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        let mut each = |number, line: &[u8]| found.push((number, String::from_utf8_lossy(line).into_owned()));
        for piece in pieces {
            lines.push(piece, &mut each)?;
        }
        lines.end(&mut each);
        Ok(found)
    }

    #[test]
    fn blank_lines_count_and_are_left_out() {
        let found = lines(&[b"a\r\n\n \t\r\nb", b"c\n", b"\n", b"d"]).unwrap();
        let expected = [(1, "a"), (4, "bc"), (6, "d")].map(|(number, text)| (number, text.to_owned()));
        assert_eq!(found, expected);
        assert_eq!(lines(&[]).unwrap(), []);
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_is_held() {
        let piece = vec![b'x'; 64 << 10];
        let mut reader = Lines::default();
        reader.push(b"a\n", |_, _| {}).unwrap();
        let mut taken = 0;
        let stop = loop {
            match reader.push(&piece, |_, _| {}) {
                Ok(()) => taken += piece.len(),
                Err(stop) => break stop,
            }
        };
        assert_eq!((taken, stop), (LONGEST, Stop::too_long(2)));
        assert!(reader.begun.capacity() <= 2 * LONGEST);
        let whole = vec![b'x'; LONGEST + 1];
        assert_eq!(lines(&[&whole, b"\n"]), Err(Stop::too_long(1)));
        assert_eq!(lines(&[&whole[1..], b"\n"]).unwrap().len(), 1);
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(text in "[ab\r\n]{0,40}", cuts in proptest::collection::vec(0_usize..40, 0..5)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                pieces.push(&text.as_bytes()[from..cut]);
                from = cut;
            }
            prop_assert_eq!(lines(&pieces), lines(&[text.as_bytes()]));
            let expected: Vec<String> =
                text.split('\n').map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
            let found: Vec<String> = lines(&pieces).unwrap().into_iter().map(|(_, line)| line).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
