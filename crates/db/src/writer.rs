//! The one writer of a SQLite database: a thread that commits for all who wait, tenant by tenant in turn
//! ([`TurnQueue`]).
//!
//! A commit at `synchronous=FULL` waits for the disk. Writers that arrive while it waits are taken together into the
//! next transaction, each in its own savepoint, so that one that fails undoes only itself; all are answered after
//! the commit that made them durable.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use base::turns::{TooMany, TurnQueue};
use diesel::{RunQueryDsl as _, connection::SimpleConnection};
use tokio::sync::oneshot;

use crate::{Conn, Error, Result, after_commit, backend, bell, numbers::WriteCounts, savepoint, url::DatabaseUrl};

/// How many writes of one tenant may wait, and of all together.
pub(crate) const MOST_OF_ONE: usize = 1_024;
pub(crate) const MOST: usize = 4_096;
/// A transaction takes in no more writers after this many, or this long.
const MOST_WRITERS: usize = 256;
const LONGEST: Duration = Duration::from_millis(20);
/// How long the writes of one tenant may take of a commit that others wait for too.
const SHARE: Duration = Duration::from_millis(5);
/// The log is copied into the file when it has so many pages, after the commit that they were reached with; or by
/// SQLite itself, as a part of a commit, when it has four times as many, should the number not be known.
const LOG_PAGES: i32 = 4_000;
/// How long one waits for the next of those that are expected.
const GATHER: Duration = Duration::from_micros(700);

pub(crate) struct Writer {
    queue: Arc<Queue>,
    thread: Mutex<Option<JoinHandle<()>>>,
    counts: Arc<WriteCounts>,
}

/// What waits for the writer.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

struct Waiting {
    turns: TurnQueue<Box<dyn Job>>,
    stopped: bool,
}

impl Default for Waiting {
    fn default() -> Self {
        Self { turns: TurnQueue::new(MOST_OF_ONE, MOST), stopped: false }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        base::lock(&self.waiting)
    }

    /// The next write, once there is one; `None` at the end.
    fn first(&self) -> Option<(Arc<str>, Box<dyn Job>)> {
        let mut waiting = self.lock();
        loop {
            match waiting.turns.next(|_| true) {
                Some(next) => return Some(next),
                None if waiting.stopped => return None,
                None => waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// The next write of a tenant that `may` have another turn, when one is there or comes within `patience`.
    fn next(&self, patience: Duration, may: impl Fn(&str) -> bool) -> Option<(Arc<str>, Box<dyn Job>)> {
        let mut waiting = self.lock();
        let next = waiting.turns.next(&may);
        if next.is_some() || patience.is_zero() || waiting.stopped {
            return next;
        }
        let waited = self.arrived.wait_timeout(waiting, patience).unwrap_or_else(PoisonError::into_inner);
        waiting = waited.0;
        waiting.turns.next(&may)
    }
}

/// One caller's write: run inside a savepoint, answered after the commit.
trait Job: Send {
    /// Runs the write.
    fn run(&mut self, conn: &mut Conn) -> Outcome;
    /// Is it one of many parts, which has to begin a transaction?
    fn is_long(&self) -> bool;
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
    long: bool,
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

    fn is_long(&self) -> bool {
        self.long
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
        // A service that can only read is useless, and what is shared about a file that was opened read-only stays so
        // until the last connection closes. A begin alone would not notice.
        conn.batch_execute("BEGIN IMMEDIATE; CREATE TABLE probe (id BIGINT); ROLLBACK").map_err(|error| match error
            .into()
        {
            Error::Unavailable(text) => Error::Unavailable(format!("the database cannot be written to: {text}")),
            other => other,
        })?;
        let queue = Arc::new(Queue::default());
        let waiting = Arc::clone(&queue);
        let counts = Arc::new(WriteCounts::default());
        let counted = Arc::clone(&counts);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || {
                let mut expected = 1;
                let mut left = None;
                while let Some(first) = left.take().or_else(|| waiting.first()) {
                    let (writers, healthy, next) = commit_together(&mut conn, first, &waiting, &counted, expected);
                    expected = writers;
                    left = next;
                    if !healthy {
                        // A connection that was opened while the file was read-only stays so: it takes a new one to
                        // see that the file recovered. While there is none, the old one goes on answering.
                        match connect(&url) {
                            Ok(new) => conn = new,
                            Err(error) => tracing::warn!(%error, "the writer cannot connect again"),
                        }
                    }
                    if log_pages(&mut conn).is_some_and(|pages| pages >= LOG_PAGES) {
                        copy_log(&mut conn);
                    }
                }
                empty_log(&mut conn);
            })
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)), counts })
    }

    pub(crate) fn counts(&self) -> &WriteCounts {
        &self.counts
    }

    pub(crate) async fn write<T, F>(&self, tenant: &str, long: bool, work: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.submit_as(tenant, long, work)?.await.unwrap_or_else(|_| Err(stopped()))
    }

    pub(crate) fn write_here<T, F>(&self, tenant: &str, work: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.submit(tenant, work)?.blocking_recv().unwrap_or_else(|_| Err(stopped()))
    }

    fn submit<T, F>(&self, tenant: &str, work: F) -> Result<oneshot::Receiver<Result<T>>>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.submit_as(tenant, false, work)
    }

    fn submit_as<T, F>(&self, tenant: &str, long: bool, work: F) -> Result<oneshot::Receiver<Result<T>>>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        let job = Box::new(Write { work: Some(work), result: None, caller, long });
        let mut waiting = self.queue.lock();
        if waiting.stopped {
            return Err(stopped());
        }
        let too_many = |TooMany(most)| Error::Unavailable(format!("{most} writes are waiting"));
        waiting.turns.push(tenant, job).map_err(too_many)?;
        self.counts.queued();
        drop(waiting);
        self.queue.arrived.notify_one();
        Ok(answer)
    }
}

