//! What a reader holds a field to, in its schema.

use base::body::Limits;
use serde_json::Value;
use utoipa::openapi::{
    RefOr,
    schema::{Object, Schema},
};

/// Adds the limits of a field to the schema of its object.
pub fn limit(schema: &mut RefOr<Schema>, name: &str, limits: &Limits) {
    let RefOr::T(Schema::Object(object)) = schema else { return };
    match object.properties.get_mut(name) {
        Some(RefOr::T(Schema::Object(field))) => value(field, limits),
        Some(RefOr::T(Schema::Array(array))) => {
            let (fewest, most) = limits.items.unzip();
            array.min_items = fewest.filter(|fewest| *fewest > 0).or(array.min_items);
            array.max_items = most.or(array.max_items);
        }
        _ => {}
    }
}

fn value(field: &mut Object, limits: &Limits) {
    field.max_length = limits.chars.or(field.max_length);
    if limits.line || limits.filled {
        field.min_length = Some(1);
    }
    if let Some((first, last)) = limits.range {
        (field.minimum, field.maximum) = (Some(first.into()), Some(last.into()));
    }
    if !limits.words.is_empty() {
        field.enum_values = Some(limits.words.iter().copied().map(Value::from).collect());
    }
}
