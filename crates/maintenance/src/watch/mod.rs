//! The thread that tells when windows open and close.
//!
//! Tenants take turns ([`TenantTurns`]). Any number of gateways do this beside each other. Each window has a row that
//! says when it is to be looked at next and what was so at the last look. What a look finds is told in the transaction
//! that moves the row on, if nobody else moved it meanwhile: so each opening is told once, by the first gateway to do
//! so, and none is lost over a restart. After an absence a window tells of its last change alone.

mod rules;

use std::{collections::HashMap, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use outbox::{Background, TenantTurns, TimedEvent, Tx};
use serde_json::json;

use self::rules::{Turn, WindowCheck};
use crate::window::{
    row::Window,
    store as windows,
    watches::{self, Watch},
};

/// How many windows of one tenant a turn looks at.
const AT_ONCE: usize = 200;
/// How soon a window is looked at again for which it failed.
const AGAIN_MS: i64 = 10_000;
/// How long to wait between two turns.
const IDLE: Duration = Duration::from_millis(500);

/// Starts the thread that tells when windows open and close. `clock` tells the time.
///
/// # Errors
/// When there is no further thread.
pub fn start_window_watch(db: Db, clock: impl Fn() -> Timestamp + Send + 'static) -> std::io::Result<Background> {
    let mut turns = TenantTurns::of_rows(&db, "windows", &[watches::DUE]);
    Background::repeat("windows", IDLE, "looking after maintenance windows", move || turn(&db, &mut turns, clock()))
}

/// A row as it was read, what it is moved on to, and what is told with that. One whose window cannot be read is put
/// off.
struct Step {
    watch: Watch,
    look: Option<WindowCheck>,
    told: Option<TimedEvent>,
}

/// Looks at the windows that are due; true when there may be more.
pub fn turn(db: &Db, turns: &mut TenantTurns, now: Timestamp) -> Result<bool> {
    let tenants = db.read_here(|conn| watches::DUE.tenants_if_due(conn, now.millis()))?;
    let read = |conn: &mut Conn, tenant: &str| {
        let due = watches::due(conn, tenant, now.millis(), AT_ONCE)?;
        let more = due.len() == AT_ONCE;
        let steps = steps(conn, due, now)?;
        Ok((!steps.is_empty()).then_some((steps, more)))
    };
    turns.read_and_serve(db, tenants, now, read, |tx, steps| tell(tx, &steps))
}

/// Looks at windows of a tenant.
fn steps(conn: &mut Conn, due: Vec<Watch>, now: Timestamp) -> Result<Vec<Step>> {
    let names: Vec<(String, String)> =
        due.iter().map(|watch| (watch.tenant_id.clone(), watch.window_id.clone())).collect();
    let (rows, unread) = db::read_each(conn, &names, windows::some)?;
    for ((tenant, window), error) in unread {
        tracing::error!(%error, tenant, window, "a window cannot be read");
    }
    let rows: HashMap<&str, &Window> = rows.iter().map(|row| (row.id.as_str(), row)).collect();
    let step = |watch: Watch| match rows.get(watch.window_id.as_str()) {
        Some(row) => step(watch, row, now),
        None => Step { watch, look: None, told: None },
    };
    Ok(due.into_iter().map(step).collect())
}

/// Moves rows on, and tells what was found.
fn tell(tx: &mut Tx<'_>, steps: &[Step]) -> Result<()> {
    let now_ms = tx.now.millis();
    let tell = |tx: &mut Tx<'_>, steps: &[Step]| {
        steps.iter().try_for_each(|Step { watch, look, told }| {
            match look {
                None => watches::put_off(tx.conn, watch, now_ms + AGAIN_MS)?,
                Some(look) if watches::advance(tx.conn, watch, (look.due_ms, look.open_ms), now_ms)? => {
                    told.iter().for_each(|told| tx.record_timed_event(told.clone()));
                }
                Some(_) => {}
            }
            Ok(())
        })
    };
    tx.attempt_each(steps, tell, |tx, Step { watch, .. }, error| {
        tracing::error!(%error, tenant = watch.tenant_id, window = watch.window_id, "what a window does is not told");
        watches::put_off(tx.conn, watch, now_ms + AGAIN_MS)
    })?;
    Ok(())
}

fn step(watch: Watch, row: &Window, now: Timestamp) -> Step {
    let look = match row.course() {
        Ok(course) => rules::look(&course, watch.looked_ms, watch.open_ms, now),
        // One that cannot be read must not keep the others waiting; it is looked at again when it changes.
        Err(problem) => {
            tracing::error!(tenant = row.tenant_id, window = row.id, "a window cannot be read: {}", problem.detail);
            WindowCheck::default()
        }
    };
    let told = look.turn.as_ref().map(|Turn { opened, open }| TimedEvent {
        tenant_id: row.tenant_id.clone(),
        entity: "MaintenanceWindow",
        entity_id: row.id.clone(),
        action: if *opened { "OPENED" } else { "CLOSED" },
        before: None,
        after: json!({
            "id": row.id,
            "uniqueId": row.id,
            "name": row.name,
            "description": row.description,
            "clientUniqueId": row.tenant_id,
            "state": row.course().map(|course| course.state(now).word()).unwrap_or_default(),
            "start": open.start(),
            "end": open.end(),
        }),
    });
    Step { watch, look: Some(look), told }
}

#[cfg(test)]
mod tests;
