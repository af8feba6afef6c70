//! Answers of the service as files have them, and fields of files as the service takes them.

use std::{env, fs, path::Path};

use base::secret::Secret;
use serde_json::{Map, Value, json};

use super::{
    diff::is_same,
    keys,
    names::Names,
    shape::{Field, Shape, Target, reference_field},
};
use crate::schema;

/// The largest secret of a file, in bytes.
const LARGEST_SECRET: u64 = 64 << 10;

/// The fields of an answer as a file has them: in the order of the document of the interface, with names in place of
/// ids, and without what is empty or what the service takes by itself.
pub fn to_file(fields: &[Field<'_>], answer: &Map<String, Value>, names: &Names) -> Map<String, Value> {
    said(fields, answer, Some(names))
}

/// A body of a file without what says nothing.
pub fn strip(fields: &[Field<'_>], body: &Map<String, Value>) -> Map<String, Value> {
    said(fields, body, None)
}

/// The fields that say something: of an answer, by the names of objects, or of a file, which has them by name already.
fn said(fields: &[Field<'_>], body: &Map<String, Value>, names: Option<&Names>) -> Map<String, Value> {
    let said = fields.iter().filter_map(|field| {
        let value = file_value(&field.shape, body.get(field.name)?, names)?;
        is_said(field, &value).then(|| (field.name.to_owned(), value))
    });
    said.collect()
}

/// Does a value say more than its absence?
fn is_said(field: &Field<'_>, value: &Value) -> bool {
    let is_default = field.default.as_ref().is_some_and(|default| is_same(&field.shape, default, value));
    field.required || !(is_empty(value) || is_default)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn file_value(shape: &Shape<'_>, value: &Value, names: Option<&Names>) -> Option<Value> {
    Some(match (shape, value, names) {
        (_, Value::Null, _) | (Shape::Secret, _, Some(_)) => return None,
        (Shape::Reference(target), Value::Object(answer), Some(names)) => reference(*target, answer, names)?,
        (Shape::Object(fields), Value::Object(body), _) => Value::Object(said(fields, body, names)),
        (Shape::List(shape, _, spellings), Value::Array(values), _) => {
            let values = values.iter().filter_map(|value| file_value(shape, value, names));
            let mut values: Vec<Value> = values.collect();
            if spellings.any_order {
                values.sort_by_cached_key(|value| value.to_string().to_lowercase());
            }
            Value::Array(values)
        }
        (Shape::Scalar(schema, _), Value::Number(number), _) if schema.kind() == schema::Kind::Text => {
            Value::from(number.to_string())
        }
        _ => value.clone(),
    })
}

fn reference(target: Target<'_>, answer: &Map<String, Value>, names: &Names) -> Option<Value> {
    let ids = [target.id, "id", "uniqueId"].into_iter();
    let Some(id) = ids.filter_map(|name| answer.get(name)).find_map(id_text) else {
        // Some are answered by name.
        let field = reference_field(target.kind);
        return answer.get(field).map(|name| json!({ field: name }));
    };
    Some(names.reference(target.kind, &id).cloned().unwrap_or_else(|| json!({ "id": id })))
}

/// An id as a text.
pub fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The fields of a file as the service takes them, with secrets; the paths of their files begin at the folder.
///
/// # Errors
/// A reference that is not found, or a secret.
pub fn to_body(
    fields: &[Field<'_>],
    body: &Map<String, Value>,
    names: &Names,
    folder: &Path,
) -> Result<Map<String, Value>, String> {
    Builder { document: body, names, folder }.object(fields, body)
}

/// The fields of a file with references as an export writes them, so that two that lead to one object are the same.
pub fn resolve(fields: &[Field<'_>], body: &Map<String, Value>, names: &Names) -> Map<String, Value> {
    resolve_fields(fields, body, body, names)
}

fn resolve_fields(
    fields: &[Field<'_>],
    body: &Map<String, Value>,
    document: &Map<String, Value>,
    names: &Names,
) -> Map<String, Value> {
    let mut resolved = body.clone();
    for field in fields {
        if let Some(value) = resolved.get_mut(field.name) {
            resolve_value(&field.shape, value, document, names);
        }
    }
    resolved
}

fn resolve_value(shape: &Shape<'_>, value: &mut Value, document: &Map<String, Value>, names: &Names) {
    match (shape, value) {
        (Shape::Object(fields), Value::Object(body)) => *body = resolve_fields(fields, body, document, names),
        (Shape::List(shape, ..), Value::Array(values)) => {
            values.iter_mut().for_each(|value| resolve_value(shape, value, document, names));
        }
        (Shape::Reference(target), value) => {
            let id = find_id(*target, value, document, names);
            if let Some(reference) = id.ok().and_then(|id| names.reference(target.kind, &id)) {
                *value = reference.clone();
            }
        }
        _ => {}
    }
}

/// What the references of a document lead to: kinds and ids of objects.
pub fn referred(fields: &[Field<'_>], body: &Map<String, Value>, names: &Names) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for field in fields {
        if let Some(value) = body.get(field.name) {
            refer(&field.shape, value, body, names, &mut found);
        }
    }
    found
}

fn refer(
    shape: &Shape<'_>,
    value: &Value,
    document: &Map<String, Value>,
    names: &Names,
    to: &mut Vec<(&'static str, String)>,
) {
    match (shape, value) {
        (Shape::Object(fields), Value::Object(body)) => {
            let values = fields.iter().filter_map(|field| Some((field, body.get(field.name)?)));
            values.for_each(|(field, value)| refer(&field.shape, value, document, names, to));
        }
        (Shape::List(shape, ..), Value::Array(values)) => {
            values.iter().for_each(|value| refer(shape, value, document, names, to));
        }
        (Shape::Reference(target), value) => {
            let id = find_id(*target, value, document, names).ok();
            to.extend(id.map(|id| (target.kind, names.own_id(target.kind, &id).to_owned())));
        }
        _ => {}
    }
}

/// The id of the object that a reference of a document leads to.
fn find_id(
    target: Target<'_>,
    reference: &Value,
    document: &Map<String, Value>,
    names: &Names,
) -> Result<String, String> {
    if let Some(id) = reference.get("id").and_then(Value::as_str) {
        return Ok(id.to_owned());
    }
    let within = target.within.and_then(|field| Some((field, document.get(field)?)));
    let key = keys::of_reference(target.kind, within, reference).ok_or("names nothing")?;
    match names.find(target.kind, &key).as_slice() {
        [found] => Ok(found.id.clone()),
        [] => Err(format!("there is no {} {:?}", target.kind, key.shown)),
        _ => Err(format!("several {} are called {:?}", target.kind, key.shown)),
    }
}

struct Builder<'b> {
    document: &'b Map<String, Value>,
    names: &'b Names,
    folder: &'b Path,
}

impl Builder<'_> {
    fn object(&self, fields: &[Field<'_>], body: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let mut made = Map::new();
        for field in fields {
            let Some(value) = body.get(field.name) else { continue };
            let value = self.value(&field.shape, value).map_err(|why| format!("{}: {why}", field.name))?;
            made.extend(value.map(|value| (field.name.to_owned(), value)));
        }
        Ok(made)
    }

    fn value(&self, shape: &Shape<'_>, value: &Value) -> Result<Option<Value>, String> {
        Ok(Some(match (shape, value) {
            (Shape::Object(fields), Value::Object(body)) => Value::Object(self.object(fields, body)?),
            (Shape::List(shape, ..), Value::Array(values)) => {
                let values = values.iter().map(|value| self.value(shape, value));
                values.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect()
            }
            // `{}` and the like take a reference away.
            (Shape::Reference(target), Value::Object(reference)) if !reference.is_empty() => {
                let id = find_id(*target, value, self.document, self.names)?;
                let number = id.parse::<i64>().ok().filter(|_| target.is_number);
                json!({ target.id: number.map_or_else(|| Value::from(id), Value::from) })
            }
            (Shape::Secret, Value::Object(source)) => Value::from(secret(source, self.folder)?.expose().clone()),
            _ => value.clone(),
        }))
    }
}

/// Which secrets of a document are not where it says, and why.
pub fn missing_secrets(fields: &[Field<'_>], body: &Map<String, Value>, folder: &Path) -> Vec<String> {
    let mut missing = Vec::new();
    for field in fields {
        let within = match (&field.shape, body.get(field.name)) {
            (Shape::Object(fields), Some(Value::Object(body))) => missing_secrets(fields, body, folder),
            (Shape::Secret, Some(Value::Object(source))) => {
                secret(source, folder).err().map(|why| vec![why]).unwrap_or_default()
            }
            _ => continue,
        };
        let is_inner = matches!(field.shape, Shape::Object(_));
        let between = if is_inner { "." } else { ": " };
        missing.extend(within.into_iter().map(|why| format!("{}{between}{why}", field.name)));
    }
    missing
}

/// A secret, from where its file says.
///
/// # Errors
/// When it is not there.
fn secret(source: &Map<String, Value>, folder: &Path) -> Result<Secret<String>, String> {
    let text = |name: &str| source.get(name).and_then(Value::as_str);
    if let Some(name) = text("fromEnv") {
        let found = env::var(name).ok().filter(|value| !value.is_empty());
        return found.map(Secret::new).ok_or_else(|| format!("the environment has no {name}"));
    }
    let path = folder.join(text("fromFile").unwrap_or_default());
    let shown = path.display();
    let size = fs::metadata(&path).map_err(|error| format!("{shown} cannot be read: {error}"))?.len();
    if size > LARGEST_SECRET {
        return Err(format!("{shown} is larger than {} KiB", LARGEST_SECRET >> 10));
    }
    let text = fs::read_to_string(&path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let first = text.lines().next().unwrap_or_default();
    if first.is_empty() { Err(format!("{shown} is empty")) } else { Ok(Secret::new(first.to_owned())) }
}
