//! A JSON request body read field by field, so that every problem is named by its path.

use std::{cell::RefCell, ops::RangeInclusive, rc::Rc};

use serde_json::{Map, Value};

pub use crate::json::parse_json;
use crate::{
    json::{BODY, join},
    lenient::{INTEGER, TIMESTAMP, TRUE_OR_FALSE, json_boolean, json_integer, must_be_one_of, one_of},
    problem::{FieldError, Problem, Wrong},
    text::name_error,
    timestamp::Timestamp,
};

/// The longest text that [`Fields::text`] takes, in characters.
const MAX_TEXT: usize = 4_000;
/// Errors beyond this many are not kept.
const MAX_ERRORS: usize = 100;

/// One object of a body, at its path, sharing one list of errors with its parents.
///
/// Implements "lenient in" of the wire rules (`docs/interface.md`): booleans and integers may come
/// as strings, enum values in any letter case, unknown fields are ignored, `null` is absence. A
/// reader that finds a wrong value notes it with its path and answers as if the field were absent;
/// [`Fields::finish`] on the root, or [`Fields::check`] anywhere, then refuses the request with all
/// of them (the first 100).
#[derive(Debug)]
pub struct Fields<'v> {
    /// `None` when something else stood here; that is noted already, and what is missing is not.
    object: Option<&'v Map<String, Value>>,
    path: String,
    errors: Rc<RefCell<Vec<FieldError>>>,
}

