//! Values: from the texts of a command line to JSON, by what the document says of them.

use serde_json::{Map, Number, Value};

use crate::schema::{Kind, Schema};

/// A step on the way to a value within a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A field of an object.
    Name(String),
    /// An element of an array, by its number.
    Element(usize),
    /// The element of an array that is being filled: a new one begins when this has the field already.
    Current,
    /// A further element of an array.
    Append,
}

/// A text as the value that a schema wants.
///
/// # Errors
/// What it has to be.
pub fn convert(schema: Schema<'_>, text: &str) -> Result<Value, String> {
    let choices = schema.choices();
    if !choices.is_empty() && schema.kind() == Kind::Text {
        let found = choices.iter().find(|one| **one == text);
        let found = found.or_else(|| choices.iter().find(|one| one.eq_ignore_ascii_case(text)));
        return found.map(|one| Value::from(*one)).ok_or_else(|| format!("must be one of: {}", choices.join(", ")));
    }
    let kind = schema.kind();
    if text == "null" && kind != Kind::Text && schema.nullable() {
        return Ok(Value::Null);
    }
    match kind {
        Kind::Text => Ok(Value::from(text)),
        Kind::Integer => text.parse::<i64>().map(Value::from).map_err(|_| "must be a whole number".to_owned()),
        Kind::Number => match text.parse::<i64>() {
            Ok(whole) => Ok(Value::from(whole)),
            Err(_) => {
                text.parse().ok().and_then(Number::from_f64).map(Value::Number).ok_or("must be a number".to_owned())
            }
        },
        Kind::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err("must be true or false".to_owned()),
        },
        Kind::Array => match serde_json::from_str(text) {
            Ok(all @ Value::Array(_)) => Ok(all),
            _ => Err("must be an array as JSON, such as [1, 2]".to_owned()),
        },
        Kind::Object => match serde_json::from_str(text) {
            Ok(object @ Value::Object(_)) => Ok(object),
            Ok(_) => Err("must be an object as JSON, such as {\"name\": \"value\"}".to_owned()),
            Err(error) => Err(format!("must be an object as JSON, or its fields with dots ({error})")),
        },
        // Whatever is not JSON is a text.
        Kind::Any => Ok(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))),
    }
}

/// Puts a value at its place below `root`, and makes what is on the way.
///
/// # Errors
/// When there is a value already, or no such element.
pub fn insert_value(root: &mut Value, steps: &[Step], value: Value) -> Result<(), String> {
    let Some((step, rest)) = steps.split_first() else {
        if !root.is_null() {
            return Err("is given twice".to_owned());
        }
        *root = value;
        return Ok(());
    };
    match step {
        Step::Name(name) => {
            if root.is_null() {
                *root = Value::Object(Map::new());
            }
            let object = root.as_object_mut().ok_or("is given twice: as a whole, and a part of it")?;
            insert_value(object.entry(name.as_str()).or_insert(Value::Null), rest, value)
        }
        Step::Element(number) => insert_value(element(array(root)?, *number)?, rest, value),
        Step::Current => {
            let all = array(root)?;
            let begin = all.last().is_none_or(|last| is_set(last, rest));
            let number = if begin { all.len() } else { all.len().saturating_sub(1) };
            insert_value(element(all, number)?, rest, value)
        }
        Step::Append => {
            array(root)?.push(value);
            Ok(())
        }
    }
}

fn array(value: &mut Value) -> Result<&mut Vec<Value>, String> {
    if value.is_null() {
        *value = Value::Array(Vec::new());
    }
    value.as_array_mut().ok_or_else(|| "is given twice: as a whole, and a part of it".to_owned())
}

fn element(all: &mut Vec<Value>, number: usize) -> Result<&mut Value, String> {
    if number == all.len() {
        all.push(Value::Null);
    }
    let there = all.len();
    all.get_mut(number)
        .ok_or_else(|| format!("names element {number} of {there}; elements are counted from 0, without gaps"))
}

/// Is there a value at the end of the way, which cannot take another?
fn is_set(value: &Value, steps: &[Step]) -> bool {
    match steps.split_first() {
        None => !value.is_null(),
        Some((Step::Name(name), rest)) => value.get(name).is_some_and(|inner| is_set(inner, rest)),
        Some((Step::Element(number), rest)) => value.get(*number).is_some_and(|inner| is_set(inner, rest)),
        // An array within takes another.
        Some((Step::Current | Step::Append, _)) => false,
    }
}

/// The fields that are required and not there, with dots between their names: those of the body, and those of each
/// object in it that is there.
pub fn missing(schema: Schema<'_>, value: &Value) -> Vec<String> {
    let (fields, elements) = match (schema.items(), value) {
        (Some(items), Value::Array(elements)) => (items, elements.as_slice()),
        _ => (schema, std::slice::from_ref(value)),
    };
    let mut found = Vec::new();
    for field in fields.properties() {
        if field.required && elements.iter().any(|element| element.get(field.name).is_none()) {
            found.push(field.name.to_owned());
        }
        let inside = elements.iter().filter_map(|element| element.get(field.name));
        for inner in inside.filter(|inner| !inner.is_null()) {
            for name in missing(field.schema, inner) {
                let name = format!("{}.{name}", field.name);
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
