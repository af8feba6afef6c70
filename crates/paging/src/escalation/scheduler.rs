//! Who hears of alerts, and who looks after escalations that are due.
//!
//! Any number of gateways do this beside each other. One escalation is in one hand at a time, by a lock that lasts as long as
//! the transaction: a step is taken, its pages are stored and the next one is due, or none of it.

use std::{sync::Arc, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use outbox::{Background, Event};

use super::{engine, store};
use crate::Neighbours;

/// How long to wait when nothing is due.
const IDLE: Duration = Duration::from_millis(250);
/// How many escalations one transaction takes up.
const BATCH: i64 = 50;

/// Hears of alerts.
pub struct Subscriber {
    neighbours: Arc<Neighbours>,
}

impl Subscriber {
    /// With those whom it asks.
    pub fn new(neighbours: Neighbours) -> Self {
        Self { neighbours: Arc::new(neighbours) }
    }
}

impl outbox::Subscriber for Subscriber {
    fn name(&self) -> &'static str {
        "paging"
    }

    fn take(&self, conn: &mut Conn, event: &Event) -> Result<()> {
        let Some(after) = event.after.as_ref().filter(|_| event.entity == "ALERT") else { return Ok(()) };
        let now = self.neighbours.now();
        engine::hear(conn, &self.neighbours, &event.tenant_id, event.before.as_ref(), after, now)
    }
}

/// Looks after escalations; stops when dropped.
pub struct Pager {
    _background: Background,
}

impl Pager {
    /// Starts it.
    pub fn start(db: Db, neighbours: Neighbours) -> std::io::Result<Self> {
        let neighbours = Arc::new(neighbours);
        let background = Background::start("escalations", move || match turn(&db, &neighbours, neighbours.now()) {
            Ok(true) => Duration::ZERO,
            Ok(false) => IDLE,
            Err(error) => {
                tracing::warn!(%error, "escalations that are due");
                IDLE
            }
        })?;
        Ok(Self { _background: background })
    }
}

/// Takes steps that are due; true when there may be more.
pub fn turn(db: &Db, neighbours: &Arc<Neighbours>, now: Timestamp) -> Result<bool> {
    // An idle database is only read, and only the first entry of one index.
    if db.read_here(store::first_due)?.is_none_or(|due| due > now.millis()) {
        return Ok(false);
    }
    let neighbours = Arc::clone(neighbours);
    let taken = db.write_here(move |conn| {
        let due = store::due(conn, now.millis(), BATCH)?;
        let mut taken = 0;
        for (tenant, alert) in due {
            // Somebody else has it: it is not due any more when they are done.
            if !store::try_take_up(conn, &tenant, &alert)? {
                continue;
            }
            let done = db::savepoint(conn, |conn| match store::find(conn, &tenant, &alert)? {
                Some(row) if row.next_ms.is_some_and(|next| next <= now.millis()) => {
                    engine::advance(conn, &neighbours, row, now)
                }
                _ => Ok(()),
            });
            match done {
                Ok(()) => taken += 1,
                Err(error) => {
                    tracing::error!(%error, tenant, alert, "a step of an escalation was not taken");
                    store::put_off(conn, &tenant, &alert, now.millis() + 10_000)?;
                }
            }
        }
        Ok(taken)
    })?;
    Ok(taken == BATCH)
}
