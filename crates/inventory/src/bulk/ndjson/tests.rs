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
