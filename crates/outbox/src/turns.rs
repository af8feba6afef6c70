//! Turns of tenants at background work: tenant after tenant, each in a savepoint that fails alone.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use base::{timestamp::Timestamp, turns::Turns};
use db::{Backend, Conn, Db, DueRows, Error, Result};
use diesel::{RunQueryDsl as _, sql_query};

use crate::{Actor, Tx};

/// How many tenants have their turns in one transaction, and for how long others wait for that on SQLite.
const TENANTS: usize = 32;
const TIME: Duration = Duration::from_millis(20);

/// A worker that serves tenants in turn.
///
/// The database says which tenants have something due, the worker does a bounded part of the work of each, in a
/// savepoint of its own. A failure undoes the part of that tenant, is logged, and lets that tenant pause; the others go
/// on.
#[derive(Debug)]
pub struct TenantTurns {
    worker: &'static str,
    turns: Turns,
}

/// A tenant, and what its turn is about or how it went.
type TenantPair<T> = (String, T);

/// How the turns of some tenants went, and those that are left.
type ServedPart<S, T> = (Vec<TenantPair<Result<T>>>, Vec<TenantPair<S>>);

impl TenantTurns {
    /// `worker` is its name in the log and in the audit log, such as `heartbeats`.
    pub fn new(worker: &'static str) -> Self {
        Self { worker, turns: Turns::default() }
    }

    /// As [`TenantTurns::new`], for a worker that takes these rows: which tenants wait for it is told to those who
    /// watch ([`Db::watch_due`]).
    pub fn of_rows(db: &Db, worker: &'static str, rows: &[DueRows]) -> Self {
        rows.iter().for_each(|rows| db.watch_due(worker, *rows));
        Self::new(worker)
    }

