//! The streams of this process, and the thread that fills them.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use base::{
    problem::Problem,
    share::{Kind, Lease, Party, Pool},
    timestamp::Timestamp,
    turns::Turns,
};
use bytes::Bytes;
use db::{Bell, Db, Result};
use outbox::Background;
use tokio::sync::mpsc;

use crate::{
    row::{Change, StreamScope},
    store, wire,
};

/// How many streams one key has at most, and all together in this process; those of a tenant leave room for others
/// ([`base::share`]).
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
pub struct Hub {
    streams: Mutex<HashMap<u64, OpenStream>>,
    room: Arc<Pool>,
    next: AtomicU64,
    /// Changed while the streams are locked.
    closed: AtomicBool,
}

impl Default for Hub {
    fn default() -> Self {
        let room = Pool::new(Kind::ChangeStreams, MOST, 1, 0);
        Self { streams: Mutex::default(), room, next: AtomicU64::default(), closed: AtomicBool::default() }
    }
}

/// An open stream, and the number of the last change it was sent.
struct OpenStream {
    watched: StreamScope,
    seq: i64,
    only: Vec<&'static str>,
    out: mpsc::Sender<Bytes>,
}

impl OpenStream {
    /// The events for those changes that it has not been sent yet and asked for.
    fn events(&self, changes: &[(i64, Change)]) -> String {
        let wanted = |change: &Change| self.only.is_empty() || self.only.contains(&change.entity.as_str());
        let new = changes.iter().filter(|(seq, change)| *seq > self.seq && wanted(change));
        new.map(|(seq, change)| wire::event(*seq, change)).collect()
    }
}

/// A stream that the hub feeds; it leaves when dropped.
pub struct Subscription {
    hub: Arc<Hub>,
    number: u64,
    _room: Lease,
    /// The events to send.
    pub events: mpsc::Receiver<Bytes>,
}

