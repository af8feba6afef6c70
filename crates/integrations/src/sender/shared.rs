//! The state that the parts of the sender share.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, atomic::AtomicI64},
};

use base::{calls::Calls, timestamp::Timestamp};
use db::Backend;
use tokio::sync::{Notify, mpsc};

use super::{
    Tools,
    call::Caller,
    claims::{Ended, Job},
    lanes::Lanes,
    rounds::Rounds,
};

/// The shared state of a running sender.
pub struct Shared {
    pub tools: Tools,
    pub caller: Caller,
    pub owner: String,
    pub lanes: Mutex<Lanes<Job>>,
    /// The calls of what is in hand.
    pub calls: Arc<Calls>,
    pub rounds: Mutex<Rounds>,
    /// The ids of what is in hand, until what became of it is written down.
    pub in_hand: Mutex<HashSet<String>>,
    pub wake: Arc<Notify>,
    pub ends: mpsc::UnboundedSender<Ended>,
    pub lag_ms: Arc<AtomicI64>,
    /// How long a claim holds: two calls, two for tokens, and some time in the queue.
    pub lease_ms: i64,
    /// What an attempt needs of it.
    pub least_ms: i64,
}

impl Shared {
    pub fn lanes(&self) -> MutexGuard<'_, Lanes<Job>> {
        base::lock(&self.lanes)
    }

    pub fn rounds(&self) -> MutexGuard<'_, Rounds> {
        base::lock(&self.rounds)
    }

    pub fn in_hand(&self) -> MutexGuard<'_, HashSet<String>> {
        base::lock(&self.in_hand)
    }

    /// Do other gateways take of the same queues?
    pub fn shares(&self) -> bool {
        self.tools.db.backend() == Backend::Postgres
    }

    pub fn now(&self) -> Timestamp {
        (self.tools.clock)()
    }
}
