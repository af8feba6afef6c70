//! A bound on what is under way. Beyond it a request waits for a moment, and is refused then, with 503 and
//! `Retry-After`, so that those that were let in are answered as fast as ever, and memory stays flat.
//!
//! It waits so shortly that a client hardly notices, and long enough for a burst to pass. To refuse at once would cost
//! more: a client that asks again as soon as it is refused asks thousands of times a second.
//!
//! Three things are bounded apart from each other, since each has its own way to last long: requests that are worked
//! on; bodies that are awaited, which a client may stall; and streamed lists, which a client may read slowly while
//! each holds a connection of the database. A request is in one state at a time: while its body is awaited it is not
//! counted as worked on.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use base::problem::{Problem, RateLimit};
use tokio::{
    sync::Semaphore,
    time::{Instant, Sleep, sleep_until, timeout},
};

/// How long a request waits for others to be done before it is refused.
const PATIENCE: Duration = Duration::from_millis(15);

/// So many times as many requests may wait as may be worked on; beyond them one is refused at once.
const WAITING: usize = 16;

/// How much may be under way in one process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests that are worked on.
    pub requests: usize,
    /// Bodies that are awaited; a quarter of them from callers without a token.
    pub bodies: usize,
    /// Bytes of bodies that are held in memory.
    pub body_bytes: usize,
    /// Streamed lists, each of which holds a connection of the database.
    pub streams: usize,
    /// How long a request may be worked on; its body and a streamed answer are not counted.
    pub time: Duration,
}

impl Limits {
    /// What suits this many worker threads and connections of the database.
    pub fn for_size(workers: usize, connections: u32) -> Self {
        Self {
            requests: 64 * workers.max(1),
            bodies: 1024,
            body_bytes: 64 << 20,
            streams: (connections as usize / 2).max(1),
            time: Duration::from_secs(10),
        }
    }
}

/// Why a request was refused, for the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Too many requests are worked on.
    Requests,
    /// Too many bodies are awaited.
    Bodies,
    /// The bodies in memory are too large together.
    Memory,
    /// Too many lists are streamed.
    Streams,
    /// It was worked on for too long.
    Time,
}

impl Reason {
    /// All reasons, in the order in which they are counted.
    pub const ALL: [Self; 5] = [Self::Requests, Self::Bodies, Self::Memory, Self::Streams, Self::Time];

    /// The word in the metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Bodies => "bodies",
            Self::Memory => "memory",
            Self::Streams => "streams",
            Self::Time => "time",
        }
    }
}

/// What is under way in this process, and how much of it may be.
#[derive(Debug)]
pub struct Gate {
    limits: Limits,
    /// A permit for every request that may still be taken on.
    requests: Semaphore,
    waiting: AtomicUsize,
    bodies: AtomicUsize,
    anonymous_bodies: AtomicUsize,
    body_bytes: AtomicUsize,
    streams: AtomicUsize,
    shed: [AtomicU64; Reason::ALL.len()],
    begun: Instant,
    /// The second in which the log was last told.
    told: AtomicU64,
}

impl Gate {
    /// A gate with nothing under way.
    pub fn new(limits: Limits) -> Self {
        let zero = AtomicUsize::default;
        Self {
            limits,
            requests: Semaphore::new(limits.requests),
            waiting: zero(),
            bodies: zero(),
            anonymous_bodies: zero(),
            body_bytes: zero(),
            streams: zero(),
            shed: Default::default(),
            begun: Instant::now(),
            told: AtomicU64::new(0),
        }
    }

    /// Requests worked on, bodies awaited, lists streamed, and bytes of bodies held.
    pub fn under_way(&self) -> [usize; 4] {
        let [bodies, streams, bytes] =
            [&self.bodies, &self.streams, &self.body_bytes].map(|count| count.load(Ordering::Relaxed));
        [self.limits.requests.saturating_sub(self.requests.available_permits()), bodies, streams, bytes]
    }

    /// How many requests were refused for this reason.
    pub fn shed(&self, reason: Reason) -> u64 {
        self.shed[reason as usize].load(Ordering::Relaxed)
    }

    /// Takes a request in.
    pub async fn enter(self: &Arc<Self>) -> Result<Rc<Ticket>, Problem> {
        self.begin_work().await?;
        Ok(self.ticket(State::Working))
    }

