//! Figures about the database, for the metrics.

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc, RwLock,
        atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering},
    },
};

use crate::{Db, Error, Result};

/// Calls that may wait for a connection or run on one. More than this only pile up when the database hangs: they are
/// refused, so that memory stays flat.
const MOST_CALLS: usize = 1024;

/// The upper bounds of the buckets of [`Writes::group_sizes`]; the last one has no bound.
pub const GROUP_SIZES: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// The state of a database, now.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Connections of the pool that are open.
    pub connections: u32,
    /// Those of them that nobody uses.
    pub idle: u32,
    /// How many the pool may open.
    pub most: u32,
    /// Calls that wait for a connection or run on one.
    pub calls: usize,
    /// The writer of SQLite; `None` on Postgres.
    pub writes: Option<Writes>,
}

/// What the one writer of a SQLite database did since the start.
#[derive(Clone, Debug)]
pub struct Writes {
    /// Writes that wait for their turn.
    pub waiting: u64,
    /// Writes that were committed.
    pub committed: u64,
    /// How many commits there were of each size, by the bounds of [`GROUP_SIZES`] and one above.
    pub group_sizes: [u64; GROUP_SIZES.len() + 1],
}

/// A number that another part of the service keeps about this database: its outbox, say.
pub(crate) struct Gauge {
    name: &'static str,
    help: &'static str,
    read: Box<dyn Fn() -> Option<f64> + Send + Sync>,
}

#[derive(Default)]
pub(crate) struct Gauges(RwLock<Vec<Gauge>>);

/// Values by their labels.
pub(crate) type LabelledValues = Vec<(Vec<(&'static str, Cow<'static, str>)>, f64)>;

/// Numbers of one name that differ by labels, now.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// In snake case, with its unit; without the `_total` of a counter.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// Does it only ever grow?
    pub is_counter: bool,
    /// The values, each with its labels and theirs.
    pub values: LabelledValues,
}

struct Source {
    name: &'static str,
    help: &'static str,
    is_counter: bool,
    read: Box<dyn Fn() -> LabelledValues + Send + Sync>,
}

#[derive(Default)]
pub(crate) struct Families(RwLock<Vec<Source>>);

impl fmt::Debug for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Counts the calls under way.
#[derive(Debug, Default)]
pub(crate) struct Calls(AtomicUsize);

/// One call under way.
pub(crate) struct Call(Db);

impl Db {
    /// The state of the database, now. Costs a lock of the pool.
    pub fn numbers(&self) -> Numbers {
        let state = self.0.pool.state();
        Numbers {
            connections: state.connections,
            idle: state.idle_connections,
            most: self.0.pool.max_size(),
            calls: self.0.calls.0.load(Ordering::Relaxed),
            writes: self.0.writer.as_ref().map(|writer| writer.counts().read()),
        }
    }

    /// Do others wait for the one writer of a SQLite database? Nobody does on Postgres.
    pub fn is_waited_for(&self) -> bool {
        self.0.writer.as_ref().is_some_and(|writer| writer.counts().read().waiting > 0)
    }

    /// Adds a number to what is told to those who watch: its name in snake case with its unit
    /// (`outbox_lag_seconds`), what it is, and how to read it. `read` is called at each look, must not block, and
    /// answers `None` while there is nothing to say. A name that is there already is replaced.
    pub fn add_gauge(
        &self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> Option<f64> + Send + Sync + 'static,
    ) {
        let mut gauges = base::sync::write(&self.0.gauges.0);
        gauges.retain(|gauge| gauge.name != name);
        gauges.push(Gauge { name, help, read: Box::new(read) });
    }

    /// Adds a number of seconds, as [`Db::add_gauge`] does; what is stored in the answer is in milliseconds.
    pub fn add_lag(&self, name: &'static str, help: &'static str) -> Arc<AtomicI64> {
        let lag_ms = Arc::new(AtomicI64::new(0));
        let read = Arc::clone(&lag_ms);
        self.add_gauge(name, help, move || Some(read.load(Ordering::Relaxed).max(0) as f64 / 1_000.0));
        lag_ms
    }

    /// The numbers that were added: name, what it is, and its value now.
    pub fn gauges(&self) -> Vec<(&'static str, &'static str, f64)> {
        let gauges = base::sync::read(&self.0.gauges.0);
        gauges.iter().filter_map(|gauge| Some((gauge.name, gauge.help, (gauge.read)()?))).collect()
    }

    /// As [`add_gauge`](Self::add_gauge), for numbers that differ by labels; `is_counter` says that they only grow.
    pub fn add_family(
        &self,
        name: &'static str,
        help: &'static str,
        is_counter: bool,
        read: impl Fn() -> LabelledValues + Send + Sync + 'static,
    ) {
        let mut families = base::sync::write(&self.0.families.0);
        families.retain(|family| family.name != name);
        families.push(Source { name, help, is_counter, read: Box::new(read) });
    }

    /// The families that were added, with their values now.
    pub fn families(&self) -> Vec<Family> {
        let families = base::sync::read(&self.0.families.0);
        let now = |&Source { name, help, is_counter, ref read }: &Source| {
            let values = read();
            Family { name, help, is_counter, values }
        };
        families.iter().map(now).collect()
    }

    /// Counts a call until what this answers is dropped.
    pub(crate) fn call(&self) -> Result<Call> {
        let call = Call(self.clone());
        if self.0.calls.0.fetch_add(1, Ordering::Relaxed) >= MOST_CALLS {
            return Err(Error::Unavailable(format!("{MOST_CALLS} calls are under way")));
        }
        Ok(call)
    }
}

impl Call {
    pub(crate) fn db(&self) -> &Db {
        &self.0
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.0.calls.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What the writer counts as it goes.
#[derive(Debug, Default)]
pub(crate) struct WriteCounts {
    waiting: AtomicU64,
    committed: AtomicU64,
    group_sizes: [AtomicU64; GROUP_SIZES.len() + 1],
    /// The last transaction failed.
    fails: AtomicBool,
}

impl WriteCounts {
    /// What became of a transaction.
    pub(crate) fn note(&self, failed: bool) {
        self.fails.store(failed, Ordering::Relaxed);
    }

    /// Did the last transaction fail?
    pub(crate) fn fails(&self) -> bool {
        self.fails.load(Ordering::Relaxed)
    }

    /// One more waits.
    pub(crate) fn queued(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// One fewer waits.
    pub(crate) fn taken(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// So many writes were committed together.
    pub(crate) fn committed(&self, writes: usize) {
        let writes = writes as u64;
        self.committed.fetch_add(writes, Ordering::Relaxed);
        let bucket = GROUP_SIZES.iter().position(|bound| writes <= *bound).unwrap_or(GROUP_SIZES.len());
        self.group_sizes[bucket].fetch_add(1, Ordering::Relaxed);
    }

    fn read(&self) -> Writes {
        Writes {
            waiting: self.waiting.load(Ordering::Relaxed),
            committed: self.committed.load(Ordering::Relaxed),
            group_sizes: self.group_sizes.each_ref().map(|count| count.load(Ordering::Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests;
