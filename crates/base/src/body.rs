//! A JSON request body read field by field, so that every problem is named by its path.

mod array;
pub mod ignored;
mod request;

use std::{cell::RefCell, ops::RangeInclusive, rc::Rc};

use serde_json::{Map, Value};

use self::ignored::ReadFields;
pub use self::{
    array::read_each,
    request::{Field, FromBody, Limits, Request, parsed, required, says},
};
pub use crate::json::{parse_json, weight};
use crate::{
    json::{BODY, join},
    lenient::{INTEGER, TIMESTAMP, TRUE_OR_FALSE, json_boolean, json_integer, must_be_one_of, one_of},
    problem::{FieldError, FieldErrors, Problem},
    text::name_error,
    timestamp::Timestamp,
};

/// The longest text that [`Fields::text`] takes, in characters.
pub const MAX_TEXT: usize = 4_000;
/// The pattern of a text with more than blanks in it.
pub const FILLED: &str = r"\S";
/// Errors beyond this many are not kept.
const MAX_ERRORS: usize = 100;

/// One object of a body, at its path, sharing one list of errors with its parents.
///
/// Implements "lenient in" of the wire rules (`docs/interface.md`): booleans and integers may come as strings, enum
/// values in any letter case, unknown fields are ignored ([`ignored`] names them), `null` is absence. A reader that
/// finds a wrong value notes it with its path and answers as if the field were absent; [`Fields::finish`] on the root,
/// or [`Fields::check`] anywhere, then refuses the request with all of them (the first 100).
#[derive(Debug)]
pub struct Fields<'v> {
    /// `None` when something else stood here; that is noted already, and what is missing is not.
    object: Option<&'v Map<String, Value>>,
    path: String,
    shared: Rc<Shared<'v>>,
}

/// What all objects of one body share.
#[derive(Debug)]
struct Shared<'v> {
    errors: RefCell<Vec<FieldError>>,
    /// `None` when nobody wants to know what is not read.
    reads: Option<ReadFields<'v>>,
}

impl<'v> Fields<'v> {
    /// The reader of a whole body; anything but an object is noted as an error of `body`.
    pub fn of(value: &'v Value) -> Fields<'v> {
        Self::root(value, String::new())
    }

    /// The reader of one element of a body that is an array, by its place from 0.
    pub fn element(value: &'v Value, place: usize) -> Fields<'v> {
        Self::root(value, format!("[{place}]"))
    }

    fn root(value: &'v Value, path: String) -> Fields<'v> {
        let reads = ignored::is_wanted().then(ReadFields::default);
        let shared = Rc::new(Shared { errors: RefCell::default(), reads });
        let root = Fields { object: value.as_object(), path, shared };
        if root.object.is_none() {
            root.note(&root.path(""), "must be a JSON object");
        }
        root
    }

    /// Whether it is an object of no fields.
    pub fn is_empty(&self) -> bool {
        self.object.is_some_and(Map::is_empty)
    }

    /// Whether a field is there and not `null`.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Of the names that a field has, the first that is there and not `null`, and otherwise the first. That is not yet
    /// to read it.
    pub fn name_given(&self, name: &'static str, others: &[&'static str]) -> &'static str {
        let is_given =
            |name: &&str| self.object.and_then(|object| object.get(*name)).is_some_and(|value| !value.is_null());
        std::iter::once(name).chain(others.iter().copied()).find(is_given).unwrap_or(name)
    }

    /// Whether a field is there and not `null`; notes `is required` when not.
    pub fn require(&mut self, name: &str) -> bool {
        let has = self.has(name);
        if !has && self.object.is_some() {
            self.error(name, "is required");
        }
        has
    }

    /// Whether a field has a value other than blanks; notes `is required` when not.
    pub fn require_filled(&mut self, name: &str) -> bool {
        let is_blank = self.is_blank(name);
        if is_blank && self.object.is_some() {
            self.error(name, "is required");
        }
        !is_blank
    }

    /// A field as it is; `None` when absent or `null`.
    pub fn value(&self, name: &str) -> Option<&'v Value> {
        let object = self.object?;
        if let Some(reads) = &self.shared.reads {
            reads.note(object, &self.path, name);
        }
        object.get(name).filter(|value| !value.is_null())
    }

    /// Is a field there, and `null`?
    pub fn is_null(&self, name: &str) -> bool {
        self.value(name).is_none() && self.object.is_some_and(|object| object.contains_key(name))
    }

