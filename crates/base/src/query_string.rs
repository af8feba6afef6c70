//! The filter language: the decoded value of the parameter `queryString`.

use std::fmt::Display;

use crate::{
    lenient::{self, TIMESTAMP, TRUE_OR_FALSE},
    problem::{FieldError, Problem, shorten},
    text::fold,
    timestamp::Timestamp,
};

/// More terms than this are refused.
const MAX_TERMS: usize = 50;
/// A longer text is refused, in bytes.
const MAX_LENGTH: usize = 8 * 1024;
/// The parameter, as errors name it.
const PARAMETER: &str = "queryString";

/// One condition of a filter: `name:value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// The variable, in its documented spelling.
    pub name: &'static str,
    /// The whole value without surrounding blanks, and without the quotes of one that is quoted; every character means
    /// itself.
    pub value: String,
    /// The value's alternatives: split at `,`, without surrounding blanks, the empty ones dropped; a quoted one is
    /// taken whole. There is at least one.
    pub values: Vec<String>,
}

impl Term {
    /// The value as `true` or `false`, in any letter case.
    ///
    /// # Errors
    /// 400 on `queryString` that names the term.
    pub fn boolean(&self) -> Result<bool, Problem> {
        lenient::boolean(&self.value).ok_or_else(|| self.wrong(TRUE_OR_FALSE))
    }

