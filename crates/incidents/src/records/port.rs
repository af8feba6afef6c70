//! Incidents, for those who write down how they went.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::ToldIncident;

use super::{
    row::{Note, PRIORITIES, STATUSES, word},
    store,
    wire::{AlertName, Machine},
};

/// The incident with this id among those of these tenants.
pub fn told(conn: &mut Conn, tenants: &[String], id: &str, most: i64) -> Result<Option<ToldIncident>> {
    let row = match store::existing(conn, tenants, id) {
        Err(db::Error::Problem(problem)) if problem.kind == base::Kind::NotFound => return Ok(None),
        found => found?,
    };
    let mut notes = store::latest_notes(conn, &row, most)?;
    notes.reverse();
    let machines: Vec<Machine> = serde_json::from_str(&row.resources).unwrap_or_default();
    let alerts: Vec<AlertName> = serde_json::from_str(&row.alerts).unwrap_or_default();
    let note = |note: Note| (Timestamp::from_millis(note.created_ms), note.created_by, note.content);
    Ok(Some(ToldIncident {
        machines: machines.into_iter().map(|machine| machine.name).collect(),
        alerts: alerts.into_iter().map(|alert| alert.id).collect(),
        notes: notes.into_iter().map(note).collect(),
        priority: word(&PRIORITIES, row.priority),
        status: word(&STATUSES, row.status),
        created: Timestamp::from_millis(row.created_ms),
        resolved: row.resolved_ms.map(Timestamp::from_millis),
        closed: row.closed_ms.map(Timestamp::from_millis),
        created_by: row.created_by,
        assignee: row.assignee_id,
        tenant_id: row.tenant_id,
        id: row.id,
        subject: row.subject,
        description: row.description,
    }))
}
