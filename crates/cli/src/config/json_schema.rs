//! `muster schema`: a JSON Schema of the files, so that editors complete and check them.

use serde_json::{Map, Value, json};

use super::{
    check::SECRET_SOURCES,
    documents::Shapes,
    kinds::Kind,
    shape::{Field, Shape, Target, reference_field},
};
use crate::schema::Schema;

/// What of a scalar of the document is told.
const TOLD: [&str; 9] =
    ["format", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "examples"];

/// The schema of a file: a document of any kind, or an array of such.
pub fn schema(shapes: &Shapes<'_>) -> Value {
    let mut definitions = Map::new();
    let mut kinds = Vec::new();
    for (kind, fields) in shapes.all() {
        definitions.insert(kind.name.to_owned(), document(kind, fields));
        kinds.push(json!({"$ref": format!("#/$defs/{}", kind.name)}));
    }
    definitions.insert("secret".to_owned(), secret());
    definitions.insert("document".to_owned(), json!({ "oneOf": kinds }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of Muster",
        "description": "A document of a YAML file, or a JSON file, for `muster plan` and `muster apply`.",
        "oneOf": [
            {"$ref": "#/$defs/document"},
            {"type": "array", "items": {"$ref": "#/$defs/document"}},
        ],
        "$defs": definitions,
    })
}

/// A document of a kind: an object with two fields of its own.
fn document(kind: &Kind, fields: &[Field<'_>]) -> Value {
    let mut own = Map::new();
    own.insert("kind".to_owned(), json!({ "const": kind.name }));
    if kind.name_field().is_some() && kind.update.is_some() {
        let about = "The name that the object had; it is renamed, unless there is one of the new name.";
        own.insert("previousName".to_owned(), json!({"type": "string", "description": about}));
    }
    object(fields, own, &["kind"])
}

/// An object with fields, behind others that are said already.
fn object(fields: &[Field<'_>], mut properties: Map<String, Value>, required: &[&str]) -> Value {
    for field in fields {
        let mut value = value(&field.shape);
        if !field.description.is_empty() {
            value.insert("description".to_owned(), Value::from(field.description.clone()));
        }
        if let Some(default) = &field.default {
            value.insert("default".to_owned(), default.clone());
        }
        properties.insert(field.name.to_owned(), Value::Object(value));
    }
    let own = fields.iter().filter(|field| field.required).map(|field| field.name);
    let required: Vec<&str> = required.iter().copied().chain(own).collect();
    let mut made = Map::new();
    made.insert("type".to_owned(), "object".into());
    if !required.is_empty() {
        made.insert("required".to_owned(), json!(required));
    }
    made.insert("properties".to_owned(), Value::Object(properties));
    made.insert("additionalProperties".to_owned(), false.into());
    Value::Object(made)
}

fn value(shape: &Shape<'_>) -> Map<String, Value> {
    let made = match shape {
        Shape::Any => json!({}),
        Shape::Secret => json!({"$ref": "#/$defs/secret"}),
        Shape::Reference(target) => reference(*target),
        Shape::Object(fields) => object(fields, Map::new(), &[]),
        Shape::Scalar(schema, _) => Value::Object(scalar(*schema)),
        Shape::List(shape, schema, _) => {
            let mut made = told(*schema);
            made.insert("type".to_owned(), "array".into());
            made.insert("items".to_owned(), Value::Object(value(shape)));
            Value::Object(made)
        }
    };
    made.as_object().cloned().unwrap_or_default()
}

fn reference(target: Target<'_>) -> Value {
    let field = reference_field(target.kind);
    json!({
        "type": "object",
        "properties": {
            field: {"type": "string", "minLength": 1, "description": format!("The {field} of the {}.", target.kind)},
            "id": {"type": "string", "minLength": 1, "description": "Of an object that has no name of its own."},
        },
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
    })
}

fn scalar(schema: Schema<'_>) -> Map<String, Value> {
    use crate::schema::Kind::{Boolean, Integer, Number};
    let word = match schema.kind() {
        Boolean => "boolean",
        Integer => "integer",
        Number => "number",
        _ => "string",
    };
    let mut made = told(schema);
    made.insert("type".to_owned(), word.into());
    let choices = schema.choices();
    if !choices.is_empty() {
        made.insert("enum".to_owned(), json!(choices));
    }
    made
}

fn told(schema: Schema<'_>) -> Map<String, Value> {
    let said = |name: &&str| Some(((*name).to_owned(), schema.value().get(*name)?.clone()));
    TOLD.iter().filter_map(said).collect()
}

fn secret() -> Value {
    let source = |name: &str| {
        json!({
            "type": "object",
            "required": [name],
            "properties": {name: {"type": "string", "minLength": 1}},
            "additionalProperties": false,
        })
    };
    let sources: Vec<Value> = SECRET_SOURCES.iter().map(|name| source(name)).collect();
    json!({"description": "Where a secret is found when it is sent.", "oneOf": sources})
}