    /// The values, each in the spelling of a list that has them in any letter case.
    ///
    /// # Errors
    /// 400 on `queryString` that names the term.
    pub fn words(&self, allowed: &[&'static str]) -> Result<Vec<&'static str>, Problem> {
        let word = |value: &String| lenient::one_of(allowed, value);
        let wrong = || self.wrong(lenient::must_be_one_of(allowed));
        self.values.iter().map(word).collect::<Option<_>>().ok_or_else(wrong)
    }

    /// The values, folded as names are.
    pub fn folded(&self) -> impl Iterator<Item = String> {
        self.values.iter().map(|value| fold(value))
    }

    /// The value as an instant.
    ///
    /// # Errors
    /// 400 on `queryString` that names the term.
    pub fn time(&self) -> Result<Timestamp, Problem> {
        Timestamp::parse(&self.value).ok_or_else(|| self.wrong(TIMESTAMP))
    }

    /// 400 on `queryString` that names the term and says what it has to be.
    pub fn wrong(&self, message: impl Display) -> Problem {
        refused(format!("{}: {message}", self.name))
    }
}

/// What the term of this name says, as `true` or `false`.
///
/// # Errors
/// 400 on `queryString` when it says neither.
pub fn flag(terms: &[Term], name: &str) -> Result<Option<bool>, Problem> {
    terms.iter().find(|term| term.name == name).map(Term::boolean).transpose()
}

/// Reads a filter ("queryString" in `docs/interface.md`); `known` are the variables of the list.
///
/// Terms are joined by `+`. In a URL a raw `+` arrives as a space, so a space separates as well,
/// but only before `known:`; any other space belongs to the value, as does the `+` of a timestamp's
/// offset. The first `:` of a term splits it. Variables match in any letter case. A blank text has
/// no terms.
///
/// A value, or an alternative of one, that begins and ends with a double quote is taken whole, with `+`, `,`, `:` and
/// blanks in it, and `\"` for a quote. A backslash means itself, unless a quote follows: before a quote two of them are
/// one. A quote that nothing closes means itself.
///
/// # Errors
/// 400 on `queryString`, listing each term that has an unknown or repeated variable, no `:` or no
/// value, and one for more than 50 terms or more than 8 KiB of text.
pub fn parse(text: &str, known: &[&'static str]) -> Result<Vec<Term>, Problem> {
    if text.len() > MAX_LENGTH {
        return Err(refused(format!("must have at most {MAX_LENGTH} bytes")));
    }
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut terms = Vec::<Term>::new();
    let mut errors = Vec::new();
    let mut count = 0;
    for term_text in (TermTexts { rest: Some(text), known }) {
        count += 1;
        if count > MAX_TERMS {
            let message = format!("has more than {MAX_TERMS} terms; \"{}\" is one", shorten(term_text));
            errors.push(FieldError::new(PARAMETER, message));
            break;
        }
        match term(term_text, known) {
            Ok(term) if terms.iter().any(|other| other.name == term.name) => {
                let message = format!("repeats the variable \"{}\"", term.name);
                errors.push(FieldError::new(PARAMETER, message));
            }
            Ok(term) => terms.push(term),
            Err(message) => errors.push(FieldError::new(PARAMETER, message)),
        }
    }
    if errors.is_empty() { Ok(terms) } else { Err(Problem::fields(errors)) }
}

fn refused(message: String) -> Problem {
    Problem::field(PARAMETER, message)
}

fn term(term_text: &str, known: &[&'static str]) -> Result<Term, String> {
    if term_text.is_empty() {
        return Err("has an empty term: a name:value stands on each side of a +".to_owned());
    }
    let Some((name, value)) = term_text.split_once(':') else {
        let term_text = shorten(term_text);
        return Err(format!("term \"{term_text}\" is not of the form name:value"));
    };
    let name = name.trim();
    let value = value.trim();
    let Some(name) = known.iter().copied().find(|known| known.eq_ignore_ascii_case(name)) else {
        let name = if name.is_empty() { shorten(term_text) } else { shorten(name) };
        let known = known.join(", ");
        return Err(format!("has an unknown variable \"{name}\"; known are: {known}"));
    };
    let (values, whole) = alternatives(value, known);
    if values.is_empty() {
        return Err(format!("term \"{name}\" has no value"));
    }
    Ok(Term { name, value: whole.unwrap_or_else(|| value.to_owned()), values })
}

/// The alternatives of a value, and what it is as a whole where it is one that is quoted.
fn alternatives(value: &str, known: &[&'static str]) -> (Vec<String>, Option<String>) {
    let mut values = Vec::new();
    let mut rest = Some(value);
    let mut whole = None;
    while let Some(text) = rest.map(str::trim_start) {
        let quoted = text.starts_with('"').then(|| closing_quote(text, 0, known)).flatten();
        let (one, end) = match quoted {
            Some(end) => (unquoted(text.get(1..end - 1).unwrap_or_default()), end),
            None => {
                let end = text.find(',').unwrap_or(text.len());
                (text.get(..end).unwrap_or_default().trim_end().to_owned(), end)
            }
        };
        if quoted == Some(value.len()) {
            whole = Some(one.clone());
        }
        if !one.is_empty() {
            values.push(one);
        }
        rest = text.get(end..).and_then(|behind| behind.trim_start().strip_prefix(','));
    }
    (values, whole)
}

/// Where a quoted text ends that begins at a quote: behind the first quote with what may follow a value behind it.
/// Where that is preceded by a backslash, it is part of the text, unless no other one ends it.
fn closing_quote(text: &str, start: usize, known: &[&'static str]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut backslashes = 0;
    let mut last = None;
    for (at, byte) in bytes.iter().enumerate().skip(start + 1) {
        if *byte == b'"' {
            let behind = text.get(at + 1..).unwrap_or_default();
            let ends = |rest: &str| rest.is_empty() || rest.starts_with([',', '+']);
            if ends(behind) || ends(behind.trim_start_matches(' ')) || blanks_start_term(behind, known) {
                if backslashes % 2 == 0 {
                    return Some(at + 1);
                }
                last = behind.trim().is_empty().then_some(at + 1);
            }
        }
        backslashes = if *byte == b'\\' { backslashes + 1 } else { 0 };
    }
    last
}

/// Whether a text begins with blanks and a known variable behind them.
fn blanks_start_term(text: &str, known: &[&'static str]) -> bool {
    let term = text.trim_start_matches(' ');
    term.len() < text.len() && starts_term(term, 0, known)
}

/// What stands between quotes.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut backslashes = 0;
    let flush = |out: &mut String, backslashes: &mut usize, before_quote: bool| {
        let kept = if before_quote { *backslashes / 2 } else { *backslashes };
        out.extend(std::iter::repeat_n('\\', kept));
        *backslashes = 0;
    };
    for character in text.chars() {
        if character == '\\' {
            backslashes += 1;
            continue;
        }
        flush(&mut out, &mut backslashes, character == '"');
        out.push(character);
    }
    // The quote that ends the text follows.
    let ends_so = backslashes % 2 == 0;
    flush(&mut out, &mut backslashes, ends_so);
    out
}

/// The terms of a text, still unread and without surrounding blanks.
struct TermTexts<'t> {
    rest: Option<&'t str>,
    known: &'t [&'static str],
}

impl<'t> Iterator for TermTexts<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        // Blanks around a term are trimmed first: what follows them then starts no term of its own.
        let rest = self.rest?.trim_start();
        let end = self.end(rest);
        let term_text = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        self.rest = end.and_then(|end| rest.get(end + 1..));
        Some(term_text.trim_end())
    }
}

impl TermTexts<'_> {
    /// Where the first term of a text ends.
    fn end(&self, text: &str) -> Option<usize> {
        // May a quote open here, and is there one that closes it?
        let mut at = 0;
        let mut is_named = false;
        let mut may_open = false;
        let mut may_close = true;
        while let Some(byte) = text.as_bytes().get(at) {
            match byte {
                b'"' if may_open && may_close => match closing_quote(text, at, self.known) {
                    Some(end) => {
                        at = end;
                        may_open = false;
                        continue;
                    }
                    // Nor does anything close a later one.
                    None => may_close = false,
                },
                b'+' if !is_offset(text, at) => return Some(at),
                b' ' if starts_term(text, at + 1, self.known) => return Some(at),
                _ => {}
            }
            may_open = match byte {
                b':' if !is_named => true,
                b',' => is_named,
                b' ' => may_open,
                _ => false,
            };
            is_named |= *byte == b':';
            at += 1;
        }
        None
    }
}

/// Whether a known variable and its `:` stand at this place.
fn starts_term(text: &str, at: usize, known: &[&'static str]) -> bool {
    let Some(rest) = text.as_bytes().get(at..) else {
        return false;
    };
    known.iter().any(|name| {
        rest.get(name.len()) == Some(&b':')
            && rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Whether the `+` at this place starts the offset of a timestamp: `2026-01-01T00:00:00+0000`.
fn is_offset(text: &str, at: usize) -> bool {
    const TIME: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let bytes = text.as_bytes();
    let before = at.checked_sub(TIME.len()).and_then(|start| bytes.get(start..at));
    let after = bytes.get(at + 1..).unwrap_or_default();
    let ends = |length: usize| matches!(after.get(length), None | Some(b'+' | b' ' | b','));
    let offset = |form: &[u8]| after.get(..form.len()).is_some_and(|text| has_form(text, form)) && ends(form.len());
    before.is_some_and(|text| has_form(text, TIME)) && (offset(b"dddd") || offset(b"dd:dd"))
}

/// Whether a text has the form given, in which `d` stands for a digit. Both have the same length.
fn has_form(text: &[u8], form: &[u8]) -> bool {
    text.iter().zip(form).all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        _ => byte == form,
    })
}

#[cfg(test)]
mod tests;
