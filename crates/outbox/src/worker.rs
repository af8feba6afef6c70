//! The worker that hands events on.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use base::timestamp::Timestamp;
use db::{Backend, Conn, Db, Result};

use crate::{
    Background, Event,
    events::{self, Claimed},
};

/// Someone who is told what happens. Told at least once: after a crash perhaps again, with the same event id.
pub trait Subscriber: Send + Sync {
    /// A name for the log.
    fn name(&self) -> &'static str;

    /// Takes an event over, inside the transaction that removes it from the outbox: what this writes and the removal
    /// commit together. An error leaves the event and tries again later.
    fn take(&self, conn: &mut Conn, event: &Event) -> Result<()>;

    /// Takes over events that came one after the other, in this order: for who can ask once what they have in common, and
    /// store together what comes of them. An error leaves all of them; they are handed on one by one then.
    fn take_all(&self, conn: &mut Conn, events: &[Event]) -> Result<()> {
        events.iter().try_for_each(|event| self.take(conn, event))
    }
}

/// How long a claim lasts; a worker that takes longer may see its events handed on by another as well. On SQLite, where one
/// worker has the file, nothing is claimed.
const LEASE_MS: i64 = 30_000;
/// How many events are taken up at once, and how many of them one transaction hands on: on SQLite it keeps other writers
/// waiting.
const BATCH: i64 = 500;
const TOGETHER: usize = 200;
/// How long a worker rests after such a transaction while others wait for the writer, as a multiple of what it took: those who
/// report keep two thirds of it, and what they report is handed on a little later. And how long it rests at most.
const REST: u32 = 2;
const LONGEST_REST: Duration = Duration::from_millis(250);
/// How long an idle worker waits before it looks again by itself: for events of other processes, and for those that are to
/// be tried once more. It is woken when this process commits one.
const IDLE: Duration = Duration::from_millis(250);
/// How long one waits that just took all there was, whoever wakes it: on SQLite each look is a commit that other writers
/// wait for, and many events at once cost it as much as one. So it is a millisecond for each event that there was, up to
/// [`PACE`]: one alone is taken at once, and of a flood many together.
const PACE: Duration = Duration::from_millis(50);
/// The first and the longest wait after a failure.
const FIRST_RETRY_MS: i64 = 1_000;
const LAST_RETRY_MS: i64 = 300_000;

/// A running worker; stops when dropped.
pub struct Worker {
    lag_ms: Arc<AtomicI64>,
    _listener: Option<db::Listener>,
    _background: Background,
}

impl Worker {
    /// Starts a worker. `clock` tells the time, so that tests can.
    pub fn start(
        db: Db,
        subscribers: Vec<Arc<dyn Subscriber>>,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> std::io::Result<Self> {
        let lag_ms = Arc::new(AtomicI64::new(0));
        // One service has a SQLite file: nobody has to be kept from what it takes up, and what is claimed there was claimed by
        // an older version that has ended.
        let mut leftover = db.backend() == Backend::Sqlite;
        let owner = if leftover { String::new() } else { uuid::Uuid::new_v4().to_string() };
        let lag = Arc::clone(&lag_ms);
        let background = Background::start("outbox", move || {
            let now = clock();
            if leftover {
                match db.write_here(move |conn| events::give_back_all(conn, now)) {
                    Ok(()) => leftover = false,
                    Err(error) => tracing::warn!(%error, "giving back events of the time before"),
                }
            }
            let taken = hand_on(&db, &owner, &subscribers, now).unwrap_or_else(|error| {
                tracing::warn!(%error, "handing on events");
                0
            });
            if taken > 0 {
                if taken < BATCH {
                    std::thread::sleep(PACE.min(Duration::from_millis(taken.unsigned_abs())));
                }
                return Duration::ZERO;
            }
            let oldest = db.read_here(events::oldest).ok().flatten();
            lag.store(oldest.map_or(0, |at| (now.millis() - at.millis()).max(0)), Ordering::Relaxed);
            IDLE
        })?;
        Ok(Self { lag_ms, _listener: background.listen(&events::BELL), _background: background })
    }

    /// The age of the oldest waiting event, in milliseconds.
    pub fn lag(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.lag_ms)
    }
}