impl Writer {
    /// Finishes what was accepted, copies the log into the file, and takes no more.
    pub(crate) fn stop(&self) {
        self.queue.lock().stopped = true;
        self.queue.arrived.notify_all();
        if let Some(thread) = base::lock(&self.thread).take() {
            let begun = Instant::now();
            while !thread.is_finished() && begun.elapsed() < backend::STOP {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
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
    conn.batch_execute("PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY")?;
    conn.batch_execute(&format!("PRAGMA wal_autocheckpoint = {}", 4 * LOG_PAGES))?;
    Ok(conn)
}

/// How many pages the log has, those among them that are copied into the file already; [`None`] when it cannot be told.
fn log_pages(conn: &mut Conn) -> Option<i32> {
    let asked = diesel::sql_query("PRAGMA wal_checkpoint(NOOP)").get_result::<Checkpoint>(conn);
    asked.ok().map(|asked| asked.log)
}

/// Copies the log into the file, which takes tens of milliseconds and is not part of a commit: who committed has the
/// answer now. What cannot be copied, since somebody reads, is copied after the next commit.
fn copy_log(conn: &mut Conn) {
    if let Err(error) = conn.batch_execute("PRAGMA wal_checkpoint(PASSIVE)") {
        tracing::debug!(%error, "the write-ahead log is not copied");
    }
}

/// Copies all of the log into the file, so that the file alone is the whole database, and leaves an empty log. That
/// waits for those who read, for as long as a writer waits for another one.
fn empty_log(conn: &mut Conn) {
    let emptied = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)").get_result::<Checkpoint>(conn);
    match emptied {
        Ok(Checkpoint { busy: 0, .. }) => {}
        Ok(_) => tracing::warn!("somebody still reads: a part of the database stays in its write-ahead log"),
        Err(error) => tracing::warn!(%error, "a part of the database stays in its write-ahead log"),
    }
}

#[derive(diesel::QueryableByName)]
struct Checkpoint {
    #[diesel(sql_type = diesel::sql_types::Integer)]
    busy: i32,
    #[diesel(sql_type = diesel::sql_types::Integer)]
    log: i32,
}

/// A write, and whose it is.
type Turn = (Arc<str>, Box<dyn Job>);

/// Runs the writes that wait and commits them; gives how many they were, `false` when the database failed, and the
/// write that the next commit begins with.
///
/// When as many as last time have not come yet, it waits for the others a moment: those who were answered together send
/// their next write at about the same time, and who misses the commit waits for it and for the one after it.
///
/// A tenant alone has all of the time. Where several are, each has its share of it: then they wait for the commit, and
/// for one write of each of the others, and not for all that one of them has sent.
///
/// The first write needs no savepoint, since to undo it is to undo the transaction. A long one is always first: what a
/// savepoint may have to undo SQLite keeps in a list that it walks at the end of each savepoint within, so that many
/// parts in a savepoint cost the square of their number.
fn commit_together(
    conn: &mut Conn,
    first: Turn,
    queue: &Queue,
    counts: &WriteCounts,
    expected: usize,
) -> (usize, bool, Option<Turn>) {
    if let Err(error) = conn.batch_execute(BEGIN) {
        counts.taken();
        counts.note(true);
        first.1.answer(Some(&error.into()));
        return (1, false, None);
    }
    let begun = Instant::now();
    let mut taken: Vec<Box<dyn Job>> = Vec::new();
    let mut used: HashMap<Arc<str>, Duration> = HashMap::new();
    let mut next = Some(first);
    let mut left = None;
    let mut broken = None;
    let mut kept = 0;
    let mut healthy = true;
    while let Some((tenant, mut job)) = next.take() {
        counts.taken();
        let started = begun.elapsed();
        if broken.is_none() {
            let done = if kept == 0 {
                begin_with(conn, &mut *job)
            } else {
                savepoint::part(conn, |conn| job.run(conn), |outcome| *outcome == Outcome::Kept)
            };
            match done {
                Ok(Outcome::Kept) => kept += 1,
                Ok(Outcome::Refused) => {}
                Ok(Outcome::Failed) => healthy = false,
                Err(error) => broken = Some(error),
            }
        }
        taken.push(job);
        let elapsed = begun.elapsed();
        *used.entry(tenant).or_default() += elapsed - started;
        if taken.len() < MOST_WRITERS && elapsed < LONGEST {
            let patience = if taken.len() < expected { GATHER } else { Duration::ZERO };
            let alone = used.len() == 1;
            let may = |tenant: &str| match used.get(tenant) {
                Some(time) => alone || *time < SHARE,
                None => true,
            };
            next = queue.next(patience, may);
            if next.as_ref().is_some_and(|(_, job)| job.is_long() && (kept > 0 || broken.is_some())) {
                left = next.take();
            }
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
    let failed = failure.is_some() || !healthy;
    if failed || kept > 0 {
        counts.note(failed);
    }
    let writers = taken.len();
    bell::settle(failure.is_none() && kept > 0);
    after_commit::settle(failure.is_none());
    for job in taken {
        job.answer(failure.as_ref());
    }
    (writers, healthy && failure.is_none(), left)
}

/// How a transaction begins.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// Runs a write that nothing comes before in its transaction; to undo it is to begin that anew.
fn begin_with(conn: &mut Conn, job: &mut dyn Job) -> Result<Outcome> {
    let outcome = job.run(conn);
    if outcome != Outcome::Kept {
        after_commit::settle(false);
        conn.batch_execute("ROLLBACK")?;
        conn.batch_execute(BEGIN)?;
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests;
