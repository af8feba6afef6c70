//! What has to change in an object for it to be as a document says.

use std::collections::BTreeSet;

use base::{duration, timestamp::Timestamp};
use serde_json::{Map, Value};

use super::{
    keys,
    kinds::Spelling,
    shape::{Field, Shape},
};
use crate::schema::{Kind, Schema};

/// A field that changes.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub path: String,
    pub old: Option<Value>,
    pub new: Option<Value>,
}

/// The changes from an object as it is to one as it is to be. Both are stripped of what says nothing.
pub fn changes(fields: &[Field<'_>], current: &Map<String, Value>, wanted: &Map<String, Value>) -> Vec<Change> {
    let mut found = Vec::new();
    object(fields, current, wanted, "", &mut found);
    found
}

fn object(
    fields: &[Field<'_>],
    current: &Map<String, Value>,
    wanted: &Map<String, Value>,
    path: &str,
    to: &mut Vec<Change>,
) {
    let is_top = path.is_empty();
    for field in fields.iter().filter(|field| !matches!(field.shape, Shape::Secret)) {
        let path = if is_top { field.name.to_owned() } else { format!("{path}.{}", field.name) };
        match (current.get(field.name), wanted.get(field.name)) {
            (None, None) => {}
            (Some(old), Some(new)) => value(&field.shape, old, new, &path, to),
            // What a document does not say, and cannot say by its absence, stays. What is within a field is not kept:
            // the service takes a field as a whole.
            (Some(_), None) if is_top && field.absent().is_none() && !is_taken_away(&field.shape) => {}
            // An object of secrets alone is not shown, and so never seen to differ.
            (None, Some(new)) if without_secrets(&field.shape, new).is_none() => {}
            (old, new) => {
                let old = old.cloned().or_else(|| field.default.clone());
                let new = new.cloned().or_else(|| field.default.clone());
                to.push(Change { path, old, new });
            }
        }
    }
}

/// Is the absence of such a value a wish?
const fn is_taken_away(shape: &Shape<'_>) -> bool {
    matches!(shape, Shape::Reference(_) | Shape::Object(_))
}

fn value(shape: &Shape<'_>, old: &Value, new: &Value, path: &str, to: &mut Vec<Change>) {
    let differs = || Change { path: path.to_owned(), old: Some(old.clone()), new: Some(new.clone()) };
    match (shape, old, new) {
        (Shape::Object(fields), Value::Object(old), Value::Object(new)) => object(fields, old, new, path, to),
        (Shape::List(shape, _, spellings), Value::Array(old_values), Value::Array(new_values)) => {
            if old_values.len() != new_values.len() {
                to.push(differs());
                return;
            }
            let mut within = Vec::new();
            for (index, (old, new)) in old_values.iter().zip(new_values).enumerate() {
                value(shape, old, new, &format!("{path}[{index}]"), &mut within);
            }
            // Without an order, a place in the list says nothing.
            if spellings.any_order && !within.is_empty() {
                within = vec![differs()];
            }
            to.extend(within);
        }
        _ if is_same(shape, old, new) => {}
        _ => to.push(differs()),
    }
}

/// Are two values the same for the service, however they are written?
pub fn is_same(shape: &Shape<'_>, old: &Value, new: &Value) -> bool {
    if old == new {
        return true;
    }
    match (shape, old, new) {
        (Shape::Reference(_), Value::Object(old), Value::Object(new)) => {
            let name = |reference: &Map<String, Value>| {
                let text = reference.values().next().and_then(Value::as_str).unwrap_or_default();
                let names: Vec<String> = text.split(">>").map(keys::fold).collect();
                names
            };
            old.keys().eq(new.keys()) && name(old) == name(new)
        }
        (Shape::Scalar(schema, spellings), Value::String(old), Value::String(new)) if schema.kind() == Kind::Text => {
            let (old, new) = (old.trim(), new.trim());
            let choice = !schema.choices().is_empty() && old.eq_ignore_ascii_case(new);
            let instants = Timestamp::parse(old).zip(Timestamp::parse(new));
            let durations = duration::parse(old).zip(duration::parse(new)).filter(|_| takes_durations(*schema));
            old == new
                || choice
                || durations.is_some_and(|(old, new)| old == new)
                || instants.is_some_and(|(old, new)| old == new)
                || spellings.of_text.is_some_and(|spelling| is_spelling(spelling, old, new))
        }
        (Shape::Scalar(..), Value::Number(old), Value::Number(new)) => old.as_f64() == new.as_f64(),
        _ => false,
    }
}

/// Is a text a duration, or an empty one?
fn takes_durations(schema: Schema<'_>) -> bool {
    let pattern = schema.value().get("pattern").and_then(Value::as_str).unwrap_or_default();
    let duration = duration::PATTERN.trim_start_matches('^').trim_end_matches(r"\s*$");
    pattern.contains(duration)
}

/// Are two texts the same but for what means nothing in them?
fn is_spelling(spelling: Spelling, old: &str, new: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(',').map(|word| word.trim().trim_start_matches('0').to_lowercase()).collect()
    };
    match spelling {
        Spelling::Order => false,
        Spelling::OrderOfWords => words(old) == words(new),
        Spelling::Blanks => old.split_whitespace().eq(new.split_whitespace()),
        Spelling::LetterCase => keys::fold(old) == keys::fold(new),
        Spelling::Synonyms(pairs) => {
            let meant = |text: &str| {
                let pair = pairs.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
                pair.map_or(text, |(_, meant)| meant).to_lowercase()
            };
            meant(old) == meant(new)
        }
    }
}

/// A value without the secrets in it; `None` when nothing is left.
pub fn without_secrets(shape: &Shape<'_>, value: &Value) -> Option<Value> {
    match (shape, value) {
        (Shape::Secret, _) => None,
        (Shape::Object(fields), Value::Object(body)) => {
            let fields = fields.iter().filter_map(|field| {
                let value = without_secrets(&field.shape, body.get(field.name)?)?;
                Some((field.name.to_owned(), value))
            });
            let made: Map<String, Value> = fields.collect();
            (!made.is_empty() || body.is_empty()).then_some(Value::Object(made))
        }
        _ => Some(value.clone()),
    }
}
