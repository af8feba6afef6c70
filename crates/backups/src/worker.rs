//! The thread that adds copies.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use base::timestamp::Timestamp;
use db::{DatabaseUrl, Db};

use crate::{folder::Folder, restore::latest};

/// After a failure it is tried again this soon, or as often as always.
const AGAIN: Duration = Duration::from_secs(60);

/// A thread that adds copies to a folder; it stops when dropped. It is not waited for: a copy that is not complete then
/// gets no name, and the next start removes it.
pub struct Worker {
    stop: Arc<AtomicBool>,
    thread: Thread,
    /// When the newest copy was taken, or, while there is none, when the worker began.
    newest_ms: Arc<AtomicI64>,
    failures: Arc<AtomicU64>,
    clock: fn() -> Timestamp,
}

impl Worker {
    /// Starts to add a copy `every` so often. `clock` tells the time, and `note` is told of each copy.
    ///
    /// # Errors
    /// When the system has no further thread.
    pub fn start(
        folder: Folder,
        database: DatabaseUrl,
        every: Duration,
        clock: fn() -> Timestamp,
        note: impl Fn(&crate::folder::Copy) + Send + 'static,
    ) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let newest_ms = Arc::new(AtomicI64::new(0));
        let failures = Arc::new(AtomicU64::new(0));
        let (stopped, newest, failed) = (Arc::clone(&stop), Arc::clone(&newest_ms), Arc::clone(&failures));
        folder.remove_unfinished();
        // One of a time that is yet to come says nothing of the age.
        let known = folder.newest(latest(clock())).ok().flatten().map_or(0, |copy| copy.taken.millis());
        // Without a copy the age counts from the start: an alert about late backups needs a number from the beginning.
        newest.store(if known > 0 { known } else { clock().millis() }, Ordering::Relaxed);
        let every_ms = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
        let since = clock().millis().saturating_sub(known);
        let first = Duration::from_millis(every_ms.saturating_sub(since.max(0)).max(0).unsigned_abs());
        let work = move || {
            let mut due = Instant::now() + first;
            loop {
                while let Some(wait) = due.checked_duration_since(Instant::now()).filter(|wait| !wait.is_zero()) {
                    if stopped.load(Ordering::Relaxed) {
                        return;
                    }
                    thread::park_timeout(wait);
                }
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                due = Instant::now() + every;
                match folder.add(&database, clock()) {
                    Ok(Some(copy)) => {
                        newest.store(copy.taken.millis(), Ordering::Relaxed);
                        tracing::debug!(file = %copy.path.display(), "made a backup, and checked it");
                        note(&copy);
                    }
                    Ok(None) => {}
                    Err(error) => {
                        failed.fetch_add(1, Ordering::Relaxed);
                        tracing::error!(error = format!("{error:#}"), "the backup was not made");
                        due = Instant::now() + every.min(AGAIN);
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("backups".to_owned()).spawn(work)?.thread().clone();
        Ok(Self { stop, thread, newest_ms, failures, clock })
    }

    /// Adds the age of the newest copy and the count of failures to the metrics of this database.
    pub fn add_metrics(&self, db: &Db) {
        const AGE: &str = "Age of the newest backup that was opened and checked; while there is none, since the start";
        let (newest, clock) = (Arc::clone(&self.newest_ms), self.clock);
        db.add_gauge("backup_age_seconds", AGE, move || {
            let age = clock().millis().saturating_sub(newest.load(Ordering::Relaxed)).max(0);
            Some(Duration::from_millis(age.unsigned_abs()).as_secs_f64())
        });
        let failures = Arc::clone(&self.failures);
        db.add_family("backup_failures", "Backups that were not made, each attempt counted", true, move || {
            let count = u32::try_from(failures.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
            vec![(Vec::new(), f64::from(count))]
        });
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}

#[cfg(test)]
mod tests {
    use db::Options;

    use super::*;

    #[test]
    fn a_service_without_any_backup_tells_an_age_and_its_failures() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("metrics.sqlite")), Options::default()).unwrap();
        let folder = Folder::open(&directory.path().join("copies")).unwrap();
        let missing = DatabaseUrl::Sqlite(directory.path().join("missing.sqlite"));
        let clock = || Timestamp::from_millis(1_795_000_000_000);
        let worker = Worker::start(folder, missing, Duration::from_millis(1), clock, |_| ()).unwrap();
        worker.add_metrics(&db);
        assert!(db.gauges().iter().any(|(name, _, age)| *name == "backup_age_seconds" && *age == 0.0));
        let failures = || {
            let families = db.families();
            let found = families.iter().find(|family| family.name == "backup_failures" && family.is_counter);
            found.and_then(|family| family.values.first()).map_or(0.0, |(_, value)| *value)
        };
        let deadline = Instant::now() + Duration::from_secs(20);
        while failures() < 2.0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(failures() >= 2.0, "each attempt counts");
    }
}
