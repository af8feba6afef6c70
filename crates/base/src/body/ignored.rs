//! The fields of a body that were not read.
//!
//! A field that the service does not know changes nothing, and the client should be told. [`super::Fields`] records
//! the fields read of each object; [`collect`] gathers the rest of all bodies that are read on this thread meanwhile,
//! so that no reader has to pass it on.

use std::{cell::RefCell, collections::HashMap};

use serde_json::{Map, Value};

use crate::json::join;

/// As many names as are kept of one request.
pub const MOST: usize = 20;
/// The longest name, in bytes; what is longer is cut.
const LONGEST: usize = 64;

thread_local! {
    static COLLECTED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Runs `f`, and answers the paths of the fields that the bodies that were read in it had and nobody read: the first
/// [`MOST`], each once, and one more when there were more. They consist of letters, digits and ``_-.[]@$:/#``, with `?`
/// for anything else, and are safe in a header.
pub fn collect<R>(f: impl FnOnce() -> R) -> (R, Vec<String>) {
    /// Restores the outer collection, also when `f` panics.
    struct RestoreOnDrop(Option<Vec<String>>);
    impl Drop for RestoreOnDrop {
        fn drop(&mut self) {
            COLLECTED.set(self.0.take());
        }
    }
    let restore = RestoreOnDrop(COLLECTED.replace(Some(Vec::new())));
    let result = f();
    let collected = COLLECTED.take().unwrap_or_default();
    drop(restore);
    (result, collected)
}

/// Adds names to what is being collected on this thread, if anything is.
pub fn report(names: impl IntoIterator<Item = String>) {
    COLLECTED.with_borrow_mut(|collected| {
        if let Some(collected) = collected {
            add(collected, names);
        }
    });
}

/// Names all fields of a body that nobody reads.
pub fn report_fields(body: &Map<String, Value>) {
    let names = body.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| shown(name));
    report(names.take(MOST + 1));
}

/// Runs `f`, which reads `sent` laid over something else, and reports only names of what was sent.
pub fn of_sent<R>(sent: &Value, f: impl FnOnce() -> R) -> R {
    let (result, names) = collect(f);
    report(names.into_iter().filter(|name| has(sent, name)));
    result
}

/// Runs `f`, which reads what stands at `path` of a body, and reports the names as paths into that body.
pub fn within<R>(path: &str, f: impl FnOnce() -> R) -> R {
    if !is_wanted() {
        return f();
    }
    let (result, names) = collect(f);
    report(names.iter().map(|name| shown(&join(path, name))));
    result
}

/// Is there something at a path?
fn has(value: &Value, path: &str) -> bool {
    let mut current = Some(value);
    for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
        current = match (current, step.strip_suffix(']')) {
            (Some(Value::Array(items)), Some(index)) => index.parse().ok().and_then(|index: usize| items.get(index)),
            (Some(Value::Object(members)), None) => members.get(step),
            _ => None,
        };
    }
    current.is_some()
}

/// Takes names out of what is being collected: fields that were read by other means.
pub fn was_read(names: &[&str]) {
    COLLECTED.with_borrow_mut(|collected| {
        if let Some(collected) = collected {
            collected.retain(|existing| !names.contains(&existing.as_str()));
        }
    });
}

/// Adds names that are not there yet, up to one more than are kept.
pub fn add(all: &mut Vec<String>, names: impl IntoIterator<Item = String>) {
    for name in names {
        if all.len() > MOST {
            return;
        }
        if !all.contains(&name) {
            all.push(name);
        }
    }
}

/// Is anybody collecting on this thread?
pub(super) fn is_wanted() -> bool {
    COLLECTED.with_borrow(Option::is_some)
}

/// The fields read of the objects of one body.
#[derive(Debug, Default)]
pub(super) struct Reads<'v>(RefCell<HashMap<usize, Object<'v>>>);

#[derive(Debug)]
struct Object<'v> {
    path: String,
    members: &'v Map<String, Value>,
    read: Vec<&'v str>,
}

impl<'v> Reads<'v> {
    /// Notes that a field of the object at `path` was asked for.
    pub(super) fn note(&self, members: &'v Map<String, Value>, path: &str, name: &str) {
        let mut objects = self.0.borrow_mut();
        // Where an object lies tells it from all others of its body, which is borrowed as long as this lives.
        let object = objects.entry(std::ptr::from_ref(members) as usize).or_insert_with(|| Object {
            path: path.to_owned(),
            members,
            read: Vec::new(),
        });
        if let Some((existing, _)) = members.get_key_value(name)
            && !object.read.contains(&existing.as_str())
        {
            object.read.push(existing);
        }
    }

