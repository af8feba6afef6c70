//! The thread that tells when windows open and close.
//!
//! Any number of gateways do this beside each other. Each window has a row that says when it is to be looked at next and what was
//! so at the last look. What a look finds is told in the transaction that moves the row on, if nobody else moved it meanwhile: so
//! each opening is told once, by whoever comes first, and none is lost over a restart. After an absence a window tells of its last
//! change alone.

mod rules;
pub mod store;

use std::time::Duration;

use base::timestamp::Timestamp;
use db::{Db, Result};
use outbox::{Actor, Background, Happening, Tx};
use serde_json::json;

use self::{
    rules::{Look, Turn},
    store::Watch,
};
use crate::window::{row::Window, store as windows};

/// How many windows one turn looks at.
const AT_ONCE: i64 = 500;
/// How long to wait between two turns.
const IDLE: Duration = Duration::from_millis(500);

/// A running watch; stops when dropped.
pub struct Watcher {
    _background: Background,
}

impl Watcher {
    /// Starts the thread. `clock` tells the time.
    ///
    /// # Errors
    /// When there is no further thread.
    pub fn start(db: Db, clock: impl Fn() -> Timestamp + Send + 'static) -> std::io::Result<Self> {
        let background = Background::start("windows", move || match turn(&db, clock()) {
            Ok(true) => Duration::ZERO,
            Ok(false) => IDLE,
            Err(error) => {
                tracing::warn!(%error, "looking after maintenance windows");
                IDLE
            }
        })?;
        Ok(Self { _background: background })
    }
}

/// A row as it was read, what it is moved on to, and what is told with that.
struct Step {
    watch: Watch,
    look: Look,
    told: Option<Happening>,
}

/// Looks at the windows that are due; true when there may be more.
pub fn turn(db: &Db, now: Timestamp) -> Result<bool> {
    let steps = db.read_here(|conn| {
        let due = store::due(conn, now.millis(), AT_ONCE)?;
        let names: Vec<(String, String)> =
            due.iter().map(|watch| (watch.tenant_id.clone(), watch.window_id.clone())).collect();
        let rows = windows::some(conn, &names)?;
        let step = |watch: Watch| {
            let row = rows.iter().find(|row| (&row.tenant_id, &row.id) == (&watch.tenant_id, &watch.window_id))?;
            Some(step(watch, row, now))
        };
        Ok(due.into_iter().filter_map(step).collect::<Vec<_>>())
    })?;
    let more = i64::try_from(steps.len()).is_ok_and(|count| count == AT_ONCE);
    if !steps.is_empty() {
        let actor = Actor::service("windows");
        db.write_here(move |conn| {
            Tx::run(conn, &actor, now, |tx| {
                for Step { watch, look, told } in steps {
                    if store::advance(tx.conn, &watch, &look, now.millis())? {
                        told.into_iter().for_each(|told| tx.happen(told));
                    }
                }
                Ok(())
            })
        })?;
    }
    Ok(more)
}

fn step(watch: Watch, row: &Window, now: Timestamp) -> Step {
    let look = match row.course() {
        Ok(course) => rules::look(&course, watch.looked_ms, watch.open_ms, now),
        // One that cannot be read must not keep the others waiting; it is looked at again when it changes.
        Err(problem) => {
            tracing::error!(tenant = row.tenant_id, window = row.id, "a window cannot be read: {}", problem.detail);
            Look::default()
        }
    };
    let told = look.turn.as_ref().map(|Turn { opened, open }| Happening {
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
    Step { watch, look, told }
}

#[cfg(test)]
mod tests;
