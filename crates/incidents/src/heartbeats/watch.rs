//! The thread that stores pings and reports silent heartbeats.
//!
//! Tenants take turns ([`TenantTurns`]), so that a failure for one delays no other. The row of a heartbeat says whether
//! it is silent, independently of its alert: a report that is refused, because the tenant has too many open alerts, is
//! repeated later.
//!
//! Any number of gateways run this thread at once. A heartbeat is marked silent by one conditional update of its row,
//! and marked reported by another, in the transaction that takes in the report: the gateway that makes the update
//! reports, the others find nothing to do.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use base::timestamp::Timestamp;
use db::{Db, Result};
use outbox::{Background, TenantTurns, Tx};

use super::{
    pings::{Key, Pings},
    row::Row,
    rules,
    store::{self, Ping},
};
use crate::{
    alerts::intake::{self, Origin},
    neighbours::Neighbours,
};

/// How long to wait between two turns.
const TURN: Duration = Duration::from_secs(1);
/// A turn that comes this late shows that the process or its database stood still, so that pings may have been lost.
/// Longer than the longest wait for a lock, which a single tenant can cause.
const LATE: Duration = Duration::from_secs(12);
/// The most pings, silences and reports of one tenant that a turn processes.
const AT_ONCE: usize = 200;
/// The pause before an operation is tried again that failed for one heartbeat alone.
const AGAIN_MS: i64 = 10_000;

/// The state of the thread between turns.
struct Watch {
    db: Db,
    neighbours: Arc<Neighbours>,
    pings: Arc<Pings>,
    clock: Box<dyn Fn() -> Timestamp + Send>,
    turns: TenantTurns,
    /// When process and database were last seen running; `None` at first.
    alive: Option<Instant>,
    /// The time of the last turn, by the clock.
    turned_ms: i64,
    /// The tenants whose heartbeats get one more interval, since this gateway did not listen.
    to_excuse: BTreeSet<String>,
    /// The silent heartbeats that this gateway knows of; their pings are stored at once.
    silent: HashSet<Key>,
}

/// The work of a turn for one tenant.
#[derive(Default)]
struct TenantWork {
    heard: Vec<Ping>,
    /// Are more pings waiting?
    more: bool,
    /// Do its heartbeats get one more interval?
    excuse: bool,
    /// Is the process ending? Then only pings are stored.
    last: bool,
}

/// The result of a turn for one tenant.
#[derive(Default)]
struct TenantOutcome {
    /// Pings that could not be stored.
    refused: Vec<Ping>,
    /// Heartbeats that are silent.
    silent: Vec<Key>,
    more: bool,
}

/// Starts the background thread for the heartbeats of a process, which stores the last pings when it is stopped.
/// `clock` tells the time.
///
/// # Errors
/// When there is no further thread.
pub fn start_heartbeat_watch(
    db: Db,
    neighbours: Neighbours,
    pings: Arc<Pings>,
    clock: impl Fn() -> Timestamp + Send + 'static,
) -> std::io::Result<Background> {
    let mut watch = Watch::new(db, neighbours, pings, clock);
    Background::repeat("heartbeats", TURN, "heartbeats", move || watch.turn())
}

impl Drop for Watch {
    /// Stores the pings of the last second.
    fn drop(&mut self) {
        // Fresh turns, so that pings of paused tenants are stored too.
        self.turns = TenantTurns::new("heartbeats");
        let now = (self.clock)();
        loop {
            match self.serve(Vec::new(), now, true) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return tracing::warn!(%error, "pings of the last second are not stored"),
            }
        }
    }
}

impl Watch {
    fn new(db: Db, neighbours: Neighbours, pings: Arc<Pings>, clock: impl Fn() -> Timestamp + Send + 'static) -> Self {
        let turns = TenantTurns::of_rows(&db, "heartbeats", &[store::SILENCES, store::UNREPORTED]);
        Self {
            db,
            neighbours: Arc::new(neighbours),
            pings,
            clock: Box::new(clock),
            turns,
            alive: None,
            turned_ms: 0,
            to_excuse: BTreeSet::new(),
            silent: HashSet::new(),
        }
    }

