//! Work that callers' expressions and texts ask for, away from the threads that answer requests.
//!
//! A [`Meter`] ends such work of one request; and it is done on fewer threads than there are processors, which are
//! shared by the one rule ([`base::share`]): those who wait are served tenant by tenant, and of a tenant key by key, so
//! that no key and no number of keys takes them from the others. Who has too much of it waiting is refused alone (429);
//! anyone who has waited too long is told to come again (503).

use std::{
    sync::{Arc, LazyLock},
    thread::available_parallelism,
    time::Duration,
};

use base::{
    body::ignored,
    matching::{Meter, has_expressions},
    problem::{Problem, RateLimit},
    share::{ExceededShare, Kind, Lease, Party, Pool},
};

use crate::{Body, Result, shed};

/// How many requests of one key may wait for their turn, or have it; and how many there may be in all.
const MOST_PER_KEY: u32 = 32;
const MOST: usize = 256;
/// How long a request waits for its turn and for its end.
const LONGEST: Duration = Duration::from_secs(10);

/// The requests that wait for their turn or have it, in the whole process.
static COMPUTATIONS: LazyLock<Arc<Pool>> = LazyLock::new(|| Pool::new(Kind::Computations, MOST, 1, 0));

/// The threads that do such work at once: one processor is left to everything else.
static PROCESSORS: LazyLock<Arc<Pool>> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, usize::from);
    // Anyone who has a place among the computations may wait.
    Pool::new(Kind::Processors, (processors - 1).max(1), 1, 4 * MOST)
});

/// Does the work of the request under way, with room for [`Meter::REQUEST`] steps.
///
/// # Errors
/// What the work fails with; 429 when too much of it waits for the same key, 503 when it is not done in time.
pub async fn run<T, F>(work: F) -> Result<T>
where
    F: FnOnce(&Meter) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    run_for(shed::party(), work).await
}

/// Reads a body: as [`run`] when it has expressions, which are checked, and in place when it has none.
pub async fn read<T, F>(body: Body, read: F) -> Result<T>
where
    F: FnOnce(&serde_json::Value, &Meter) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    if has_expressions(&body.0) {
        run(move |meter| read(&body.0, meter)).await
    } else {
        read(&body.0, &Meter::new(Meter::REQUEST))
    }
}

async fn run_for<T, F>(party: Arc<Party>, work: F) -> Result<T>
where
    F: FnOnce(&Meter) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    let computation = take_place(&party)?;
    let done = async move {
        let processor = PROCESSORS.take(&party, 1).await.map_err(|_| too_busy())?;
        let done = tokio::task::spawn_blocking(move || {
            let _held = (computation, processor);
            ignored::collect(|| work(&Meter::new(Meter::REQUEST)))
        });
        let done = done.await.map_err(|error| db::Error::Fault(format!("work for a caller: {error}")))?;
        // What is collected is collected on the thread of the request.
        let (done, names) = done;
        ignored::report(names);
        done
    };
    tokio::time::timeout(LONGEST, done).await.map_err(|_| too_busy())?
}

/// A place among the requests that compute.
fn take_place(party: &Arc<Party>) -> Result<Lease> {
    let most = usize::try_from(MOST_PER_KEY).unwrap_or(usize::MAX);
    let too_many = || {
        let detail = "This key, or its tenant, has too many requests under way that match expressions, fill in \
                      templates, sum up hours or look for conflicts.";
        Problem::throttled(detail, 1, RateLimit { limit: MOST_PER_KEY, remaining: 0, reset: 1 })
    };
    match COMPUTATIONS.try_take(party, 1) {
        Ok(_) if party.held(Kind::Computations) > most => Err(too_many().into()),
        Ok(lease) => Ok(lease),
        Err(ExceededShare::Everything) => Err(too_busy().into()),
        Err(ExceededShare::Caller | ExceededShare::Tenant) => Err(too_many().into()),
    }
}

fn too_busy() -> Problem {
    Problem::unavailable("The service has too much to compute right now. Try again in a moment.")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use base::{problem, share::Parties};

    use super::*;

    #[actix_web::test]
    async fn a_key_has_a_bounded_number_of_requests_and_a_tenant_no_more_turns_than_another() {
        let parties = Parties::default();
        let greedy = |key: u32| parties.of_key("client_1", &key.to_string());
        // Every processor is taken, and given back when the test says so.
        let mut releases = Vec::new();
        let mut held = Vec::new();
        for _ in 0..PROCESSORS.total() {
            let (release, released) = mpsc::channel::<()>();
            releases.push(release);
            held.push(tokio::task::spawn_local(run_for(Party::service(), move |_| Ok(released.recv().is_ok()))));
        }
        tokio::task::yield_now().await;
        let (turns, taken) = mpsc::channel();
        let wait = |party: Arc<Party>, name: &'static str| {
            let turns = turns.clone();
            tokio::task::spawn_local(run_for(party, move |_| Ok(turns.send(name).is_ok())))
        };
        let mut waiting: Vec<_> = (0..MOST_PER_KEY).map(|_| wait(greedy(0), "greedy")).collect();
        waiting.extend((1..60).map(|key| wait(greedy(key), "greedy")));
        tokio::task::yield_now().await;
        waiting.push(wait(parties.of_key("client_2", "good"), "good"));
        tokio::task::yield_now().await;
        let refused = run_for(greedy(0), |_| Ok(())).await.unwrap_err();
        assert!(
            matches!(&refused.0, db::Error::Problem(problem) if problem.kind == problem::Kind::Throttled),
            "{refused}"
        );
        drop(releases);
        for one in waiting {
            assert!(one.await.unwrap().unwrap());
        }
        drop(held);
        let turns: Vec<_> = taken.try_iter().collect();
        let place = turns.iter().position(|name| *name == "good").unwrap();
        assert!(place <= 1 + 2 * PROCESSORS.total(), "{place} of {}", turns.len());
        assert_eq!(greedy(0).held(Kind::Computations), 0);
    }
}
