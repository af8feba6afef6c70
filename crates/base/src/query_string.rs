//! The filter language: the decoded value of the parameter `queryString`.

use std::fmt::Display;

use crate::{
    lenient::{self, TIMESTAMP, TRUE_OR_FALSE},
    problem::{FieldError, Problem, shorten},
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
    /// The whole value without surrounding blanks; every character means itself.
    pub value: String,
    /// The value's alternatives: split at `,`, without surrounding blanks, the empty ones dropped.
    /// There is at least one.
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

/// Reads a filter ("queryString" in `docs/interface.md`); `known` are the variables of the list.
///
/// Terms are joined by `+`. In a URL a raw `+` arrives as a space, so a space separates as well,
/// but only before `known:`; any other space belongs to the value, as does the `+` of a timestamp's
/// offset. The first `:` of a term splits it. Variables match in any letter case. A blank text has
/// no terms.
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
    let (mut terms, mut errors, mut count) = (Vec::<Term>::new(), Vec::new(), 0);
    for piece in (Pieces { rest: Some(text), known }) {
        count += 1;
        if count > MAX_TERMS {
            let message = format!("has more than {MAX_TERMS} terms; \"{}\" is one", shorten(piece));
            errors.push(FieldError::new(PARAMETER, message));
            break;
        }
        match term(piece, known) {
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

fn term(piece: &str, known: &[&'static str]) -> Result<Term, String> {
    if piece.is_empty() {
        return Err("has an empty term: a name:value stands on each side of a +".to_owned());
    }
    let Some((name, value)) = piece.split_once(':') else {
        let piece = shorten(piece);
        return Err(format!("term \"{piece}\" is not of the form name:value"));
    };
    let (name, value) = (name.trim(), value.trim());
    let Some(name) = known.iter().copied().find(|known| known.eq_ignore_ascii_case(name)) else {
        let (name, known) = (if name.is_empty() { shorten(piece) } else { shorten(name) }, known.join(", "));
        return Err(format!("has an unknown variable \"{name}\"; known are: {known}"));
    };
    let alternatives = value.split(',').map(str::trim).filter(|value| !value.is_empty());
    let values: Vec<String> = alternatives.map(str::to_owned).collect();
    if values.is_empty() {
        return Err(format!("term \"{name}\" has no value"));
    }
    Ok(Term { name, value: value.to_owned(), values })
}

/// The terms of a text, still unread and without surrounding blanks.
struct Pieces<'t> {
    rest: Option<&'t str>,
    known: &'t [&'static str],
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        // Blanks around a term are trimmed first: what follows them then starts no term of its own.
        let rest = self.rest?.trim_start();
        let end = rest.bytes().enumerate().position(|(at, byte)| match byte {
            b'+' => !is_offset(rest, at),
            b' ' => self.starts_term(rest, at + 1),
            _ => false,
        });
        let piece = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        self.rest = end.and_then(|end| rest.get(end + 1..));
        Some(piece.trim_end())
    }
}

impl Pieces<'_> {
    /// Whether a known variable and its `:` stand at this place.
    fn starts_term(&self, text: &str, at: usize) -> bool {
        let Some(rest) = text.as_bytes().get(at..) else {
            return false;
        };
        self.known.iter().any(|name| {
            rest.get(name.len()) == Some(&b':')
                && rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        })
    }
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KNOWN: &[&str] = &["id", "hostName", "state", "type", "startDate", "ipAddress"];

    /// The names and values of a filter.
    fn read(text: &str) -> Vec<(&'static str, String)> {
        let terms = parse(text, KNOWN).unwrap();
        terms.into_iter().map(|term| (term.name, term.value)).collect()
    }

    fn messages(text: &str) -> Vec<String> {
        let problem = parse(text, KNOWN).unwrap_err();
        assert!(problem.errors.iter().all(|error| error.field_name == PARAMETER));
        problem.errors.into_iter().map(|error| error.message).collect()
    }

    fn terms(terms: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        terms.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }

    #[test]
    fn terms_are_joined_by_plus_or_by_a_space_before_a_known_name() {
        let expected = terms(&[("state", "active"), ("hostName", "web 01")]);
        for text in [
            "state:active+hostName:web 01",
            "state:active hostName:web 01",
            "state:active + hostName:web 01",
            "  STATE:active   hostname:web 01 ",
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(read("state :active"), terms(&[("state", "active")]));
        assert_eq!(read(""), terms(&[]));
        assert_eq!(read("  "), terms(&[]));
    }

    #[test]
    fn a_value_is_literal() {
        for value in ["a:b c", "%_'\";--", "x other:y", "fe80::1", "10.0.0.0/8", "\\", "état:1"] {
            assert_eq!(read(&format!("hostName:{value}+id:1"))[0], ("hostName", value.to_owned()));
        }
    }

    #[test]
    fn commas_separate_alternatives() {
        let terms = parse("type:EBS, DEVICE,,", KNOWN).unwrap();
        assert_eq!(terms[0].values, ["EBS", "DEVICE"]);
        assert_eq!(terms[0].value, "EBS, DEVICE,,");
    }

    #[test]
    fn the_offset_of_a_timestamp_belongs_to_it() {
        for offset in ["+0000", "+05:30", "-0330", " 0000", " 05:30", "Z"] {
            let date = format!("2026-01-01T00:00:00{offset}");
            for rest in ["+id:1", " id:1"] {
                let expected = terms(&[("startDate", &date), ("id", "1")]);
                assert_eq!(read(&format!("startDate:{date}{rest}")), expected);
            }
            assert_eq!(read(&format!("startDate:{date}")), terms(&[("startDate", &date)]));
        }
        let bare = "startDate:2026-01-01T00:00:00";
        let expected = terms(&[("startDate", "2026-01-01T00:00:00"), ("id", "1234")]);
        assert_eq!(read(&format!("{bare}+id:1234")), expected);
        assert_eq!(messages(&format!("{bare}+00000")).len(), 1);
        assert_eq!(messages("startDate:2026-01-01+0000").len(), 1);
    }

    #[test]
    fn everything_wrong_is_listed() {
        let messages = messages("owner:x+hostName:+state:active+web+STATE:all++id:,");
        let expected = [
            "has an unknown variable \"owner\"; known are: id, hostName, state, type, startDate, ipAddress",
            "term \"hostName\" has no value",
            "term \"web\" is not of the form name:value",
            "repeats the variable \"state\"",
            "has an empty term: a name:value stands on each side of a +",
            "term \"id\" has no value",
        ];
        assert_eq!(messages, expected);
    }

    #[test]
    fn a_plus_never_vanishes() {
        assert_eq!(messages("hostName:C++").len(), 2);
        assert_eq!(messages("hostName:a+b").len(), 1);
        assert_eq!(messages(":x").len(), 1);
        assert_eq!(messages("+id:1").len(), 1);
    }

    #[test]
    fn limits_hold() {
        let many = vec!["id:1"; 60].join("+");
        assert_eq!(messages(&many).last().unwrap(), "has more than 50 terms; \"id:1\" is one");
        let long = format!("hostName:{}", "x".repeat(MAX_LENGTH));
        assert_eq!(messages(&long), ["must have at most 8192 bytes"]);
        assert!(parse(&long[..MAX_LENGTH], KNOWN).is_ok());
        assert!(messages(&"+".repeat(MAX_LENGTH)).len() <= MAX_TERMS + 1);
    }

    proptest! {
        #[test]
        fn survives_any_text(text: String, near in "(id|state|hostName|x|[+: ,ä]|2026-01-01T00:00:00|0000)*") {
            for text in [text, near] {
                if let Ok(terms) = parse(&text, KNOWN) {
                    for term in terms {
                        prop_assert!(KNOWN.contains(&term.name));
                        prop_assert!(!term.values.is_empty());
                    }
                }
            }
        }

        #[test]
        fn what_is_joined_comes_apart(
            host in "[a-z0-9.:%_'-]([a-z0-9.:%_' -]*[a-z0-9.%_'-])?",
            address in "[0-9a-f:./]{1,20}",
            plus: bool,
        ) {
            // A host that holds a known name and a colon after a space would be two terms by rule.
            prop_assume!(KNOWN.iter().all(|name| !host.contains(&format!(" {}:", name.to_lowercase()))));
            let by = if plus { "+" } else { " " };
            let expected = vec![("hostName", host.clone()), ("ipAddress", address.clone())];
            prop_assert_eq!(read(&format!("hostName:{host}{by}ipAddress:{address}")), expected);
        }
    }
}
