//! What makes two documents one object, and how an object is called.

use base::timestamp::Timestamp;
use serde_json::{Map, Value, json};

use super::{
    kinds::{self, BELOW, BESIDE, Key, Kind, SHIFT},
    shape::reference_field,
};

/// What stands between the parts of a key, and in no name.
const APART: char = '\u{1f}';

/// The key of an object among those of its kind.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjectKey {
    /// The same for all spellings.
    pub canonical: String,
    /// As people read it.
    pub shown: String,
}

/// The key of an object, by its fields as a file has them; `None` when it has none of those that make it.
pub fn of_object(kind: &Kind, body: &Map<String, Value>) -> Option<ObjectKey> {
    match kind.key {
        Key::All(parts, between) => join(parts, between, body),
        Key::First(parts) => parts.iter().find_map(|part| join(&[part], BESIDE, body)),
    }
}

/// The key that a reference names; `within` is the object, as a reference, that the name is unique in.
pub fn of_reference(kind: &str, within: Option<(&str, &Value)>, reference: &Value) -> Option<ObjectKey> {
    let field = reference_field(kind);
    let name = reference.get(field)?;
    if let Some((field, owner)) = within {
        let body = json!({ field: owner, "name": name });
        let body = body.as_object()?;
        return if kind == SHIFT {
            join(&["roster.name", "name"], BESIDE, body)
        } else {
            of_object(kinds::kind(kind)?, body)
        };
    }
    let text = name.as_str()?;
    if field == "path" {
        return Some(of_path(text));
    }
    Some(ObjectKey { canonical: fold(text), shown: text.to_owned() })
}

/// The key of a shift of a roster.
pub fn of_shift(roster: &str, shift: &Value) -> Option<ObjectKey> {
    of_reference(SHIFT, Some(("roster", &json!({ "name": roster }))), shift)
}

/// The key of an object of a tree, by the names from the top.
pub fn of_path(path: &str) -> ObjectKey {
    let shown = names_of(path);
    ObjectKey { canonical: fold(&shown), shown }
}

fn names_of(path: &str) -> String {
    let names = path.split(BELOW.trim()).map(str::trim).filter(|name| !name.is_empty());
    names.collect::<Vec<_>>().join(BELOW)
}

/// A reference to an object, as files have it.
pub fn reference(kind: &Kind, key: &ObjectKey, body: &Map<String, Value>) -> Value {
    let field = kind.reference_field();
    let own = body.get(field).filter(|_| field != "path").cloned();
    json!({ field: own.unwrap_or_else(|| key.shown.clone().into()) })
}

fn join(parts: &[&str], between: &str, body: &Map<String, Value>) -> Option<ObjectKey> {
    let mut canonical = Vec::new();
    let mut shown = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let Some(mut value) = value(part, body) else { continue };
        if part.ends_with(".path") {
            value = names_of(&value);
        }
        let folded = Timestamp::parse(value.trim()).map_or_else(|| fold(&value), |at| at.to_string());
        // Which part it is counts where several are of one kind: the site Rome is not the group Rome.
        let is_named = parts.len() > 1 && between != BELOW;
        canonical.push(if is_named { format!("{index}:{folded}") } else { folded });
        shown.push(value);
    }
    let apart = if between == BELOW { BELOW.to_owned() } else { APART.to_string() };
    (!shown.is_empty()).then(|| ObjectKey { canonical: canonical.join(&apart), shown: shown.join(between) })
}

/// A part of a key, by its way through the body.
fn value(part: &str, body: &Map<String, Value>) -> Option<String> {
    let mut names = part.split('.');
    let first = body.get(names.next()?)?;
    // A reference by an id, where an object has no name of its own.
    let found = names.try_fold(first, |value, name| value.get(name).or_else(|| value.get("id")))?;
    match found {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some(part.to_owned()),
        _ => None,
    }
}

/// The same for all spellings of a name.
pub fn fold(text: &str) -> String {
    base::fold(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(kind: &str, body: Value) -> ObjectKey {
        of_object(kinds::kind(kind).unwrap(), body.as_object().unwrap()).unwrap()
    }

    #[test]
    fn spellings_of_one_name_are_one_key_and_references_find_it() {
        assert_eq!(key("Site", json!({"name": " Rome"})).canonical, key("Site", json!({"name": "ROME"})).canonical);
        // As the service has it.
        assert_eq!(key("Site", json!({"name": "Straße"})).canonical, key("Site", json!({"name": "STRASSE"})).canonical);
        let below = key("KbCategory", json!({"name": "Switches", "parentCategory": {"path": "Network"}}));
        assert_eq!(below.shown, "Network >> Switches");
        let other = key("KbArticle", json!({"title": "x", "category": {"path": "network>>switches"}}));
        assert_eq!(other.shown, "network >> switches >> x");
        let found = of_reference("KbCategory", None, &json!({"path": "network>>switches"})).unwrap();
        assert_eq!(found.canonical, below.canonical);
        let method = key("ContactMethod", json!({"user": {"loginName": "anna"}, "name": "Phone"}));
        let user = json!({"loginName": "Anna"});
        let found = of_reference("ContactMethod", Some(("user", &user)), &json!({"name": "phone"})).unwrap();
        assert_eq!((found.canonical, method.shown.as_str()), (method.canonical, "anna / Phone"));
        assert_ne!(key("Owner", json!({"site": {"name": "x"}})), key("Owner", json!({"deviceGroup": {"name": "x"}})));
        assert_eq!(key("Owner", json!({"default": true})).shown, "default");
        assert_eq!(key("Resource", json!({"hostName": "web-01", "ipAddress": "10.0.0.1"})).canonical, "web-01");
    }

    #[test]
    fn one_time_is_one_key_however_it_is_written() {
        let at = |start: &str| {
            let (roster, user) = (json!({"name": "r"}), json!({"loginName": "a"}));
            let body = json!({"roster": roster, "user": user, "start": start, "end": "2026-12-01T00:00:00Z"});
            key("RosterOverride", body).canonical
        };
        assert_eq!(at("2026-11-27T10:00:00+0100"), at("2026-11-27T09:00:00Z"));
    }
}