/// Hands on what is due, a batch at most; says how many events that were.
fn hand_on(db: &Db, owner: &str, subscribers: &[Arc<dyn Subscriber>], now: Timestamp) -> Result<i64> {
    // An idle database is only read: a claim would be a write, and a commit, four times a second.
    if db.read_here(events::oldest)?.is_none() {
        return Ok(0);
    }
    let until = Timestamp::from_millis(now.millis() + LEASE_MS);
    let me = owner.to_owned();
    let mut claimed = match db.backend() {
        Backend::Sqlite => db.read_here(|conn| events::due(conn, now, BATCH))?,
        Backend::Postgres => db.write_here(move |conn| events::claim(conn, &me, now, until, BATCH))?,
    };
    let count = i64::try_from(claimed.len()).unwrap_or(BATCH);
    while !claimed.is_empty() {
        let rest = claimed.split_off(claimed.len().min(TOGETHER));
        let part = Arc::new(std::mem::replace(&mut claimed, rest));
        let took = take_part(db, owner, subscribers, part, now, until)?;
        if db.is_waited_for() {
            std::thread::sleep((took * REST).min(LONGEST_REST));
        }
    }
    Ok(count)
}

/// Hands on some of the claimed events, in a transaction; answers how long that took of it.
fn take_part(
    db: &Db,
    owner: &str,
    subscribers: &[Arc<dyn Subscriber>],
    part: Arc<Vec<Claimed>>,
    now: Timestamp,
    until: Timestamp,
) -> Result<Duration> {
    // Read before the transaction: on SQLite others wait for that.
    let read: Vec<Event> = part.iter().map(Claimed::event).collect();
    let (me, those, taken) = (owner.to_owned(), subscribers.to_vec(), Arc::clone(&part));
    let done = db.write_here(move |conn| {
        let begun = Instant::now();
        take(conn, &me, &those, &taken, &read, now)?;
        Ok(begun.elapsed())
    });
    if done.is_err() {
        // What fails as a whole keeps nobody else waiting; where that cannot be written either, it is due as before.
        let me = owner.to_owned();
        let held = db.write_here(move |conn| part.iter().try_for_each(|this| events::put_back(conn, &me, this, until)));
        if let Err(error) = held {
            tracing::warn!(%error, "putting back events");
        }
    }
    done
}

/// Hands on claimed events in one transaction: all together, or else each by itself.
fn take(
    conn: &mut Conn,
    owner: &str,
    subscribers: &[Arc<dyn Subscriber>],
    claimed: &[Claimed],
    read: &[Event],
    now: Timestamp,
) -> Result<()> {
    let together = db::savepoint(conn, |conn| {
        if !events::finish_all(conn, owner, claimed)? {
            return Err(db::Error::Fault("another worker has some of them by now".to_owned()));
        }
        subscribers.iter().try_for_each(|subscriber| subscriber.take_all(conn, read))
    });
    match together {
        Ok(()) => Ok(()),
        Err(error) => {
            tracing::debug!(%error, "events that were not taken together");
            take_each(conn, owner, subscribers, claimed, read, now)
        }
    }
}

/// Hands on claimed events, each in a part of its own: one that is not taken waits, with those of its entity that come after
/// it, and stops no other.
fn take_each(
    conn: &mut Conn,
    owner: &str,
    subscribers: &[Arc<dyn Subscriber>],
    claimed: &[Claimed],
    read: &[Event],
    now: Timestamp,
) -> Result<()> {
    let mut waiting: HashMap<_, Timestamp> = HashMap::new();
    for (this, event) in claimed.iter().zip(read) {
        if let Some(due) = waiting.get(&this.subject()) {
            events::put_back(conn, owner, this, *due)?;
            continue;
        }
        let taken = db::savepoint(conn, |conn| {
            if !events::finish(conn, owner, this)? {
                return Ok(());
            }
            subscribers.iter().try_for_each(|subscriber| subscriber.take(conn, event))
        });
        if let Err(error) = taken {
            tracing::warn!(%error, event = this.id, attempts = this.attempts, "an event was not taken");
            let wait = FIRST_RETRY_MS.saturating_mul(1 << this.attempts.clamp(0, 16)).min(LAST_RETRY_MS);
            let due = Timestamp::from_millis(now.millis() + wait);
            events::put_back(conn, owner, this, due)?;
            waiting.insert(this.subject(), due);
        }
    }
    Ok(())
}