impl<'v> Fields<'v> {
    /// The reader of a whole body; anything but an object is noted as an error of `body`.
    pub fn of(value: &'v Value) -> Fields<'v> {
        let root = Fields { object: value.as_object(), path: String::new(), errors: Rc::default() };
        if root.object.is_none() {
            root.note(BODY, "must be a JSON object");
        }
        root
    }

    /// Whether a field is there and not `null`.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Whether a field is there and not `null`; notes `is required` when not.
    pub fn require(&mut self, name: &str) -> bool {
        let has = self.has(name);
        if !has && self.object.is_some() {
            self.error(name, "is required");
        }
        has
    }

    /// A field as it is; `None` when absent or `null`.
    pub fn value(&self, name: &str) -> Option<&'v Value> {
        self.object?.get(name).filter(|value| !value.is_null())
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
        let (first, last) = (range.start(), range.end());
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
        let items = self.read(name, Value::as_array, must_be_array)?;
        let path = self.path(name);
        let texts = items.iter().enumerate().filter_map(|(index, item)| {
            let path = format!("{path}[{index}]");
            let Some(text) = item.as_str() else {
                self.note(&path, "must be a string");
                return None;
            };
            self.within(&path, text, MAX_TEXT)
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

    /// Refuses the request when anything was noted, here or in any other part of the body.
    ///
    /// # Errors
    /// 400 that lists every error in the order of reading.
    pub fn check(&self) -> Result<(), Problem> {
        let errors = self.errors.borrow();
        if errors.is_empty() { Ok(()) } else { Err(Problem::fields(errors.clone())) }
    }

    /// Ends the reading of the body.
    ///
    /// # Errors
    /// As [`Fields::check`].
    pub fn finish(self) -> Result<(), Problem> {
        self.check()
    }

    /// Ends the reading of a body whose errors are told together with those of what it names.
    pub fn wrong(self) -> Wrong {
        Wrong::new(self.errors.borrow().clone())
    }

    fn child(&self, path: String, object: Option<&'v Map<String, Value>>) -> Fields<'v> {
        Fields { object, path, errors: Rc::clone(&self.errors) }
    }

    fn note(&self, path: &str, message: impl Into<String>) {
        let mut errors = self.errors.borrow_mut();
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
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// What a reading notes, as `path: message`.
    fn noted(value: &Value, read: impl FnOnce(&mut Fields<'_>)) -> Vec<String> {
        let mut fields = Fields::of(value);
        read(&mut fields);
        let errors = fields.finish().err().map(|problem| problem.errors).unwrap_or_default();
        errors.iter().map(|error| format!("{}: {}", error.field_name, error.message)).collect()
    }

    #[test]
    fn takes_strings_for_booleans_and_integers() {
        let body = json!({"b": "FALSE", "c": true, "i": "2", "j": -3, "k": 4.0, "e": "dAiLy", "n": null});
        let errors = noted(&body, |fields| {
            assert_eq!((fields.boolean("b"), fields.boolean("c")), (Some(false), Some(true)));
            assert_eq!((fields.integer("i"), fields.integer("j")), (Some(2), Some(-3)));
            assert_eq!(fields.integer_in("k", 1..=4), Some(4));
            assert_eq!(fields.one_of("e", &["Daily", "Weekly"]), Some("Daily"));
            assert_eq!((fields.boolean("n"), fields.integer("absent")), (None, None));
            assert!(fields.has("b") && !fields.has("n") && !fields.has("absent"));
        });
        assert!(errors.is_empty(), "{errors:?}");
    }

    #[test]
    fn names_every_wrong_type() {
        let body = json!({
            "text": 1, "flag": "yes", "count": 2.5, "many": 13, "kind": "x", "at": "2026-01-01T00:00:00 0000",
            "object": [], "list": {}, "names": ["a", 1, null], "shifts": [{"name": true}, 5],
        });
        let errors = noted(&body, |fields| {
            assert_eq!(fields.text("text"), None);
            fields.boolean("flag");
            fields.integer("count");
            fields.integer_in("many", 1..=12);
            fields.one_of("kind", &["a", "b"]);
            assert_eq!(fields.timestamp("at"), None);
            assert!(fields.object("object").is_none());
            assert!(fields.objects("list").is_none());
            assert!(fields.raw_object("object").is_none());
            assert!(fields.raw_array("list").is_none());
            assert_eq!(fields.texts("names").unwrap(), ["a"]);
            for mut shift in fields.objects("shifts").unwrap() {
                shift.required_text("name");
            }
        });
        let expected = [
            "text: must be a string",
            "flag: must be true or false",
            "count: must be an integer",
            "many: must be an integer from 1 to 12",
            "kind: must be one of: a, b",
            "at: must be a time such as 2026-11-20T20:37:00+0000",
            "object: must be an object",
            "list: must be an array",
            "object: must be an object",
            "list: must be an array",
            "names[1]: must be a string",
            "names[2]: must be a string",
            "shifts[1]: must be an object",
            "shifts[0].name: must be a string",
        ];
        assert_eq!(errors, expected);
    }

    #[test]
    fn paths_follow_the_nesting() {
        let body = json!({"schedule": {"patterns": [{}, {"type": {}}]}, "raw": {"a": [1]}});
        let errors = noted(&body, |fields| {
            let mut schedule = fields.object("schedule").unwrap();
            let mut pattern = schedule.objects("patterns").unwrap().pop().unwrap();
            assert!(pattern.object("type").unwrap().path("x").ends_with("[1].type.x"));
            pattern.error("type", "breaks a rule");
            pattern.error("", "breaks another");
            schedule.require("start");
            assert_eq!(fields.raw_object("raw").map(Value::from), Some(json!({"a": [1]})));
            fields.error("", "is odd");
            assert!(schedule.check().is_err());
        });
        let expected = [
            "schedule.patterns[1].type: breaks a rule",
            "schedule.patterns[1]: breaks another",
            "schedule.start: is required",
            "body: is odd",
        ];
        assert_eq!(errors, expected);
    }

    #[test]
    fn required_text_is_more_than_blanks() {
        let body = json!({"ok": " a ", "blank": " ", "null": null, "wrong": [], "long": "x".repeat(4_001)});
        let errors = noted(&body, |fields| {
            assert_eq!(fields.required_text("ok"), " a ");
            for name in ["blank", "null", "absent", "wrong", "long"] {
                fields.required_text(name);
            }
        });
        let expected = [
            "blank: is required",
            "null: is required",
            "absent: is required",
            "wrong: must be a string",
            "long: must have at most 4000 characters",
        ];
        assert_eq!(errors, expected);
    }

    #[test]
    fn lengths_count_characters() {
        let body = json!({"a": "äöü", "b": ["ä".repeat(4_000), "ä".repeat(4_001)]});
        let errors = noted(&body, |fields| {
            assert_eq!(fields.text_max("a", 3).as_deref(), Some("äöü"));
            assert_eq!(fields.text_max("a", 2), None);
            assert_eq!(fields.texts("b").unwrap().len(), 1);
        });
        let expected = ["a: must have at most 2 characters", "b[1]: must have at most 4000 characters"];
        assert_eq!(errors, expected);
    }

    #[test]
    fn what_is_no_object_is_one_error() {
        for body in [json!([]), json!("x"), json!(null)] {
            let errors = noted(&body, |fields| {
                fields.required_text("name");
                assert_eq!(fields.integer("id"), None);
            });
            assert_eq!(errors, ["body: must be a JSON object"]);
        }
    }

    #[test]
    fn keeps_a_hundred_errors() {
        let body = json!({"names": vec![1; 1_000]});
        let errors = noted(&body, |fields| drop(fields.texts("names")));
        assert_eq!(errors.len(), MAX_ERRORS);
    }

    proptest! {
        #[test]
        fn survives_any_value(text: String, float: f64, near in r#"([\[\]{}:,1]|"a"|null)*"#) {
            let near = parse_json(near.as_bytes()).unwrap_or_default();
            for value in [json!({"a": text}), json!({"a": float}), json!({"a": near}), near] {
                let mut fields = Fields::of(&value);
                fields.boolean("a");
                fields.integer("a");
                fields.timestamp("a");
                fields.one_of("a", &["a"]);
                fields.text_max("a", 1);
                fields.texts("a");
                fields.object("a");
                fields.objects("a");
                let _ = fields.finish();
            }
        }
    }
}