    async fn begin_work(&self) -> Result<(), Problem> {
        if let Ok(permit) = self.requests.try_acquire() {
            permit.forget();
            return Ok(());
        }
        self.take(&self.waiting, 1, self.limits.requests * WAITING, Reason::Requests)?;
        // Given back also when the client goes away meanwhile.
        let _waiting = Waiting(&self.waiting);
        match timeout(PATIENCE, self.requests.acquire()).await {
            Ok(Ok(permit)) => {
                permit.forget();
                Ok(())
            }
            _ => Err(self.refuse(Reason::Requests)),
        }
    }

    /// Takes in a request that is always let in (health, metrics).
    pub fn enter_always(self: &Arc<Self>) -> Rc<Ticket> {
        self.ticket(State::Uncounted)
    }

    fn ticket(self: &Arc<Self>, state: State) -> Rc<Ticket> {
        Rc::new(Ticket {
            gate: Arc::clone(self),
            state: Cell::new(state),
            authenticated: Cell::new(false),
            body_bytes: Cell::new(0),
            deadline: Cell::new(None),
            route: Cell::new(0),
            quota: Cell::new(None),
        })
    }

    /// Takes a list in that is to be streamed for as long as its client reads.
    fn stream(self: &Arc<Self>) -> Result<Streaming, Problem> {
        self.take(&self.streams, 1, self.limits.streams, Reason::Streams)?;
        Ok(Streaming(Arc::clone(self)))
    }

    fn take(&self, count: &AtomicUsize, more: usize, limit: usize, reason: Reason) -> Result<(), Problem> {
        if count.fetch_add(more, Ordering::Relaxed) + more <= limit {
            return Ok(());
        }
        count.fetch_sub(more, Ordering::Relaxed);
        Err(self.refuse(reason))
    }

    fn refuse(&self, reason: Reason) -> Problem {
        let so_far = self.shed[reason as usize].fetch_add(1, Ordering::Relaxed) + 1;
        // Under load there are thousands of these: one line a second says it all.
        let second = self.begun.elapsed().as_secs() + 1;
        if self.told.swap(second, Ordering::Relaxed) != second {
            tracing::warn!(too_much = reason.as_str(), so_far, "requests are refused: the service is at its limit");
        }
        Problem::unavailable(match reason {
            Reason::Streams => "Too many lists are being read. Try again in a moment.",
            Reason::Time => "The answer took too long. A write may still be carried out: read before you repeat it.",
            _ => "The service has as many requests under way as it can carry. Try again in a moment.",
        })
    }
}

struct Waiting<'g>(&'g AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A list that is being streamed; dropped when its connection is free again.
#[derive(Debug)]
pub struct Streaming(Arc<Gate>);

impl Drop for Streaming {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Counted among the requests.
    Working,
    /// Counted among the bodies, and among the anonymous ones when `anonymous`.
    Reading { anonymous: bool },
    /// Not counted: done, or always let in.
    Uncounted,
}

/// One request that was let in, and what the layers around it tell each other of it.
#[derive(Debug)]
pub struct Ticket {
    gate: Arc<Gate>,
    state: Cell<State>,
    authenticated: Cell<bool>,
    body_bytes: Cell<usize>,
    /// When it will have been worked on for too long; set when its body is complete.
    deadline: Cell<Option<Instant>>,
    /// The number of its route in the metrics; 0 for one that has none.
    pub route: Cell<usize>,
    /// What is left of its caller's quota.
    pub quota: Cell<Option<RateLimit>>,
}

tokio::task_local! {
    static CURRENT: Rc<Ticket>;
}

/// The ticket of the request that this task answers; `None` outside one.
pub fn current() -> Option<Rc<Ticket>> {
    CURRENT.try_with(Rc::clone).ok()
}

impl Ticket {
    /// The caller is known: its bodies count as those of one who may call.
    pub fn authenticated(&self) {
        self.authenticated.set(true);
    }

