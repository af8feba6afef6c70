//! Writes values as YAML: the same value always as the same bytes.

use serde_json::{Map, Value};

/// How far a nested value is indented.
const INDENT: &str = "  ";

/// A document, with a line break at its end.
pub fn yaml(document: &Map<String, Value>) -> String {
    let mut text = String::new();
    object(document, 0, &mut text);
    text
}

fn object(fields: &Map<String, Value>, depth: usize, to: &mut String) {
    for (index, (name, value)) in fields.iter().enumerate() {
        // The first field of an element of a list stands behind its dash.
        if index > 0 || !to.ends_with("- ") {
            to.push_str(&INDENT.repeat(depth));
        }
        to.push_str(&scalar(name));
        to.push(':');
        below(value, depth, to);
    }
}

/// What stands behind the name of a field.
fn below(value: &Value, depth: usize, to: &mut String) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            to.push('\n');
            object(fields, depth + 1, to);
        }
        Value::Array(elements) if !elements.is_empty() => {
            to.push('\n');
            list(elements, depth, to);
        }
        Value::String(text) if is_block(text) => block(text, depth + 1, to),
        other => {
            to.push(' ');
            to.push_str(&flat(other));
            to.push('\n');
        }
    }
}

fn list(elements: &[Value], depth: usize, to: &mut String) {
    for element in elements {
        to.push_str(&INDENT.repeat(depth));
        to.push_str("- ");
        match element {
            Value::Object(fields) if !fields.is_empty() => object(fields, depth + 1, to),
            Value::Array(elements) if !elements.is_empty() => {
                to.push_str(&flat_list(elements));
                to.push('\n');
            }
            other => {
                to.push_str(&flat(other));
                to.push('\n');
            }
        }
    }
}

/// A value on one line.
fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        // JSON is YAML.
        other => other.to_string(),
    }
}

fn flat_list(elements: &[Value]) -> String {
    Value::Array(elements.to_vec()).to_string()
}

/// May a text stand as it is, line by line? The others are written in quotes.
fn is_block(text: &str) -> bool {
    let good = |letter: char| letter == '\n' || letter == '\t' || !(letter.is_control() || is_special(letter));
    text.contains('\n')
        && text.chars().all(good)
        && !text.starts_with([' ', '\n', '\t'])
        && text.lines().all(|line| !line.trim().is_empty() || line.is_empty())
}

fn block(text: &str, depth: usize, to: &mut String) {
    let kept = text.trim_end_matches('\n');
    let breaks = text.len() - kept.len();
    to.push_str(match breaks {
        0 => " |-\n",
        1 => " |\n",
        _ => " |+\n",
    });
    for line in kept.split('\n') {
        if !line.is_empty() {
            to.push_str(&INDENT.repeat(depth));
            to.push_str(line);
        }
        to.push('\n');
    }
    to.push_str(&"\n".repeat(breaks.saturating_sub(1)));
}

/// A text without quotes where every reader of YAML, old ones included, reads that text; else in double quotes.
fn scalar(text: &str) -> String {
    let plain = |letter: char| {
        letter.is_alphanumeric()
            || matches!(letter, ' ' | '_' | '-' | '.' | '/' | '+' | '(' | ')' | '@' | ';' | '=' | '>')
    };
    let first = text.chars().next();
    let is_plain =
        first.is_some_and(char::is_alphabetic) && text.chars().all(plain) && !text.ends_with(' ') && !is_word(text);
    if is_plain { text.to_owned() } else { quoted(text) }
}

/// Words that YAML 1.1 or 1.2 reads as something else than a text.
fn is_word(text: &str) -> bool {
    matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n")
}

fn quoted(text: &str) -> String {
    // JSON escapes what is below a space; the rest that breaks lines or hides is written by its number.
    let escaped = Value::String(text.to_owned()).to_string();
    escaped.chars().map(|letter| if is_special(letter) { escape(letter) } else { letter.to_string() }).collect()
}

/// Letters that end a line for YAML, or that nobody sees.
const fn is_special(letter: char) -> bool {
    matches!(letter, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escape(letter: char) -> String {
    format!("\\u{:04x}", u32::from(letter))
}

#[cfg(test)]
mod tests;
