//! How fast the line of waiting requests moves, and so whether somebody's turn will come soon.

use std::{
    sync::atomic::{
        AtomicU64, AtomicUsize,
        Ordering::{Relaxed, SeqCst},
    },
    time::Duration,
};

use tokio::time::Instant;

/// Turns are counted for so long, and the last such time tells how many come in the next.
const WINDOW: Duration = Duration::from_millis(250);

/// The turns that came lately, and those that wait however long it takes.
#[derive(Debug)]
pub(super) struct Pace {
    begun: Instant,
    window: AtomicU64,
    turns: AtomicUsize,
    turns_before: AtomicUsize,
    waiting: AtomicUsize,
    /// So many may wait where nobody's turn came lately.
    at_first: usize,
}

impl Pace {
    pub(super) fn new(begun: Instant, at_first: usize) -> Self {
        let window = Default::default();
        let turns = Default::default();
        let turns_before = Default::default();
        let waiting = Default::default();
        Self { begun, window, turns, turns_before, waiting, at_first }
    }

    /// Somebody's turn has come.
    pub(super) fn turn(&self, now: Instant) {
        self.roll(now);
        self.turns.fetch_add(1, Relaxed);
    }

    /// A place among those who wait for their turn, however long that takes; it is left when this is dropped.
    pub(super) fn wait(&self, now: Instant) -> QueuePlace<'_> {
        self.roll(now);
        QueuePlace { pace: self, before: self.waiting.fetch_add(1, SeqCst) }
    }

    /// The same, if their turn comes within this time.
    pub(super) fn wait_within(&self, within: Duration, now: Instant) -> Option<QueuePlace<'_>> {
        let place = self.wait(now);
        let lately = self.turns.load(Relaxed).max(self.turns_before.load(Relaxed));
        let windows = usize::try_from(within.as_millis() / WINDOW.as_millis()).unwrap_or(usize::MAX);
        (place.before < lately.saturating_mul(windows).max(self.at_first)).then_some(place)
    }

    fn roll(&self, now: Instant) {
        let since = now.saturating_duration_since(self.begun);
        let window = u64::try_from(since.as_millis() / WINDOW.as_millis()).unwrap_or(u64::MAX);
        let known = self.window.swap(window, SeqCst);
        if known != window {
            let turns = self.turns.swap(0, SeqCst);
            self.turns_before.store(if known + 1 == window { turns } else { 0 }, SeqCst);
        }
    }
}

/// Somebody who waits for their turn.
#[derive(Debug)]
pub(super) struct QueuePlace<'a> {
    pace: &'a Pace,
    /// How many waited already.
    before: usize,
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.pace.waiting.fetch_sub(1, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn as_many_wait_as_have_their_turn_in_time() {
        let mut now = Instant::now();
        let pace = Pace::new(now, 2);
        let _one = pace.wait_within(SECOND, now).unwrap();
        let _two = pace.wait_within(SECOND, now).unwrap();
        assert!(pace.wait_within(SECOND, now).is_none(), "nobody's turn came yet");
        assert_eq!(pace.waiting.load(SeqCst), 2, "who may not wait has no place");
        pace.turn(now);
        let waiting: Vec<_> = std::iter::from_fn(|| pace.wait_within(SECOND, now)).collect();
        assert_eq!(waiting.len(), 2, "four a second");
        drop((waiting, pace.wait(now)));
        now += WINDOW;
        assert!(pace.wait_within(SECOND, now).is_some(), "as in the window before");
        now += 3 * WINDOW;
        assert!(pace.wait_within(SECOND, now).is_none(), "that was long ago");
    }
}
