//! Who hears of alerts, and who looks after escalations that are due, and after shifts that begin.
//!
//! Any number of gateways do this beside each other. One escalation is in one hand at a time, by a lock that lasts as long as
//! the transaction: a step is taken, its pages are stored and the next one is due, or none of it.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use outbox::{Background, Event};

use super::{engine, incidents, store, work::Work};
use crate::{Neighbours, reminders, whose};

/// How long to wait at most when nothing is due. The first step of an alert is taken where the alert is heard of.
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
        self.take_all(conn, std::slice::from_ref(event))
    }

    fn take_all(&self, conn: &mut Conn, events: &[Event]) -> Result<()> {
        let told = || {
            let known = events.iter().filter(|event| ["ALERT", "INCIDENT"].contains(&event.entity.as_str()));
            known.filter_map(|event| Some((event, event.after.as_ref()?)))
        };
        let ids: BTreeSet<(&str, &str)> =
            told().filter_map(|(event, after)| Some((event.tenant_id.as_str(), after["id"].as_str()?))).collect();
        if ids.is_empty() {
            return Ok(());
        }
        store::lock_all(conn, &ids)?;
        Work::run(conn, &self.neighbours, self.neighbours.now(), |conn, work| {
            work.look(conn, &ids)?;
            told().try_for_each(|(event, after)| {
                let before = event.before.as_ref();
                match event.entity.as_str() {
                    "ALERT" => engine::hear(conn, work, &event.tenant_id, before, after),
                    _ => incidents::hear(conn, work, &event.tenant_id, before, after),
                }
            })
        })
    }
}

/// Looks after escalations, and after shifts of which people are told; stops when dropped.
pub struct Pager {
    _background: Background,
}

impl Pager {
    /// Starts a thread that takes the steps that are due, until it is dropped.
    pub fn start(db: Db, neighbours: Neighbours) -> std::io::Result<Self> {
        let neighbours = Arc::new(neighbours);
        let background = Background::start("escalations", move || {
            let taken = turn(&db, &neighbours, neighbours.now()).unwrap_or_else(|error| {
                tracing::warn!(%error, "escalations that are due");
                IDLE
            });
            let told = reminders::turn(&db, &neighbours, neighbours.now()).unwrap_or_else(|error| {
                tracing::warn!(%error, "shifts that begin");
                IDLE
            });
            taken.min(told)
        })?;
        Ok(Self { _background: background })
    }
}

/// Takes steps that are due; answers how long to wait for the next ones.
pub fn turn(db: &Db, neighbours: &Arc<Neighbours>, now: Timestamp) -> Result<Duration> {
    // An idle database is only read, and only the first entry of one index.
    let due = db.read_here(store::first_due)?;
    if let Some(wait) = due.map_or(Some(IDLE), |due| until(due, now)) {
        return Ok(wait);
    }
    let neighbours = Arc::clone(neighbours);
    let taken = db.write_here(move |conn| {
        let due = store::due(conn, now.millis(), BATCH)?;
        let suspended = whose::suspended(conn, &neighbours, due.iter().map(|(tenant, _)| tenant))?;
        for tenant in &suspended {
            store::hold(conn, tenant, now.millis(), now.millis() + whose::HELD_MS)?;
        }
        let (mut taken, mut work) = (0, Work::new(&neighbours, now));
        for (tenant, alert) in due.into_iter().filter(|(tenant, _)| !suspended.contains(tenant)) {
            // Somebody else has it: it is not due any more when they are done.
            if !store::lock(&tenant, &alert).try_take(conn)? {
                continue;
            }
            let done = db::savepoint(conn, |conn| match store::find(conn, &tenant, &alert)? {
                Some(row) if row.next_ms.is_some_and(|next| next <= now.millis()) => {
                    engine::advance(conn, &mut work, row)?;
                    work.store(conn)
                }
                _ => Ok(()),
            });
            match done {
                Ok(()) => taken += 1,
                Err(error) => {
                    work.forget();
                    tracing::error!(%error, tenant, alert, "a step of an escalation was not taken");
                    store::put_off(conn, &tenant, &alert, now.millis() + 10_000)?;
                }
            }
        }
        Ok(taken)
    })?;
    Ok(if taken == BATCH { Duration::ZERO } else { IDLE / 10 })
}

/// How long it is until something is due that is not, but no longer than [`IDLE`]: the clock may be set, and what another
/// process stores is not heard of.
fn until(due_ms: i64, now: Timestamp) -> Option<Duration> {
    let wait = u64::try_from(due_ms - now.millis()).ok().filter(|wait| *wait > 0)?;
    Some(IDLE.min(Duration::from_millis(wait)))
}
