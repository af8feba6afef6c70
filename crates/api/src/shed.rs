//! What is under way, and who may have how much of it. Beyond its share a request waits for a moment, and is refused
//! then, with 503 and `Retry-After`, so that those of others are answered as fast as ever, and memory stays flat.
//!
//! Who shares is a [`Party`]: the key of the caller, within its tenant, or the address of one who is not known. How
//! much it may have is one rule ([`base::share`]) for four things, since each has its own way to last long: requests
//! that are worked on; bodies that are awaited, which a client may stall; streamed lists, which a client may read
//! slowly while each holds a connection of the database; and the memory that all of them hold. A request is in one
//! state at a time: while its body is awaited it is not counted as worked on. What it holds in memory counts until its
//! answer is sent.

mod arrival;
mod pace;
mod pauses;
mod ticket;

use std::{
    cell::RefCell,
    collections::HashMap,
    net::IpAddr,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use base::{
    problem::Problem,
    share::{ExceededShare, Kind, Lease, Parties, Party, Pool},
};
use tokio::time::{Instant, timeout};

use self::pace::Pace;
pub use self::ticket::{Ticket, current};
pub(crate) use self::{
    arrival::AddressTurns,
    pauses::Pauses,
    ticket::{Entry, answer},
};
use crate::Caller;

/// How long a request waits for those of others to be done before it is refused.
const PATIENCE: Duration = Duration::from_millis(15);

/// How long it waits for others of the same caller: to wait is cheaper than to ask again.
const PATIENCE_WITH_OWN: Duration = Duration::from_millis(20);

/// Where turns come so fast that its own comes within this time, it waits for it, which spares both sides refusals; and
/// at most for a second, since the pace may change.
const SOON: Duration = Duration::from_millis(500);
const PATIENCE_IN_LINE: Duration = Duration::from_secs(1);

/// How long it waits where its client has made a pause: nobody is told to come back, does, and is refused then.
const PATIENCE_AFTER_PAUSE: Duration = Duration::from_secs(5);

/// So many times as many requests may wait as may be worked on; beyond them one is refused at once.
const WAITING_FACTOR: usize = 16;

/// One caller may have three of four requests that are worked on: they end soon.
const REQUEST_SHARE: usize = 3;

/// What a body that is awaited takes besides its bytes: what the connection has read ahead.
pub(crate) const BODY_OVERHEAD: usize = 32 << 10;

/// What a streamed list takes: the pieces on their way.
const STREAM_MEMORY: usize = 512 << 10;

/// Connections that are set up and heads of requests that are read in one round of what the threads have ready; and how
/// many more may wait for another.
const ARRIVALS: usize = 256;
const ARRIVALS_WAITING: usize = 8192;

/// How much may be under way in one process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests that are worked on.
    pub requests: usize,
    /// Bodies that are awaited.
    pub bodies: usize,
    /// Bytes that requests and connections hold.
    pub memory: usize,
    /// Streamed lists, each of which holds a connection of the database.
    pub streams: usize,
    /// How long a request may be worked on; its body and a streamed answer are not counted.
    pub time: Duration,
}

impl Limits {
    /// What suits this many worker threads, and a database that lets so many long lists be read.
    pub fn for_size(workers: usize, streams: usize) -> Self {
        Self { requests: 64 * workers.max(1), bodies: 1024, memory: 112 << 20, streams, time: Duration::from_secs(10) }
    }
}

/// Why a request was refused or a connection closed, for the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Too many requests are worked on.
    Requests,
    /// Too many bodies are awaited.
    Bodies,
    /// Too much memory is held.
    Memory,
    /// Too many lists are streamed.
    Streams,
    /// Too many requests of one caller or tenant are worked on.
    RequestsShare,
    /// Too many bodies of one caller or tenant are awaited.
    BodiesShare,
    /// One caller or tenant holds too much memory.
    MemoryShare,
    /// Too many lists of one caller or tenant are streamed.
    StreamsShare,
    /// Too many requests of one connection are under way.
    Connection,
    /// A client does not read its answers.
    Unread,
    /// It was worked on for too long.
    Time,
}

impl Reason {
    /// All reasons, in the order in which they are counted.
    pub const ALL: [Self; 11] = [
        Self::Requests,
        Self::Bodies,
        Self::Memory,
        Self::Streams,
        Self::RequestsShare,
        Self::BodiesShare,
        Self::MemoryShare,
        Self::StreamsShare,
        Self::Connection,
        Self::Unread,
        Self::Time,
    ];

