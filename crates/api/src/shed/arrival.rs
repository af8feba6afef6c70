//! Whose connection is read next.
//!
//! A worker thread does what is ready in the order in which it became ready, and of thousands of connections of one
//! address thousands are. So an address has a share ([`base::share`]) of what a thread does in one round of all that is
//! ready: connections that are set up, and heads of requests that are read. Beyond it a connection waits until the next
//! round, when it is the turn of its address; those of others are among the next.

use std::{
    cell::RefCell,
    future::Future as _,
    io,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, ready},
};

use actix_web::rt;
use base::share::{Acquire, Pool};

use super::{LoadGate, LocalParty};

thread_local! {
    /// What was used in this round of the thread.
    static USED: RefCell<Vec<(LocalParty, Arc<Pool>)>> = const { RefCell::new(Vec::new()) };
}

/// The turns of an address.
pub(crate) struct AddressTurns {
    party: LocalParty,
    arrivals: Arc<Pool>,
    waiting: Option<Pin<Box<Acquire>>>,
}

impl AddressTurns {
    pub(crate) fn new(party: LocalParty, gate: &LoadGate) -> Self {
        Self { party, arrivals: Arc::clone(gate.arrivals()), waiting: None }
    }

    pub(crate) fn party(&self) -> LocalParty {
        Rc::clone(&self.party)
    }

    /// Ready when it is the turn of the address, for one step; an error when too many wait.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.waiting.is_some() || self.arrivals.try_hold(&self.party, 1).is_err() {
            let waiting = self.waiting.get_or_insert_with(|| Box::pin(self.arrivals.take(&self.party, 1)));
            let taken = ready!(waiting.as_mut().poll(context));
            self.waiting = None;
            taken.map_err(|_| io::ErrorKind::ConnectionAborted)?.keep();
        }
        self.release_after_round();
        Poll::Ready(Ok(()))
    }

    fn release_after_round(&self) {
        let is_first = USED.with_borrow_mut(|used| {
            used.push((Rc::clone(&self.party), Arc::clone(&self.arrivals)));
            used.len() == 1
        });
        if is_first {
            // A new task is the last of those that are ready.
            drop(rt::spawn(async {
                for (party, arrivals) in USED.take() {
                    arrivals.release(&party, 1);
                }
            }));
        }
    }
}
