//! The queue of a pool: a line for each party, served tenant by tenant, and within a tenant party by party.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Waker},
};

use super::{ExceededShare, Lease, Party, Pool};

/// The waiters of one pool.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: AtomicUsize,
    most: usize,
    tenants: Mutex<VecDeque<Tenant>>,
}

/// The lines of a tenant's parties. A party without a tenant is one for itself.
#[derive(Debug)]
struct Tenant {
    tenant: Arc<Party>,
    lines: VecDeque<Line>,
}

#[derive(Debug)]
struct Line {
    party: Arc<Party>,
    waiters: VecDeque<Arc<Waiter>>,
}

#[derive(Debug)]
struct Waiter {
    amount: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Waiting(Option<Waker>),
    /// It holds what it waited for.
    Served,
}

impl Waiter {
    fn state(&self) -> MutexGuard<'_, State> {
        crate::sync::lock(&self.state)
    }
}

impl Tenant {
    /// Gives what is free to the next of its parties that may have it, and answers whose wait has ended.
    fn serve_one(&mut self, pool: &Pool) -> Option<Arc<Waiter>> {
        for _ in 0..self.lines.len() {
            let mut line = self.lines.pop_front()?;
            let held = line.waiters.front().map(|first| pool.try_hold(&line.party, first.amount));
            let served = if held == Some(Ok(())) { line.waiters.pop_front() } else { None };
            if !line.waiters.is_empty() {
                self.lines.push_back(line);
            }
            if served.is_some() {
                return served;
            }
        }
        None
    }

    fn waiting(&self) -> usize {
        self.lines.iter().map(|line| line.waiters.len()).sum()
    }
}

impl Queue {
    pub(super) fn new(most: usize) -> Self {
        let waiting = Default::default();
        let tenants = Default::default();
        Self { waiting, most, tenants }
    }

    pub(super) fn has_waiters(&self) -> bool {
        self.waiting.load(SeqCst) > 0
    }

    /// Gives what is free to those who wait, one of each tenant after the other.
    pub(super) fn serve(&self, pool: &Pool) {
        let mut tenants = crate::sync::lock(&self.tenants);
        let mut in_vain = 0;
        while in_vain < tenants.len() && pool.used() < pool.total() {
            let Some(mut tenant) = tenants.pop_front() else { break };
            match tenant.serve_one(pool) {
                Some(served) => {
                    self.waiting.fetch_sub(1, SeqCst);
                    if let State::Waiting(Some(waker)) = std::mem::replace(&mut *served.state(), State::Served) {
                        waker.wake();
                    }
                    in_vain = 0;
                }
                None => in_vain += 1,
            }
            if !tenant.lines.is_empty() {
                tenants.push_back(tenant);
            }
        }
    }

    /// Joins the line of a party, which may be as long as there is room for others, and those of its tenant twice as
    /// long.
    fn join(&self, party: &Arc<Party>, amount: usize) -> Result<Arc<Waiter>, ExceededShare> {
        let mut tenants = crate::sync::lock(&self.tenants);
        let room = self.most.saturating_sub(self.waiting.load(SeqCst));
        let index = tenants.iter().position(|known| Arc::ptr_eq(&known.tenant, party.tenant()));
        let index = index.unwrap_or_else(|| {
            tenants.push_back(Tenant { tenant: Arc::clone(party.tenant()), lines: VecDeque::new() });
            tenants.len() - 1
        });
        let tenant = &mut tenants[index];
        let of_tenant = tenant.waiting();
        let line = tenant.lines.iter().position(|line| Arc::ptr_eq(&line.party, party));
        let of_party = line.map_or(0, |line| tenant.lines[line].waiters.len());
        let refused = match room {
            _ if party.is_unbounded() => None,
            0 => Some(ExceededShare::Everything),
            _ if of_party >= room => Some(ExceededShare::Caller),
            _ if of_tenant >= room.saturating_mul(2) => Some(ExceededShare::Tenant),
            _ => None,
        };
        if let Some(full) = refused {
            tenants.retain(|tenant| !tenant.lines.is_empty());
            return Err(full);
        }
        let waiter = Arc::new(Waiter { amount, state: Mutex::new(State::Waiting(None)) });
        self.waiting.fetch_add(1, SeqCst);
        match line {
            Some(line) => tenant.lines[line].waiters.push_back(Arc::clone(&waiter)),
            None => {
                let waiters = VecDeque::from([Arc::clone(&waiter)]);
                tenant.lines.push_back(Line { party: Arc::clone(party), waiters });
            }
        }
        Ok(waiter)
    }

    fn leave(&self, party: &Arc<Party>, waiter: &Arc<Waiter>) {
        let mut tenants = crate::sync::lock(&self.tenants);
        let Some(tenant) = tenants.iter_mut().find(|known| Arc::ptr_eq(&known.tenant, party.tenant())) else { return };
        let before = tenant.waiting();
        for line in &mut tenant.lines {
            line.waiters.retain(|other| !Arc::ptr_eq(other, waiter));
        }
        tenant.lines.retain(|line| !line.waiters.is_empty());
        self.waiting.fetch_sub(before - tenant.waiting(), SeqCst);
        tenants.retain(|tenant| !tenant.lines.is_empty());
    }
}

/// A future of a lease, ready when it is this party's turn.
#[derive(Debug)]
pub struct Acquire {
    pool: Arc<Pool>,
    party: Arc<Party>,
    amount: usize,
    waiter: Option<Arc<Waiter>>,
}

impl Acquire {
    pub(super) fn new(pool: Arc<Pool>, party: Arc<Party>, amount: usize) -> Self {
        Self { pool, party, amount, waiter: None }
    }

    fn lease(&self) -> Lease {
        Lease { pool: Arc::clone(&self.pool), party: Arc::clone(&self.party), amount: self.amount }
    }
}

impl Future for Acquire {
    type Output = Result<Lease, ExceededShare>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.waiter.is_none() {
            let Err(full) = self.pool.try_hold(&self.party, self.amount) else { return Poll::Ready(Ok(self.lease())) };
            // What can never be had is not waited for.
            if self.amount > self.pool.total {
                return Poll::Ready(Err(full));
            }
            match self.pool.queue.join(&self.party, self.amount) {
                Ok(waiter) => self.waiter = Some(waiter),
                Err(full) => return Poll::Ready(Err(full)),
            }
        }
        let Some(waiter) = self.waiter.clone() else { return Poll::Pending };
        if let State::Waiting(waker) = &mut *waiter.state() {
            *waker = Some(context.waker().clone());
        }
        // What was given back between the attempt and the place in the line was seen by nobody else.
        self.pool.queue.serve(&self.pool);
        if matches!(*waiter.state(), State::Served) {
            self.waiter = None;
            return Poll::Ready(Ok(self.lease()));
        }
        Poll::Pending
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        self.pool.queue.leave(&self.party, &waiter);
        if matches!(*waiter.state(), State::Served) {
            self.pool.release(&self.party, self.amount);
        }
    }
}