    /// The word in the metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Bodies => "bodies",
            Self::Memory => "memory",
            Self::Streams => "streams",
            Self::RequestsShare => "requests_share",
            Self::BodiesShare => "bodies_share",
            Self::MemoryShare => "memory_share",
            Self::StreamsShare => "streams_share",
            Self::Connection => "connection",
            Self::Unread => "unread",
            Self::Time => "time",
        }
    }

    fn of(kind: Kind, full: ExceededShare) -> Self {
        match (kind, full) {
            (Kind::Bodies, ExceededShare::Everything) => Self::Bodies,
            (Kind::Memory, ExceededShare::Everything) => Self::Memory,
            (Kind::Streams, ExceededShare::Everything) => Self::Streams,
            (_, ExceededShare::Everything) => Self::Requests,
            (Kind::Bodies, _) => Self::BodiesShare,
            (Kind::Memory, _) => Self::MemoryShare,
            (Kind::Streams, _) => Self::StreamsShare,
            _ => Self::RequestsShare,
        }
    }
}

/// What is under way in this process, and how much of it may be.
#[derive(Debug)]
pub struct LoadGate {
    time: Duration,
    requests: Arc<Pool>,
    bodies: Arc<Pool>,
    memory: Arc<Pool>,
    streams: Arc<Pool>,
    arrivals: Arc<Pool>,
    /// Answers that are not sent yet.
    pub(crate) answers: AtomicUsize,
    parties: Parties,
    service: Arc<Party>,
    pace: Pace,
    shed: [AtomicU64; Reason::ALL.len()],
    begun: Instant,
    /// The second in which the log was last told.
    last_logged: AtomicU64,
}

/// What is under way, now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadCounts {
    /// Requests that are worked on.
    pub requests: usize,
    /// Bodies that are awaited.
    pub bodies: usize,
    /// Lists that are streamed.
    pub streams: usize,
    /// Answers that are being sent and are more than a few kilobytes.
    pub answers: usize,
    /// Bytes that requests and connections hold.
    pub memory: usize,
}

impl LoadGate {
    /// A gate with nothing under way.
    pub fn new(limits: Limits) -> Self {
        let Limits { requests, bodies, memory, streams, time } = limits;
        let begun = Instant::now();
        Self {
            time,
            requests: Pool::new(Kind::Requests, requests, REQUEST_SHARE, requests * WAITING_FACTOR),
            bodies: Pool::new(Kind::Bodies, bodies, 1, 0),
            memory: Pool::new(Kind::Memory, memory, 1, 0),
            streams: Pool::new(Kind::Streams, streams, 1, 0),
            arrivals: Pool::new(Kind::Arrivals, ARRIVALS, 1, ARRIVALS_WAITING),
            answers: AtomicUsize::new(0),
            parties: Parties::default(),
            service: Party::service(),
            pace: Pace::new(begun, requests),
            shed: Default::default(),
            begun,
            last_logged: AtomicU64::new(0),
        }
    }

    /// What is under way, now.
    pub fn under_way(&self) -> LoadCounts {
        LoadCounts {
            requests: self.requests.used(),
            bodies: self.bodies.used(),
            streams: self.streams.used(),
            answers: self.answers.load(Ordering::Relaxed),
            memory: self.memory.used(),
        }
    }

    /// How many requests were refused for this reason.
    pub fn shed(&self, reason: Reason) -> u64 {
        self.shed[reason as usize].load(Ordering::Relaxed)
    }

    /// Those who come from an address.
    pub(crate) fn party_of(&self, address: IpAddr) -> Arc<Party> {
        self.parties.of_address(address)
    }

    /// The service itself, and a caller that stands for many, as a proxy does.
    pub(crate) fn service(&self) -> &Arc<Party> {
        &self.service
    }

    /// What lets connections begin, and heads be read.
    pub(crate) fn arrivals(&self) -> &Arc<Pool> {
        &self.arrivals
    }

    /// Takes memory for as long as the answer lives.
    pub(crate) fn take_memory(&self, party: &Arc<Party>, bytes: usize) -> Result<Lease, Reason> {
        self.memory.try_take(party, bytes).map_err(|full| Reason::of(Kind::Memory, full))
    }

