//! A connection of a client: what it costs, and when it is read.
//!
//! Below the protocols of actix, and without parsing them. A client that takes nothing of its answers is cut off, and
//! what waits to be sent to it counts as memory of its address ([`socket`]). While a request over HTTP/1.1 is under
//! way, only what it wants of its body is read ([`stream`]).

mod socket;
mod stream;

use std::{
    cell::{Cell, RefCell},
    io,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use base::share::Lease;

pub(crate) use self::{
    socket::{IN_THE_SYSTEM, Socket},
    stream::{AHEAD, Reader, Stream},
};
use crate::shed::{LoadGate, LocalParty, Pauses};

/// Requests of one connection that are answered at once (HTTP/2 streams); more are refused.
const MOST_IN_FLIGHT: usize = 128;

/// What such a request takes, also one that is refused, until its answer is sent.
const IN_FLIGHT: usize = 4 << 10;

/// What the layers above know of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The share of the address at its other end.
    pub(crate) party: LocalParty,
    in_flight: Cell<usize>,
    /// There was a request.
    pub(crate) used: Rc<Cell<bool>>,
    /// How many bytes of its body the request under way waits for (HTTP/1.1).
    wanted: Cell<u64>,
    /// The client does not take what was written.
    blocked: Cell<bool>,
    closed: Cell<bool>,
    /// Whether requests come beside each other (HTTP/2).
    pub(crate) multiplexed: Cell<bool>,
    /// The pauses that its client makes when it is refused.
    pub(crate) pauses: Pauses,
    wakers: RefCell<Vec<Waker>>,
}

impl Connection {
    fn new(party: LocalParty) -> Rc<Self> {
        Rc::new(Self {
            party,
            in_flight: Cell::default(),
            used: Rc::default(),
            wanted: Cell::default(),
            blocked: Cell::default(),
            closed: Cell::default(),
            multiplexed: Cell::default(),
            pauses: Pauses::default(),
            wakers: RefCell::default(),
        })
    }

    /// Another request, until what this answers is dropped.
    pub(crate) fn begin(self: &Rc<Self>, gate: &LoadGate) -> InFlight {
        let before = self.in_flight.get();
        self.in_flight.set(before + 1);
        self.used.set(true);
        self.wanted.set(0);
        let mut memory = None;
        if self.multiplexed.get() {
            // Beside each other there may be thousands; one after the other is in what the connection takes.
            match gate.take_memory(&self.party, IN_FLIGHT) {
                Ok(lease) => memory = Some(lease),
                Err(reason) => {
                    gate.refuse(reason);
                    self.close();
                }
            }
        }
        let too_many = before >= MOST_IN_FLIGHT;
        InFlight { connection: Rc::clone(self), too_many, paused: self.pauses.take_completed(), _memory: memory }
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

    /// Is the connection without a request?
    fn is_idle(&self) -> bool {
        self.in_flight.get() == 0
    }

    /// How many bytes may be read.
    fn expects(&self) -> u64 {
        match self.is_idle() {
            // A client that does not take answers can ask for no more of them.
            true if self.blocked.get() => 0,
            true => u64::MAX,
            false => self.wanted.get(),
        }
    }

    /// The request under way waits for so many bytes of its body.
    pub(crate) fn want(&self, bytes: u64) {
        self.wanted.set(bytes);
        if bytes > 0 {
            self.wake();
        }
    }

    fn close(&self) {
        self.closed.set(true);
        self.wake();
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

/// A request that is under way or whose answer is not sent yet.
#[derive(Debug)]
pub(crate) struct InFlight {
    pub(crate) connection: Rc<Connection>,
    /// There were [`MOST_IN_FLIGHT`] before it.
    pub(crate) too_many: bool,
    /// Its client has made a pause, since it was refused before.
    pub(crate) paused: bool,
    _memory: Option<Lease>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let connection = &self.connection;
        connection.in_flight.set(connection.in_flight.get().saturating_sub(1));
        if connection.is_idle() && !connection.multiplexed.get() {
            connection.wake();
        }
    }
}

fn closed() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}
