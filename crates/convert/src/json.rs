//! Reading of JSON whose shape another product decides.

use serde_json::Value;

/// A text of an object; an empty one counts as missing.
pub fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// A text or a number of an object, as text.
pub fn id(value: &Value, name: &str) -> Option<String> {
    match value.get(name)? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A whole number of an object.
pub fn number(value: &Value, name: &str) -> Option<i64> {
    value.get(name).and_then(Value::as_i64)
}

/// A yes or no of an object.
pub fn flag(value: &Value, name: &str) -> Option<bool> {
    value.get(name).and_then(Value::as_bool)
}

/// A list of an object; empty where there is none.
pub fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A part of an object, by the names that lead to it.
pub fn part<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().try_fold(value, |value, name| value.get(name)).filter(|value| !value.is_null())
}

/// A text cut to so many characters.
pub fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
