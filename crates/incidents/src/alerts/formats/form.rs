//! What a form sends, as `curl -d` does: `subject=Disk+full&state=critical`.

use base::json_repair::mixed_text;
use percent_encoding::percent_decode;
use serde_json::{Map, Value};

/// What is said of a body that was a form.
pub const REPAIR: &str = "the body is a form and was read as its fields";

/// The most fields of a form.
const MOST: usize = 1_000;

/// The fields of a form, whatever its content type says; `None` for what does not begin with the name of one. A `&`
/// that no field follows is a part of the text before it.
pub fn fields(body: &[u8]) -> Option<Map<String, Value>> {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.[]%+".contains(byte);
    let mut fields: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for piece in body.trim_ascii().split(|byte| *byte == b'&') {
        let name = piece.iter().take_while(|byte| is_of_name(byte)).count();
        match piece.split_at_checked(name).filter(|(name, _)| !name.is_empty()) {
            Some((name, [b'=', value @ ..])) if fields.len() < MOST => fields.push((name, value.to_vec())),
            _ => {
                let (_, value) = fields.last_mut()?;
                value.push(b'&');
                value.extend_from_slice(piece);
            }
        }
    }
    let text = |bytes: &[u8]| {
        let spaced: Vec<u8> = bytes.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
        mixed_text(&percent_decode(&spaced).collect::<Vec<u8>>())
    };
    Some(fields.into_iter().map(|(name, value)| (text(name), Value::String(text(&value)))).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_has_fields() {
        for (body, read) in [
            (&b"subject=Disk+full&state=critical\n"[..], json!({"subject": "Disk full", "state": "critical"})),
            (b"subject=R&D+is+100%25+l%c3%a4ssig&a=", json!({"subject": "R&D is 100% lässig", "a": ""})),
            (b"payload=%7B%22text%22%3A%22a%22%7D", json!({"payload": "{\"text\":\"a\"}"})),
            (b"subject=l\xe4uft: {a=b}", json!({"subject": "läuft: {a=b}"})),
        ] {
            assert_eq!(fields(body).map(Value::Object), Some(read), "{:?}", String::from_utf8_lossy(body));
        }
        for none in [&b""[..], b"{\"a\":\"b=c\"}", b"[1]", b"hello", b"=a", b"a b=c", b"\"a=b\""] {
            assert_eq!(fields(none), None, "{:?}", String::from_utf8_lossy(none));
        }
        assert!(fields("a=b&".repeat(5_000).as_bytes()).is_some_and(|fields| fields.len() == 1));
    }
}
