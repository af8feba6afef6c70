//! A connection of a client: what it costs, and what of it is read when.
//!
//! Below the protocols of actix. A client that takes nothing of its answers is cut off, what waits to be sent to it
//! counts as memory of its address ([`socket`]), and over HTTP/1.1 the next request is not read before the last is
//! answered ([`stream`]).

mod arrival;
mod head;
mod socket;
mod stream;
mod turns;

use std::{
    cell::{Cell, RefCell},
    io,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use base::share::{Lease, Pool};
use tokio::time::Instant;

use self::turns::Turn;
pub(crate) use self::{
    arrival::{Arrival, release_after_round},
    socket::Socket,
    stream::Stream,
    turns::Framing,
};
use crate::shed::{Gate, LocalParty};

/// Requests of one connection that are answered at once (HTTP/2 streams); more are refused.
pub(crate) const MOST_IN_FLIGHT: usize = 128;

/// Refusals that cost a client no pause, and how long the pause is that follows them: the first, doubled with each, and
/// the longest, which is what `Retry-After` says.
const FREE_REFUSALS: u32 = 2;
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What such a request takes, also one that is refused, until its answer is sent.
const IN_FLIGHT: usize = 4 << 10;

/// What the layers above know of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    party: LocalParty,
    arrivals: Arc<Pool>,
    /// It holds one of these, since it was its address's turn.
    arrived: Cell<bool>,
    in_flight: Cell<usize>,
    /// The client does not take what was written.
    blocked: Cell<bool>,
    closed: Cell<bool>,
    /// Whether requests come beside each other (HTTP/2).
    multiplexed: Cell<bool>,
    wakers: RefCell<Vec<Waker>>,
    /// What comes next from the client (HTTP/1.1).
    turn: RefCell<Turn>,
    /// The next request, or the body of this one, is here and waits for its turn.
    ahead: Cell<bool>,
    /// The head of a request is passed on, and the request has not begun.
    begins: Cell<bool>,
    /// Requests that were refused one after the other, because too much was under way.
    refusals: Cell<u32>,
    /// Until when the next request waits.
    pause: Cell<Option<Instant>>,
    /// It has waited so long, and was not passed on yet.
    paused: Cell<bool>,
}

impl Connection {
    fn new(party: LocalParty, arrivals: Arc<Pool>) -> Self {
        let arrived = Cell::default();
        let in_flight = Default::default();
        let blocked = Default::default();
        let closed = Default::default();
        let multiplexed = Default::default();
        let wakers = Default::default();
        let turn = Default::default();
        let ahead = Default::default();
        let begins = Default::default();
        let refusals = Default::default();
        let pause = Default::default();
        let paused = Default::default();
        Self {
            party,
            arrivals,
            arrived,
            in_flight,
            blocked,
            closed,
            multiplexed,
            wakers,
            turn,
            ahead,
            begins,
            refusals,
            pause,
            paused,
        }
    }

    /// The share of the address at its other end.
    pub(crate) fn party(&self) -> &LocalParty {
        &self.party
    }

    /// Another request, whose body ends as told, until what this answers is dropped.
    pub(crate) fn request(self: &Rc<Self>, framing: Framing, gate: &Gate) -> InFlight {
        self.turn.borrow_mut().begin(framing);
        self.begins.set(false);
        self.go_on();
        self.end_turn();
        let before = self.in_flight.get();
        self.in_flight.set(before + 1);
        // Beside each other there may be thousands; one after the other is in what the connection takes.
        let memory = self.multiplexed.get().then(|| gate.remember(&self.party, IN_FLIGHT));
        if let Some(Err(reason)) = &memory {
            gate.refuse(*reason);
            self.close();
        }
        let _memory = memory.and_then(Result::ok);
        let too_many = before >= MOST_IN_FLIGHT;
        let paused = self.paused.take();
        InFlight { connection: Rc::clone(self), too_many, paused, _memory }
    }

