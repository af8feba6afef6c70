//! An incident as subscribers and the audit log have it ("Placeholders of incidents" in `docs/interface.md`): every
//! placeholder `$incident.…` is found in it by its path, and is there, if only as an empty text.

use base::tenant::{Level, TenantId};
use db::{Conn, Result};
use outbox::{Entity, Tx};
use ports::Author;
use serde_json::{Value, json};

use super::{
    row::Row,
    store, view,
    wire::{Incident, Note},
};
use crate::neighbours::Neighbours;

/// How many notes a document has, the latest.
const NOTES: i64 = 10;

/// The kind of entity that subscribers know incidents as.
pub const ENTITY: &str = "INCIDENT";

/// The document of an incident as it is now.
pub fn load(conn: &mut Conn, neighbours: &Neighbours, row: &Row) -> Result<Value> {
    let tenants = neighbours.people.own_and_partner(conn, &row.tenant_id)?;
    let incident = view::one(conn, neighbours, &tenants, row)?;
    let notes = store::latest_notes(conn, row, NOTES)?;
    let notes = view::notes(conn, neighbours, &tenants, &notes)?;
    let names = neighbours.tenants.names(conn, &tenants)?;
    let tenant = |level: Level| {
        let id = tenants.iter().filter_map(|id| TenantId::parse(id)).find(|id| id.level() == level);
        let name = id.as_ref().and_then(|id| names.get(id.as_str())).cloned().unwrap_or_default();
        json!({
            "id": id.as_ref().map(|id| id.number().to_string()).unwrap_or_default(),
            "uniqueId": id.map(|id| id.to_string()).unwrap_or_default(),
            "name": name,
        })
    };
    Ok(document(&incident, &notes, tenant(Level::Client), tenant(Level::Partner)))
}

/// Records that an incident changed, from one document to another.
pub fn record_change(tx: &mut Tx<'_>, row: &Row, before: Option<Value>, after: Value) {
    tx.record_payloads(Entity::published(ENTITY, &row.tenant_id, &row.id), before, Some(after));
}

fn document(incident: &Incident, notes: &[Note], client: Value, partner: Value) -> Value {
    let list = |texts: Vec<&str>| texts.join(", ");
    let category = |category: &Option<crate::categories::wire::CategoryName>| match category {
        Some(category) => json!({"uniqueId": category.unique_id, "categoryName": category.name, "name": category.name}),
        None => json!({"uniqueId": "", "categoryName": "", "name": ""}),
    };
    let group = incident.assignee_group.as_ref();
    let roster = incident.roster.as_ref();
    let said: Vec<String> = notes
        .iter()
        .map(|note| format!("{} {}: {}", note.created_date, note.created_by.full_name(), note.content))
        .collect();
    let latest = notes.first();
    json!({
        "id": incident.id,
        "uniqueId": incident.id,
        "subject": incident.subject,
        "description": incident.description,
        "priority": {"name": incident.priority},
        "status": {"name": incident.status},
        "entityCategory": category(&incident.category),
        "subCategory": category(&incident.sub_category),
        "requester": user(incident.requester.as_ref()),
        "assignedTo": user(incident.assignee.as_ref()),
        "assigneeGroup": {
            "uniqueId": group.map_or("", |group| group.unique_id.as_str()),
            "name": group.map_or("", |group| group.name.as_str()),
        },
        "roster": {
            "id": roster.map_or("", |roster| roster.id.as_str()),
            "name": roster.map_or("", |roster| roster.name.as_str()),
        },
        "client": client,
        "msp": partner,
        "resources": incident.resources,
        "deviceList": list(incident.resources.iter().map(|machine| machine.name.as_str()).collect()),
        "deviceIds": list(incident.resources.iter().map(|machine| machine.id.as_str()).collect()),
        "alerts": incident.alerts,
        "alertList": list(incident.alerts.iter().map(|alert| alert.id.as_str()).collect()),
        "notes": said.join("\n"),
        "noteCount": incident.note_count,
        "latestResponse": {
            "id": latest.map(|note| note.id.to_string()).unwrap_or_default(),
            "content": latest.map_or("", |note| note.content.as_str()),
            "createdDate": latest.map_or("", |note| note.created_date.as_str()),
            "createdBy": user(latest.map(|note| &note.created_by)),
        },
        "createdBy": user(Some(&incident.created_by)),
        "updatedBy": user(Some(&incident.updated_by)),
        "createdDate": incident.created_date,
        "updatedDate": incident.updated_date,
        "dueDate": incident.due_date.as_deref().unwrap_or_default(),
        "resolvedDate": incident.resolved_date.as_deref().unwrap_or_default(),
        "closedDate": incident.closed_date.as_deref().unwrap_or_default(),
    })
}

fn user(user: Option<&Author>) -> Value {
    let user = user.cloned().unwrap_or_default();
    let name = user.full_name();
    json!({
        "id": user.id,
        "loginName": user.login_name,
        "firstName": user.first_name.unwrap_or_default(),
        "lastName": user.last_name.unwrap_or_default(),
        "email": user.email.unwrap_or_default(),
        "fullName": name,
        "name": name,
    })
}

#[cfg(test)]
mod tests;
