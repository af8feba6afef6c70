//! The texts that a JSON document has under a key.

use std::borrow::Cow;

use serde_json::Value;

use crate::text::fold;

/// The texts under a key: a property's name, whatever its letter case, or a path of such names with dots between them
/// (`device.hostName`).
///
/// An array stands for its elements, so that `resources.name` gives all their names. In an array of `{"name","value"}`
/// objects, such as tags, a name is a key too: `tags.env`. Numbers and booleans are texts as JSON writes them; `null`
/// is none. An object at the end of the path is its `name`, when that is a text, so that `status` finds
/// `{"name":"New"}`; other objects, and the `{"name","value"}` ones, are none. A name that has dots itself is found by
/// it as well.
pub fn texts<'v>(document: &'v Value, key: &str) -> Vec<Cow<'v, str>> {
    let mut found = Vec::new();
    page_request(document, &fold(key.trim()), &mut found);
    found
}

/// The most texts of one key that are shown to somebody, and the most characters of each.
const MOST_SHOWN: usize = 100;
const LONGEST_SHOWN: usize = 1_000;

/// The texts as a trial of a rule shows them: at most as many as a person reads.
pub fn shown(texts: &[Cow<'_, str>]) -> Vec<String> {
    texts.iter().take(MOST_SHOWN).map(|text| text.chars().take(LONGEST_SHOWN).collect()).collect()
}

/// What it costs to look at a member of an object, or an element of an array.
const STEPS: u64 = 4;

/// The most that a look for one key costs, in steps of a [`Meter`](super::Meter).
pub fn weight(document: &Value) -> u64 {
    match document {
        Value::Array(items) => STEPS + items.iter().map(weight).sum::<u64>(),
        Value::Object(members) => STEPS + members.values().map(weight).sum::<u64>(),
        _ => STEPS,
    }
}

/// Every node is met at most once, since the path to it is a beginning of the key: the cost is that of the document.
fn page_request<'v>(node: &'v Value, key: &str, found: &mut Vec<Cow<'v, str>>) {
    match node {
        Value::Array(items) => items.iter().for_each(|item| {
            page_request(item, key, found);
            walk_pair(item, key, found);
        }),
        Value::Object(members) => {
            for (name, value) in members {
                step(&fold(name), value, key, found);
            }
        }
        _ => {}
    }
}

/// An element of a list of names and values.
fn walk_pair<'v>(item: &'v Value, key: &str, found: &mut Vec<Cow<'v, str>>) {
    if let Some(name) = item.get("name").and_then(Value::as_str)
        && let Some(value) = item.get("value")
        // That is a property of its own, and was met as such.
        && !["name", "value"].contains(&fold(name).as_str())
    {
        step(&fold(name), value, key, found);
    }
}

fn step<'v>(name: &str, value: &'v Value, key: &str, found: &mut Vec<Cow<'v, str>>) {
    match key.strip_prefix(name) {
        Some("") => leaves(value, found),
        Some(rest) => {
            if let Some(rest) = rest.strip_prefix('.') {
                page_request(value, rest, found);
            }
        }
        None => {}
    }
}

fn leaves<'v>(value: &'v Value, found: &mut Vec<Cow<'v, str>>) {
    match value {
        Value::String(text) => found.push(Cow::Borrowed(text)),
        Value::Number(number) => found.push(Cow::Owned(number.to_string())),
        Value::Bool(flag) => found.push(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
        Value::Object(members) if !members.contains_key("value") => {
            found.extend(members.get("name").and_then(Value::as_str).map(Cow::Borrowed));
        }
        Value::Null | Value::Object(_) => {}
    }
}
