//! One request on its way through the layers, and what it holds.

use std::{
    cell::{Cell, RefCell},
    future::{Future, poll_fn},
    pin::pin,
    rc::Rc,
    sync::Arc,
    task::Poll,
};

use base::{
    problem::{Problem, RateLimit},
    share::{Kind, Lease, Party},
};
use db::{CallerKey, Freshness, WritePosition};
use tokio::time::{Instant, Sleep, sleep_until};

use super::{BODY_OVERHEAD, LoadGate, LocalParty, Reason};
use crate::Caller;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Not counted: just come, done, or always let in.
    Uncounted,
    /// Counted among the requests.
    Working,
    /// Counted among the bodies.
    Reading,
}

/// How a request is let in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// Whatever is under way.
    Always,
    /// Within its share; beyond it where its turn comes soon.
    Usual,
    /// As usual, and beyond its share it has a place in the line: its client was refused, and made a pause.
    AfterPause,
}

/// One request, and what the layers around it tell each other of it.
#[derive(Debug)]
pub struct Ticket {
    gate: Arc<LoadGate>,
    /// Whose share it is taken from: the address it came from until its caller is known. Worker threads share it; it is
    /// counted by thread, so that they do not wait for each other to count.
    party: RefCell<LocalParty>,
    entry: Entry,
    state: Cell<State>,
    memory: RefCell<Option<Lease>>,
    /// When it will have been worked on for too long; set when its body is complete.
    deadline: Cell<Option<Instant>>,
    /// The number of its route in the metrics; 0 for one that has none.
    pub route: Cell<usize>,
    /// What is left of its caller's quota.
    pub quota: Cell<Option<RateLimit>>,
    /// Who asks, once that is known.
    pub(crate) caller: RefCell<Option<Arc<Caller>>>,
    /// Which write its reads have to see at least, as the caller says.
    pub(crate) least_position: Cell<Option<WritePosition>>,
    /// Where its last write stands.
    pub(crate) written: Cell<Option<WritePosition>>,
}

tokio::task_local! {
    static CURRENT: Rc<Ticket>;
}

/// The ticket of the request that this task answers; `None` outside one.
pub fn current() -> Option<Rc<Ticket>> {
    CURRENT.try_with(Rc::clone).ok()
}

impl Ticket {
    /// Of a request that has just come from somewhere.
    pub(crate) fn new(gate: &Arc<LoadGate>, from: LocalParty, entry: Entry) -> Rc<Self> {
        Rc::new(Self {
            gate: Arc::clone(gate),
            party: RefCell::new(from),
            entry,
            state: Cell::new(State::Uncounted),
            memory: RefCell::new(None),
            deadline: Cell::new(None),
            route: Cell::new(0),
            quota: Cell::new(None),
            caller: RefCell::new(None),
            least_position: Cell::new(None),
            written: Cell::new(None),
        })
    }

    pub(super) fn gate(&self) -> &Arc<LoadGate> {
        &self.gate
    }

    /// Whose share it is taken from.
    pub fn party(&self) -> Arc<Party> {
        Arc::clone(&**self.party.borrow())
    }

    /// The caller is known: from here on it is its share. Nothing is held before.
    pub(crate) fn set_party(&self, party: LocalParty) {
        *self.party.borrow_mut() = party;
    }

    /// Waits for its turn to be worked on.
    ///
    /// # Errors
    /// 503 when the share of its party, or everything, is taken for too long.
    pub async fn begin(&self) -> Result<(), Problem> {
        if self.entry == Entry::Always || self.state.get() != State::Uncounted {
            return Ok(());
        }
        self.work().await
    }

    async fn work(&self) -> Result<(), Problem> {
        let tried = self.gate.requests.try_hold(&self.party.borrow(), 1);
        if let Err(full) = tried {
            self.gate.wait_for_work(&self.party(), full, self.entry).await?;
        }
        self.state.set(State::Working);
        Ok(())
    }

