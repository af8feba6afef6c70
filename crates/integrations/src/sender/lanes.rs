//! The deliveries in hand of each endpoint, with a circuit breaker: a hung or broken endpoint takes no capacity from
//! the others, and is not called again and again.

use std::collections::{HashMap, VecDeque};

use base::timestamp::Timestamp;

use crate::{
    delivery::queue::{Lane, QueuePosition},
    event::row::EndpointVersion,
};

/// Failures in a row after which an endpoint is left alone for a while.
const BREAKS_AFTER: u32 = 10;
/// The longest time that it is left alone.
const LONGEST_PAUSE_MS: i64 = 300_000;
/// How long a queue is read from where the last look ended: what was given back, or committed late, stands before that.
const FROM_BEGINNING_MS: i64 = 500;
/// How long the failures of an endpoint are remembered that is not called meanwhile, and of how many at least.
const REMEMBERED_MS: i64 = 3_600_000;
const REMEMBERED: usize = 1_024;
/// How many deliveries of an endpoint that answers are in hand at once.
const WINDOW: usize = 512;

/// One endpoint.
struct State<J> {
    /// What is called by all that waits in the queue.
    version: Option<EndpointVersion>,
    queue: VecDeque<J>,
    running: usize,
    /// Failures in a row.
    failures: u32,
    /// How often the breaker opened in a row.
    opened: u32,
    open_until: i64,
    /// Has the last answer been a good one?
    answers: bool,
    /// There was more than was claimed.
    more: bool,
    /// Where the last one taken in hand stood, and when the queue was last looked at from its beginning.
    reached: Option<QueuePosition>,
    begun_ms: i64,
    /// When the last call ended.
    ended_ms: i64,
}

impl<J> Default for State<J> {
    fn default() -> Self {
        let queue = VecDeque::new();
        let reached = None;
        Self {
            version: None,
            queue,
            running: 0,
            failures: 0,
            opened: 0,
            open_until: 0,
            answers: false,
            more: false,
            reached,
            begun_ms: 0,
            ended_ms: 0,
        }
    }
}

impl<J> State<J> {
    fn in_hand(&self) -> usize {
        self.queue.len() + self.running
    }

    /// Is it left alone now? A clock that was moved back makes no pause longer than the longest.
    fn is_left_alone(&self, now: Timestamp) -> bool {
        (1..=LONGEST_PAUSE_MS).contains(&self.open_until.saturating_sub(now.millis()))
    }

    /// How many calls may be under way.
    fn concurrency(&self, most: usize) -> usize {
        // After a pause one call tries whether the endpoint is well again.
        if self.opened > 0 { 1 } else { most }
    }

    fn window(&self, most: usize) -> usize {
        if self.answers { WINDOW.max(most) } else { self.concurrency(most) }
    }

    fn start(&mut self, most: usize) -> Vec<J> {
        let free = self.concurrency(most).saturating_sub(self.running);
        let jobs: Vec<J> = self.queue.drain(..free.min(self.queue.len())).collect();
        self.running += jobs.len();
        jobs
    }

    /// Takes note of how a call ended; what is not sent because the endpoint is left alone now.
    fn judge(&mut self, well: bool, pause_ms: i64, now: Timestamp) -> Vec<J> {
        if well {
            self.failures = 0;
            self.opened = 0;
            return Vec::new();
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures < BREAKS_AFTER || self.is_left_alone(now) {
            return Vec::new();
        }
        let pause = pause_ms.saturating_mul(1 << self.opened.min(10)).min(LONGEST_PAUSE_MS);
        self.opened = self.opened.saturating_add(1);
        self.open_until = now.millis() + pause;
        self.reached = None;
        self.queue.drain(..).collect()
    }

    /// Is it worth looking for more? When there was more than was claimed, and a quarter of that has gone: what is left
    /// is enough for the time that a look takes.
    fn is_hungry(&self, most: usize) -> bool {
        self.more && self.in_hand() * 4 <= self.window(most) * 3
    }
}

/// What to do after a call to an endpoint has ended.
pub struct NextSteps<J> {
    /// The deliveries that are to be sent now.
    pub next: Vec<J>,
    /// The deliveries that are given back, because it is left alone now.
    pub given_back: Vec<J>,
    /// It is worth looking for more.
    pub is_hungry: bool,
}

/// All endpoints with something in hand, or with a memory of failures.
pub struct Lanes<J> {
    all: HashMap<Lane, State<J>>,
    most: usize,
    pause_ms: i64,
    in_hand: usize,
    /// So many endpoints are looked through for those to forget.
    crowded: usize,
}

impl<J> Lanes<J> {
    /// At most `most` calls to one endpoint; the first pause of a broken one lasts `pause_ms`.
    pub fn new(most: usize, pause_ms: i64) -> Self {
        Self { all: HashMap::new(), most, pause_ms: pause_ms.min(LONGEST_PAUSE_MS), in_hand: 0, crowded: REMEMBERED }
    }

    /// How many deliveries are in hand, until what became of them is known.
    pub fn in_hand(&self) -> usize {
        self.in_hand
    }

    /// How many deliveries of an endpoint to claim now; or until when it is left alone.
    pub fn room(&self, lane: &Lane, now: Timestamp) -> Result<usize, i64> {
        let Some(state) = self.all.get(lane) else { return Ok(self.most) };
        if state.is_left_alone(now) {
            return Err(state.open_until);
        }
        Ok(state.window(self.most).saturating_sub(state.in_hand()))
    }

    /// Of which endpoints it is worth looking for more.
    pub fn hungry(&self) -> Vec<Lane> {
        self.all.iter().filter(|(_, state)| state.is_hungry(self.most)).map(|(lane, _)| lane.clone()).collect()
    }

