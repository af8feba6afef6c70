//! The thread that adds copies.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use base::timestamp::Timestamp;
use db::DatabaseUrl;

use crate::folder::Folder;

/// After a failure it is tried again this soon, or as often as always.
const AGAIN: Duration = Duration::from_secs(60);

/// A thread that adds copies to a folder; it stops when dropped. It is not waited for: a copy that is not complete then
/// gets no name, and the next start removes it.
pub struct Worker {
    stop: Arc<AtomicBool>,
    thread: Thread,
    newest_ms: Arc<AtomicI64>,
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
        let (stopped, newest) = (Arc::clone(&stop), Arc::clone(&newest_ms));
        folder.remove_unfinished();
        let known = folder.newest(None).ok().flatten().map_or(0, |copy| copy.taken.millis());
        newest.store(known, Ordering::Relaxed);
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
                        tracing::error!(error = format!("{error:#}"), "the backup was not made");
                        due = Instant::now() + every.min(AGAIN);
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("backups".to_owned()).spawn(work)?.thread().clone();
        Ok(Self { stop, thread, newest_ms })
    }

    /// When the newest copy was taken, in milliseconds since 1970; 0 when there is none.
    pub fn newest_ms(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.newest_ms)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}
