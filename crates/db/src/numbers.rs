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
pub(crate) type Labelled = Vec<(Vec<(&'static str, Cow<'static, str>)>, f64)>;

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
    pub values: Labelled,
}

struct Source {
    name: &'static str,
    help: &'static str,
    is_counter: bool,
    read: Box<dyn Fn() -> Labelled + Send + Sync>,
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
        read: impl Fn() -> Labelled + Send + Sync + 'static,
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
mod tests {
    use crate::{DatabaseUrl, Options};

    use super::*;

    fn open() -> (tempfile::TempDir, Db) {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        (directory, db)
    }

    #[test]
    fn commits_are_counted_by_their_size() {
        let (_directory, db) = open();
        db.write_here(|_| Ok(())).unwrap();
        let refused: Result<()> = db.write_here(|_| Err(Error::Taken(String::new())));
        refused.unwrap_err();
        let writes = db.numbers().writes.unwrap();
        assert_eq!((writes.waiting, writes.committed), (0, 1));
        assert_eq!(writes.group_sizes, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_write_that_waits_is_counted() {
        let (_directory, db) = open();
        let waited = db.write_here({
            let db = db.clone();
            move |_| {
                let alone = db.is_waited_for();
                let other = db.clone();
                let thread = std::thread::spawn(move || other.write_here(|_| Ok(())));
                let begun = std::time::Instant::now();
                while !db.is_waited_for() && begun.elapsed() < std::time::Duration::from_secs(10) {
                    std::thread::yield_now();
                }
                Ok((alone, db.is_waited_for(), thread))
            }
        });
        let (alone, with_another, thread) = waited.unwrap();
        thread.join().unwrap().unwrap();
        assert_eq!((alone, with_another, db.is_waited_for()), (false, true, false));
    }

    #[test]
    fn the_pool_says_who_is_busy() {
        let (_directory, db) = open();
        db.read_here(|_| {
            let numbers = db.numbers();
            assert_eq!((numbers.connections - numbers.idle, numbers.most), (1, 8));
            Ok(())
        })
        .unwrap();
        // At once, since the pool opens another meanwhile.
        let numbers = db.numbers();
        assert_eq!(numbers.connections, numbers.idle);
    }

    #[test]
    fn gauges_of_others() {
        let (_directory, db) = open();
        db.add_gauge("lag_seconds", "old", || Some(1.0));
        db.add_gauge("lag_seconds", "new", || Some(2.5));
        db.add_gauge("unknown", "nothing yet", || None);
        assert_eq!(db.gauges(), [("lag_seconds", "new", 2.5)]);
    }

    #[test]
    fn families_of_others() {
        let (_directory, db) = open();
        db.add_family("rows", "old", true, Vec::new);
        db.add_family("rows", "new", false, || vec![(vec![("kind", "audit".into())], 2.0)]);
        let values = vec![(vec![("kind", "audit".into())], 2.0)];
        assert_eq!(db.families(), [Family { name: "rows", help: "new", is_counter: false, values }]);
    }

    #[test]
    fn a_database_that_hangs_gathers_no_calls_without_end() {
        let (_directory, db) = open();
        let calls: Vec<_> = (0..MOST_CALLS).map(|_| db.call().unwrap()).collect();
        assert!(matches!(db.call(), Err(Error::Unavailable(_))));
        assert_eq!(db.numbers().calls, MOST_CALLS);
        drop(calls);
        assert_eq!(db.numbers().calls, 0);
    }
}