    /// Stores and reports; true when there may be more.
    fn turn(&mut self) -> Result<bool> {
        let now = (self.clock)();
        // What was stored before is not due by a clock that has gone back.
        let went_back = self.turned_ms > now.millis() + rules::CLOCK_STEP_MS;
        let stood_still = went_back || self.alive.is_none_or(|alive| alive.elapsed() > LATE);
        let (due, to_excuse) = self.db.read_here(|conn| {
            let mut due = store::REPORTS.tenants(conn, if stood_still { i64::MAX } else { now.millis() })?;
            due.extend(store::SILENCES.tenants_if_due(conn, now.millis())?);
            let excused = if stood_still { store::SILENCES.tenants(conn, i64::MAX)? } else { Vec::new() };
            Ok((due, excused))
        })?;
        self.turned_ms = now.millis();
        self.to_excuse.extend(to_excuse);
        self.alive = Some(Instant::now());
        let more = self.serve(due, now, false)?;
        self.mark_alive();
        Ok(more)
    }

    /// Records that process and database are running, unless they stood still for so long that the next turn has to
    /// see it.
    fn mark_alive(&mut self) {
        if self.alive.is_some_and(|alive| alive.elapsed() <= LATE) {
            self.alive = Some(Instant::now());
        }
    }

    /// Serves these tenants, and the tenants of new pings; true when there may be more.
    fn serve(&mut self, due: Vec<String>, now: Timestamp, last: bool) -> Result<bool> {
        let mut parts: BTreeMap<String, TenantWork> = BTreeMap::new();
        for heard in self.pings.take(now.millis(), &self.silent, last) {
            let part = parts.entry(heard.tenant_id.clone()).or_default();
            if part.heard.len() < AT_ONCE {
                part.heard.push(heard);
            } else {
                part.more = true;
                self.pings.give_back(&[heard]);
            }
        }
        for tenant in due.into_iter().chain(self.to_excuse.iter().cloned()) {
            parts.entry(tenant).or_default();
        }
        for (tenant, part) in &mut parts {
            part.excuse = self.to_excuse.contains(tenant);
            part.last = last;
        }
        let tenants: Vec<String> = parts.keys().cloned().collect();
        let mut unstored: BTreeMap<String, Vec<Ping>> =
            parts.iter().map(|(tenant, part)| (tenant.clone(), part.heard.clone())).collect();
        let neighbours = Arc::clone(&self.neighbours);
        let mut more = false;
        let mut turns = std::mem::replace(&mut self.turns, TenantTurns::new("heartbeats"));
        let db = self.db.clone();
        let served = turns.serve_each(
            &db,
            tenants,
            now,
            |tenant| Ok(parts.remove(tenant)),
            move |tx, tenant, part| process_tenant(tx, &neighbours, tenant, &part),
            |tenant, done: TenantOutcome| {
                let stored = unstored.insert(tenant.to_owned(), done.refused).unwrap_or_default();
                for heard in stored {
                    self.silent.remove(&(heard.tenant_id, heard.id));
                }
                self.silent.extend(done.silent);
                self.to_excuse.remove(tenant);
                more |= done.more;
                self.mark_alive();
            },
        );
        self.turns = turns;
        unstored.values().for_each(|heard| self.pings.give_back(heard));
        served.map(|()| more)
    }
}

