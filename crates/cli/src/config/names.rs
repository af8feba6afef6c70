//! The names of the tenant's objects by their ids, and their ids by their names.

use std::collections::HashMap;

use serde_json::Value;

use super::keys::ObjectKey;

/// An object that a name was found for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedObject {
    pub id: String,
    /// Does it belong to the tenant itself, and not to its partner or one of its clients?
    pub is_own: bool,
}

/// What objects are called.
#[derive(Clone, Default)]
pub struct Names {
    references: HashMap<(&'static str, String), Value>,
    ids: HashMap<(&'static str, String), Vec<NamedObject>>,
}

impl Names {
    /// Adds an object, or another id or name of one.
    pub fn insert(&mut self, kind: &'static str, found: NamedObject, key: &ObjectKey, reference: Value) {
        self.references.insert((kind, found.id.clone()), reference);
        let ids = self.ids.entry((kind, key.canonical.clone())).or_default();
        if !ids.contains(&found) {
            ids.push(found);
        }
    }

    /// Adds another id of an object.
    pub fn insert_reference(&mut self, kind: &'static str, id: String, reference: Value) {
        self.references.insert((kind, id), reference);
    }

    /// Forgets which objects of a kind names lead to.
    pub fn forget(&mut self, kind: &str) {
        self.ids.retain(|(one, _), _| *one != kind);
    }

    /// How files refer to an object.
    pub fn reference(&self, kind: &'static str, id: &str) -> Option<&Value> {
        self.references.get(&(kind, id.to_owned()))
    }

    /// The objects of a name: those of the tenant itself, or else those of others in its reach.
    pub fn find(&self, kind: &'static str, key: &ObjectKey) -> Vec<&NamedObject> {
        let all = self.ids.get(&(kind, key.canonical.clone())).map(Vec::as_slice).unwrap_or_default();
        let own: Vec<&NamedObject> = all.iter().filter(|found| found.is_own).collect();
        if own.is_empty() { all.iter().collect() } else { own }
    }
}
