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
pub(super) struct ReadFields<'v>(RefCell<HashMap<usize, Object<'v>>>);

#[derive(Debug)]
struct Object<'v> {
    path: String,
    members: &'v Map<String, Value>,
    read: Vec<&'v str>,
}

impl<'v> ReadFields<'v> {
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
mod tests;