    /// From now on the body is awaited.
    pub fn begin_body(&self) -> Result<(), Problem> {
        if self.state.get() != State::Working {
            return Ok(());
        }
        let gate = &self.gate;
        let party = self.party();
        gate.bodies.try_hold(&party, 1).map_err(|full| gate.refuse(Reason::of(Kind::Bodies, full)))?;
        self.release();
        self.state.set(State::Reading);
        self.hold(BODY_OVERHEAD)
    }

    /// So many more bytes are held in memory until the request is answered.
    pub fn hold(&self, bytes: usize) -> Result<(), Problem> {
        let mut memory = self.memory.borrow_mut();
        let taken = match memory.as_mut() {
            Some(lease) => lease.grow(bytes),
            None => self.gate.memory.try_take(&self.party(), bytes).map(|lease| *memory = Some(lease)),
        };
        taken.map_err(|full| self.gate.refuse(Reason::of(Kind::Memory, full)))
    }

    /// The body is complete, and the request is worked on again.
    pub async fn end_body(&self) -> Result<(), Problem> {
        if self.state.get() != State::Reading {
            return Ok(());
        }
        self.deadline.set(Some(Instant::now() + self.gate.time));
        self.release();
        self.work().await
    }

    /// For an operation that works on its body while it arrives, and says by itself how long that may last: it is
    /// counted among the bodies to its end.
    pub fn begin_streamed_body(&self) -> Result<(), Problem> {
        self.begin_body()
    }

    /// The answer is ready: what the request held is free.
    pub fn finish(&self) {
        self.release();
        *self.memory.borrow_mut() = None;
    }

    fn release(&self) {
        let pool = match self.state.replace(State::Uncounted) {
            State::Working => &self.gate.requests,
            State::Reading => &self.gate.bodies,
            State::Uncounted => return,
        };
        pool.release(&self.party.borrow(), 1);
    }

    /// When to look again whether this took too long; `None` when it did.
    fn next_check(&self, now: Instant) -> Option<Instant> {
        match self.state.get() {
            // The body has a time limit of its own.
            State::Reading => Some(now + self.gate.time),
            _ => self.deadline.get().filter(|deadline| *deadline > now),
        }
    }
}

impl db::Requester for Ticket {
    fn party(&self) -> Arc<Party> {
        Ticket::party(self)
    }

    fn freshness(&self) -> Freshness {
        match &*self.caller.borrow() {
            None => Freshness::Any,
            Some(caller) if caller.session().is_some() => Freshness::Latest,
            Some(caller) => {
                Freshness::OwnWrites(CallerKey { tenant: caller.home.to_string(), key: caller.key_id.clone() })
            }
        }
    }

    fn least_position(&self) -> Option<WritePosition> {
        self.least_position.get()
    }

    fn on_write(&self, position: WritePosition) {
        self.written.set(self.written.get().max(Some(position)));
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
pub(crate) async fn answer<F: Future>(ticket: Rc<Ticket>, future: F) -> Result<F::Output, Problem> {
    let requester: Rc<dyn db::Requester> = Rc::<Ticket>::clone(&ticket);
    let answering = CURRENT.scope(Rc::clone(&ticket), within_time(&ticket, future));
    let output = db::on_behalf(requester, answering).await;
    ticket.finish();
    output
}

async fn within_time<F: Future>(ticket: &Ticket, future: F) -> Result<F::Output, Problem> {
    let begun = Instant::now();
    let mut future = pin!(future);
    // Most requests are answered at the first poll and never need it.
    let mut timer = pin!(None::<Sleep>);
    poll_fn(|context| {
        if let Poll::Ready(output) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        if timer.is_none() {
            timer.set(Some(sleep_until(begun + ticket.gate.time)));
        }
        while let Some(mut sleep) = timer.as_mut().as_pin_mut() {
            if sleep.as_mut().poll(context).is_pending() {
                break;
            }
            match ticket.next_check(Instant::now()) {
                Some(next) => sleep.reset(next),
                None => return Poll::Ready(Err(ticket.gate.refuse(Reason::Time))),
            }
        }
        Poll::Pending
    })
    .await
}
