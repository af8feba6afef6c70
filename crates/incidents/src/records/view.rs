//! Conversion of rows to the types of the interface.

use std::collections::{BTreeSet, HashMap};

use api::Resource as _;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{Author, Authors};

use super::{
    row::{self, NEVER_DUE, PRIORITIES, Row, STATUSES, word},
    wire::{Group, Incident, Note, Roster},
};
use crate::{
    categories::{self, wire::CategoryName},
    neighbours::Neighbours,
};

/// These incidents, in their order; `tenants` are those of the scope and their partner.
pub fn all(conn: &mut Conn, neighbours: &Neighbours, tenants: &[String], rows: &[Row]) -> Result<Vec<Incident>> {
    let users = rows.iter().flat_map(|row| [&row.requester_id, &row.assignee_id, &row.created_by, &row.updated_by]);
    let authors = Authors::load(conn, &*neighbours.people, tenants, users.cloned())?;
    let categories = distinct(rows.iter().flat_map(|row| [&row.category_id, &row.sub_category_id]));
    let categories = categories::store::names(conn, tenants, &categories)?;
    let groups = distinct(rows.iter().map(|row| &row.group_id));
    let groups = if groups.is_empty() { Vec::new() } else { neighbours.people.groups(conn, tenants, &groups)? };
    let groups: HashMap<&str, &str> =
        groups.iter().map(|group| (group.unique_id.as_str(), group.name.as_str())).collect();
    let mut rosters = HashMap::new();
    for id in distinct(rows.iter().map(|row| &row.roster_id)) {
        let known = neighbours.on_call.roster(conn, tenants, &id)?;
        rosters.insert(id, known.map(|roster| roster.name).unwrap_or_default());
    }
    let user = |id: &str| (!id.is_empty()).then(|| authors.of(id));
    let category = |id: &str| {
        let name = categories.get(id)?;
        Some(CategoryName { unique_id: id.to_owned(), name: name.clone() })
    };
    let show = |row: &Row| {
        Ok(Incident {
            id: row.id.clone(),
            client_unique_id: row.tenant_id.clone(),
            subject: row.subject.clone(),
            description: row.description.clone(),
            priority: word(&PRIORITIES, row.priority),
            status: word(&STATUSES, row.status),
            category: category(&row.category_id),
            sub_category: category(&row.sub_category_id),
            requester: user(&row.requester_id),
            assignee: user(&row.assignee_id),
            assignee_group: (!row.group_id.is_empty()).then(|| Group {
                unique_id: row.group_id.clone(),
                name: groups.get(row.group_id.as_str()).copied().unwrap_or_default().to_owned(),
            }),
            roster: rosters.get(&row.roster_id).map(|name| Roster { id: row.roster_id.clone(), name: name.clone() }),
            resources: row.resources.0.clone(),
            alerts: row.alerts.0.clone(),
            note_count: row.notes,
            due_date: (row.due_ms != NEVER_DUE).then(|| time(row.due_ms)),
            resolved_date: row.resolved_ms.map(time),
            closed_date: row.closed_ms.map(time),
            created_by: authors.of(&row.created_by),
            updated_by: authors.of(&row.updated_by),
            created_date: time(row.created_ms),
            updated_date: time(row.updated_ms),
        })
    };
    rows.iter().map(show).collect()
}

/// One incident.
pub fn one(conn: &mut Conn, neighbours: &Neighbours, tenants: &[String], row: &Row) -> Result<Incident> {
    let mut all = all(conn, neighbours, tenants, std::slice::from_ref(row))?;
    Ok(all.pop().ok_or_else(Row::not_found)?)
}

/// These notes, in their order.
pub fn notes(conn: &mut Conn, neighbours: &Neighbours, tenants: &[String], rows: &[row::Note]) -> Result<Vec<Note>> {
    let authors = Authors::load(conn, &*neighbours.people, tenants, rows.iter().map(|row| row.created_by.as_str()))?;
    Ok(rows.iter().map(|row| note(row, authors.of(&row.created_by))).collect())
}

fn note(row: &row::Note, author: Author) -> Note {
    Note { id: row.number, content: row.content.clone(), created_by: author, created_date: time(row.created_ms) }
}

/// An instant, as it is told.
fn time(ms: i64) -> String {
    Timestamp::from_millis(ms).to_string()
}

fn distinct<'r>(ids: impl Iterator<Item = &'r String>) -> Vec<String> {
    let ids: BTreeSet<&String> = ids.filter(|id| !id.is_empty()).collect();
    ids.into_iter().cloned().collect()
}
