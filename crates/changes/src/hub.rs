//! The streams of this process, and the thread that fills them.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use base::{problem::Problem, timestamp::Timestamp};
use bytes::Bytes;
use db::{Bell, Db, Result};
use outbox::Background;
use tokio::sync::mpsc;

use crate::{
    row::{Change, Watched},
    store, wire,
};

/// How many streams one key has at most, and all together in this process.
const MOST_OF_ONE: usize = 100;
const MOST: usize = 2_000;
/// How many pieces a stream may be behind. One that is further behind ends: its client comes back for the rest.
const BEHIND: usize = 16;
/// How many changes one look takes.
const BATCH: i64 = 500;
/// How long to wait between two looks, for what other processes store; what this one stores wakes it.
const IDLE: Duration = Duration::from_millis(500);

/// Rings when there are new changes.
pub(crate) static BELL: Bell = Bell::new();

/// The streams that are open.
#[derive(Default)]
pub struct Hub {
    streams: Mutex<HashMap<u64, Open>>,
    next: AtomicU64,
    /// Changed while the streams are locked.
    closed: AtomicBool,
}

/// A stream, and up to where it has been told.
struct Open {
    watched: Watched,
    key: String,
    seq: i64,
    only: Vec<String>,
    out: mpsc::Sender<Bytes>,
}

impl Open {
    /// What of these changes it has not been told yet and asks for.
    fn events(&self, changes: &[(i64, Change)]) -> String {
        let wanted = |change: &Change| self.only.is_empty() || self.only.contains(&change.entity);
        let new = changes.iter().filter(|(seq, change)| *seq > self.seq && wanted(change));
        new.map(|(seq, change)| wire::event(*seq, change)).collect()
    }
}

/// A stream that the hub feeds; it leaves when dropped.
pub struct Subscription {
    hub: Arc<Hub>,
    number: u64,
    /// What it is told.
    pub events: mpsc::Receiver<Bytes>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.lock().remove(&self.number);
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Open>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a stream in, which was told all up to `seq`.
    ///
    /// # Errors
    /// 503 when its key has too many, or the process.
    pub fn enter(
        self: &Arc<Self>,
        watched: Watched,
        key: &str,
        seq: i64,
        only: Vec<String>,
    ) -> Result<Subscription, Problem> {
        let mut streams = self.lock();
        if self.closed.load(Ordering::Relaxed) {
            return Err(Problem::unavailable("The service stops. Try again in a moment."));
        }
        if streams.len() >= MOST || streams.values().filter(|open| open.key == key).count() >= MOST_OF_ONE {
            let detail = "Too many streams of changes are open. Try again when one has ended.";
            return Err(Problem::unavailable(detail));
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (out, events) = mpsc::channel(BEHIND);
        streams.insert(number, Open { watched, key: key.to_owned(), seq, only, out });
        Ok(Subscription { hub: Arc::clone(self), number, events })
    }

    /// Ends all streams, and lets no more in: the service stops. Each client is told when to come back, not all at
    /// once.
    pub fn close(&self) {
        let mut streams = self.lock();
        self.closed.store(true, Ordering::Relaxed);
        for (number, open) in streams.drain() {
            let _ = open.out.try_send(Bytes::from(wire::retry(1_000 + number % 8 * 250)));
        }
    }

    /// Tells all streams what is new to them.
    fn look(&self, db: &Db, now: Timestamp) -> Result<()> {
        let mut behind: HashMap<Watched, i64> = HashMap::new();
        for open in self.lock().values() {
            let from = behind.entry(open.watched.clone()).or_insert(open.seq);
            *from = open.seq.min(*from);
        }
        if behind.is_empty() {
            return Ok(());
        }
        let heads = db.read_here(|conn| store::heads(conn, now.millis()))?;
        behind.retain(|watched, seq| heads.get(watched).is_some_and(|head| head > seq));
        for (watched, seq) in behind {
            let changes = db.read_here(|conn| store::after(conn, &watched, seq, BATCH))?;
            let last = changes.last().map_or(seq, |(seq, _)| *seq);
            self.lock().retain(|_, open| {
                if open.watched != watched || open.seq >= last {
                    return true;
                }
                let events = open.events(&changes);
                open.seq = last;
                // Full: it is too far behind. Its client comes back, and begins where it was.
                events.is_empty() || open.out.try_send(events.into()).is_ok()
            });
        }
        Ok(())
    }
}

/// The thread that fills streams; it stops when dropped.
pub struct Teller {
    _listener: Option<db::Listener>,
    _background: Background,
}

impl Teller {
    /// Starts the thread. `clock` tells the time.
    ///
    /// # Errors
    /// When there is no further thread.
    pub fn start(db: Db, hub: Arc<Hub>, clock: impl Fn() -> Timestamp + Send + 'static) -> std::io::Result<Self> {
        let background = Background::start("changes", move || {
            if let Err(error) = hub.look(&db, clock()) {
                tracing::warn!(%error, "looking for changes");
            }
            IDLE
        })?;
        Ok(Self { _listener: background.listen(&BELL), _background: background })
    }
}