    /// Ready when the client takes what is written; an error when it is gone.
    pub(crate) fn poll_open(&self, context: &Context<'_>) -> Poll<io::Result<()>> {
        if self.closed.get() {
            return Poll::Ready(Err(closed()));
        }
        if self.blocked.get() {
            self.wait(context);
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// An answer is ready. Whoever was refused several times without a pause, in spite of `Retry-After`, makes one:
    /// their next request is not read before, and has a place in the line then.
    pub(crate) fn answered(&self, refused: bool) {
        let refusals = if refused { self.refusals.get().saturating_add(1) } else { 0 };
        self.refusals.set(refusals);
        if let Some(beyond) = refusals.checked_sub(FREE_REFUSALS + 1) {
            let pause = SHORTEST_PAUSE.saturating_mul(1 << beyond.min(8)).min(LONGEST_PAUSE);
            self.pause.set(Some(Instant::now() + pause));
        }
    }

    /// Requests come beside each other from now on.
    pub(crate) fn multiplex(&self) {
        self.multiplexed.set(true);
    }

    /// How many bytes there may be of what comes next from the client; none when it has to wait.
    fn expects(&self) -> u64 {
        let mut turn = self.turn.borrow_mut();
        // Who does not take answers can ask for no more of them.
        let waits = self.begins.get() || self.in_flight.get() > 0 || self.blocked.get() || self.pause.get().is_some();
        if !waits {
            turn.next();
        }
        turn.expects()
    }

    /// How many of these bytes belong to what comes next.
    fn take(&self, bytes: &mut [u8]) -> usize {
        self.expects();
        let mut turn = self.turn.borrow_mut();
        let begins = *turn == Turn::default();
        let taken = turn.take(bytes);
        if begins {
            head::decline(&mut bytes[..taken]);
        }
        if *turn != Turn::Begins {
            return taken;
        }
        self.begins.set(true);
        // A body that came with its head is passed on with it.
        if let Some(length) = head::announced(&bytes[..taken]).filter(|length| begins && *length > 0) {
            turn.begin(Framing::Length(length));
        }
        taken
    }

    /// May the head of a request be read, or is one under way already?
    fn try_arrive(&self) -> bool {
        let has = self.arrived.get() || self.in_flight.get() > 0;
        if !has && self.arrivals.try_hold(&self.party, 1).is_ok() {
            self.arrived.set(true);
        }
        has || self.arrived.get()
    }

    /// The head is read, or as much of it as is there: another of its address may be read in the next round.
    pub(crate) fn end_turn(&self) {
        if self.arrived.take() {
            release_after_round(Rc::clone(&self.party), Arc::clone(&self.arrivals));
        }
    }

    /// Nothing is there to be read.
    fn depart(&self) {
        if self.arrived.take() {
            self.arrivals.release(&self.party, 1);
        }
    }

    /// The pause is over.
    fn end_pause(&self) {
        if self.pause.take().is_some() {
            self.paused.set(true);
        }
    }

    fn close(&self) {
        self.closed.set(true);
        self.wake();
    }

    /// Has what is read ahead looked at again.
    fn go_on(&self) {
        if self.ahead.get() {
            self.wake();
        }
    }

    /// Wakes a task at the next change.
    fn wait(&self, context: &Context<'_>) {
        let mut wakers = self.wakers.borrow_mut();
        if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            wakers.push(context.waker().clone());
        }
    }

    fn wake(&self) {
        self.wakers.take().into_iter().for_each(Waker::wake);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.depart();
    }
}

/// A request that is under way or whose answer is not sent yet.
#[derive(Debug)]
pub(crate) struct InFlight {
    connection: Rc<Connection>,
    /// There were [`MOST_IN_FLIGHT`] before it.
    pub(crate) too_many: bool,
    /// Its client has made a pause, since it was refused before.
    pub(crate) paused: bool,
    _memory: Option<Lease>,
}

impl InFlight {
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let left = self.connection.in_flight.get().saturating_sub(1);
        self.connection.in_flight.set(left);
        if left == 0 {
            self.connection.go_on();
        }
    }
}

pub(crate) fn closed() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}
