//! Pools that requests share, and the one rule of fairness that divides them.
//!
//! There is so much of each thing (requests that are worked on, memory, connections of the database), a [`Pool`]. Who
//! asks is a [`Party`]: an API key, which belongs to a tenant, or an address whose caller is not known. **A party may
//! hold as much as is still free, and all keys of a tenant together twice as much** (times what the pool says, where
//! little is left to others in little time). So one that is alone gets half and more, two greedy ones get a third each,
//! and however many there are, something is free for the next. Nobody needs to know how many there are.
//!
//! Who exceeds its share waits for it ([`Pool::take`]) or is refused ([`Pool::try_take`]), alone: the others do not
//! notice. Those who wait are served in turn, tenant by tenant, and of a tenant key by key: a tenant with many keys has
//! no more turns than one with a single key.

mod parties;
mod queue;

use std::sync::{
    Arc,
    atomic::{
        AtomicUsize,
        Ordering::{Relaxed, SeqCst},
    },
};

pub use self::{
    parties::{Parties, Party},
    queue::Acquire,
};

/// The kinds of pools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Requests that are worked on.
    Requests,
    /// Bodies that are awaited.
    Bodies,
    /// Bytes that requests and connections hold: bodies, what became of them, answers until they are sent.
    Memory,
    /// Lists that are streamed, as long as their readers take.
    Streams,
    /// Connections of the database.
    Connections,
    /// Connections of the database that are there for lists alone.
    ListConnections,
    /// Requests whose expressions and templates wait for a processor, or have one.
    Computations,
    /// Processors for what callers' expressions and templates ask for.
    Processors,
    /// Questions about all rows of a long time.
    Reports,
    /// Streams of changes.
    ChangeStreams,
    /// Calls to others that wait for an answer.
    Calls,
    /// Connections of clients that begin, and heads of requests that are read.
    Arrivals,
}

/// How many kinds there are.
const KINDS: usize = Kind::Arrivals as usize + 1;

/// The share that a request would have exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededShare {
    /// Everything is taken.
    Everything,
    /// The caller has as much as it may.
    Caller,
    /// The keys of its tenant have as much as they may.
    Tenant,
}

/// So much of one thing, for all to share.
#[derive(Debug)]
pub struct Pool {
    kind: Kind,
    total: usize,
    greed: usize,
    used: AtomicUsize,
    queue: queue::Queue,
}

impl Pool {
    /// So much of something. A party may hold `greed` times what is free; so many may wait at most.
    pub fn new(kind: Kind, total: usize, greed: usize, most_waiting: usize) -> Arc<Self> {
        Arc::new(Self { kind, total, greed, used: AtomicUsize::new(0), queue: queue::Queue::new(most_waiting) })
    }

    /// How much there is.
    pub fn total(&self) -> usize {
        self.total
    }

    /// How much of it is held.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// How much a party may take now, bit by bit.
    pub fn room(&self, party: &Party) -> usize {
        let free = self.total.saturating_sub(self.used());
        party.room(self.kind, free + 1, self.greed).min(free)
    }

    /// Takes so much, now or not at all; it is given back when what this answers is dropped.
    pub fn try_take(self: &Arc<Self>, party: &Arc<Party>, amount: usize) -> Result<Lease, ExceededShare> {
        self.try_hold(party, amount)?;
        Ok(Lease { pool: Arc::clone(self), party: Arc::clone(party), amount })
    }

    /// Takes so much as soon as it is this party's turn, however long that lasts; refused at once when too many wait.
    /// How long to wait is for the caller to bound: to drop the future is to leave the queue.
    pub fn take(self: &Arc<Self>, party: &Arc<Party>, amount: usize) -> Acquire {
        Acquire::new(Arc::clone(self), Arc::clone(party), amount)
    }

    /// As [`Pool::try_take`], for a caller that says itself when it is done ([`Pool::release`]).
    pub fn try_hold(&self, party: &Party, amount: usize) -> Result<(), ExceededShare> {
        let before = self.used.fetch_add(amount, Relaxed);
        let free = self.total.saturating_sub(before);
        if amount > free {
            self.used.fetch_sub(amount, Relaxed);
            return Err(ExceededShare::Everything);
        }
        let most = free.saturating_mul(self.greed);
        if let Err(full) = party.hold(self.kind, amount, most) {
            self.used.fetch_sub(amount, Relaxed);
            return Err(full);
        }
        Ok(())
    }

    /// Gives back what was held.
    pub fn release(&self, party: &Party, amount: usize) {
        party.release(self.kind, amount);
        self.used.fetch_sub(amount, SeqCst);
        if self.queue.has_waiters() {
            self.queue.serve(self);
        }
    }
}

/// Something that is held until this is dropped.
#[derive(Debug)]
pub struct Lease {
    pool: Arc<Pool>,
    party: Arc<Party>,
    amount: usize,
}

impl Lease {
    /// How much it is.
    pub fn amount(&self) -> usize {
        self.amount
    }

    /// Takes more of the same, or leaves it as it is.
    pub fn grow(&mut self, more: usize) -> Result<(), ExceededShare> {
        self.pool.try_hold(&self.party, more)?;
        self.amount += more;
        Ok(())
    }

    /// Takes a part of it, to be given back by itself.
    pub fn split(&mut self, amount: usize) -> Self {
        let amount = amount.min(self.amount);
        self.amount -= amount;
        Self { pool: Arc::clone(&self.pool), party: Arc::clone(&self.party), amount }
    }

    /// Leaves it held: who has it says itself when it is done ([`Pool::release`]).
    pub fn keep(mut self) {
        self.amount = 0;
    }

    /// Gives back all but so much.
    pub fn shrink_to(&mut self, amount: usize) {
        let less = self.amount.saturating_sub(amount);
        if less > 0 {
            self.amount -= less;
            self.pool.release(&self.party, less);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.pool.release(&self.party, self.amount);
    }
}

#[cfg(test)]
mod tests;
