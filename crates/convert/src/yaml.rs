//! Writes JSON values as YAML that people edit.
//!
//! Text stands without quotes only where every reader of YAML 1.1 and 1.2 takes it for text; all other text is a JSON
//! string, which YAML reads as the same text.

use serde_json::{Map, Value};

/// Words that some readers of YAML take for something other than text.
const WORDS: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan"];

/// The longest object that stands in one line, in bytes.
const LONGEST_FLOW: usize = 72;

/// A document: the fields of an object, one below the other.
pub fn document(fields: &Map<String, Value>) -> String {
    let mut out = String::new();
    object(&mut out, fields, 0);
    out
}

fn object(out: &mut String, fields: &Map<String, Value>, depth: usize) {
    for (place, (name, value)) in fields.iter().enumerate() {
        // The first field of an object in a list stands behind its dash.
        if place > 0 || !out.ends_with("- ") {
            indent(out, depth);
        }
        out.push_str(&scalar(&Value::String(name.clone())));
        out.push(':');
        field(out, value, depth);
    }
}

fn field(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => match flow(value) {
            Some(text) => line(out, &text),
            None => {
                out.push('\n');
                object(out, fields, depth + 1);
            }
        },
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            list(out, items, depth);
        }
        other => line(out, &scalar(other)),
    }
}

fn list(out: &mut String, items: &[Value], depth: usize) {
    for item in items {
        indent(out, depth);
        out.push_str("- ");
        match item {
            Value::Object(fields) if !fields.is_empty() => match flow(item) {
                Some(text) => {
                    out.push_str(&text);
                    out.push('\n');
                }
                None => object(out, fields, depth + 1),
            },
            other => {
                out.push_str(&scalar(other));
                out.push('\n');
            }
        }
    }
}

/// An object of at most three fields without parts of their own, in one line.
fn flow(value: &Value) -> Option<String> {
    let Value::Object(fields) = value else { return None };
    if fields.len() > 3 || fields.values().any(|value| value.is_object() || value.is_array()) {
        return None;
    }
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}: {}", scalar(&Value::String(name.clone())), scalar(value)))
        .collect();
    Some(format!("{{{}}}", fields.join(", "))).filter(|text| text.len() <= LONGEST_FLOW)
}

fn line(out: &mut String, text: &str) {
    out.push(' ');
    out.push_str(text);
    out.push('\n');
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::String(text) => {
            let mut out = String::new();
            for letter in Value::String(text.clone()).to_string().chars() {
                // YAML allows fewer letters than JSON to stand for themselves.
                match letter {
                    '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                        out.push_str(&format!("\\u{:04x}", u32::from(letter)));
                    }
                    letter => out.push(letter),
                }
            }
            out
        }
        Value::Array(_) => "[]".to_owned(),
        Value::Object(_) => "{}".to_owned(),
        other => other.to_string(),
    }
}

/// Is this text read as itself without quotes?
fn is_plain(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '.' | '_' | '-' | '/' | '@'))
        && !text.ends_with(' ')
        && !text.contains("  ")
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_and_lists_are_written_as_people_write_them() {
        let value = json!({
            "kind": "Roster", "name": "Yes", "description": "", "timeZone": {"name": "Europe/Vienna"},
            "shiftDetails": [
                {"name": "Night: one", "users": [{"loginName": "ann.lee@example.net"}], "empty": [],
                    "schedule": {"type": "recurring", "startTime": "22:00:00",
                        "pattern": {"type": "daily", "repeatFrequency": 1}}},
                {"name": "2nd", "users": []}
            ],
            "none": null, "texts": ["a", "b c", "- d"]
        });
        let Value::Object(fields) = value else { unreachable!() };
        let expected = "\
kind: Roster
name: \"Yes\"
description: \"\"
timeZone: {name: Europe/Vienna}
shiftDetails:
- name: \"Night: one\"
  users:
  - {loginName: ann.lee@example.net}
  empty: []
  schedule:
    type: recurring
    startTime: \"22:00:00\"
    pattern: {type: daily, repeatFrequency: 1}
- {name: \"2nd\", users: []}
none: null
texts:
- a
- b c
- \"- d\"
";
        // An object with a list does not stand in one line.
        let expected = expected.replace("- {name: \"2nd\", users: []}\n", "- name: \"2nd\"\n  users: []\n");
        assert_eq!(document(&fields), expected);
    }

    #[test]
    fn what_a_reader_could_take_for_something_else_is_quoted() {
        for text in ["", "12", "1e3", "~", "no", "Null", "a: b", "a #b", " a", "a ", "\u{85}", "[x]", "ä", "2026-01-01"]
        {
            assert!(scalar(&json!(text)).starts_with('"'), "{text:?}");
        }
        assert_eq!(scalar(&json!("a\nb\u{7f}\u{2028}")), "\"a\\nb\\u007f\\u2028\"");
        assert_eq!(scalar(&json!("Grüße")), "\"Grüße\"");
    }
}
