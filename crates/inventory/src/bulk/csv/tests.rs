use proptest::prelude::*;

use super::*;

type Rows = Vec<(u64, Vec<String>)>;

fn records(pieces: &[&[u8]]) -> Result<Rows, Stop> {
    let mut records = Records::default();
    let mut found = Vec::new();
    let mut each = |record: Record<'_>| {
        assert_eq!(record.cells().count(), record.len());
        let cells = record.cells().map(|cell| String::from_utf8_lossy(cell).into_owned());
        found.push((record.line, cells.collect()));
        Ok(())
    };
    for piece in pieces {
        records.push(piece, &mut each)?;
    }
    records.end(&mut each)?;
    Ok(found)
}

fn expected(rows: &[(u64, &[&str])]) -> Rows {
    rows.iter().map(|(line, cells)| (*line, cells.iter().map(ToString::to_string).collect())).collect()
}

#[test]
fn records_know_their_lines() {
    let text = b"a,b\r\n\"x\ny\",2\r\n\r\n\n3,\n,\"\"\"q\"\"\"\nlast,";
    let rows =
        expected(&[(1, &["a", "b"]), (2, &["x\ny", "2"]), (6, &["3", ""]), (7, &["", "\"q\""]), (8, &["last", ""])]);
    assert_eq!(records(&[text]), Ok(rows.clone()));
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(records(&bytes), Ok(rows));
    assert_eq!(records(&[]), Ok(vec![]));
    assert_eq!(records(&[b"\r\n\r\n"]), Ok(vec![]));
}

#[test]
fn a_quote_that_is_never_closed_is_refused() {
    for text in ["a,b\n1,\"2\n3,4\n", "a,b\n1,\"", "a,b\n1,\"2\"\"", "a,b\n\"1\",\"\"\"", "a,b\n\"1\n\n\n"] {
        let stop = Stop::new(2, "has a quote that is not closed before the end of the body");
        for size in [1, 2, 100] {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            assert_eq!(records(&pieces), Err(stop.clone()), "{text}");
        }
    }
    assert_eq!(records(&[b"a,\"b\""]), Ok(expected(&[(1, &["a", "b"])])));
    assert_eq!(records(&[b"a,\"\""]), Ok(expected(&[(1, &["a", ""])])));
}

#[test]
fn text_behind_a_closing_quote_is_an_error() {
    let stray = |text: &str| {
        let mut records = Records::default();
        let mut found = Vec::new();
        let mut each = |record: Record<'_>| {
            found.push(record.stray);
            Ok(())
        };
        text.as_bytes().iter().for_each(|byte| records.push(&[*byte], &mut each).unwrap());
        records.end(&mut each).unwrap();
        found
    };
    assert_eq!(stray("\"a\"b,c\n\"a\",\"b\"\r\na,\"b\" \n\"a\nb\"c\"\n"), [true, false, true, true]);
    assert_eq!(stray("a\"b\"c,5\"\n\"a\"\"b\",\"\"\n\"\"\"a\"\"\"\r\"x\""), [false; 4]);
}

#[test]
fn a_record_without_end_is_refused_at_the_limit() {
    let mut reader = Records::default();
    reader.push(b"a\nb\n\"", |_| Ok(())).unwrap();
    let piece = vec![b'x'; 64 << 10];
    let mut taken = 0;
    let stop = loop {
        match reader.push(&piece, |_| Ok(())) {
            Ok(()) => taken += piece.len(),
            Err(stop) => break stop,
        }
    };
    assert_eq!(stop, Stop::too_long(3));
    assert!(taken <= LONGEST && reader.cells.capacity() <= 2 * LONGEST, "{taken}");
    let commas = vec![b','; MOST_CELLS + 1];
    assert_eq!(records(&[&commas, b"\n"]).unwrap_err().line, Some(1));
    assert_eq!(records(&[&commas[2..], b"\n"]).unwrap()[0].1.len(), MOST_CELLS);
}

proptest! {
    #[test]
    fn written_records_are_read_back(cells in proptest::collection::vec("['a,\"\r\n é=-]{0,6}", 2..6),
        cut: prop::sample::Index) {
        let mut out = Vec::new();
        write(&mut out, cells.iter().map(String::as_str));
        let (head, tail) = out.split_at(cut.index(out.len()));
        let mut found = records(&[head, tail]);
        for cell in found.iter_mut().flatten().flat_map(|(_, cells)| cells) {
            *cell = String::from_utf8_lossy(unescape_formula(cell.as_bytes())).into_owned();
        }
        prop_assert_eq!(found, Ok(vec![(1, cells)]));
    }

    #[test]
    fn survives_any_bytes(pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..50),
        0..4)) {
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let done = records(&pieces);
        prop_assert!(done.as_ref().err().is_none_or(|stop| stop.message.contains("not closed")), "{done:?}");
    }
}
