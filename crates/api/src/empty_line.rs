//! Where the head of a request or a chunked body may end: at an empty line.

/// The length up to the first empty line, all without one. The last line may go on from earlier bytes, which is what
/// `in_empty_line` says before: that it is empty so far; and goes on in later ones, which it says behind.
pub(crate) fn first_piece(bytes: &[u8], in_empty_line: &mut bool) -> usize {
    let is_empty = |line: &[u8]| line.iter().all(|byte| *byte == b'\r');
    let mut line = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        if *in_empty_line && is_empty(&bytes[line..end]) {
            return end + 1;
        }
        *in_empty_line = true;
        line = end + 1;
    }
    *in_empty_line &= is_empty(&bytes[line..]);
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::first_piece;

    /// Byte by byte.
    fn model(bytes: &[u8], in_empty_line: &mut bool) -> usize {
        for (place, byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' if *in_empty_line => return place + 1,
                b'\n' => *in_empty_line = true,
                b'\r' => {}
                _ => *in_empty_line = false,
            }
        }
        bytes.len()
    }

    #[test]
    fn a_piece_ends_at_the_first_empty_line() {
        let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
        for length in 0..7 {
            let longest: Vec<Vec<u8>> = texts.iter().filter(|text| text.len() == length).cloned().collect();
            texts.extend(longest.iter().flat_map(|text| b"\r\na".map(|byte| [text.as_slice(), &[byte]].concat())));
        }
        assert_eq!(texts.len(), 3_280);
        for (text, before) in texts.iter().flat_map(|text| [(text, false), (text, true)]) {
            let (mut expected, mut found) = (before, before);
            let lengths = (model(text, &mut expected), first_piece(text, &mut found));
            assert_eq!((lengths.0, expected), (lengths.1, found), "{text:?} after {before}");
        }
        let head = b"GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /";
        assert_eq!(first_piece(head, &mut false), head.len() - 5);
    }
}
