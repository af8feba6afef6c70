//! The thread that makes the copies of past days.
//!
//! Tenants take turns ([`TenantTurns`]). A turn of a tenant says, in a write, whose alerts of which days are copied;
//! the next one reads those, and stores the copies in another write. Anyone who changes an alert meanwhile removes what
//! the first write noted, and then the second one stores nothing. So two gateways, or a gateway and a request, never
//! come to a copy of what has changed since.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use base::timestamp::{DAY_MS, Timestamp};
use db::{Conn, Db, Result};
use outbox::{Background, TenantTurns, Tx};
use ports::PagedAlerts;

use super::{
    changes::{SETTLED_MS, told_changes},
    pack::Packer,
    record::day_of,
    rows::{AlertSelection, Reader},
    store::{self, PackedDay},
};
use crate::{alerts::room, neighbours::Neighbours};

/// How long to wait when nothing is missing, and the least between two turns when something is.
const IDLE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);

/// The most days of a tenant that a turn copies, and after how many alerts it takes no further one.
const DAYS: usize = 16;
const ALERTS: i64 = 5_000;

/// The most alerts of a day: of one with more, no copy is made.
const MOST: usize = 500_000;

/// Starts the thread that makes the copies of past days. `clock` tells the time.
///
/// # Errors
/// When there is no further thread.
pub fn start_alert_days(
    db: Db,
    neighbours: &Neighbours,
    clock: impl Fn() -> Timestamp + Send + 'static,
) -> std::io::Result<Background> {
    ports::listen_to_told(told_changes);
    let mut copier = Copier::new(neighbours.escalations.paged());
    Background::start("alert-days", move || {
        let begun = Instant::now();
        let busy = copier.turn(&db, clock()).unwrap_or_else(|error| {
            tracing::warn!(%error, "copies of the alerts of past days");
            false
        });
        // Half of a processor is left to others.
        if busy { begun.elapsed().max(PAUSE) } else { IDLE }
    })
}

/// A packed day and its content.
type Copy = (PackedDay, Vec<u8>);

/// What a write does for a tenant.
enum Step {
    /// Notes that these days are being copied.
    Begin(Vec<i64>),
    /// Stores copies.
    Put(Vec<Copy>),
}

/// The state of the thread between turns.
pub struct Copier {
    paged: PagedAlerts,
    turns: TenantTurns,
    /// By which it knows its own notes.
    maker: Vec<u8>,
    begun: Begun,
    /// How many days were copied since it last had nothing to do.
    copied: usize,
}

/// The days that were noted, by tenant.
#[derive(Clone, Default)]
struct Begun(Arc<Mutex<HashMap<String, Vec<i64>>>>);

impl Begun {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<i64>>> {
        base::lock(&self.0)
    }
}

impl Copier {
    /// Before its first turn.
    pub fn new(paged: PagedAlerts) -> Self {
        let maker = uuid::Uuid::new_v4().as_bytes().to_vec();
        Self { paged, turns: TenantTurns::new("alert-days"), maker, begun: Begun::default(), copied: 0 }
    }

    /// Runs one turn; true when there may be more to do.
    pub fn turn(&mut self, db: &Db, now: Timestamp) -> Result<bool> {
        let Self { paged, maker, begun, .. } = self;
        let tenants = db.read_here(|conn| store::tenants(conn, room::ALL))?;
        let prepare = |tenant: &str| {
            let days = begun.lock().remove(tenant);
            db.read_here(|conn| match days {
                Some(days) => {
                    let (copies, left) = copies(conn, *paged, tenant, days)?;
                    if !left.is_empty() {
                        begun.lock().insert(tenant.to_owned(), left);
                    }
                    Ok(Some(Step::Put(copies)))
                }
                None => {
                    let before = day_of(now.millis() - SETTLED_MS);
                    let days = store::missing(conn, tenant, (0, before), now.millis(), DAYS)?;
                    Ok((!days.is_empty()).then_some(Step::Begin(days)))
                }
            })
        };
        let maker = maker.clone();
        let work = move |tx: &mut Tx<'_>, tenant: &str, step: Step| match step {
            Step::Begin(days) => {
                store::begin(tx.conn, tenant, &days, &maker, now.millis())?;
                Ok((0, days))
            }
            Step::Put(copies) => {
                copies.iter().try_for_each(|(kept, content)| store::put(tx.conn, tenant, *kept, &maker, content))?;
                Ok((copies.len(), Vec::new()))
            }
        };
        let mut busy = false;
        let mut copied = 0;
        self.turns.serve_each(db, tenants, now, prepare, work, |tenant, (count, days)| {
            busy = true;
            copied += count;
            if !days.is_empty() {
                begun.lock().insert(tenant.to_owned(), days);
            }
        })?;
        self.copied += copied;
        if !busy && self.copied > 0 {
            tracing::info!(days = self.copied, "copied the alerts of past days");
            self.copied = 0;
        }
        Ok(busy)
    }
}

/// Copies of the first of these days, and the days that are left for the next turn.
fn copies(conn: &mut Conn, paged: PagedAlerts, tenant: &str, mut days: Vec<i64>) -> Result<(Vec<Copy>, Vec<i64>)> {
    let mut copies = Vec::new();
    let mut alerts = 0;
    while alerts < ALERTS && !days.is_empty() {
        let made = copy(conn, paged, tenant, days.remove(0))?;
        alerts += made.0.alerts;
        copies.push(made);
    }
    Ok((copies, days))
}

/// A copy of the closed alerts of a day; an empty one when there are none, or some that no copy can have.
pub fn copy(conn: &mut Conn, paged: PagedAlerts, tenant: &str, day: i64) -> Result<Copy> {
    let mut packer = Packer::default();
    let mut take = |record| {
        packer.add(record);
        packer.len() <= MOST
    };
    let mut reader = Reader::new(tenant, paged);
    let range = (day * DAY_MS, (day + 1) * DAY_MS);
    let is_whole = reader.range(conn, range, AlertSelection::Closed, &mut take)? && reader.finish(conn, &mut take)?;
    if !is_whole || packer.len() == 0 {
        return Ok((PackedDay { day, alerts: 0 }, Vec::new()));
    }
    let alerts = packer.len() as i64;
    Ok((PackedDay { day, alerts }, packer.finish().0))
}
