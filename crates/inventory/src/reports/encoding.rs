//! From bytes to text. JSON is UTF-8; XML may declare one of the encodings that
//! agents of old have used.

use std::borrow::Cow;

use base::json_repair::{mixed_text, windows_1252};

use super::error::ReportError;

/// The text of a report that must be UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, ReportError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        ReportError::malformed(format!("the report is not valid UTF-8 (byte {})", error.valid_up_to()))
    })
}

/// The text of an XML report in the encoding that it declares. As browsers do,
/// ISO-8859-1 is read as the Windows-1252 that it mostly is.
pub(super) fn xml(bytes: &[u8]) -> Result<Cow<'_, str>, ReportError> {
    let declared = declared_encoding(bytes).map(str::to_ascii_lowercase);
    match declared.as_deref() {
        None | Some("utf-8" | "utf8" | "us-ascii" | "ascii") => utf8(bytes).map(Cow::Borrowed),
        Some("iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" | "windows-1252" | "cp1252") => {
            Ok(bytes.iter().map(|byte| windows_1252(*byte)).collect::<String>().into())
        }
        Some(_) => Err(ReportError::unsupported(
            "the XML report declares a character encoding that is not read here; send UTF-8, ISO-8859-1 or \
             windows-1252",
        )),
    }
}

/// The text of an XML report in another encoding than it declares: bytes that are not UTF-8 are Windows-1252.
pub(super) fn read_mixed(bytes: &[u8]) -> String {
    mixed_text(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// The error for bytes that begin neither like XML nor like JSON.
pub(super) fn unknown_format(bytes: &[u8]) -> ReportError {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'<', ..] | [0, b'{', ..] => {
            ReportError::unsupported("the report is UTF-16 or UTF-32; send UTF-8")
        }
        _ => ReportError::malformed("the report is neither XML nor JSON"),
    }
}

/// The value of `encoding` in the XML declaration.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let head = bytes.get(..256.min(bytes.len()))?.strip_prefix(b"<?xml")?;
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(head.get(..end)?).ok()?;
    let (_, after) = declaration.split_once("encoding")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value.get(1..)?.split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::ErrorKind;

    #[test]
    fn encodings_are_as_declared() {
        assert_eq!(xml("<a>é</a>".as_bytes()).unwrap(), "<a>é</a>");
        assert_eq!(
            xml(b"\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8' ?><a/>").unwrap(),
            "<?xml version='1.0' encoding='UTF-8' ?><a/>"
        );
        let latin = xml(b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe9\x80</a>").unwrap();
        assert!(latin.ends_with("<a>é€</a>"));
        assert!(xml(b"<?xml encoding = 'windows-1252'?><a>\x93</a>").unwrap().contains('“'));
        assert_eq!(read_mixed(b"<a>\xe9 \xc3\xa9</a>"), "<a>é é</a>");
    }

    #[test]
    fn unreadable_bytes_are_refused_with_a_reason() {
        assert_eq!(
            xml(b"<?xml version='1.0' encoding='EBCDIC-CP-US'?><a/>").unwrap_err().kind(),
            ErrorKind::Unsupported
        );
        assert!(xml(b"<a>\xe9</a>").unwrap_err().message().contains("byte 3"));
        assert_eq!(unknown_format(b"\xff\xfe<\0").kind(), ErrorKind::Unsupported);
        assert_eq!(unknown_format(b"hello").kind(), ErrorKind::Malformed);
    }
}
