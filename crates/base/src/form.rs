//! Decoding of one name or value of a URL's query.

use std::borrow::Cow;

/// Decodes a text in which `+` is a space and `%XX` a byte; the error is the message to give.
/// A text without either is lent back, which is the usual case.
pub(crate) fn decode(raw: &str) -> Result<Cow<'_, str>, &'static str> {
    if !raw.bytes().any(|byte| matches!(byte, b'%' | b'+' | 0)) {
        return Ok(Cow::Borrowed(raw));
    }
    let bytes = unescape(raw).ok_or("has a bad % escape")?;
    let text = String::from_utf8(bytes).map_err(|_| "is not valid UTF-8")?;
    if text.contains('\0') {
        return Err("must not contain a NUL character");
    }
    Ok(Cow::Owned(text))
}

/// `None` for a `%` without two hex digits.
fn unescape(raw: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(raw.len());
    let mut bytes = raw.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => hex(bytes.next()?)? << 4 | hex(bytes.next()?)?,
            _ => byte,
        });
    }
    Some(decoded)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decodes() {
        for (raw, text) in [("", ""), ("a=é", "a=é"), ("a+b%2B%c3%A9", "a b+é"), ("%25%32%35", "%25")] {
            assert_eq!(decode(raw).as_deref(), Ok(text), "{raw}");
        }
    }

    #[test]
    fn says_what_cannot_be_decoded() {
        for (raw, message) in [
            ("%", "has a bad % escape"),
            ("%4", "has a bad % escape"),
            ("%4g", "has a bad % escape"),
            ("%+1", "has a bad % escape"),
            ("%%41", "has a bad % escape"),
            ("%é", "has a bad % escape"),
            ("%FF", "is not valid UTF-8"),
            ("%C3", "is not valid UTF-8"),
            ("a%00", "must not contain a NUL character"),
            ("a\0", "must not contain a NUL character"),
        ] {
            assert_eq!(decode(raw), Err(message), "{raw}");
        }
    }

    proptest! {
        #[test]
        fn an_escaped_text_comes_back(text in "[^\0]*") {
            let escaped: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
            prop_assert_eq!(decode(&escaped), Ok(Cow::Owned(text)));
        }
    }
}
