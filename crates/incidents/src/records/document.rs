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
mod tests {
    use super::*;
    use crate::records::row::{AlertName, Machine};

    /// The placeholders that integrations offer; each has to be found by its path.
    const PLACEHOLDERS: [&str; 25] = [
        "subject",
        "description",
        "priority.name",
        "status.name",
        "assignedTo.fullName",
        "assigneeGroup.name",
        "entityCategory.categoryName",
        "subCategory.categoryName",
        "client.name",
        "client.uniqueId",
        "msp.name",
        "deviceList",
        "deviceIds",
        "alertList",
        "createdDate",
        "dueDate",
        "requester.name",
        "uniqueId",
        "notes",
        "latestResponse.id",
        "latestResponse.content",
        "latestResponse.createdDate",
        "latestResponse.createdBy.fullName",
        "latestResponse.createdBy.email",
        "latestResponse.createdBy.loginName",
    ];

    fn bare() -> Incident {
        Incident {
            id: "INC0000000001".to_owned(),
            client_unique_id: "client_1".to_owned(),
            subject: "Disk is full".to_owned(),
            description: String::new(),
            priority: "High".to_owned(),
            status: "New".to_owned(),
            category: None,
            sub_category: None,
            requester: None,
            assignee: None,
            assignee_group: None,
            roster: None,
            resources: Vec::new(),
            alerts: Vec::new(),
            note_count: 0,
            due_date: None,
            resolved_date: None,
            closed_date: None,
            created_by: Author::default(),
            updated_by: Author::default(),
            created_date: "2026-11-20T20:37:00+0000".to_owned(),
            updated_date: "2026-11-20T20:37:00+0000".to_owned(),
        }
    }

    fn at<'d>(document: &'d Value, path: &str) -> &'d Value {
        path.split('.').fold(document, |value, name| &value[name])
    }

    #[test]
    fn every_placeholder_is_there_even_when_nothing_is_set() {
        let tenant = json!({"id": "", "uniqueId": "", "name": ""});
        let document = document(&bare(), &[], tenant.clone(), tenant);
        for path in PLACEHOLDERS {
            assert!(at(&document, path).is_string(), "{path} of {document}");
        }
    }

    #[test]
    fn lists_are_texts() {
        let machine =
            |name: &str| Machine { id: format!("id-{name}"), name: name.to_owned(), host_name: String::new() };
        let ann = Author { first_name: Some("Ann".to_owned()), last_name: Some("Lee".to_owned()), ..Author::default() };
        let incident = Incident {
            resources: vec![machine("a"), machine("b")],
            alerts: vec![AlertName { id: "ALT-1".to_owned(), subject: "x".to_owned() }],
            assignee: Some(ann.clone()),
            ..bare()
        };
        let note = |id| Note { id, content: format!("n{id}"), created_by: ann.clone(), created_date: "d".to_owned() };
        let document = document(&incident, &[note(2), note(1)], json!({}), json!({}));
        assert_eq!(document["deviceList"], "a, b");
        assert_eq!(document["deviceIds"], "id-a, id-b");
        assert_eq!(document["alertList"], "ALT-1");
        assert_eq!(document["assignedTo"]["fullName"], "Ann Lee");
        assert_eq!(document["notes"], "d Ann Lee: n2\nd Ann Lee: n1");
        assert_eq!(at(&document, "latestResponse.content"), "n2");
    }
}
