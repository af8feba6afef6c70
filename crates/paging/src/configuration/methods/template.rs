//! Messages by a template of their owner, with conditions and loops.
//!
//! A template is somebody else's program, so it can do little: it reads the message, compares, repeats, and writes.
//! What would let a few letters grow without end is not in its language: nothing is put together or repeated (`~`, `+`,
//! `*`, lists), nothing is named (`set`, `macro`), nothing is fetched (`include`). What it does is counted (`FUEL`),
//! and what it writes is bounded.

use std::io::{Error, Write};

use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value};

/// The longest template, in characters.
pub const LONGEST: usize = 4_000;
/// How many instructions one may take.
const FUEL: u64 = 20_000;
/// The longest message, in bytes.
const MOST: usize = 64 << 10;
/// How deep its parts may be in each other.
const DEPTH: usize = 32;
/// The statements that there are.
const STATEMENTS: [&str; 6] = ["if", "elif", "else", "endif", "for", "endfor"];

/// Takes letters until it is full.
struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MOST {
            return Err(Error::other("too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a message comes to by a template.
///
/// # Errors
/// A sentence: what is wrong with the template, or that it takes or writes too much.
pub fn render(template: &str, message: &serde_json::Value) -> Result<String, String> {
    check(template)?;
    let mut environment = Environment::empty();
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(64);
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.add_filter("json", json);
    environment.add_filter("default", |value: Value, other: Value| if value.is_undefined() { other } else { value });
    environment.add_filter("length", |value: Value| value.len().unwrap_or(0));
    let compiled = environment.template_from_str(template).map_err(|error| reason(&error))?;
    let mut written = BoundedBuffer(Vec::new());
    let done = compiled.render_captured_to(message, &mut written).map(drop);
    done.map_err(|error| reason(&error))?;
    String::from_utf8(written.0).map_err(|_| "writes what is not text".to_owned())
}

/// A value as JSON writes it.
fn json(value: &Value) -> Result<String, minijinja::Error> {
    let mut written = BoundedBuffer(Vec::new());
    let failed = |why: &str| minijinja::Error::new(ErrorKind::InvalidOperation, why.to_owned());
    serde_json::to_writer(&mut written, value).map_err(|_| failed("is not JSON, or too long"))?;
    String::from_utf8(written.0).map_err(|_| failed("is not text"))
}

fn reason(error: &minijinja::Error) -> String {
    let at = error.line().map(|line| format!(" in line {line}")).unwrap_or_default();
    match error.kind() {
        ErrorKind::OutOfFuel => format!("takes too much work{at}"),
        ErrorKind::WriteFailure => format!("writes more than {MOST} bytes{at}"),
        kind => {
            let more = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
            format!("{kind}{at}{more}").chars().take(300).collect()
        }
    }
}

/// Refuses what is not in the language, whatever the engine makes of it.
fn check(template: &str) -> Result<(), String> {
    if template.chars().count() > LONGEST {
        return Err(format!("must not have more than {LONGEST} characters"));
    }
    let mut rest = template;
    let mut depth = 0_usize;
    while let Some(start) = rest.find('{') {
        let inside = rest.get(start + 1..).unwrap_or_default();
        let end = match inside.chars().next() {
            Some('{') => "}}",
            Some('%') => "%}",
            Some('#') => return Err("must not have comments".to_owned()),
            _ => {
                rest = inside;
                continue;
            }
        };
        let inside = inside.get(1..).unwrap_or_default();
        let length = closed(inside, end)?;
        let (tag, after) = inside.split_at(length);
        if end == "%}" {
            let word = tag.trim_start_matches(['-', '+']).trim_start();
            let word: String = word.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            if !STATEMENTS.contains(&word.as_str()) {
                return Err(format!(
                    "must not have {{% {} %}}: there are if and for",
                    word.chars().take(20).collect::<String>()
                ));
            }
            match word.as_str() {
                "if" | "for" => depth += 1,
                "endif" | "endfor" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > DEPTH {
                return Err(format!("must not be more than {DEPTH} deep"));
            }
        }
        rest = after.get(end.len()..).unwrap_or_default();
    }
    Ok(())
}

/// How long a tag is whose end this is, if nothing is in it that must not be.
fn closed(inside: &str, end: &str) -> Result<usize, String> {
    let mut quote = None;
    let mut escaped = false;
    for (place, letter) in inside.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if letter == '\\' => escaped = true,
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if inside.get(place..).is_some_and(|rest| rest.starts_with(end)) => return Ok(place),
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            // At the edge of a tag a sign says what becomes of the blanks beside it.
            None if letter == '+' && place == 0 => {}
            None if letter == '+' && inside.get(place + 1..).is_some_and(|rest| rest.starts_with(end)) => {}
            None if "~+*[]{},".contains(letter) => {
                return Err(format!(
                    "must not have {letter} in a tag: values are shown and compared, and not put together"
                ));
            }
            None => {}
        }
    }
    Err(format!("has a tag without its {end}"))
}

#[cfg(test)]
mod tests;