    /// Serves those of these tenants that do not pause, each once. `work` does a bounded part of what is due for one
    /// tenant and answers whether there is more. True when some tenant has more.
    ///
    /// # Errors
    /// When the database cannot be written at all. A failure for one tenant is not an error here.
    pub fn serve<F>(&mut self, db: &Db, tenants: Vec<String>, now: Timestamp, work: F) -> Result<bool>
    where
        F: Fn(&mut Tx<'_>, &str) -> Result<bool> + Clone + Send + 'static,
    {
        let mut more = false;
        let work = move |tx: &mut Tx<'_>, tenant: &str, (): ()| work(tx, tenant);
        self.serve_each(db, tenants, now, |_| Ok(Some(())), work, |_, has_more| more |= has_more)?;
        Ok(more)
    }

    /// As [`TenantTurns::serve`], when what there is to do is found by reading: `read` finds a bounded part of it, with
    /// whether there is more, and `work` does it. A tenant for which nothing is found is not written for.
    ///
    /// # Errors
    /// When the database cannot be read or written at all.
    pub fn read_and_serve<S, F>(
        &mut self,
        db: &Db,
        tenants: Vec<String>,
        now: Timestamp,
        read: impl Fn(&mut Conn, &str) -> Result<Option<(S, bool)>>,
        work: F,
    ) -> Result<bool>
    where
        S: Send + 'static,
        F: Fn(&mut Tx<'_>, S) -> Result<()> + Clone + Send + 'static,
    {
        let mut more = false;
        let read = |tenant: &str| db.read_here(|conn| read(conn, tenant));
        let work = move |tx: &mut Tx<'_>, _: &str, (part, more): (S, bool)| work(tx, part).map(|()| more);
        self.serve_each(db, tenants, now, read, work, |_, has_more| more |= has_more)?;
        Ok(more)
    }

    /// Serves those of these tenants that do not pause, each once: `prepare` says what a tenant's turn is about, `work`
    /// does that in a savepoint, and `done` takes what came of it, once that is committed.
    ///
    /// # Errors
    /// When the database cannot be read or written at all. A failure for one tenant is not an error here.
    pub fn serve_each<S, T, F>(
        &mut self,
        db: &Db,
        tenants: Vec<String>,
        now: Timestamp,
        mut prepare: impl FnMut(&str) -> Result<Option<S>>,
        work: F,
        mut done: impl FnMut(&str, T),
    ) -> Result<()>
    where
        S: Send + 'static,
        T: Send + 'static,
        F: Fn(&mut Tx<'_>, &str, S) -> Result<T> + Clone + Send + 'static,
    {
        let mut order = VecDeque::from(self.turns.order(tenants, now.millis()));
        let mut part: Vec<TenantPair<S>> = Vec::new();
        let mut any = false;
        let mut outage = Outage::default();
        loop {
            let begun = Instant::now();
            while part.len() < TENANTS && (part.is_empty() || begun.elapsed() < TIME) {
                let Some(tenant) = order.pop_front() else { break };
                match unpanicked(|| prepare(&tenant)) {
                    Ok(Some(what)) => part.push((tenant, what)),
                    Ok(None) => {
                        any = true;
                        self.turns.succeed(&tenant);
                    }
                    Err(error) => self.fail(&tenant, error, now, &mut outage),
                }
                if !any && outage.tenants.len() > 1 {
                    order.clear();
                }
            }
            if part.is_empty() {
                break;
            }
            // In one order, so that two gateways do not wait for each other.
            part.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            let actor = Actor::service(self.worker);
            let work = work.clone();
            let (outcomes, rest) = db.write_here(move |conn| serve_part(conn, &actor, part, now, &work))?;
            part = rest;
            for (tenant, outcome) in outcomes {
                match outcome {
                    Ok(value) => {
                        any = true;
                        self.turns.succeed(&tenant);
                        done(&tenant, value);
                    }
                    Err(error) => self.fail(&tenant, error, now, &mut outage),
                }
            }
        }
        match outage.error.filter(|_| !any) {
            // It was the database and none of the tenants.
            Some(error) => {
                outage.tenants.iter().for_each(|tenant| self.turns.forgive(tenant));
                Err(error)
            }
            None => Ok(()),
        }
    }

    fn fail(&mut self, tenant: &str, error: Error, now: Timestamp, outage: &mut Outage) {
        let pause_ms = self.turns.fail(tenant, now.millis());
        tracing::warn!(%error, tenant, worker = self.worker, pause_ms, "the work of a tenant failed");
        if matches!(error, Error::Unavailable(_)) {
            outage.error = Some(error);
            outage.tenants.push(tenant.to_owned());
        }
    }
}

/// The tenants for which the database was unavailable, and the last error.
#[derive(Default)]
struct Outage {
    error: Option<Error>,
    tenants: Vec<String>,
}

/// Serves tenants until the time is over, each in a savepoint; at least one. Answers how it went, and those that are
/// left.
fn serve_part<S, T>(
    conn: &mut Conn,
    actor: &Actor,
    part: Vec<TenantPair<S>>,
    now: Timestamp,
    work: &impl Fn(&mut Tx<'_>, &str, S) -> Result<T>,
) -> Result<ServedPart<S, T>> {
    // Who holds a lock of a tenant for long keeps that tenant waiting, and the others only so long.
    if Backend::of(conn) == Backend::Postgres {
        sql_query("SET LOCAL lock_timeout = '1s'").execute(conn)?;
    }
    let begun = Instant::now();
    let mut part = part.into_iter();
    let mut outcomes = Vec::with_capacity(part.len());
    for (tenant, what) in part.by_ref() {
        let outcome =
            db::savepoint(conn, |conn| unpanicked(|| Tx::run(conn, actor, now, |tx| work(tx, &tenant, what))));
        outcomes.push((tenant, outcome));
        if begun.elapsed() > TIME {
            break;
        }
    }
    Ok((outcomes, part.collect()))
}

impl Tx<'_> {
    /// Does something with some rows of a tenant: with all of them together, and when that fails with one after the
    /// other, each in a savepoint of its own. What is to become of a row that fails alone says `put_off`: it must not
    /// be due at once again, or rows behind it would never have their turn. Answers with how many of the rows it dealt;
    /// with the rest another turn does.
    ///
    /// # Errors
    /// When the database is away, or `put_off` fails.
    pub fn attempt_each<R>(
        &mut self,
        rows: &[R],
        work: impl Fn(&mut Tx<'_>, &[R]) -> Result<()>,
        mut put_off: impl FnMut(&mut Tx<'_>, &R, Error) -> Result<()>,
    ) -> Result<usize> {
        // What a row notes is stored with it, so that this fails with it too.
        let attempt = |tx: &mut Tx<'_>, rows: &[R]| {
            let actor = tx.actor;
            let now = tx.now;
            db::savepoint(tx.conn, |conn| unpanicked(|| Tx::run(conn, actor, now, |tx| work(tx, rows))))
        };
        match rows {
            [] => return Ok(0),
            [_] => {}
            rows => match attempt(self, rows) {
                Ok(()) => return Ok(rows.len()),
                Err(error @ Error::Unavailable(_)) => return Err(error),
                Err(_) => {}
            },
        }
        let begun = Instant::now();
        for (index, row) in rows.iter().enumerate() {
            match attempt(self, std::slice::from_ref(row)) {
                Ok(()) => {}
                Err(error @ Error::Unavailable(_)) => return Err(error),
                Err(error) => put_off(self, row, error)?,
            }
            if begun.elapsed() > TIME {
                return Ok(index + 1);
            }
        }
        Ok(rows.len())
    }
}

/// A defect that only the rows of one tenant show ends no thread.
fn unpanicked<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| Err(Error::Fault("it panicked".to_owned())))
}
