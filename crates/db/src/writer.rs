//! The one writer of a SQLite database: a thread that commits for all who wait.
//!
//! A commit at `synchronous=FULL` waits for the disk. Writers that arrive while it waits are taken together into the
//! next transaction, each in its own savepoint, so that one that fails undoes only itself; all are answered after
//! the commit that made them durable.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError, mpsc},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use diesel::connection::SimpleConnection;
use tokio::sync::oneshot;

use crate::{Conn, Error, Result, backend, url::DatabaseUrl};

/// A transaction takes in no more writers after this many, or this long.
const MOST_WRITERS: usize = 256;
const LONGEST: Duration = Duration::from_millis(20);

pub(crate) struct Writer {
    /// `None` once stopped.
    jobs: Mutex<Option<mpsc::Sender<Box<dyn Job>>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// One caller's write: run inside a savepoint, answered after the commit.
trait Job: Send {
    /// Runs the write; `false` undoes it.
    fn run(&mut self, conn: &mut Conn) -> bool;
    /// Tells the caller. `commit` says what became of the shared transaction.
    fn answer(self: Box<Self>, commit: Option<&Error>);
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
    fn run(&mut self, conn: &mut Conn) -> bool {
        let Some(work) = self.work.take() else { return false };
        let result = catch_unwind(AssertUnwindSafe(|| work(conn)))
            .unwrap_or_else(|_| Err(Error::Fault("a write panicked".to_owned())));
        let keep = result.is_ok();
        self.result = Some(result);
        keep
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
        let mut conn = backend::connect(&url)?;
        let (jobs, queue) = mpsc::channel::<Box<dyn Job>>();
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || {
                while let Ok(first) = queue.recv() {
                    commit_together(&mut conn, first, &queue);
                }
            })
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { jobs: Mutex::new(Some(jobs)), thread: Mutex::new(Some(thread)) })
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
        jobs.as_ref().ok_or_else(stopped)?.send(job).map_err(|_| stopped())?;
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

fn commit_together(conn: &mut Conn, first: Box<dyn Job>, queue: &mpsc::Receiver<Box<dyn Job>>) {
    if let Err(error) = conn.batch_execute("BEGIN IMMEDIATE") {
        return first.answer(Some(&error.into()));
    }
    let begun = Instant::now();
    let mut taken: Vec<Box<dyn Job>> = Vec::new();
    let mut next = Some(first);
    let mut broken = None;
    while let Some(mut job) = next.take() {
        if broken.is_none() {
            broken = run_in_savepoint(conn, job.as_mut()).err();
        }
        taken.push(job);
        if taken.len() < MOST_WRITERS && begun.elapsed() < LONGEST {
            next = queue.try_recv().ok();
        }
    }
    let failure = match broken {
        Some(error) => Some(error),
        None => conn.batch_execute("COMMIT").err().map(Error::from),
    };
    if let Some(error) = &failure {
        tracing::error!(%error, writers = taken.len(), "commit");
        // SQLite may have rolled back by itself (disk full); then there is nothing left to undo.
        let _ = conn.batch_execute("ROLLBACK");
    }
    for job in taken {
        job.answer(failure.as_ref());
    }
}

fn run_in_savepoint(conn: &mut Conn, job: &mut dyn Job) -> Result<()> {
    conn.batch_execute("SAVEPOINT one")?;
    if !job.run(conn) {
        conn.batch_execute("ROLLBACK TO one")?;
    }
    conn.batch_execute("RELEASE one")?;
    Ok(())
}
