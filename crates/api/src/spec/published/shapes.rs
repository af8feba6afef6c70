//! Schemas in the form that generators read: unions that can be told apart, references alone, null where it is taken.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Object, SCHEMAS, look, object_at, operations, referred, visit};

/// A union whose members are a schema together with the value of one field: the field stands in the schema, and tells
/// the members apart.
pub(super) fn merge_unions(document: &mut Value) {
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    let member = |member: &Value| {
        let parts = member.get("allOf")?.as_array()?;
        let name = parts.iter().find_map(|part| referred(part.as_object()?))?.to_owned();
        let field = parts.iter().find_map(|part| part.get("properties")?.as_object()?.iter().next())?;
        let value = field.1.get("enum")?.get(0)?.as_str()?.to_owned();
        Some((name, field.0.clone(), value))
    };
    let unions: Vec<(String, Vec<_>)> = schemas
        .iter()
        .filter_map(|(name, schema)| {
            let members = schema.get("oneOf")?.as_array()?;
            Some((name.clone(), members.iter().map(member).collect::<Option<Vec<_>>>()?))
        })
        .collect();
    for (union, members) in unions {
        let Some(field) = members.first().map(|member| member.1.clone()) else { continue };
        let mut mapping = Object::new();
        for (name, field, value) in &members {
            mapping.insert(value.clone(), json!(format!("{SCHEMAS}{name}")));
            let Some(schema) = schemas.get_mut(name).and_then(Value::as_object_mut) else { continue };
            let mut properties = Object::new();
            properties.insert(field.clone(), json!({"type": "string", "enum": [value]}));
            if let Some(Value::Object(own)) = schema.get_mut("properties").map(Value::take) {
                properties.extend(own);
            }
            schema.insert("properties".to_owned(), Value::Object(properties));
            let required = schema.entry("required").or_insert_with(|| json!([]));
            if let Some(required) = required.as_array_mut().filter(|all| !all.contains(&json!(field))) {
                required.insert(0, json!(field));
            }
        }
        let references: Vec<_> =
            members.iter().map(|member| json!({"$ref": format!("{SCHEMAS}{}", member.0)})).collect();
        if let Some(schema) = schemas.get_mut(&union).and_then(Value::as_object_mut) {
            schema.insert("oneOf".to_owned(), Value::Array(references));
            schema.insert("discriminator".to_owned(), json!({"propertyName": field, "mapping": mapping}));
        }
    }
}

/// A pattern that one word matches is that word.
pub(super) fn constant(object: &mut Object) {
    let word = object.get("pattern").and_then(Value::as_str);
    let word = word.and_then(|pattern| pattern.strip_prefix('^')?.strip_suffix('$').map(str::to_owned));
    let plain = |word: &String| word.chars().all(|one| one.is_ascii_alphanumeric() || one == '-');
    if let Some(word) = word.filter(|word| !word.is_empty() && plain(word)) {
        object.shift_remove("pattern");
        object.insert("enum".to_owned(), json!([word]));
    }
}

/// A default of null says no more than that a field may be left out.
pub(super) fn no_null_default(object: &mut Object) {
    if object.get("default").is_some_and(Value::is_null) {
        object.shift_remove("default");
    }
}

/// Nothing stands beside a `$ref`: 3.0 ignores it, and generators stumble over it.
pub(super) fn lone_references(object: &mut Object) {
    let mut told = None;
    if let Some(members) = object.get_mut("oneOf").and_then(Value::as_array_mut) {
        let or_null = members.iter().any(is_null);
        for member in members.iter_mut().filter_map(Value::as_object_mut) {
            let description = if member.contains_key("$ref") { member.shift_remove("description") } else { None };
            told = told.or(description.filter(|_| or_null));
        }
    }
    if let Some(told) = told {
        object.entry("description").or_insert(told);
    }
    // A response or parameter that is referred to has its own description.
    if object.len() > 1 && referred(object).is_some() {
        let reference = object.shift_remove("$ref");
        object.insert("allOf".to_owned(), json!([{"$ref": reference}]));
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

/// The schemas that values refer to, directly or through others.
fn reached<'v>(schemas: &Object, from: impl Iterator<Item = &'v Value>) -> BTreeSet<String> {
    let (mut seen, mut next) = (BTreeSet::new(), Vec::new());
    let refer = |value: &Value, next: &mut Vec<String>| {
        look(value, &mut |object| next.extend(referred(object).map(str::to_owned)));
    };
    from.for_each(|value| refer(value, &mut next));
    while let Some(name) = next.pop() {
        if let Some(schema) = schemas.get(&name).filter(|_| seen.insert(name)) {
            refer(schema, &mut next);
        }
    }
    seen
}

/// What has no value is left out of an answer, and null in none: only bodies of requests take it.
pub(super) fn answers_are_never_null(document: &mut Value) {
    let bodies: Vec<Value> =
        operations(document).filter_map(|(_, _, operation)| operation.get("requestBody").cloned()).collect();
    for (_, _, operation) in operations(document) {
        for part in ["parameters", "responses"] {
            if let Some(part) = operation.get_mut(part) {
                visit(part, &mut never_null);
            }
        }
    }
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    let asked = reached(schemas, bodies.iter());
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| !asked.contains(*name)) {
        visit(schema, &mut never_null);
    }
}

fn never_null(object: &mut Object) {
    if let Some(kinds) = object.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            object.insert("type".to_owned(), kind);
        }
    }
    let Some(members) = object.get_mut("oneOf").and_then(Value::as_array_mut) else { return };
    if !members.iter().any(is_null) {
        return;
    }
    members.retain(|member| !is_null(member));
    if let [one] = members.as_slice() {
        let one = one.clone();
        object.shift_remove("oneOf");
        match one {
            Value::Object(one) if object.is_empty() => *object = one,
            one => _ = object.insert("allOf".to_owned(), json!([one])),
        }
    }
}

/// What 3.1 says otherwise than 3.0.
pub(super) fn older(object: &mut Object) {
    if let Some(kinds) = object.get_mut("type").and_then(Value::as_array_mut) {
        let nullable = kinds.iter().any(|kind| kind == "null");
        kinds.retain(|kind| kind != "null");
        match kinds.as_slice() {
            [kind] => {
                let kind = kind.clone();
                object.insert("type".to_owned(), kind);
            }
            // Any of several types.
            _ => _ = object.shift_remove("type"),
        }
        if nullable {
            object.insert("nullable".to_owned(), json!(true));
        }
    }
    if let Some(members) = object.get("oneOf").and_then(Value::as_array) {
        let nullable = members.iter().any(is_null);
        let rest: Vec<Value> = members.iter().filter(|member| !is_null(member)).cloned().collect();
        let lists = |member: &&Value| member.get("type").is_some_and(|kind| kind == "array");
        let or_list = rest.iter().find(lists).cloned().filter(|_| rest.len() == 2);
        if nullable {
            object.shift_remove("oneOf");
            object.insert("nullable".to_owned(), json!(true));
            object.insert(if rest.len() == 1 { "allOf" } else { "oneOf" }.to_owned(), Value::Array(rest));
        } else if let Some(Value::Object(mut list)) = or_list {
            object.shift_remove("oneOf");
            list.shift_remove("description");
            object.extend(list);
        }
    }
    if let Some(value) = object.shift_remove("const") {
        object.insert("enum".to_owned(), json!([value]));
    }
    object.shift_remove("propertyNames");
}
