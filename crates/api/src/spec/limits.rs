//! What a reader holds a field to, in its schema.

use base::body::{FILLED, Limits};
use serde_json::Value;
use utoipa::openapi::{
    RefOr,
    schema::{ArrayItems, Object, Schema, SchemaType, Type},
};

/// Adds the limits of a field to the schema of its object, and the pattern of its text or of those of a list.
pub fn limit(schema: &mut RefOr<Schema>, name: &str, limits: &Limits, pattern: Option<&str>) {
    let RefOr::T(Schema::Object(object)) = schema else { return };
    match object.properties.get_mut(name) {
        Some(RefOr::T(Schema::Object(field))) => value(field, limits, pattern),
        Some(RefOr::T(Schema::Array(array))) => {
            let (fewest, most) = limits.items.unzip();
            array.min_items = fewest.filter(|fewest| *fewest > 0).or(array.min_items);
            array.max_items = most.or(array.max_items);
            if let ArrayItems::RefOrSchema(items) = &mut array.items
                && let RefOr::T(Schema::Object(item)) = items.as_mut()
                && is_text(item)
            {
                value(item, &Limits { line: false, filled: false, ..*limits }, pattern);
            }
        }
        _ => {}
    }
}

/// The schema of an object in which some fields are required, of one in which they are not.
pub fn requiring(mut schema: RefOr<Schema>, names: &[&str]) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(object)) = &mut schema else { return schema };
    for name in names {
        object.required.push((*name).to_owned());
        let Some(RefOr::T(Schema::Object(field))) = object.properties.get_mut(*name) else { continue };
        if let SchemaType::Array(kinds) = &field.schema_type
            && let Some(kind) = kinds.iter().find(|kind| **kind != Type::Null)
        {
            field.schema_type = SchemaType::new(kind.clone());
        }
        field.enum_values.iter_mut().for_each(|words| words.retain(|word| !word.is_null()));
    }
    schema
}

fn is_text(object: &Object) -> bool {
    object.schema_type == SchemaType::new(Type::String)
}

fn value(field: &mut Object, limits: &Limits, pattern: Option<&str>) {
    field.max_length = limits.chars.or(field.max_length);
    if limits.line || limits.filled {
        field.min_length = Some(1);
        field.pattern = Some(FILLED.to_owned());
    }
    field.pattern = pattern.map(ToOwned::to_owned).or(field.pattern.take());
    if let Some((first, last)) = limits.range {
        field.minimum = Some(first.into());
        field.maximum = Some(last.into());
    }
    if !limits.words.is_empty() {
        let words = limits.words.iter().copied().map(Value::from);
        // `null` is one of them where it stands for absence.
        let null = matches!(field.schema_type, SchemaType::Array(_)).then_some(Value::Null);
        field.enum_values = Some(words.chain(null).collect());
    }
}
