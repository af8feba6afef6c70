//! The incidents port for other domains: documents of incidents, and actions in the name of a person.

use api::Resource as _;
use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Actor, Tx};
use ports::{AlertAction, AlertActionKind, IncidentRecord};

use super::{
    document,
    row::{CLOSED, NEW, Note, OPEN, PRIORITIES, RESOLVED, Row, STATUSES, word},
    rules::{self, ResolvedReferences},
    store,
    wire::IncidentInput,
};
use crate::neighbours::Neighbours;

/// The incident with this id among those of these tenants.
pub fn find(conn: &mut Conn, tenants: &[String], id: &str, most: i64) -> Result<Option<IncidentRecord>> {
    let row = match Row::existing(conn, tenants, id) {
        Err(db::Error::Problem(problem)) if problem.kind == base::Kind::NotFound => return Ok(None),
        found => found?,
    };
    let mut notes = store::latest_notes(conn, &row, most)?;
    notes.reverse();
    let note = |note: Note| (Timestamp::from_millis(note.created_ms), note.created_by, note.content);
    Ok(Some(IncidentRecord {
        machine_ids: row.resources.iter().map(|machine| machine.id.clone()).collect(),
        machines: row.resources.0.into_iter().map(|machine| machine.name).collect(),
        alerts: row.alerts.0.into_iter().map(|alert| alert.id).collect(),
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

/// Acts on incidents for other domains.
pub struct Records(Neighbours);

impl Records {
    /// With the ports that it uses.
    pub fn new(neighbours: Neighbours) -> Self {
        Self(neighbours)
    }
}

impl ports::Incidents for Records {
    fn act(&self, conn: &mut Conn, action: AlertAction<'_>, at: Timestamp) -> Result<()> {
        let AlertAction { tenant, id, user, by, request, what, note } = action;
        let actor = Actor::without_change_set(user, by, request);
        Tx::run(conn, &actor, at, |tx| {
            let old = Row::lock_existing(tx.conn, &[tenant.to_owned()], id)?;
            let status = next_status(&old, what)?;
            let before = document::load(tx.conn, &self.0, &old)?;
            let input = IncidentInput { status: Some(status), note: Some(note.to_owned()), ..IncidentInput::default() };
            let references = ResolvedReferences {
                assignee: (status == OPEN && old.assignee_id.is_empty()).then(|| user.to_owned()),
                ..ResolvedReferences::default()
            };
            let row = rules::apply_change(&old, &input, &references, user, at)?;
            store::update(tx.conn, &row)?;
            let note = Note {
                tenant_id: row.tenant_id.clone(),
                incident_id: row.id.clone(),
                number: row.notes,
                content: note.to_owned(),
                created_by: user.to_owned(),
                created_ms: at.millis(),
            };
            store::add_note(tx.conn, &note)?;
            let after = document::load(tx.conn, &self.0, &row)?;
            document::record_change(tx, &row, Some(before), after);
            Ok(())
        })
    }

    fn expire_acknowledgement(&self, conn: &mut Conn, tenant: &str, id: &str, at: Timestamp) -> Result<bool> {
        let old = match Row::lock_existing(conn, &[tenant.to_owned()], id) {
            Err(db::Error::Problem(problem)) if problem.kind == base::Kind::NotFound => return Ok(false),
            found => found?,
        };
        if old.status != OPEN {
            return Ok(false);
        }
        let before = document::load(conn, &self.0, &old)?;
        let input = IncidentInput { status: Some(NEW), ..IncidentInput::default() };
        let row = rules::apply_change(&old, &input, &ResolvedReferences::default(), &old.updated_by, at)?;
        Tx::run(conn, &Actor::service("acknowledgements"), at, |tx| {
            store::update(tx.conn, &row)?;
            let after = document::load(tx.conn, &self.0, &row)?;
            document::record_change(tx, &row, Some(before), after);
            Ok(true)
        })
    }
}

/// The status of an incident after an action.
fn next_status(old: &Row, what: AlertActionKind) -> Result<i64, Problem> {
    match what {
        AlertActionKind::Close => Ok(CLOSED),
        AlertActionKind::Acknowledge if old.status == OPEN => {
            Err(Problem::conflict("The incident is open already: somebody works on it."))
        }
        AlertActionKind::Acknowledge if old.status >= RESOLVED => Err(Problem::conflict("The incident is over.")),
        AlertActionKind::Acknowledge => Ok(OPEN),
        AlertActionKind::Unacknowledge => {
            Err(Problem::conflict("The status of an incident says whether somebody works on it."))
        }
        AlertActionKind::Suppress(_) => Err(Problem::conflict("An incident cannot be put off.")),
    }
}
