//! Undoing changes of incidents. One that is new stays: there is no operation that removes it.

use api::{RequestScope, Resource as _, Restorer, restore};
use base::body::Request as _;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Map, Value, json};

use super::{document::ENTITY, http::change_locked, row::Row, wire::IncidentInput};
use crate::neighbours::Neighbours;

/// The fields of an incident that are texts, as the log and a body have them.
const TEXTS: [&str; 3] = ["subject", "description", "dueDate"];
/// Words, each by its path in the log and its name in a body.
const WORDS: [(&str, &str); 2] = [("priority.name", "priority"), ("status.name", "status")];
/// References, each by its path in the log, its name in a body, and the name of the id there.
const REFERENCES: [(&str, &str, &str); 6] = [
    ("entityCategory.uniqueId", "category", "uniqueId"),
    ("subCategory.uniqueId", "subCategory", "uniqueId"),
    ("requester.id", "requester", "id"),
    ("assignedTo.id", ASSIGNEE, "id"),
    ("assigneeGroup.uniqueId", "assigneeGroup", "uniqueId"),
    ("roster.id", ROSTER, "id"),
];
const ASSIGNEE: &str = "assignee";
const ROSTER: &str = "roster";
const RESOURCES: &str = "resources";
/// Those that follow from a change, and what a document has of others.
const DERIVED: [&str; 22] = [
    "id",
    "uniqueId",
    "priority",
    "status",
    "entityCategory",
    "subCategory",
    "requester",
    "assignedTo",
    "assigneeGroup",
    "roster",
    "client",
    "msp",
    "deviceList",
    "deviceIds",
    "noteCount",
    "latestResponse",
    "createdBy",
    "updatedBy",
    "createdDate",
    "updatedDate",
    "resolvedDate",
    "closedDate",
];

/// Restores incidents.
pub struct Incidents(pub Neighbours);

impl Restorer for Incidents {
    fn kinds(&self) -> &'static [&'static str] {
        &[ENTITY]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| name == RESOURCES || TEXTS.contains(&name))
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        change.existed && change.exists && !body(change).is_empty()
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let old = Row::lock_existing(tx.conn, std::slice::from_ref(&change.tenant_id), &change.entity_id)?;
        let mut body = body(change);
        // Without an assignee beside it, a roster would choose one.
        if body.contains_key(ROSTER) {
            body.entry(ASSIGNEE).or_insert_with(|| json!({"id": old.assignee_id}));
        }
        let (input, wrong) = IncidentInput::parse_with_errors(&Value::Object(body));
        change_locked(tx, scope, &self.0, &old, &input, wrong).map(drop)
    }
}

/// What a body would say of the former values.
fn body(change: &ObjectChange) -> Map<String, Value> {
    let mut body = match restore::body(change, &TEXTS) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for (path, name) in WORDS {
        body.extend(restore::former(change, path).map(|word| (name.to_owned(), word.clone())));
    }
    for (path, name, id) in REFERENCES {
        body.extend(restore::former(change, path).map(|value| (name.to_owned(), json!({id: value}))));
    }
    if let Some(machines) = restore::former(change, RESOURCES).and_then(Value::as_array) {
        let named = machines.iter().map(|machine| json!({"id": machine["id"]}));
        body.insert(RESOURCES.to_owned(), named.collect());
    }
    body
}
