//! The one writer of a SQLite database: a thread that commits for all who wait.
//!
//! A commit at `synchronous=FULL` waits for the disk. Writers that arrive while it waits are taken together into the
//! next transaction, each in its own savepoint, so that one that fails undoes only itself; all are answered after
//! the commit that made them durable.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use diesel::connection::SimpleConnection;
use tokio::sync::oneshot;

use crate::{Conn, Error, Result, backend, numbers::WriteCounts, savepoint, url::DatabaseUrl};

/// A transaction takes in no more writers after this many, or this long.
const MOST_WRITERS: usize = 256;
const LONGEST: Duration = Duration::from_millis(20);
/// How long one waits for the next of those that are expected.
const GATHER: Duration = Duration::from_micros(700);

/// Writes that may wait for their turn. More than this only pile up when the disk hangs: they are refused.
const MOST_WAITING: u64 = 4096;

pub(crate) struct Writer {
    /// `None` once stopped.
    jobs: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    counts: Arc<WriteCounts>,
}

/// One caller's write: run inside a savepoint, answered after the commit.
trait Job: Send {
    /// Runs the write.
    fn run(&mut self, conn: &mut Conn) -> Outcome;
    /// Tells the caller. `commit` says what became of the shared transaction.
    fn answer(self: Box<Self>, commit: Option<&Error>);
}

/// What became of one write, before the commit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It is to be committed.
    Kept,
    /// It is to be undone: it was refused.
    Refused,
    /// It is to be undone: the database failed (disk full, read-only).
    Failed,
}

struct Write<F, T> {
    work: Option<F>,
    result: Option<Result<T>>,
    caller: oneshot::Sender<Result<T>>,
}

impl<F, T> Job for Write<F, T>
where
    F: FnOnce(&mut Conn) -> Result<T> + Send,
    T: Send,
{
    fn run(&mut self, conn: &mut Conn) -> Outcome {
        let Some(work) = self.work.take() else { return Outcome::Refused };
        let result = catch_unwind(AssertUnwindSafe(|| work(conn)))
            .unwrap_or_else(|_| Err(Error::Fault("a write panicked".to_owned())));
        let outcome = match &result {
            Ok(_) => Outcome::Kept,
            Err(Error::Unavailable(_)) => Outcome::Failed,
            Err(_) => Outcome::Refused,
        };
        self.result = Some(result);
        outcome
    }

    fn answer(self: Box<Self>, commit: Option<&Error>) {
        let result = match (self.result, commit) {
            (Some(Err(error)), _) => Err(error),
            (_, Some(error)) => Err(Error::Unavailable(error.to_string())),
            (Some(result), None) => result,
            (None, None) => Err(Error::Fault("a write was not run".to_owned())),
        };
        // A caller that went away does not need its answer; the write stands.
        let _ = self.caller.send(result);
    }
}

impl Writer {
    pub(crate) fn start(url: DatabaseUrl) -> Result<Self> {
        let mut conn = connect(&url)?;
        // A service that can only read is no use, and what is shared about a file that was opened read-only stays so
        // until the last connection closes. A begin alone would not notice.
        conn.batch_execute("BEGIN IMMEDIATE; CREATE TABLE probe (id BIGINT); ROLLBACK").map_err(|error| match error
            .into()
        {
            Error::Unavailable(text) => Error::Unavailable(format!("the database cannot be written to: {text}")),
            other => other,
        })?;
        let (jobs, queue) = mpsc::channel::<Box<dyn Job>>();
        let counts = Arc::new(WriteCounts::default());
        let counted = Arc::clone(&counts);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || {
                let mut expected = 1;
                while let Ok(first) = queue.recv() {
                    let (writers, healthy) = commit_together(&mut conn, first, &queue, &counted, expected);
                    expected = writers;
                    if !healthy {
                        // A connection that was opened while the file was read-only stays so: it takes a new one to
                        // see that the file recovered. While there is none, the old one goes on answering.
                        match connect(&url) {
                            Ok(new) => conn = new,
                            Err(error) => tracing::warn!(%error, "the writer cannot connect again"),
                        }
                    }
                }
            })
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { jobs: Mutex::new(Some(jobs)), thread: Mutex::new(Some(thread)), counts })
    }

    pub(crate) fn counts(&self) -> &WriteCounts {
        &self.counts
    }

    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.submit(work)?.await.unwrap_or_else(|_| Err(stopped()))
    }

    pub(crate) fn write_here<T, F>(&self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.submit(work)?.blocking_recv().unwrap_or_else(|_| Err(stopped()))
    }

    fn submit<T, F>(&self, work: F) -> Result<oneshot::Receiver<Result<T>>>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        let job = Box::new(Write { work: Some(work), result: None, caller });
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = jobs.as_ref().ok_or_else(stopped)?;
        if self.counts.queued() >= MOST_WAITING {
            self.counts.taken();
            return Err(Error::Unavailable(format!("{MOST_WAITING} writes are waiting")));
        }
        jobs.send(job).map_err(|_| stopped())?;
        Ok(answer)
    }
}

