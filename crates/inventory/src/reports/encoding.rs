//! From bytes to text. JSON is UTF-8; XML may declare another encoding, as agents of old do.

use std::borrow::Cow;

use base::json_repair::mixed_text;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::error::ReportError;

/// The warning about a report in another encoding than it declares.
const NOT_UTF_8: &str = "the XML is not UTF-8 and was read as Windows-1252 where it is not";
const IS_UTF_16: &str = "the XML is UTF-16 and was read as that";

/// The text of a report that must be UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, ReportError> {
    let bytes = without_mark(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        ReportError::malformed(format!("the report is not valid UTF-8 (byte {})", error.valid_up_to()))
    })
}

/// A report without the byte order mark of UTF-8.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The encoding of a report in UTF-16, by its mark or its first character, which is of ASCII, and what follows the
/// mark.
fn utf_16(bytes: &[u8]) -> Option<(&'static Encoding, &[u8])> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => Some((UTF_16LE, rest)),
        [0xfe, 0xff, rest @ ..] => Some((UTF_16BE, rest)),
        [first, 0, ..] if *first != 0 => Some((UTF_16LE, bytes)),
        [0, first, ..] if *first != 0 => Some((UTF_16BE, bytes)),
        _ => None,
    }
}

/// The first character of a report that is not blank, where it is of ASCII.
pub(super) fn first_character(bytes: &[u8]) -> Option<u8> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let Some((encoding, units)) = utf_16(bytes) else {
        return without_mark(bytes).iter().copied().find(|byte| !is_blank(byte));
    };
    let units = units.as_chunks::<2>().0.iter().map(|unit| match unit {
        [byte, 0] if encoding == UTF_16LE => Some(*byte),
        [0, byte] if encoding == UTF_16BE => Some(*byte),
        _ => None,
    });
    units.into_iter().find(|byte| !byte.as_ref().is_some_and(is_blank)).flatten()
}

/// The text of an XML report: UTF-8 whatever it declares, and else in the encoding that it declares. As browsers do,
/// ISO-8859-1 is read as the Windows-1252 that it mostly is.
pub(super) fn xml(bytes: &[u8]) -> Result<Cow<'_, str>, ReportError> {
    let error = match utf8(bytes) {
        Ok(text) => return Ok(text.into()),
        Err(error) => error,
    };
    let declared = declared_encoding(bytes).and_then(|label| Encoding::for_label(label.as_bytes()));
    // A declaration that is read byte by byte cannot be UTF-16, whatever it says.
    let declared = declared.filter(|encoding| encoding.output_encoding() != UTF_8);
    declared.map(|encoding| encoding.decode_without_bom_handling(without_mark(bytes)).0).ok_or(error)
}

/// The text of an XML report that [`xml`] does not read, and what is wrong with its encoding.
pub(super) fn nearly_xml(bytes: &[u8]) -> (Cow<'_, str>, Option<&'static str>) {
    match (utf_16(bytes), xml(bytes)) {
        (Some((encoding, units)), _) => (encoding.decode_without_bom_handling(units).0, Some(IS_UTF_16)),
        (None, Ok(text)) => (text, None),
        (None, Err(_)) => (read_mixed(bytes).into(), Some(NOT_UTF_8)),
    }
}

/// The text of an XML report in another encoding than it declares: bytes that are not UTF-8 are Windows-1252.
fn read_mixed(bytes: &[u8]) -> String {
    mixed_text(without_mark(bytes))
}

/// The value of `encoding` in the XML declaration.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let bytes = without_mark(bytes).trim_ascii_start();
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
        let euro = b"<?xml version='1.0' encoding='ISO-8859-15'?><a>5 \xa4</a>";
        assert!(xml(euro).unwrap().ends_with("<a>5 €</a>"));
        assert!(xml(b"<?xml version='1.0' encoding='windows-1250'?><a>\xb3</a>").unwrap().ends_with("<a>ł</a>"));
        let marked = b"\xef\xbb\xbf<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>";
        assert_eq!(xml(marked).unwrap(), "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>");
        for label in ["ISO-8859-15", "windows-1250", "UTF-16", "EBCDIC-CP-US", "ISO-8859-1"] {
            let text = format!("<?xml version=\"1.0\" encoding=\"{label}\"?><a>é</a>");
            assert_eq!(xml(text.as_bytes()).unwrap(), text, "{label}");
        }
        assert_eq!(nearly_xml(b"<a>\xe9 \xc3\xa9</a>"), (Cow::Borrowed("<a>é é</a>"), Some(NOT_UTF_8)));
    }

    #[test]
    fn utf_16_is_read_in_either_order_and_without_a_mark() {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>é 😀</a>";
        let after_blanks = format!("\r\n {text}");
        for (mark, unit) in [
            (&b"\xff\xfe"[..], u16::to_le_bytes as fn(u16) -> [u8; 2]),
            (b"\xfe\xff", u16::to_be_bytes),
            (b"", u16::to_le_bytes),
            (b"", u16::to_be_bytes),
        ] {
            for text in [text, &after_blanks] {
                let bytes = [mark, &text.encode_utf16().flat_map(unit).collect::<Vec<_>>()].concat();
                assert_eq!(nearly_xml(&bytes), (Cow::Borrowed(text), Some(IS_UTF_16)));
                assert_eq!(crate::reports::sniff(&bytes), Some(crate::reports::Format::Xml));
            }
        }
    }

    #[test]
    fn unreadable_bytes_are_refused_with_a_reason() {
        assert!(xml(b"<?xml version='1.0' encoding='EBCDIC-CP-US'?><a>\xe9</a>").is_err());
        assert!(xml(b"<a>\xe9</a>").unwrap_err().message().contains("byte 3"));
    }
}