    /// Is it worth looking for more?
    pub fn is_hungry(&self) -> bool {
        self.all.values().any(|state| state.is_hungry(self.most))
    }

    /// Takes claimed deliveries in hand, which call `version`; `more` says that there may be further ones. What waited
    /// to call another one is given back.
    pub fn add(&mut self, lane: &Lane, version: Option<EndpointVersion>, jobs: Vec<J>, more: bool) -> Vec<J> {
        let given_back = self.renew(lane, version).unwrap_or_default();
        if jobs.is_empty() && !self.all.contains_key(lane) {
            return given_back;
        }
        self.in_hand += jobs.len();
        let state = self.all.entry(lane.clone()).or_default();
        state.version = version;
        state.more = more;
        state.queue.extend(jobs);
        given_back
    }

    /// Those of which something is in hand that is not under way, or that are left alone: a change of what they call
    /// matters at once.
    pub fn waiting(&self, now: Timestamp) -> Vec<Lane> {
        let waits = |state: &State<J>| !state.queue.is_empty() || state.is_left_alone(now);
        self.all.iter().filter(|(_, state)| waits(state)).map(|(lane, _)| lane.clone()).collect()
    }

    /// Forgets how the former endpoint behaved where `version` calls another one, and gives back what is in hand and
    /// not under way; `None` where it is the same.
    pub fn renew(&mut self, lane: &Lane, version: Option<EndpointVersion>) -> Option<Vec<J>> {
        let state = self.all.get_mut(lane).filter(|state| state.version != version)?;
        state.version = version;
        (state.failures, state.opened, state.open_until, state.answers) = (0, 0, 0, false);
        Some(self.give_up(lane))
    }

    /// Where to go on in a queue: all that stands before is in hand or done, but for what came to stand there since the
    /// queue was looked at from its beginning, which is not long ago. None: from its beginning.
    pub fn reached(&self, lane: &Lane, now: Timestamp) -> Option<QueuePosition> {
        let is_lately = |state: &&State<J>| (0..FROM_BEGINNING_MS).contains(&(now.millis() - state.begun_ms));
        let state = self.all.get(lane).filter(is_lately)?;
        state.reached.clone()
    }

    /// Remembers where a look came to, and whether it was from the beginning of the queue.
    pub fn reach(&mut self, lane: &Lane, place: Option<QueuePosition>, from_beginning: bool, now: Timestamp) {
        let Some(state) = self.all.get_mut(lane) else { return };
        state.reached = place;
        if from_beginning {
            state.begun_ms = now.millis();
        }
    }

    /// The deliveries of an endpoint that are to be sent now.
    pub fn start(&mut self, lane: &Lane) -> Vec<J> {
        self.all.get_mut(lane).map_or_else(Vec::new, |state| state.start(self.most))
    }

    /// A call has ended. The behaviour of a former endpoint means nothing.
    pub fn end(&mut self, lane: &Lane, called: Option<EndpointVersion>, well: bool, now: Timestamp) -> NextSteps<J> {
        let next = Vec::new();
        let is_hungry = false;
        let Some(state) = self.all.get_mut(lane) else { return NextSteps { next, given_back: Vec::new(), is_hungry } };
        state.running = state.running.saturating_sub(1);
        self.in_hand = self.in_hand.saturating_sub(1);
        state.ended_ms = now.millis();
        let mut given_back = Vec::new();
        if state.version == called {
            state.answers = well;
            given_back = state.judge(well, self.pause_ms, now);
            self.in_hand = self.in_hand.saturating_sub(given_back.len());
        }
        let next = state.start(self.most);
        let is_hungry = state.is_hungry(self.most);
        if state.in_hand() == 0 && state.failures == 0 && !state.more {
            self.all.remove(lane);
        } else if self.all.len() >= self.crowded {
            self.forget(now);
        }
        NextSteps { next, given_back, is_hungry }
    }

    /// Forgets endpoints that nothing is in hand of and that have not been called for long: their events may be gone.
    fn forget(&mut self, now: Timestamp) {
        let is_late = |state: &State<J>| (now.millis() - state.ended_ms).abs() < REMEMBERED_MS;
        self.all.retain(|_, state| state.in_hand() > 0 || is_late(state));
        self.crowded = (self.all.len() * 2).max(REMEMBERED);
    }

    /// Gives back what is in hand of an endpoint and not under way.
    pub fn give_up(&mut self, lane: &Lane) -> Vec<J> {
        let Some(state) = self.all.get_mut(lane) else { return Vec::new() };
        state.more = false;
        state.reached = None;
        let given_back: Vec<J> = state.queue.drain(..).collect();
        self.in_hand = self.in_hand.saturating_sub(given_back.len());
        given_back
    }

    /// A delivery in hand was not sent.
    pub fn skip(&mut self, lane: &Lane) {
        if let Some(state) = self.all.get_mut(lane) {
            state.running = state.running.saturating_sub(1);
            self.in_hand = self.in_hand.saturating_sub(1);
        }
    }
}

/// How many deliveries each queue gets of what is free, where there is room for so many. First as many as are sent to
/// one endpoint at once, so that long queues take no place from the others, and then the rest in their order.
pub fn share(rooms: &[usize], first: usize, mut free: usize) -> Vec<usize> {
    let mut shares = vec![0; rooms.len()];
    for most in [first, usize::MAX] {
        for (share, room) in shares.iter_mut().zip(rooms) {
            let more = (*room).min(most).min(free + *share).saturating_sub(*share);
            *share += more;
            free -= more;
        }
    }
    shares
}

#[cfg(test)]
mod tests;
