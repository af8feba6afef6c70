//! The facts of an action: the entity after and before it, and the metadata of the action.

use std::borrow::Cow;

use base::{matching::lookup, text::fold, timestamp::Timestamp};
use serde_json::{Value, json};

use crate::placeholders::Entity;

/// The facts of an action. Properties are found by name in any letter case, nested ones by their path.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The entity after the action; before it, when it is gone.
    pub object: &'a Value,
    /// The entity before an update.
    pub previous: Option<&'a Value>,
    /// `CREATE`, `UPDATE`, `DELETE` or `NONE`.
    pub action: &'a str,
    /// The kind of entity, in the documented spelling.
    pub entity: &'a str,
    /// The tenant of the entity.
    pub tenant: &'a str,
    /// The id of the action, the same for all events that it fires.
    pub action_id: &'a str,
    /// When.
    pub at: Timestamp,
}

impl<'a> Facts<'a> {
    /// A property of the entity.
    pub fn now(&self, path: &str) -> Option<&'a Value> {
        self.find(self.object, path)
    }

    /// A property of the entity as it was before.
    pub fn before(&self, path: &str) -> Option<&'a Value> {
        self.find(self.previous?, path)
    }

    fn find(&self, document: &'a Value, path: &str) -> Option<&'a Value> {
        find(document, path).or_else(|| find(document, self.published_name(path)?))
    }

    /// The texts that the entity, as it is or as it was, has under a key of a rule.
    pub fn texts(&self, previous: bool, key: &str) -> Vec<Cow<'a, str>> {
        let Some(document) = (if previous { self.previous } else { Some(self.object) }) else { return Vec::new() };
        let found = lookup::texts(document, key);
        match self.published_name(key) {
            Some(name) if found.is_empty() => lookup::texts(document, name),
            _ => found,
        }
    }

    fn published_name(&self, path: &str) -> Option<&'static str> {
        Entity::find(self.entity)?.published_name(path)
    }

    /// A property of the action itself (`$event.…`).
    pub fn event(&self, name: &str) -> Option<Value> {
        Some(match name {
            "id" => json!(self.action_id),
            "type" => json!(self.action),
            "entity" => json!(self.entity),
            "tenantId" => json!(self.tenant),
            "time" => json!(self.at),
            _ => return None,
        })
    }
}

/// A value as text: a string as it is, nothing for nothing, an object that has a name as its name, anything else as
/// JSON.
pub fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(members)) if members.get("name").is_some_and(Value::is_string) => text(members.get("name")),
        Some(other) => other.to_string(),
    }
}

/// The value at a path of names, whatever their letter case. In a list of `{"name","value"}` objects, such as tags, a
/// name leads to its value; in any other list a path goes on with the first element that has it.
pub fn find<'v>(node: &'v Value, path: &str) -> Option<&'v Value> {
    find_folded(node, &fold(path))
}

fn find_folded<'v>(node: &'v Value, path: &str) -> Option<&'v Value> {
    let step = |name: &str, value: &'v Value| match path.strip_prefix(fold(name).as_str())? {
        "" => Some(value),
        rest => find_folded(value, rest.strip_prefix('.')?),
    };
    match node {
        Value::Object(members) => members.iter().find_map(|(name, value)| step(name, value)),
        Value::Array(items) => items.iter().find_map(|item| {
            let named = item.get("name").and_then(Value::as_str).zip(item.get("value"));
            named.and_then(|(name, value)| step(name, value)).or_else(|| find_folded(item, path))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_with_a_name_is_its_name() {
        assert_eq!(text(Some(&json!({"name": "New"}))), "New");
        assert_eq!(text(Some(&json!({"name": 1}))), "{\"name\":1}");
        assert_eq!(text(Some(&json!(null))), "");
    }

    #[test]
    fn values_are_found_by_name_and_path() {
        let object = json!({"Subject": "s", "device": {"hostName": "h"}, "tags": [{"name": "env", "value": "prod"}],
            "map": {"a.b": 1}, "list": [{"id": 1}, {"id": 2}]});
        for (path, expected) in [
            ("subject", json!("s")),
            ("DEVICE.hostname", json!("h")),
            ("tags.env", json!("prod")),
            ("map.a.b", json!(1)),
            ("list.id", json!(1)),
            ("device", json!({"hostName": "h"})),
        ] {
            assert_eq!(find(&object, path), Some(&expected), "{path}");
        }
        for path in ["", "sub", "subjects", "device.", "tags.envs", "subject.x"] {
            assert_eq!(find(&object, path), None, "{path}");
        }
    }
}