    /// From now on the body is awaited.
    pub fn begin_body(&self) -> Result<(), Problem> {
        if self.state.get() != State::Working {
            return Ok(());
        }
        let gate = &self.gate;
        let anonymous = !self.authenticated.get();
        if anonymous {
            gate.take(&gate.anonymous_bodies, 1, gate.limits.bodies.div_ceil(4), Reason::Bodies)?;
        }
        if let Err(problem) = gate.take(&gate.bodies, 1, gate.limits.bodies, Reason::Bodies) {
            if anonymous {
                gate.anonymous_bodies.fetch_sub(1, Ordering::Relaxed);
            }
            return Err(problem);
        }
        self.leave();
        self.state.set(State::Reading { anonymous });
        Ok(())
    }

    /// So many more bytes of the body are held in memory until the request is answered.
    pub fn hold(&self, bytes: usize) -> Result<(), Problem> {
        self.gate.take(&self.gate.body_bytes, bytes, self.gate.limits.body_bytes, Reason::Memory)?;
        self.body_bytes.set(self.body_bytes.get() + bytes);
        Ok(())
    }

    /// The body is complete, and the request is worked on again.
    pub async fn end_body(&self) -> Result<(), Problem> {
        if !matches!(self.state.get(), State::Reading { .. }) {
            return Ok(());
        }
        self.deadline.set(Some(Instant::now() + self.gate.limits.time));
        self.leave();
        self.gate.begin_work().await?;
        self.state.set(State::Working);
        Ok(())
    }

    /// For an operation that works on its body while it arrives, and says by itself how long that may last: it is
    /// counted among the bodies to its end.
    pub fn streams_its_body(&self) -> Result<(), Problem> {
        self.begin_body()
    }

    /// The answer is ready: what the request held is free.
    pub fn finish(&self) {
        self.leave();
        self.gate.body_bytes.fetch_sub(self.body_bytes.replace(0), Ordering::Relaxed);
    }

    fn leave(&self) {
        match self.state.replace(State::Uncounted) {
            State::Working => self.gate.requests.add_permits(1),
            State::Reading { anonymous } => {
                self.gate.bodies.fetch_sub(1, Ordering::Relaxed);
                if anonymous {
                    self.gate.anonymous_bodies.fetch_sub(1, Ordering::Relaxed);
                }
            }
            State::Uncounted => {}
        }
    }

    /// When to look again whether this took too long; `None` when it did.
    fn look_again(&self, now: Instant) -> Option<Instant> {
        match self.state.get() {
            // The body has a time limit of its own.
            State::Reading { .. } => Some(now + self.gate.limits.time),
            _ => self.deadline.get().filter(|deadline| *deadline > now),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Answers a request under its ticket, within the time that it has.
///
/// What a request began on another thread goes on when its time is over: a write that was accepted may still be
/// carried out.
pub async fn answer<F: Future>(ticket: Rc<Ticket>, future: F) -> Result<F::Output, Problem> {
    let output = CURRENT.scope(Rc::clone(&ticket), in_time(&ticket, future)).await;
    ticket.finish();
    output
}

async fn in_time<F: Future>(ticket: &Ticket, future: F) -> Result<F::Output, Problem> {
    let begun = Instant::now();
    let mut future = pin!(future);
    // Most requests are answered at the first poll and never need it.
    let mut timer = pin!(None::<Sleep>);
    poll_fn(|context| {
        if let Poll::Ready(output) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        if timer.is_none() {
            timer.set(Some(sleep_until(begun + ticket.gate.limits.time)));
        }
        while let Some(mut sleep) = timer.as_mut().as_pin_mut() {
            if sleep.as_mut().poll(context).is_pending() {
                break;
            }
            match ticket.look_again(Instant::now()) {
                Some(next) => sleep.reset(next),
                None => return Poll::Ready(Err(ticket.gate.refuse(Reason::Time))),
            }
        }
        Poll::Pending
    })
    .await
}

/// How a list that may be long comes by its leave to be streamed: asked for on a request's task, used on any thread.
#[derive(Clone, Debug, Default)]
pub struct StreamLeave(Option<Arc<Gate>>);

impl StreamLeave {
    /// For the request that this task answers.
    pub fn of_this_request() -> Self {
        Self(current().map(|ticket| Arc::clone(&ticket.gate)))
    }

    /// To be asked before the first byte of a list that is too long to be held in memory.
    pub fn take(&self) -> Result<Option<Streaming>, Problem> {
        self.0.as_ref().map(Gate::stream).transpose()
    }
}

#[cfg(test)]
mod tests;
