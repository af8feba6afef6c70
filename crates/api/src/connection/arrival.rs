//! Whose request is read next.
//!
//! A worker thread does what is ready in the order in which it became ready, and of thousands of connections of one
//! address thousands are. So an address has a share ([`base::share`]) of what a thread does in one round of all that is
//! ready: connections that are set up, and heads of requests that are read. Beyond it a connection waits until the next
//! round, when it is the turn of its address; those of others are among the next.

use std::{
    cell::RefCell,
    future::Future as _,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use actix_web::rt;
use base::share::{Pool, Taking};

use super::Connection;
use crate::shed::LocalParty;

/// The wait of a connection for the turn of its address.
#[derive(Default)]
pub(crate) struct Arrival(Option<Pin<Box<Taking>>>);

impl Arrival {
    /// Ready when the head of a request may be read. The connection is closed when too many wait.
    pub(crate) fn poll(&mut self, connection: &Connection, context: &mut Context<'_>) -> Poll<()> {
        if self.0.is_none() && connection.try_arrive() {
            return Poll::Ready(());
        }
        let taking = self.0.get_or_insert_with(|| Box::pin(connection.arrivals.take(&connection.party, 1)));
        let taken = ready!(taking.as_mut().poll(context));
        self.0 = None;
        match taken {
            Ok(lease) => {
                lease.keep();
                connection.arrived.set(true);
            }
            Err(_) => connection.close(),
        }
        Poll::Ready(())
    }
}

thread_local! {
    /// What was used in this round of the thread.
    static USED: RefCell<Vec<(LocalParty, Arc<Pool>)>> = const { RefCell::new(Vec::new()) };
}

/// Gives back what a party held, once all that is ready now was done.
pub(crate) fn release_after_round(party: LocalParty, arrivals: Arc<Pool>) {
    let is_first = USED.with_borrow_mut(|used| {
        used.push((party, arrivals));
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
