//! Schemas in the form that generators read: unions that can be told apart, references alone, null where it is taken.

use std::collections::BTreeSet;

use base::Timestamp;
use serde_json::{Value, json};

use super::walk::{Object, SCHEMAS, for_each_object, object_at, operations, referenced_schema, visit};

/// A union whose members are a schema together with the value of one field: the field stands in the schema, and tells
/// the members apart.
pub(super) fn merge_unions(document: &mut Value) {
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    let member = |member: &Value| {
        let parts = member.get("allOf")?.as_array()?;
        let name = parts.iter().find_map(|part| referenced_schema(part.as_object()?))?.to_owned();
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
            properties.insert(
                field.clone(),
                json!({"type": "string", "description": format!("Always `{value}`."), "enum": [value]}),
            );
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

/// A plain value or null has both types, without a union; and what is said of a plain value stands with it, and not in
/// a part of its own.
pub(super) fn inline_plain_values(object: &mut Object) {
    let or_null = object.contains_key("oneOf");
    let Some(parts) = object.get(if or_null { "oneOf" } else { "allOf" }).and_then(Value::as_array) else { return };
    let plain = |part: &&Value| {
        part.get("type").is_some_and(|kind| ["string", "integer", "boolean"].iter().any(|plain| kind == plain))
    };
    let says_nothing = |part: &Value| {
        let kind = part.get("type").is_none_or(|kind| kind == "object");
        kind && ["properties", "$ref", "oneOf", "allOf"].iter().all(|name| part.get(name).is_none())
    };
    let [one, other] = parts.as_slice() else { return };
    let Some(value) = parts.iter().find(plain) else { return };
    let rest = if value == one { other } else { one };
    if !(if or_null { is_null(rest) } else { says_nothing(rest) }) {
        return;
    }
    let value = value.clone();
    let rest = rest.clone();
    object.retain(|name, _| !matches!(name.as_str(), "oneOf" | "allOf" | "type"));
    for part in [value.as_object(), rest.as_object().filter(|_| !or_null)].into_iter().flatten() {
        for (name, value) in part {
            object.entry(name.as_str()).or_insert_with(|| value.clone());
        }
    }
    if or_null {
        object.insert("type".to_owned(), json!([value["type"], "null"]));
        if let Some(words) = object.get_mut("enum").and_then(Value::as_array_mut) {
            words.push(Value::Null);
        }
    }
}

/// A pattern that some words match and nothing else, `^word$` or `^(one|another)$`, is these words.
pub(super) fn replace_constant_pattern(object: &mut Object) {
    let pattern = object.get("pattern").and_then(Value::as_str);
    let Some(inner) = pattern.and_then(|pattern| pattern.strip_prefix('^')?.strip_suffix('$')) else { return };
    let several = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let words: Vec<&str> = several.map_or_else(|| vec![inner], |words| words.split('|').collect());
    let plain =
        |word: &&str| !word.is_empty() && word.chars().all(|one| one.is_ascii_alphanumeric() || "-_ ".contains(one));
    if words.iter().all(plain) {
        let mut words: Vec<Value> = words.into_iter().map(Value::from).collect();
        // `null` is one of them where it is taken.
        if object.get("type").and_then(Value::as_array).is_some_and(|kinds| kinds.iter().any(|kind| kind == "null")) {
            words.push(Value::Null);
        }
        let words = Value::Array(words);
        object.shift_remove("pattern");
        object.insert("enum".to_owned(), words);
    }
}

/// A union whose members all have a field that says what they are names that field.
pub(super) fn add_discriminators(document: &mut Value) {
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    let telling = |name: &str| -> Vec<(String, Vec<String>)> {
        let Some(schema) = schemas.get(name) else { return Vec::new() };
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let fields = required.filter_map(Value::as_str).filter_map(|field| {
            let words = schema.get("properties")?.get(field)?.get("enum")?.as_array()?;
            Some((field.to_owned(), words.iter().filter_map(Value::as_str).map(str::to_owned).collect()))
        });
        fields.collect()
    };
    let mut found = Vec::new();
    for (union, schema) in schemas.iter().filter(|(_, schema)| schema.get("discriminator").is_none()) {
        let members = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let Some(members) = members.map(|member| referenced_schema(member.as_object()?)).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let Some((first, rest)) = members.split_first() else { continue };
        'fields: for (field, words) in telling(first) {
            let reference = |name: &str| json!(format!("{SCHEMAS}{name}"));
            let mut mapping: Object = words.into_iter().map(|word| (word, reference(first))).collect();
            for member in rest {
                let Some((_, words)) = telling(member).into_iter().find(|(own, _)| *own == field) else {
                    continue 'fields;
                };
                for word in words {
                    if mapping.insert(word, reference(member)).is_some() {
                        continue 'fields;
                    }
                }
            }
            found.push((union.clone(), json!({"propertyName": field, "mapping": mapping})));
            break;
        }
    }
    for (union, discriminator) in found {
        if let Some(schema) = schemas.get_mut(&union).and_then(Value::as_object_mut) {
            schema.insert("discriminator".to_owned(), discriminator);
        }
    }
}

/// What refers to a union that can be told apart refers to it alone: generators take `allOf` with such a one for a
/// shape that extends it.
pub(super) fn refer_to_unions_alone(document: &mut Value) {
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    let discriminated = schemas.iter().filter(|(_, schema)| schema.get("discriminator").is_some());
    let unions: BTreeSet<String> = discriminated.map(|(name, _)| name.clone()).collect();
    visit(document, &mut |object| {
        let Some([one]) = object.get("allOf").and_then(Value::as_array).map(Vec::as_slice) else { return };
        let name = one.as_object().and_then(referenced_schema);
        if name.is_some_and(|name| unions.contains(name)) {
            let reference = one.get("$ref").cloned();
            object.clear();
            object.extend(reference.map(|reference| ("$ref".to_owned(), reference)));
        }
    });
}

/// What several parts make up together is one object: generators take parts for shapes that are extended, and some lose
/// the fields of all but the first.
pub(super) fn merge_parts(document: &mut Value) {
    let Some(schemas) = object_at(document, &["components", "schemas"]).cloned() else { return };
    visit(document, &mut |object| {
        if object.get("allOf").and_then(Value::as_array).is_none_or(|parts| parts.len() < 2) {
            return;
        }
        let mut properties = Object::new();
        let mut required = Vec::new();
        if collect_fields(&schemas, object, &mut properties, &mut required).is_some() {
            object.shift_remove("allOf");
            object.insert("type".to_owned(), json!("object"));
            object.insert("required".to_owned(), Value::Array(required));
            object.insert("properties".to_owned(), Value::Object(properties));
        }
    });
}

/// The fields of an object and of its parts; `None` when a part is none of an object.
fn collect_fields(schemas: &Object, part: &Object, properties: &mut Object, required: &mut Vec<Value>) -> Option<()> {
    if let Some(name) = referenced_schema(part) {
        return collect_fields(schemas, schemas.get(name)?.as_object()?, properties, required);
    }
    for part in part.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        collect_fields(schemas, part.as_object()?, properties, required)?;
    }
    if ["oneOf", "anyOf"].iter().any(|union| part.contains_key(*union)) {
        return None;
    }
    let own = part.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.extend(own.map(|(name, schema)| (name.clone(), schema.clone())));
    for name in part.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !required.contains(name) {
            required.push(name.clone());
        }
    }
    Some(())
}

