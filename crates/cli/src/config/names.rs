//! The names of the tenant's objects by their ids, and their ids by their names.

use std::collections::{HashMap, HashSet};

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
    /// By the id of an object: its key, and how files refer to it by its name.
    references: HashMap<(&'static str, String), (ObjectKey, Value)>,
    /// The ids of objects by their other ids.
    others: HashMap<(&'static str, String), String>,
    ids: HashMap<(&'static str, String), Vec<NamedObject>>,
    /// The keys of objects of the tenant that files describe, those that are not there yet included.
    described: HashSet<(&'static str, String)>,
}

impl Names {
    /// Adds an object, or another name of one.
    pub fn insert(&mut self, kind: &'static str, found: NamedObject, key: &ObjectKey, reference: Value) {
        self.references.insert((kind, found.id.clone()), (key.clone(), reference));
        let ids = self.ids.entry((kind, key.canonical.clone())).or_default();
        if !ids.contains(&found) {
            ids.push(found);
        }
    }

    /// Adds another id of an object.
    pub fn insert_other_id(&mut self, kind: &'static str, other: String, id: String) {
        self.others.insert((kind, other), id);
    }

    /// Notes that files describe an object of the tenant itself: its name means no other object from now on.
    pub fn describe(&mut self, kind: &'static str, key: &ObjectKey) {
        self.described.insert((kind, key.canonical.clone()));
    }

    /// Forgets which objects of a kind names lead to.
    pub fn forget(&mut self, kind: &str) {
        self.ids.retain(|(one, _), _| *one != kind);
    }

    /// The id of an object by any of its ids.
    pub fn own_id<'i>(&'i self, kind: &'static str, id: &'i str) -> &'i str {
        self.others.get(&(kind, id.to_owned())).map_or(id, String::as_str)
    }

    /// How files refer to an object by its name; `None` where that name does not lead to it alone.
    pub fn reference(&self, kind: &'static str, id: &str) -> Option<&Value> {
        let id = self.own_id(kind, id);
        let (key, reference) = self.references.get(&(kind, id.to_owned()))?;
        matches!(self.find(kind, key).as_slice(), [found] if found.id == id).then_some(reference)
    }

    /// The objects of a name: those of the tenant itself, or else those of others in its reach.
    pub fn find(&self, kind: &'static str, key: &ObjectKey) -> Vec<&NamedObject> {
        let all = self.ids.get(&(kind, key.canonical.clone())).map(Vec::as_slice).unwrap_or_default();
        let own: Vec<&NamedObject> = all.iter().filter(|found| found.is_own).collect();
        let is_own = !own.is_empty() || self.described.contains(&(kind, key.canonical.clone()));
        if is_own { own } else { all.iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::keys;

    #[test]
    fn an_object_is_referred_to_by_its_name_only_where_that_leads_back_to_it() {
        let mut names = Names::default();
        let mut add = |id: &str, is_own| {
            let body = json!({"name": "Ops"});
            let key = keys::of_reference("UserGroup", None, &body).unwrap();
            names.insert("UserGroup", NamedObject { id: id.to_owned(), is_own }, &key, body);
            names.insert_other_id("UserGroup", format!("{id}-number"), id.to_owned());
            let reference = |id: &str| names.reference("UserGroup", id).is_some();
            ["partner", "partner-number", "own", "own-number", "twin"].map(reference)
        };
        assert_eq!(add("partner", false), [true, true, false, false, false]);
        assert_eq!(add("own", true), [false, false, true, true, false]);
        assert_eq!(add("twin", true), [false; 5]);
    }

    #[test]
    fn a_name_that_files_describe_means_no_object_of_somebody_else() {
        let mut names = Names::default();
        let body = json!({"name": "Ops"});
        let key = keys::of_reference("UserGroup", None, &body).unwrap();
        names.insert("UserGroup", NamedObject { id: "partner".to_owned(), is_own: false }, &key, body);
        names.describe("UserGroup", &key);
        assert_eq!((names.find("UserGroup", &key).len(), names.reference("UserGroup", "partner")), (0, None));
    }
}
