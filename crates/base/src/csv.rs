//! Comma-separated values on their way out: RFC 4180.
//!
//! A cell that a spreadsheet would calculate gets an apostrophe; nothing else is changed for its sake, such as what
//! looks like a number.

/// Would a spreadsheet calculate this cell, were it not for the apostrophes in front of it?
fn is_formula(cell: &[u8]) -> bool {
    let first = cell.iter().find(|byte| **byte != b'\'');
    first.is_some_and(|byte| b"=+-@\t\r\n".contains(byte))
}

/// A cell without the apostrophe that keeps a spreadsheet from calculating it.
pub fn unescape_formula(cell: &[u8]) -> &[u8] {
    cell.strip_prefix(b"'").filter(|rest| is_formula(rest)).unwrap_or(cell)
}

/// Adds a record to a text. A cell that a spreadsheet would calculate gets an apostrophe, and so does one that begins
/// with apostrophes and goes on like that, so that [`unescape_formula`] finds what it was.
pub fn write<'c>(out: &mut Vec<u8>, cells: impl IntoIterator<Item = &'c str>) {
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let plain = !cell.contains([',', '"', '\r', '\n']) && cell.trim() == cell;
        if !plain {
            out.push(b'"');
        }
        if is_formula(cell.as_bytes()) {
            out.push(b'\'');
        }
        if plain {
            out.extend_from_slice(cell.as_bytes());
        } else {
            out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
            out.push(b'"');
        }
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_not_mangled() {
        let mut out = Vec::new();
        write(&mut out, ["a,b", "he said \"no\"", "two\nlines", " blank ", "", "007", "1-1", "'quoted'", " =1"]);
        let text = "\"a,b\",\"he said \"\"no\"\"\",\"two\nlines\",\" blank \",,007,1-1,'quoted',\" =1\"\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn no_cell_is_a_formula() {
        let mut out = Vec::new();
        write(&mut out, ["=1+1", "@x", "-3", "+4", "\t=1", "\r=1", "=a,b", "'=1", "''", "'a"]);
        let text = "'=1+1,'@x,'-3,'+4,\"'\t=1\",\"'\r=1\",\"'=a,b\",''=1,'','a\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), text);
        let unescape_formula =
            |cell: &'static str| String::from_utf8_lossy(unescape_formula(cell.as_bytes())).into_owned();
        assert_eq!(["=1", "'=1", "''=1", "'a", "'", ""].map(unescape_formula), ["=1", "=1", "'=1", "'a", "'", ""]);
    }
}