impl Subscription {
    /// The number of the last change that it was sent, or did not ask for; `None` when the hub let it go. All events up
    /// to it are in [`Subscription::events`] by then.
    pub fn position(&self) -> Option<i64> {
        self.hub.lock().get(&self.number).map(|stream| stream.seq)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.lock().remove(&self.number);
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, OpenStream>> {
        base::lock(&self.streams)
    }

    /// Adds a stream that was sent all changes up to `seq`.
    ///
    /// # Errors
    /// 503 when its party has too many, or its tenant, or the process.
    pub fn enter(
        self: &Arc<Self>,
        watched: StreamScope,
        party: &Arc<Party>,
        seq: i64,
        only: Vec<&'static str>,
    ) -> Result<Subscription, Problem> {
        let detail = "Too many streams of changes are open. Try again when one has ended.";
        let room = self.room.try_take(party, 1).map_err(|_| Problem::unavailable(detail))?;
        if party.held(Kind::ChangeStreams) > MOST_OF_ONE {
            return Err(Problem::unavailable(detail));
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (out, events) = mpsc::channel(BEHIND);
        let mut streams = self.lock();
        if self.closed.load(Ordering::Relaxed) {
            return Err(Problem::unavailable("The service stops. Try again in a moment."));
        }
        streams.insert(number, OpenStream { watched, seq, only, out });
        drop(streams);
        Ok(Subscription { hub: Arc::clone(self), number, _room: room, events })
    }

    /// Ends all streams, and lets no more in: the service stops. Each client is told when to come back, not all at
    /// once.
    pub fn close(&self) {
        let mut streams = self.lock();
        self.closed.store(true, Ordering::Relaxed);
        for (number, stream) in streams.drain() {
            let _ = stream.out.try_send(Bytes::from(wire::retry(1_000 + number % 8 * 250)));
        }
    }

    /// Sends new changes to all streams, tenant after tenant; true when there may be more.
    fn look(&self, db: &Db, turns: &mut Turns, now: Timestamp) -> Result<bool> {
        let mut behind: HashMap<StreamScope, i64> = HashMap::new();
        for stream in self.lock().values() {
            let from = behind.entry(stream.watched.clone()).or_insert(stream.seq);
            *from = stream.seq.min(*from);
        }
        if behind.is_empty() {
            return Ok(false);
        }
        let heads = db.read_here(|conn| store::heads(conn, now.millis()))?;
        behind.retain(|watched, seq| heads.get(watched).is_some_and(|head| head > seq));
        let mut by_tenant: BTreeMap<String, Vec<(StreamScope, i64)>> = BTreeMap::new();
        for (watched, seq) in behind {
            by_tenant.entry(watched.tenant.clone()).or_default().push((watched, seq));
        }
        let mut more = false;
        for tenant in turns.order(by_tenant.keys().cloned(), now.millis()) {
            match self.tell(db, by_tenant.remove(&tenant).unwrap_or_default()) {
                Ok(is_more) => {
                    turns.succeed(&tenant);
                    more |= is_more;
                }
                Err(error) => {
                    let pause_ms = turns.fail(&tenant, now.millis());
                    tracing::warn!(%error, tenant, pause_ms, "the streams of a tenant are not told");
                }
            }
        }
        Ok(more)
    }

    /// Sends changes to the streams that watch one tenant, or a partner and its clients; true when there may be more.
    fn tell(&self, db: &Db, behind: Vec<(StreamScope, i64)>) -> Result<bool> {
        let mut more = false;
        for (watched, seq) in behind {
            let changes = db.read_here(|conn| store::after(conn, &watched, seq, &[], BATCH))?;
            more |= i64::try_from(changes.len()).is_ok_and(|count| count == BATCH);
            let last = changes.last().map_or(seq, |(seq, _)| *seq);
            self.lock().retain(|_, stream| {
                if stream.watched != watched || stream.seq >= last {
                    return true;
                }
                let events = stream.events(&changes);
                stream.seq = last;
                // Full: it is too far behind. Its client comes back, and begins where it was.
                events.is_empty() || stream.out.try_send(events.into()).is_ok()
            });
        }
        Ok(more)
    }
}

/// The thread that fills streams; it stops when dropped.
pub struct Broadcaster {
    _listener: Option<db::Listener>,
    _background: Background,
}

impl Broadcaster {
    /// Starts the thread. `clock` tells the time.
    ///
    /// # Errors
    /// When there is no further thread.
    pub fn start(db: Db, hub: Arc<Hub>, clock: impl Fn() -> Timestamp + Send + 'static) -> std::io::Result<Self> {
        let mut turns = Turns::default();
        let background =
            Background::repeat("changes", IDLE, "looking for changes", move || hub.look(&db, &mut turns, clock()))?;
        Ok(Self { _listener: background.listen(&BELL), _background: background })
    }
}

#[cfg(test)]
mod tests {
    use base::share::Parties;

    use super::*;

    fn enter(hub: &Arc<Hub>, party: &Arc<Party>) -> Option<Subscription> {
        let watched = StreamScope { tenant: "client_1".to_owned(), all: false };
        hub.enter(watched, party, 0, Vec::new()).ok()
    }

    #[test]
    fn the_streams_of_a_tenant_leave_room_for_others() {
        let hub = Arc::new(Hub::default());
        let parties = Parties::default();
        let keys: Vec<_> = (0..40).map(|key| parties.of_key("client_1", &key.to_string())).collect();
        let of_one: Vec<_> = (0..MOST_OF_ONE + 5).filter_map(|_| enter(&hub, &keys[0])).collect();
        assert_eq!(of_one.len(), MOST_OF_ONE);
        let greedy: Vec<_> =
            keys[1..].iter().flat_map(|key| (0..MOST_OF_ONE).filter_map(|_| enter(&hub, key))).collect();
        let count = of_one.len() + greedy.len();
        assert!((MOST / 2..=MOST * 2 / 3 + 1).contains(&count), "{count}");
        let good = parties.of_key("client_2", "one");
        let streams: Vec<_> = (0..MOST_OF_ONE).filter_map(|_| enter(&hub, &good)).collect();
        assert_eq!(streams.len(), MOST_OF_ONE);
        drop(streams);
        assert_eq!(good.held(Kind::ChangeStreams), 0);
    }
}
