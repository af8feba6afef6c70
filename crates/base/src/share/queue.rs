//! Those who wait for their share: a line for each party, served in turn.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Waker},
};

use super::{Full, Lease, Party, Pool};

/// All who wait for one pool.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: AtomicUsize,
    most: usize,
    lines: Mutex<VecDeque<Line>>,
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    pub(super) fn new(most: usize) -> Self {
        let (waiting, lines) = Default::default();
        Self { waiting, most, lines }
    }

    pub(super) fn has_waiters(&self) -> bool {
        self.waiting.load(SeqCst) > 0
    }

    /// Gives what is free to those who wait, one of each party after the other.
    pub(super) fn serve(&self, pool: &Pool) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut in_vain = 0;
        while in_vain < lines.len() {
            let Some(mut line) = lines.pop_front() else { break };
            match line.waiters.front() {
                Some(first) if pool.try_hold(&line.party, first.amount).is_ok() => {
                    let served = line.waiters.pop_front();
                    self.waiting.fetch_sub(1, SeqCst);
                    let before = served.map(|waiter| std::mem::replace(&mut *waiter.state(), State::Served));
                    if let Some(State::Waiting(Some(waker))) = before {
                        waker.wake();
                    }
                    in_vain = 0;
                }
                _ => in_vain += 1,
            }
            if !line.waiters.is_empty() {
                lines.push_back(line);
            }
        }
    }

    /// Joins the line of a party, which may be as long as there is room for others.
    fn join(&self, party: &Arc<Party>, amount: usize) -> Result<Arc<Waiter>, Full> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let room = self.most.saturating_sub(self.waiting.load(SeqCst));
        let place = lines.iter().position(|line| Arc::ptr_eq(&line.party, party));
        if place.map_or(0, |place| lines[place].waiters.len()) >= room {
            return Err(if room == 0 { Full::Everything } else { Full::Caller });
        }
        let waiter = Arc::new(Waiter { amount, state: Mutex::new(State::Waiting(None)) });
        self.waiting.fetch_add(1, SeqCst);
        match place {
            Some(place) => lines[place].waiters.push_back(Arc::clone(&waiter)),
            None => {
                let waiters = VecDeque::from([Arc::clone(&waiter)]);
                lines.push_back(Line { party: Arc::clone(party), waiters });
            }
        }
        Ok(waiter)
    }

    fn leave(&self, party: &Arc<Party>, waiter: &Arc<Waiter>) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(line) = lines.iter_mut().find(|line| Arc::ptr_eq(&line.party, party)) else { return };
        let before = line.waiters.len();
        line.waiters.retain(|other| !Arc::ptr_eq(other, waiter));
        if line.waiters.len() < before {
            self.waiting.fetch_sub(1, SeqCst);
        }
        lines.retain(|line| !line.waiters.is_empty());
    }
}

/// To be awaited: so much of a pool, when it is this party's turn.
#[derive(Debug)]
pub struct Taking {
    pool: Arc<Pool>,
    party: Arc<Party>,
    amount: usize,
    waiter: Option<Arc<Waiter>>,
}

impl Taking {
    pub(super) fn new(pool: Arc<Pool>, party: Arc<Party>, amount: usize) -> Self {
        Self { pool, party, amount, waiter: None }
    }

    fn lease(&self) -> Lease {
        Lease { pool: Arc::clone(&self.pool), party: Arc::clone(&self.party), amount: self.amount }
    }
}

impl Future for Taking {
    type Output = Result<Lease, Full>;

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

impl Drop for Taking {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else { return };
        self.pool.queue.leave(&self.party, &waiter);
        if matches!(*waiter.state(), State::Served) {
            self.pool.release(&self.party, self.amount);
        }
    }
}