impl Drop for Writer {
    /// Finishes what was accepted, then closes the file.
    fn drop(&mut self) {
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let begun = Instant::now();
            while !thread.is_finished() && begun.elapsed() < backend::STOP {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

fn stopped() -> Error {
    Error::Unavailable("the database is closing".to_owned())
}

fn connect(url: &DatabaseUrl) -> Result<Conn> {
    let mut conn = backend::connect(url)?;
    // The one writer touches every index of a row, so it keeps more pages than a reader does. The memory is taken as
    // pages come, not at once. What a savepoint may have to undo stays in memory too, and is in no temporary file.
    // The log is copied into the file less often than by default: a page that changes at each commit is copied once for
    // all of them.
    conn.batch_execute("PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000")?;
    Ok(conn)
}

/// Runs the writes that wait and commits them; gives how many they were, and `false` when the database failed.
///
/// When as many as last time have not come yet, it waits for the others a moment: those who were answered together send
/// their next write at about the same time, and who misses the commit waits for it and for the one after it.
fn commit_together(
    conn: &mut Conn,
    first: Box<dyn Job>,
    queue: &mpsc::Receiver<Box<dyn Job>>,
    counts: &WriteCounts,
    expected: usize,
) -> (usize, bool) {
    counts.taken();
    if let Err(error) = conn.batch_execute("BEGIN IMMEDIATE") {
        first.answer(Some(&error.into()));
        return (1, false);
    }
    let begun = Instant::now();
    let mut taken: Vec<Box<dyn Job>> = Vec::new();
    let mut next = Some(first);
    let mut broken = None;
    let (mut kept, mut healthy) = (0, true);
    while let Some(mut job) = next.take() {
        if broken.is_none() {
            match savepoint::part(conn, |conn| job.run(conn), |outcome| *outcome == Outcome::Kept) {
                Ok(Outcome::Kept) => kept += 1,
                Ok(Outcome::Refused) => {}
                Ok(Outcome::Failed) => healthy = false,
                Err(error) => broken = Some(error),
            }
        }
        taken.push(job);
        if taken.len() < MOST_WRITERS && begun.elapsed() < LONGEST {
            let waiting = queue.try_recv().ok();
            let late = || queue.recv_timeout(GATHER).ok();
            next = waiting.or_else(|| if taken.len() < expected { late() } else { None }).inspect(|_| counts.taken());
        }
    }
    let failure = match broken {
        Some(error) => Some(error),
        None => conn.batch_execute("COMMIT").err().map(Error::from),
    };
    match &failure {
        Some(error) => {
            tracing::error!(%error, writers = taken.len(), "commit");
            // SQLite may have rolled back by itself (disk full); then there is nothing left to undo.
            let _ = conn.batch_execute("ROLLBACK");
        }
        None if kept > 0 => counts.committed(kept),
        None => {}
    }
    let writers = taken.len();
    for job in taken {
        job.answer(failure.as_ref());
    }
    (writers, healthy && failure.is_none())
}
