//! The thread that stores what was heard, and reports who is silent.
//!
//! Any number of gateways do this beside each other. That a silence is an alert is one conditional update of its row, in
//! the transaction that takes the report in: whoever makes it reports, the others find nothing to do.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use outbox::{Actor, Background, Tx};

use super::{
    pings::Pings,
    row::Row,
    rules,
    store::{self, Heard},
};
use crate::{
    alerts::intake::{self, Origin},
    neighbours::Neighbours,
};

/// How long to wait between two turns.
const TURN: Duration = Duration::from_secs(1);
/// A turn that comes so late found the process or its database standing still: pings may have been lost.
const LATE: Duration = Duration::from_secs(12);
/// How many heartbeats one transaction sees to.
const AT_ONCE: i64 = 500;

/// The heartbeats of a process: what it hears, and the thread that sees to it, which stops when this is dropped.
pub struct Heartbeats {
    // First, so that what was heard last is stored before anything else ends.
    _background: Background,
}

/// What a turn knows of the one before.
struct Watch {
    db: Db,
    neighbours: Arc<Neighbours>,
    pings: Arc<Pings>,
    clock: Box<dyn Fn() -> Timestamp + Send>,
    /// When the last turn went well; `None` at first.
    last: Option<Instant>,
    /// Those whose silence is an alert, as far as this gateway knows: a ping of one is stored at once.
    silent: Vec<(String, String)>,
}

impl Heartbeats {
    /// Starts the thread. `clock` tells the time.
    ///
    /// # Errors
    /// When there is no further thread.
    pub fn start(
        db: Db,
        neighbours: Neighbours,
        pings: Arc<Pings>,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> std::io::Result<Self> {
        let (neighbours, clock) = (Arc::new(neighbours), Box::new(clock));
        let mut watch = Watch { db, neighbours, pings, clock, last: None, silent: Vec::new() };
        let background = Background::start("heartbeats", move || match watch.turn() {
            Ok(true) => Duration::ZERO,
            Ok(false) => TURN,
            Err(error) => {
                tracing::warn!(%error, "heartbeats");
                TURN
            }
        })?;
        Ok(Self { _background: background })
    }
}

impl Drop for Watch {
    /// What was heard in the last second is stored.
    fn drop(&mut self) {
        if let Err(error) = self.store((self.clock)(), true) {
            tracing::warn!(%error, "pings of the last second are not stored");
        }
    }
}

impl Watch {
    /// Stores and reports; true when there may be more.
    fn turn(&mut self) -> Result<bool> {
        let now = (self.clock)();
        let now_ms = now.millis();
        if self.last.is_none_or(|last| last.elapsed() > LATE) {
            self.excuse(now_ms)?;
        }
        self.store(now, false)?;
        let overdue = self.db.read_here(|conn| store::overdue(conn, now_ms, AT_ONCE))?;
        let more = i64::try_from(overdue.len()).is_ok_and(|count| count == AT_ONCE);
        if !overdue.is_empty() {
            self.silent.extend(overdue.iter().map(|row| (row.tenant_id.clone(), row.id.clone())));
            self.silent.sort_unstable();
            self.silent.dedup();
            let neighbours = Arc::clone(&self.neighbours);
            self.db
                .write_here(move |conn| Tx::run(conn, &actor(), now, |tx| report_silence(tx, &neighbours, overdue)))?;
        }
        self.last = Some(Instant::now());
        Ok(more)
    }

    /// Stores what was heard, and reports the end of silences.
    fn store(&mut self, now: Timestamp, all: bool) -> Result<()> {
        let heard = self.pings.take(now.millis(), &self.silent, all);
        let mut parts = heard.chunks(AT_ONCE.unsigned_abs() as usize);
        while let Some(part) = parts.next() {
            let (neighbours, stored) = (Arc::clone(&self.neighbours), part.to_vec());
            let done =
                self.db.write_here(move |conn| Tx::run(conn, &actor(), now, |tx| hear(tx, &neighbours, &stored)));
            if let Err(error) = done {
                self.pings.give_back(part);
                parts.for_each(|rest| self.pings.give_back(rest));
                return Err(error);
            }
            self.silent.retain(|(tenant, id)| !part.iter().any(|heard| (&heard.tenant_id, &heard.id) == (tenant, id)));
        }
        Ok(())
    }

    /// Gives whoever was expected while nobody listened one more interval.
    fn excuse(&self, now_ms: i64) -> Result<()> {
        let mut after = (String::new(), String::new());
        loop {
            let rows = self.db.read_here(|conn| store::expected(conn, now_ms, &after, AT_ONCE))?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = (last.tenant_id.clone(), last.id.clone());
            let excuse = move |conn: &mut Conn| {
                rows.iter()
                    .try_for_each(|row| store::excuse(conn, row, rules::due(row.interval_ms, row.grace_ms, now_ms)))
            };
            self.db.write_here(excuse)?;
        }
    }
}

fn actor() -> Actor {
    Actor::service("heartbeats")
}

fn origin(tenant: &str) -> Origin {
    Origin { home: tenant.to_owned(), scope: vec![tenant.to_owned()], sender: rules::SENDER.to_owned() }
}

fn hear(tx: &mut Tx<'_>, neighbours: &Neighbours, heard: &[Heard]) -> Result<()> {
    for heard in heard {
        if let Some(row) = store::heard(tx.conn, heard)? {
            intake::take_in(tx, neighbours, &origin(&row.tenant_id), &[Ok(rules::heard_again(&row))])?;
        }
    }
    Ok(())
}

fn report_silence(tx: &mut Tx<'_>, neighbours: &Neighbours, overdue: Vec<Row>) -> Result<()> {
    let mut overdue = overdue;
    // In one order, so that two gateways do not wait for each other.
    overdue.sort_unstable_by(|one, other| (&one.tenant_id, &one.id).cmp(&(&other.tenant_id, &other.id)));
    let now_ms = tx.now.millis();
    let mut silent = Vec::with_capacity(overdue.len());
    for row in overdue {
        if store::mark_missed(tx.conn, &row, now_ms)? {
            silent.push(row);
        }
    }
    for rows in silent.chunk_by(|one, other| one.tenant_id == other.tenant_id) {
        let Some(first) = rows.first() else { continue };
        let reports: Vec<_> = rows.iter().map(|row| Ok(rules::silence(row))).collect();
        intake::take_in(tx, neighbours, &origin(&first.tenant_id), &reports)?;
    }
    Ok(())
}
