use proptest::prelude::*;

use super::{super::row::TENANTS, *};

fn rows(format: Format, pieces: &[&[u8]]) -> Result<Vec<Row>, Stop> {
    let mut reader = Reader::new(format, "client_1");
    for piece in pieces {
        reader.push(piece)?;
    }
    reader.end()?;
    Ok(reader.take(usize::MAX))
}

fn errors(row: &Row) -> Vec<String> {
    let errors = row.entry.as_ref().unwrap_err().iter();
    errors.map(|error| format!("{}: {}", error.field_name, error.message)).collect()
}

#[test]
fn a_byte_order_mark_is_skipped_in_any_pieces() {
    for (format, text) in [(Format::Ndjson, "\u{FEFF}{\"name\":\"a\"}"), (Format::Csv, "\u{FEFF}name\na")] {
        for size in 1..=5 {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let rows = rows(format, &pieces).unwrap();
            assert_eq!(rows[0].entry.as_ref().unwrap().input.texts, [("name", "a".to_owned())], "{size}");
        }
    }
    assert_eq!(rows(Format::Csv, &[b"\xFF\xFEn\0"]).unwrap_err(), Stop::new(1, "is UTF-16; send UTF-8"));
    assert_eq!(rows(Format::Ndjson, &[b"\xEF\xBB\xBF"]).unwrap().len(), 0);
    assert_eq!(rows(Format::Ndjson, &[b"{}"]).unwrap().len(), 1);
}

#[test]
fn json_is_an_array_or_lines_by_its_beginning() {
    for (text, lines) in [
        ("\u{FEFF} \n[{\"name\":\"a\"},\n\n{\"name\":\"b\"}]\n", vec![1, 2]),
        ("\n\n{\"name\":\"a\"}\n{\"name\":\"b\"}", vec![3, 4]),
        ("[]", vec![]),
        (" \n", vec![]),
    ] {
        for size in 1..=7 {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let rows = rows(Format::Json, &pieces).unwrap();
            assert_eq!(rows.iter().map(|row| row.line).collect::<Vec<_>>(), lines, "{text:?} by {size}");
            assert!(rows.iter().all(|row| row.entry.is_ok()));
        }
    }
    assert_eq!(rows(Format::Json, &[b"[{}"]).unwrap_err().line, Some(1));
}

#[test]
fn an_invalid_line_has_its_errors() {
    let text = b"{\"name\":\"a\"}\n[1]\nnonsense\n{\"state\":\"odd\",\"tags\":[{}]}\n{\"name\":\"\xFF\"}\n";
    let rows = rows(Format::Ndjson, &[text]).unwrap();
    assert_eq!(rows.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(rows[0].entry.is_ok());
    assert_eq!(errors(&rows[1]), ["row: must be a JSON object"]);
    assert_eq!(errors(&rows[2]), ["row: is not valid JSON (line 1, column 2)"]);
    assert_eq!(errors(&rows[3]), ["state: must be one of: active, inactive, discovered", "tags[0].name: is required"]);
    assert_eq!(errors(&rows[4]), ["row: is not valid UTF-8"]);
}

#[test]
fn a_row_of_another_tenant_is_an_error() {
    for name in TENANTS {
        let row = |tenant: &str| {
            let text = format!("{{\"name\":\"a\",\"{name}\":\"{tenant}\"}}");
            rows(Format::Ndjson, &[text.as_bytes()]).unwrap().remove(0)
        };
        assert!(row("client_1").entry.is_ok() && row("").entry.is_ok());
        let expected = format!("{name}: is not the tenant of the path, to which every row belongs");
        assert_eq!(errors(&row("client_2")), [expected]);
    }
}

#[test]
fn batches_are_bounded_in_rows_and_bytes() {
    let mut reader = Reader::new(Format::Ndjson, "client_1");
    reader.push(&b"{}\n".repeat(500)).unwrap();
    assert!(reader.is_full(200) && !reader.is_full(501));
    assert_eq!((reader.take(200).len(), reader.len()), (200, 300));
    reader.take(300);
    let long = format!("{{\"description\":\"{}\"}}\n", "x".repeat(LONGEST / 2));
    reader.push(long.as_bytes()).unwrap();
    assert!(!reader.is_full(200));
    reader.push(long.as_bytes()).unwrap();
    assert!(reader.is_full(200));
}

proptest! {
    #[test]
    fn survives_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200),
        text in "[{}\\[\\]\",:a\n]{0,60}") {
        for format in [Format::Ndjson, Format::Csv] {
            let _ = rows(format, &[&bytes]);
            let _ = rows(format, &[text.as_bytes()]);
        }
    }
}