/// Stores the pings of a tenant, marks silent heartbeats and reports them.
fn process_tenant(tx: &mut Tx<'_>, neighbours: &Neighbours, tenant: &str, part: &TenantWork) -> Result<TenantOutcome> {
    let now_ms = tx.now.millis();
    let mut done = TenantOutcome { more: part.more, ..TenantOutcome::default() };
    let hear =
        |tx: &mut Tx<'_>, heard: &[Ping]| heard.iter().try_for_each(|heard| store::store_ping(tx.conn, heard, now_ms));
    let stored = tx.attempt_each(&part.heard, hear, |_, heard, error| {
        tracing::warn!(%error, tenant, heartbeat = heard.id, "a ping is not stored");
        done.refused.push(heard.clone());
        Ok(())
    })?;
    done.refused.extend(part.heard.iter().skip(stored).cloned());
    done.more |= stored < part.heard.len();
    if part.last {
        return Ok(done);
    }
    if part.excuse {
        excuse(tx, tenant)?;
    }
    // A heartbeat whose ping is not stored yet must not be marked silent.
    if !done.more {
        let mut overdue = store::overdue(tx.conn, tenant, now_ms, AT_ONCE as i64)?;
        done.more |= overdue.len() == AT_ONCE;
        overdue.retain(|row| !done.refused.iter().any(|heard| heard.id == row.id));
        // In one order, so that two gateways do not wait for each other.
        overdue.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        let miss =
            |tx: &mut Tx<'_>, rows: &[Row]| rows.iter().try_for_each(|row| store::mark_missed(tx.conn, row, now_ms));
        tx.attempt_each(&overdue, miss, |tx, row, error| {
            tracing::error!(%error, tenant, heartbeat = row.id, "that it is silent cannot be stored");
            store::put_off(tx.conn, row, now_ms + AGAIN_MS)
        })?;
        done.silent.extend(overdue.into_iter().map(|row| (row.tenant_id, row.id)));
    }
    let mut refused = false;
    let rows = store::to_report(tx.conn, tenant, now_ms, AT_ONCE as i64)?;
    let told = tx.attempt_each(
        &rows,
        |tx, rows| report(tx, neighbours, tenant, rows),
        |tx, row, error| {
            refused = true;
            tracing::warn!(%error, tenant, heartbeat = row.id, "alerts cannot be told whether it is silent");
            store::report_at(tx.conn, tenant, std::slice::from_ref(row), Some(now_ms + AGAIN_MS))
        },
    )?;
    if let Some(rest) = rows.get(told..).filter(|rest| refused && !rest.is_empty()) {
        // They will be refused as well, most likely: those that were not tried come first next time.
        store::report_at(tx.conn, tenant, rest, Some(now_ms + AGAIN_MS - 1))?;
    }
    done.more |= !refused && (told == AT_ONCE || told < rows.len());
    Ok(done)
}

/// Gives heartbeats one more interval that were expected while this gateway did not listen.
fn excuse(tx: &mut Tx<'_>, tenant: &str) -> Result<()> {
    let now_ms = tx.now.millis();
    let mut after = String::new();
    loop {
        let rows = store::expected(tx.conn, tenant, now_ms, &after, AT_ONCE as i64)?;
        let Some(last) = rows.last() else { return Ok(()) };
        after.clone_from(&last.id);
        rows.iter().try_for_each(|row| store::excuse(tx.conn, row, now_ms))?;
    }
}

/// Reports heartbeats that fell silent, and those that are heard again.
fn report(tx: &mut Tx<'_>, neighbours: &Neighbours, tenant: &str, rows: &[Row]) -> Result<()> {
    let rows = store::lock_to_report(tx.conn, tenant, rows, tx.now.millis())?;
    let told = |row: &Row| if row.missed { rules::silence(row) } else { rules::recovery(row) };
    let reports: Vec<_> = rows.iter().map(|row| Ok(told(row))).collect();
    let origin = Origin { home: tenant.to_owned(), scope: vec![tenant.to_owned()], sender: rules::SENDER.to_owned() };
    intake::take_in(tx, neighbours, &origin, &reports)?;
    store::report_at(tx.conn, tenant, &rows, None)
}

#[cfg(test)]
mod tests;
