//! Work that callers' expressions and texts ask for, away from the threads that answer requests.
//!
//! Such work is counted in steps ([`Meter`]), so that one request ends by itself; and it is done for one request of a key at
//! a time, on fewer threads than there are processors, so that no key takes them from the others. Who has too much of it
//! waiting is refused alone (429); whoever has waited too long is told to come again (503).

use std::{
    collections::HashMap,
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::available_parallelism,
    time::Duration,
};

use base::{
    body::ignored,
    matching::{Meter, has_expressions},
    problem::{Problem, RateLimit},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Body, RequestScope, Result};

/// How many requests of one key may wait for their turn, or have it.
const MOST_OF_ONE: u32 = 32;
/// How long a request waits for its turn and for its end.
const LONGEST: Duration = Duration::from_secs(10);

/// The threads that do such work at once, in the whole process: one processor is left to everything else.
static THREADS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, usize::from);
    Arc::new(Semaphore::new((processors - 1).max(1)))
});

/// The keys that have such work under way.
static KEYS: LazyLock<Mutex<HashMap<String, Turn>>> = LazyLock::new(Mutex::default);

/// The turns of one key.
struct Turn {
    one: Arc<Semaphore>,
    /// Requests that wait or have their turn.
    requests: u32,
}

/// Does a caller's work, with room for [`Meter::REQUEST`] steps. When the caller goes away, it ends at its next step. The
/// expressions that it compiles stay ready until the request is over.
///
/// # Errors
/// What the work fails with; 429 when too much of it waits for the same key, 503 when it is not done in time.
pub async fn run<T, F>(context: &RequestScope, work: F) -> Result<T>
where
    F: FnOnce(&Meter) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    let (done, made) = run_for(&context.caller.key_id, move |meter| Ok((work(meter)?, meter.take_kept()))).await?;
    context.keep(made);
    Ok(done)
}

/// Reads a body: as [`run`] when it has expressions, which are compiled to be checked, and in place when it has none.
///
/// # Errors
/// As [`run`].
pub async fn read<T, F>(context: &RequestScope, body: Body, read: F) -> Result<T>
where
    F: FnOnce(&serde_json::Value, &Meter) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    if has_expressions(&body.0) {
        run(context, move |meter| read(&body.0, meter)).await
    } else {
        read(&body.0, &Meter::new(Meter::REQUEST))
    }
}

async fn run_for<T, F>(key: &str, work: F) -> Result<T>
where
    F: FnOnce(&Meter) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    let asked = Asked::enter(key)?;
    let abandoned = Arc::clone(&asked.abandoned);
    let done = async move {
        let turn = asked.turn().await?;
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            ignored::collect(|| work(&Meter::until(Meter::REQUEST, abandoned)))
        });
        let done = done.await.map_err(|error| db::Error::Fault(format!("work for a caller: {error}")))?;
        drop(asked);
        // What is collected is collected on the thread of the request.
        let (done, names) = done;
        ignored::report(names);
        done
    };
    let late = |_| Problem::unavailable("The service has too much to compute right now. Try again in a moment.");
    tokio::time::timeout(LONGEST, done).await.map_err(late)?
}

/// A request that waits for its turn or has it. Once it is dropped, nobody waits for the result.
struct Asked {
    key: String,
    one: Arc<Semaphore>,
    abandoned: Arc<AtomicBool>,
}

/// The right to work: that of the key, and one of the threads.
type Right = (OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Asked {
    fn enter(key: &str) -> Result<Self> {
        let mut keys = keys();
        let turn = keys.entry(key.to_owned()).or_insert_with(|| Turn { one: Arc::new(Semaphore::new(1)), requests: 0 });
        if turn.requests >= MOST_OF_ONE {
            let detail = "This key has too many requests under way that match expressions or fill in templates.";
            let limit = RateLimit { limit: MOST_OF_ONE, remaining: 0, reset: 1 };
            return Err(Problem::throttled(detail, 1, limit).into());
        }
        turn.requests += 1;
        Ok(Self { key: key.to_owned(), one: Arc::clone(&turn.one), abandoned: Arc::default() })
    }

    /// Waits for the key first, so that of each key at most one request stands before the threads.
    async fn turn(&self) -> Result<Right> {
        let closed = |_| db::Error::Fault("a closed semaphore".to_owned());
        let own = Arc::clone(&self.one).acquire_owned().await.map_err(closed)?;
        Ok((own, Arc::clone(&THREADS).acquire_owned().await.map_err(closed)?))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.abandoned.store(true, Ordering::Relaxed);
        let mut keys = keys();
        if let Some(turn) = keys.get_mut(&self.key) {
            turn.requests -= 1;
            if turn.requests == 0 {
                keys.remove(&self.key);
            }
        }
    }
}

fn keys() -> MutexGuard<'static, HashMap<String, Turn>> {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Instant};

    use base::problem::Kind;

    use super::*;

    #[actix_web::test]
    async fn a_key_has_one_turn_at_a_time_and_a_bounded_number_of_them() {
        let (release, released) = mpsc::channel::<()>();
        let held = tokio::task::spawn_local(run_for("greedy", move |_| Ok(released.recv().is_ok())));
        tokio::task::yield_now().await;
        let waiting: Vec<_> =
            (1..MOST_OF_ONE).map(|_| tokio::task::spawn_local(run_for("greedy", |_| Ok(())))).collect();
        tokio::task::yield_now().await;
        let refused = run_for("greedy", |_| Ok(())).await.unwrap_err();
        assert!(matches!(&refused.0, db::Error::Problem(problem) if problem.kind == Kind::Throttled), "{refused}");
        release.send(()).unwrap();
        assert!(held.await.unwrap().unwrap());
        for one in waiting {
            one.await.unwrap().unwrap();
        }
        assert!(!keys().contains_key("greedy"));
    }

    #[actix_web::test]
    async fn work_that_nobody_waits_for_ends() {
        let (ended, told) = mpsc::channel();
        let (begun, began) = mpsc::channel();
        let work = tokio::task::spawn_local(run_for("gone", move |meter: &Meter| {
            begun.send(()).unwrap();
            let started = Instant::now();
            while meter.charge(0).is_ok() && started.elapsed() < LONGEST {
                std::thread::sleep(Duration::from_millis(1));
            }
            ended.send(started.elapsed()).unwrap();
            Ok(())
        }));
        while began.try_recv().is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        work.abort();
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(told.recv().unwrap() < Duration::from_secs(5));
    }
}
