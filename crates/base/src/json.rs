//! A request body from bytes to JSON.

use serde_json::{Value, error::Category};

use crate::problem::{Problem, shorten};

/// The body as a whole, as errors name it.
pub(crate) const BODY: &str = "body";

/// Reads a body as JSON. A byte order mark in front is skipped; of a repeated key the last counts.
///
/// # Errors
/// 400 on `body` with line and column when it is empty, not UTF-8, not JSON or nested more than 127
/// levels deep, without repeating any of it. 400 naming the path of a NUL character in a string or a
/// key, because Postgres cannot store one.
pub fn parse_json(bytes: &[u8]) -> Result<Value, Problem> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(Problem::field(BODY, "is not valid UTF-8"));
    };
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Err(Problem::field(BODY, "is empty; JSON is expected"));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| bad_json(&error))?;
    // JSON holds a NUL only as this escape, so nearly every body is spared the walk.
    if text.contains("\\u0000") {
        refuse_nul(&value, "")?;
    }
    Ok(value)
}

/// Bytes that the values of a JSON text take in memory once they are parsed, at most: several hundred for an object,
/// however short its text is. Nothing is parsed for it, and the text need not be JSON.
pub fn weight(text: &[u8]) -> usize {
    /// A value in a list that grew to twice its size, or with a key.
    const VALUE: usize = 180;
    /// What is around the first members of an object, and of a list.
    const OBJECT: usize = 520;
    const LIST: usize = 280;
    /// Deeper than this the parser ends.
    const DEEPEST: usize = 128;
    let mut weight = text.len() + VALUE;
    let mut depth = 0_usize;
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        weight += match byte {
            b'{' | b'[' if depth >= DEEPEST => return weight,
            b'{' | b'[' => {
                depth += 1;
                if *byte == b'{' { OBJECT } else { LIST }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                0
            }
            b',' => VALUE,
            b'"' => {
                while let Some(byte) = rest.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => drop(rest.next()),
                        _ => {}
                    }
                }
                0
            }
            _ => 0,
        };
    }
    weight
}

fn bad_json(error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    let reason = if text.starts_with("recursion limit") {
        "is nested too deeply"
    } else if text.starts_with("number out of range") {
        "has a number out of range"
    } else if error.classify() == Category::Eof {
        "is JSON that ends too early"
    } else {
        "is not valid JSON"
    };
    let line = error.line();
    let column = error.column();
    Problem::field(BODY, format!("{reason} (line {line}, column {column})"))
}

/// Looks at every string and key; the depth is the parser's, so the recursion is bounded.
fn refuse_nul(value: &Value, path: &str) -> Result<(), Problem> {
    const MESSAGE: &str = "must not contain a NUL character";
    match value {
        Value::String(text) if text.contains('\0') => {
            Err(Problem::field(if path.is_empty() { BODY } else { path }, MESSAGE))
        }
        Value::Array(items) => {
            items.iter().enumerate().try_for_each(|(index, item)| refuse_nul(item, &format!("{path}[{index}]")))
        }
        Value::Object(members) => members.iter().try_for_each(|(key, item)| {
            let path = join(path, &shorten(key));
            if key.contains('\0') {
                return Err(Problem::field(path, MESSAGE));
            }
            refuse_nul(item, &path)
        }),
        _ => Ok(()),
    }
}

/// The path of a member of the object at `path`, which is empty for the body itself.
pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn refused(bytes: &[u8]) -> (String, String) {
        let error = parse_json(bytes).unwrap_err().errors.pop().unwrap();
        (error.field_name, error.message)
    }

    #[test]
    fn reads_json() {
        assert_eq!(parse_json(br#" {"a":[1,"\\u0000"]} "#), Ok(json!({"a": [1, "\\u0000"]})));
        assert_eq!(parse_json("\u{FEFF}[]".as_bytes()), Ok(json!([])));
        assert_eq!(parse_json(br#"{"a":1,"a":2}"#), Ok(json!({"a": 2})));
    }

    #[test]
    fn says_where_and_repeats_nothing() {
        for (bytes, message) in [
            (&b"{\n \"pass\": hunter2}"[..], "is not valid JSON (line 2, column 10)"),
            (b"{\"a\":1", "is JSON that ends too early (line 1, column 6)"),
            (b"[1e999]", "has a number out of range (line 1, column 6)"),
            (b"", "is empty; JSON is expected"),
            (b" \n", "is empty; JSON is expected"),
            (b"\"\xff\"", "is not valid UTF-8"),
            (b"{\"a\":\"\0\"}", "is not valid JSON (line 1, column 7)"),
            (b"{} {}", "is not valid JSON (line 1, column 4)"),
        ] {
            assert_eq!(refused(bytes), (BODY.to_owned(), message.to_owned()));
        }
        let deep = refused("[".repeat(100_000).as_bytes()).1;
        assert!(deep.starts_with("is nested too deeply"), "{deep}");
    }

    #[test]
    fn names_the_path_of_a_nul() {
        for (text, path) in [
            (r#""\u0000""#, "body"),
            (r#"["a","b\u0000"]"#, "[1]"),
            (r#"{"shifts":[{"name":"a\u0000"}]}"#, "shifts[0].name"),
            (r#"{"a":{"k\u0000":1}}"#, "a.k\u{FFFD}"),
        ] {
            assert_eq!(refused(text.as_bytes()).0, path);
        }
    }

    proptest! {
        #[test]
        fn survives_any_bytes(bytes: Vec<u8>, near in r#"([\[\]{}:,"\\0-9eu.-]|true|null|\\u0000)*"#) {
            let _ = parse_json(&bytes);
            if let Ok(value) = parse_json(near.as_bytes()) {
                prop_assert!(!value.to_string().contains("\\u0000"));
            }
        }
    }
}