/// Every whole number has one width: languages whose types differ by width would have a page size of one type here, and
/// of another there.
pub(super) fn use_one_integer_format(object: &mut Object) {
    let is_whole =
        |kind: &Value| kind == "integer" || kind.as_array().is_some_and(|all| all.contains(&json!("integer")));
    if object.get("type").is_some_and(is_whole) {
        object.insert("format".to_owned(), json!("int64"));
    }
}

/// A default of null says no more than that a field may be left out, nor does an empty one where nothing empty may
/// stand.
pub(super) fn remove_void_default(object: &mut Object) {
    let Some(default) = object.get("default") else { return };
    let limited = ["minLength", "minItems", "pattern", "enum"].iter().any(|name| object.contains_key(*name));
    if default.is_null() || (limited && (default == "" || *default == json!([]))) {
        object.shift_remove("default");
    }
}

/// Extensions come out of a hash map: the document has them in one order.
pub(super) fn order_extensions(object: &mut Object) {
    let mut names: Vec<String> = object.keys().filter(|name| name.starts_with("x-")).cloned().collect();
    names.sort();
    for name in names {
        if let Some(value) = object.shift_remove(&name) {
            object.insert(name, value);
        }
    }
}

/// Nothing stands beside a `$ref`: 3.0 ignores it, and generators stumble over it.
pub(super) fn isolate_references(object: &mut Object) {
    let mut of_union = None;
    if let Some(members) = object.get_mut("oneOf").and_then(Value::as_array_mut) {
        let or_null = members.iter().any(is_null);
        for member in members.iter_mut().filter_map(Value::as_object_mut) {
            let description = if member.contains_key("$ref") { member.shift_remove("description") } else { None };
            of_union = of_union.or(description.filter(|_| or_null));
        }
    }
    if let Some(description) = of_union {
        object.entry("description").or_insert(description);
    }
    // A response or parameter that is referred to has its own description.
    if object.len() > 1 && referenced_schema(object).is_some() {
        let reference = object.shift_remove("$ref");
        object.insert("allOf".to_owned(), json!([{"$ref": reference}]));
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

/// The schemas that values refer to, directly or through others.
fn reachable_schemas<'v>(schemas: &Object, from: impl Iterator<Item = &'v Value>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut next = Vec::new();
    let refer = |value: &Value, next: &mut Vec<String>| {
        for_each_object(value, &mut |object| next.extend(referenced_schema(object).map(str::to_owned)));
    };
    from.for_each(|value| refer(value, &mut next));
    while let Some(name) = next.pop() {
        if let Some(schema) = schemas.get(&name).filter(|_| seen.insert(name)) {
            refer(schema, &mut next);
        }
    }
    seen
}

/// The schemas of which bodies of requests are made.
fn request_schemas(document: &mut Value) -> BTreeSet<String> {
    let bodies: Vec<Value> =
        operations(document).filter_map(|(_, _, operation)| operation.get("requestBody").cloned()).collect();
    object_at(document, &["components", "schemas"])
        .map(|schemas| reachable_schemas(schemas, bodies.iter()))
        .unwrap_or_default()
}

/// Names of fields that are times, beside those that end in `Date` or `Time`.
const TIME_FIELDS: [&str; 6] = ["at", "end", "since", "start", "time", "until"];

/// A time in an answer has one form, and is empty where its description says so.
pub(super) fn add_time_patterns(document: &mut Value) {
    let in_requests = request_schemas(document);
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| !in_requests.contains(*name)) {
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
        for (name, field) in fields.filter_map(|(name, field)| Some((name, field.as_object_mut()?))) {
            let is_named_so = name.ends_with("Date") || name.ends_with("Time") || TIME_FIELDS.contains(&name.as_str());
            let is_plain = field.get("type").is_some_and(|kind| kind == "string")
                && ["pattern", "enum", "format"].iter().all(|limit| !field.contains_key(*limit));
            let example = field.get("example").and_then(Value::as_str);
            if !is_named_so || !is_plain || example.is_some_and(|example| Timestamp::parse(example).is_none()) {
                continue;
            }
            let text = field.get("description").and_then(Value::as_str).unwrap_or_default();
            let pattern = if text.contains("empty") || example == Some("") { TIME_OR_EMPTY } else { TIME };
            field.insert("pattern".to_owned(), json!(pattern));
            remove_void_default(field);
        }
    }
}

