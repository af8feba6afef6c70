//! The objects that files made: those of change sets whose names begin with the label of the files.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    convert::id_text,
    kinds::{self, Kind},
    service::{Refusal, Service},
    tenant::Object,
};
use crate::failure::Failure;

/// The operation that lists change sets.
const SEARCH: &str = "searchChangeSets";

/// What stands behind the label in the name of a change set.
const BEHIND: &str = ": ";

/// The name of a change set of files with a label.
pub fn change_set_name(label: &str, name: &str) -> String {
    format!("{label}{BEHIND}{name}")
}

/// Objects by kind and id.
#[derive(Default)]
pub struct ManagedObjects(HashSet<(&'static str, String)>);

impl ManagedObjects {
    /// Reads which objects applies with a label created or changed, and did not delete since.
    ///
    /// # Errors
    /// When the key may not read change sets, or there is no answer.
    pub fn read(label: &str, service: &mut Service<'_>) -> Result<Self, Refusal> {
        if !service.has(SEARCH) {
            let why = "--prune needs the change sets of the service, which this one does not keep".to_owned();
            return Err(Failure::Refused(why).into());
        }
        let prefix = change_set_name(label, "");
        let filter = format!("name:{}", quoted(prefix.trim_end()));
        let query = [("queryString", filter.as_str()), ("isDescendingOrder", "false")];
        let mut managed = HashSet::new();
        for set in service.rows(SEARCH, &[], &query)? {
            let name = set.get("name").and_then(Value::as_str).unwrap_or_default();
            let Some(id) = set.get("id").and_then(id_text).filter(|_| name.starts_with(&prefix)) else { continue };
            for object in service.rows("getChangeSet", &[&id], &[])? {
                let entity = object.get("entity").and_then(Value::as_str).and_then(kinds::kind);
                let Some((kind, id)) = entity.zip(object.get("entityId").and_then(id_text)) else { continue };
                match object.get("action").and_then(Value::as_str) {
                    Some("CREATE" | "UPDATE") => managed.insert((kind.name, id)),
                    _ => managed.remove(&(kind.name, id)),
                };
            }
        }
        Ok(Self(managed))
    }

    /// Was an object made by files?
    pub fn contains(&self, kind: &Kind, object: &Object) -> bool {
        let ids = ["id", "uniqueId"].iter().filter_map(|name| object.answer.get(*name).and_then(id_text));
        // The id of a rule is only unique among those of its person.
        let within = object.owner.as_ref().map(|owner| format!("{owner}:{}", object.id));
        ids.chain(within).chain([object.id.clone()]).any(|id| self.0.contains(&(kind.name, id)))
    }

    /// The kinds of which there are any.
    pub fn kinds(&self) -> Vec<&'static Kind> {
        kinds::all().iter().filter(|kind| self.0.iter().any(|(name, _)| *name == kind.name)).collect()
    }
}

#[cfg(test)]
impl ManagedObjects {
    /// These.
    pub fn of(all: &[(&'static str, &str)]) -> Self {
        Self(all.iter().map(|(kind, id)| (*kind, (*id).to_owned())).collect())
    }
}

/// A value of `queryString` that is taken whole.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