    /// Whether a field has no value: absent, `null`, or a text of blanks, where the interface allows that for absence.
    pub fn is_blank(&self, name: &str) -> bool {
        self.value(name).is_none_or(|value| value.as_str().is_some_and(|text| text.trim().is_empty()))
    }

    /// Whether a field says one of some words, in any letter case. Notes nothing when it does not.
    pub fn says(&self, name: &str, words: &[&'static str]) -> bool {
        self.value(name).and_then(Value::as_str).is_some_and(|text| one_of(words, text).is_some())
    }

    /// What stands for an object that is not there: it has no fields, and that they are missing is not noted.
    pub fn nothing(&self) -> Fields<'v> {
        self.child(self.path.clone(), None)
    }

    /// Reads a field by `parse`, and notes `message` when that has no answer.
    fn read<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&'v Value) -> Option<T>,
        message: impl FnOnce() -> String,
    ) -> Option<T> {
        let parsed = parse(self.value(name)?);
        if parsed.is_none() {
            self.note(&self.path(name), message());
        }
        parsed
    }

    /// A string of at most 4,000 characters, which may be empty.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.text_max(name, MAX_TEXT)
    }

    /// A string of at most `max_chars` characters, which may be empty.
    pub fn text_max(&mut self, name: &str, max_chars: usize) -> Option<String> {
        let text = self.read(name, Value::as_str, || "must be a string".to_owned())?;
        self.within(&self.path(name), text, max_chars)
    }

    /// A string with more than blanks in it; `""` when it is not there, which is noted.
    pub fn required_text(&mut self, name: &str) -> String {
        if !self.require(name) {
            return String::new();
        }
        let Some(text) = self.text(name) else {
            return String::new();
        };
        if text.trim().is_empty() {
            self.error(name, "is required");
        }
        text
    }

    /// A name without the blanks around it: one line of at most `max_chars` characters. `None` when it is not there.
    pub fn name(&mut self, name: &str, max_chars: usize) -> Option<String> {
        let text = self.read(name, Value::as_str, || "must be a string".to_owned())?;
        match name_error(text, max_chars) {
            Some(message) => {
                self.error(name, message);
                None
            }
            None => Some(text.trim().to_owned()),
        }
    }

    fn within(&self, path: &str, text: &str, max_chars: usize) -> Option<String> {
        // Counting the characters is needed only when there could be too many.
        if text.len() > max_chars && text.chars().nth(max_chars).is_some() {
            self.note(path, format!("must have at most {max_chars} characters"));
            return None;
        }
        Some(text.to_owned())
    }

    /// A boolean, or a string that says `true` or `false` in any letter case.
    pub fn boolean(&mut self, name: &str) -> Option<bool> {
        self.read(name, json_boolean, || TRUE_OR_FALSE.to_owned())
    }

    /// An integer of 64 bits, as a number or a string.
    pub fn integer(&mut self, name: &str) -> Option<i64> {
        self.read(name, json_integer, || INTEGER.to_owned())
    }

    /// An integer within a range.
    pub fn integer_in(&mut self, name: &str, range: RangeInclusive<i64>) -> Option<i64> {
        let parse = |value| json_integer(value).filter(|number| range.contains(number));
        let first = range.start();
        let last = range.end();
        self.read(name, parse, || format!("must be an integer from {first} to {last}"))
    }

    /// One of a list of values, in any letter case; answers the list's spelling.
    pub fn one_of(&mut self, name: &str, allowed: &[&'static str]) -> Option<&'static str> {
        let parse = |value: &Value| one_of(allowed, value.as_str()?);
        self.read(name, parse, || must_be_one_of(allowed))
    }

    /// An instant, as [`Timestamp::parse`] reads it but for the space, which only URLs make.
    pub fn timestamp(&mut self, name: &str) -> Option<Timestamp> {
        let parse = |value: &Value| {
            let text = value.as_str().filter(|text| !text.contains(' '))?;
            Timestamp::parse(text)
        };
        self.read(name, parse, || TIMESTAMP.to_owned())
    }

    /// An instant as [`Self::timestamp`] reads it; `Some(None)` for an empty text, which takes a value away.
    pub fn timestamp_or_empty(&mut self, name: &str) -> Option<Option<Timestamp>> {
        if self.value(name).and_then(Value::as_str) == Some("") {
            return Some(None);
        }
        self.timestamp(name).map(Some)
    }

    /// A nested object.
    pub fn object(&mut self, name: &str) -> Option<Fields<'v>> {
        let object = self.read(name, Value::as_object, must_be_object)?;
        Some(self.child(self.path(name), Some(object)))
    }

    /// An array of objects. An element that is none is noted and read as if it had no fields, so
    /// that the others keep their places.
    pub fn objects(&mut self, name: &str) -> Option<Vec<Fields<'v>>> {
        let items = self.read(name, Value::as_array, must_be_array)?;
        let path = self.path(name);
        let children = items.iter().enumerate().map(|(index, item)| {
            let path = format!("{path}[{index}]");
            if !item.is_object() {
                self.note(&path, must_be_object());
            }
            self.child(path, item.as_object())
        });
        Some(children.collect())
    }

    /// An array of strings of at most 4,000 characters each; elements that are none are noted.
    pub fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        self.texts_max(name, None)
    }

    /// An array of strings of at most so many characters each, 4,000 unless said.
    fn texts_max(&mut self, name: &str, max_chars: Option<usize>) -> Option<Vec<String>> {
        let items = self.read(name, Value::as_array, must_be_array)?;
        let path = self.path(name);
        let texts = items.iter().enumerate().filter_map(|(index, item)| {
            let path = format!("{path}[{index}]");
            let Some(text) = item.as_str() else {
                self.note(&path, "must be a string");
                return None;
            };
            self.within(&path, text, max_chars.unwrap_or(MAX_TEXT))
        });
        Some(texts.collect())
    }

    /// Any object, kept as it is.
    pub fn raw_object(&mut self, name: &str) -> Option<Map<String, Value>> {
        self.read(name, Value::as_object, must_be_object).cloned()
    }

    /// Any array, kept as it is.
    pub fn raw_array(&mut self, name: &str) -> Option<Vec<Value>> {
        self.read(name, Value::as_array, must_be_array).cloned()
    }

    /// Where a field of this object stands in the body: `schedule.pattern`, `shiftDetails[2].name`.
    /// The empty name stands for the object itself.
    pub fn path(&self, name: &str) -> String {
        match (self.path.as_str(), name) {
            ("", "") => BODY.to_owned(),
            (path, "") => path.to_owned(),
            (path, name) => join(path, name),
        }
    }

    /// Notes that a field breaks a rule of the caller's own.
    pub fn error(&mut self, name: &str, message: impl Into<String>) {
        self.note(&self.path(name), message);
    }

    /// Notes that a rule leaves a field unused that was read: [`ignored::collect`] answers it with those that nobody
    /// reads.
    pub fn ignore(&self, name: &str) {
        ignored::report([ignored::shown(&self.path(name))]);
    }

    /// Refuses the request when anything was noted, here or in any other part of the body.
    ///
    /// # Errors
    /// 400 that lists every error in the order of reading.
    pub fn check(&self) -> Result<(), Problem> {
        let errors = self.shared.errors.borrow();
        if errors.is_empty() { Ok(()) } else { Err(Problem::fields(errors.clone())) }
    }

    /// Ends the reading of the body.
    pub fn finish(self) -> Result<(), Problem> {
        ignored::report(self.ignored());
        self.check()
    }

    /// Ends the reading of a body whose errors are told together with those of what it names.
    pub fn wrong(self) -> FieldErrors {
        ignored::report(self.ignored());
        FieldErrors::new(self.shared.errors.borrow().clone())
    }

    /// The fields of the whole body that nobody has read yet, as [`ignored::collect`] answers them, which must be going
    /// on.
    pub fn ignored(&self) -> Vec<String> {
        self.shared.reads.as_ref().map(ReadFields::unread).unwrap_or_default()
    }

    fn child(&self, path: String, object: Option<&'v Map<String, Value>>) -> Fields<'v> {
        Fields { object, path, shared: Rc::clone(&self.shared) }
    }

    fn note(&self, path: &str, message: impl Into<String>) {
        let mut errors = self.shared.errors.borrow_mut();
        if errors.len() < MAX_ERRORS {
            errors.push(FieldError::new(path, message));
        }
    }
}

fn must_be_object() -> String {
    "must be an object".to_owned()
}

fn must_be_array() -> String {
    "must be an array".to_owned()
}

#[cfg(test)]
mod tests;