/// How the service writes a time, and a time that may be empty.
const TIME: &str = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+0000$";
const TIME_OR_EMPTY: &str = r"^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+0000)?$";

/// A field that tells the members of a union apart and has one value in each of them has that value as its default, so
/// that who makes such a member in a program need not say it.
pub(super) fn add_discriminator_defaults(document: &mut Value) {
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    let unions: Vec<(String, Vec<String>)> = schemas
        .values()
        .filter_map(|schema| {
            let discriminator = schema.get("discriminator")?;
            let members = discriminator.get("mapping")?.as_object()?.values().filter_map(Value::as_str);
            let members = members.filter_map(|reference| reference.strip_prefix(SCHEMAS)).map(str::to_owned);
            Some((discriminator.get("propertyName")?.as_str()?.to_owned(), members.collect()))
        })
        .collect();
    for (field, members) in unions {
        for member in members {
            let property = schemas.get_mut(&member).and_then(|schema| schema.get_mut("properties")?.get_mut(&field));
            let Some(property) = property.and_then(Value::as_object_mut) else { continue };
            if let Some([value]) = property.get("enum").and_then(Value::as_array).map(Vec::as_slice) {
                let value = value.clone();
                property.insert("default".to_owned(), value);
            }
        }
    }
}

/// What has no value is left out of an answer, and null in none: only bodies of requests take it.
pub(super) fn remove_null_from_answers(document: &mut Value) {
    let in_requests = request_schemas(document);
    for (_, _, operation) in operations(document) {
        for part in ["parameters", "responses"] {
            if let Some(part) = operation.get_mut(part) {
                visit(part, &mut remove_null);
            }
        }
    }
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| !in_requests.contains(*name)) {
        visit(schema, &mut remove_null);
    }
}

fn remove_null(object: &mut Object) {
    if let Some(kinds) = object.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            object.insert("type".to_owned(), kind);
        }
        if let Some(words) = object.get_mut("enum").and_then(Value::as_array_mut) {
            words.retain(|word| !word.is_null());
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
pub(super) fn downgrade_to_3_0(object: &mut Object) {
    if let Some(kinds) = object.get_mut("type").and_then(Value::as_array_mut) {
        let nullable = kinds.iter().any(|kind| kind == "null");
        kinds.retain(|kind| kind != "null");
        match kinds.as_slice() {
            [kind] => {
                let kind = kind.clone();
                object.insert("type".to_owned(), kind);
            }
            // Any of several types, of none of which a format tells.
            _ => {
                object.shift_remove("type");
                object.shift_remove("format");
            }
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