    /// The paths of what was not read, in the order of their names.
    pub(super) fn unread(&self) -> Vec<String> {
        let objects = self.0.borrow();
        let mut in_order: Vec<&Object<'v>> = objects.values().collect();
        in_order.sort_by(|one, other| one.path.cmp(&other.path));
        let unread = in_order.into_iter().flat_map(|object| {
            let is_unread =
                |(name, value): &(&'v String, &Value)| !value.is_null() && !object.read.contains(&name.as_str());
            object.members.iter().filter(is_unread).map(|(name, _)| shown(&join(&object.path, name)))
        });
        unread.take(MOST + 1).collect()
    }
}

/// A path as a header may carry it.
pub fn shown(path: &str) -> String {
    let safe = |letter: char| {
        if letter.is_ascii_alphanumeric() || "_-.[]@$:/#".contains(letter) { letter } else { '?' }
    };
    path.chars().map(safe).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::Fields, *};

    #[test]
    fn names_what_nobody_read_by_its_path() {
        let body = json!({"name": "a", "colour": "red", "absent": null, "size": {"x": 1, "y": 2}, "raw": {"any": 1},
            "tags": [{"name": "t"}, {"name": "t", "more": {"deep": 1}}], "weird, \r\nname é": 1});
        let (_, ignored) = collect(|| {
            let mut fields = Fields::of(&body);
            fields.text("name");
            fields.raw_object("raw");
            fields.object("size").map(|mut size| size.integer("x"));
            // Read in two steps, it is read all the same.
            fields.object("size").map(|mut size| size.integer("z"));
            for mut tag in fields.objects("tags").unwrap_or_default() {
                tag.text("name");
            }
            fields.finish().unwrap();
        });
        assert_eq!(ignored, ["colour", "weird????name??", "size.y", "tags[1].more"]);
    }

    #[test]
    fn is_bounded_and_costs_little_when_there_is_much() {
        let many: Map<String, Value> =
            (0..200_000).map(|number| (format!("{number}{}", "x".repeat(80)), json!(1))).collect();
        let body = Value::Object(many);
        let (_, ignored) = collect(|| {
            Fields::of(&body).finish().unwrap();
            let mut fields = Fields::of(&body);
            fields.text("name");
            fields.finish().unwrap();
        });
        assert_eq!(ignored.len(), MOST + 1);
        assert!(ignored.iter().all(|name| name.len() <= LONGEST));
    }

    #[test]
    fn what_was_not_sent_is_not_named() {
        let sent = json!({"a": [{"b": 1}], "d": {}});
        let merged = json!({"a": [{"b": 1, "c": 1}], "d": {"e": 1}, "f": 1});
        let read = || {
            let mut fields = Fields::of(&merged);
            fields.object("d").map(|mut inner| inner.text("x"));
            fields.objects("a").into_iter().flatten().for_each(|mut item| drop(item.text("x")));
            fields.finish().unwrap();
        };
        assert_eq!(collect(|| of_sent(&sent, read)).1, ["a[0].b"]);
        assert_eq!(collect(read).1, ["f", "a[0].b", "a[0].c", "d.e"]);
    }

    #[test]
    fn a_part_of_a_body_is_named_by_its_place() {
        let part = json!({"name": "a", "colour": "red", "size": {"x": 1}});
        let read = || {
            let mut fields = Fields::of(&part);
            fields.text("name");
            fields.object("size").map(|mut size| size.text("y"));
            fields.finish().unwrap();
        };
        let (_, ignored) = collect(|| {
            within("alert", read);
            within("[1]", read);
        });
        assert_eq!(ignored, ["alert.colour", "alert.size.x", "[1].colour", "[1].size.x"]);
        within("alert", read);
    }

    #[test]
    fn only_what_is_read_meanwhile_counts() {
        let read = |name: &str| {
            let body = json!({name: 1});
            let mut fields = Fields::of(&body);
            fields.integer("id");
            fields.finish().unwrap();
        };
        read("before");
        let ((), outer) = collect(|| {
            read("a");
            let ((), inner) = collect(|| read("b"));
            assert_eq!(inner, ["b"]);
            read("a");
            report(["c".to_owned()]);
        });
        assert_eq!(outer, ["a", "c"]);
        read("after");
        assert!(!is_wanted());
    }
}