    /// Waits for a moment, of a request that there was no room for.
    async fn wait_for_work(&self, party: &Arc<Party>, full: ExceededShare, entry: Entry) -> Result<(), Problem> {
        let own = full != ExceededShare::Everything;
        let now = Instant::now();
        let (_place, patience) = match entry {
            Entry::AfterPause => (Some(self.pace.wait(now)), PATIENCE_AFTER_PAUSE),
            _ if !own => (None, PATIENCE),
            _ => match self.pace.wait_within(SOON, now) {
                Some(place) => (Some(place), PATIENCE_IN_LINE),
                None => (None, PATIENCE_WITH_OWN),
            },
        };
        match timeout(patience, self.requests.take(party, 1)).await {
            Ok(Ok(lease)) => {
                lease.keep();
                self.pace.turn(Instant::now());
                Ok(())
            }
            Ok(Err(full)) => Err(self.refuse(Reason::of(Kind::Requests, full))),
            Err(_) => Err(self.refuse(Reason::of(Kind::Requests, full))),
        }
    }

    /// Takes a list in that is to be streamed for as long as its client reads.
    fn stream(self: &Arc<Self>, party: &Arc<Party>) -> Result<StreamLease, Problem> {
        let refuse = |kind, full| self.refuse(Reason::of(kind, full));
        let stream = self.streams.try_take(party, 1).map_err(|full| refuse(Kind::Streams, full))?;
        let memory = self.memory.try_take(party, STREAM_MEMORY).map_err(|full| refuse(Kind::Memory, full))?;
        Ok(StreamLease { _stream: stream, _memory: memory })
    }

    /// Counts a refusal, and says so in the log now and then.
    pub(crate) fn refuse(&self, reason: Reason) -> Problem {
        let so_far = self.shed[reason as usize].fetch_add(1, Ordering::Relaxed) + 1;
        // Under load there are thousands of these: one line a second says it all.
        let second = self.begun.elapsed().as_secs() + 1;
        if self.last_logged.swap(second, Ordering::Relaxed) != second {
            tracing::warn!(too_much = reason.as_str(), so_far, "requests are refused: the service is at its limit");
        }
        Problem::unavailable(match reason {
            Reason::Streams => "Too many lists are being read. Try again in a moment.",
            Reason::StreamsShare => "Too many lists of this caller are being read. Try again when one has ended.",
            Reason::RequestsShare | Reason::BodiesShare | Reason::Connection => {
                "This caller has as many requests under way as it may. Try again when one of them was answered."
            }
            Reason::MemoryShare => {
                "The requests of this caller, and the answers that it has not read, are too large together. Try again \
                 when some of them have ended."
            }
            Reason::Time => "The answer took too long. A write may still be carried out: read before you repeat it.",
            _ => "The service has as many requests under way as it can carry. Try again in a moment.",
        })
    }
}

/// Whose share the request of this task takes from; outside a request, nobody's.
pub fn party() -> Arc<Party> {
    current().map_or_else(Party::service, |ticket| ticket.party())
}

/// A list that is being streamed; dropped when its connection is free again.
#[derive(Debug)]
pub struct StreamLease {
    _stream: Lease,
    _memory: Lease,
}

/// How a list that may be long comes by its leave to be streamed: asked for on a request's task, used on any thread.
#[derive(Clone, Debug, Default)]
pub struct StreamPermit(Option<(Arc<LoadGate>, Arc<Party>)>);

impl StreamPermit {
    /// For the request that this task answers.
    pub fn of_this_request() -> Self {
        Self(current().map(|ticket| (Arc::clone(ticket.gate()), ticket.party())))
    }

    /// To be asked before the first byte of a list that is too long to be held in memory.
    pub fn take(&self) -> Result<Option<StreamLease>, Problem> {
        self.0.as_ref().map(|(gate, party)| gate.stream(party)).transpose()
    }
}

/// A party, as one worker thread has it: cloned without touching a count that all threads share.
pub(crate) type LocalParty = Rc<Arc<Party>>;

/// The keys that one worker thread met a moment ago, so that it finds their shares without asking the other threads.
#[derive(Debug, Default)]
pub(crate) struct KeyCache(RefCell<HashMap<String, LocalParty>>);

impl KeyCache {
    /// More keys than this are forgotten, and found again.
    const MOST: usize = 4096;

    /// The party of a caller.
    pub(crate) fn party(&self, gate: &LoadGate, caller: &Caller) -> LocalParty {
        let mut parties = self.0.borrow_mut();
        if let Some(party) = parties.get(&caller.key_id) {
            return Rc::clone(party);
        }
        if parties.len() >= Self::MOST {
            parties.clear();
        }
        let party = Rc::new(gate.parties.of_key(caller.home.as_str(), &caller.key_id));
        parties.insert(caller.key_id.clone(), Rc::clone(&party));
        party
    }
}

#[cfg(test)]
mod tests;
