//! A client that is refused several times in a row, and asks again at once in spite of `Retry-After`, makes a pause:
//! its next request is not read before, and has a place in the line then.

use std::{
    cell::{Cell, RefCell},
    future::Future as _,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Sleep, sleep};

/// Refusals that cost a client no pause, and how long the pause is that follows them: the first, doubled with each, and
/// the longest, which is what `Retry-After` says.
const FREE_REFUSALS: u32 = 2;
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The pauses of a client on one connection.
#[derive(Debug, Default)]
pub(crate) struct Pauses {
    /// Requests that were refused one after the other, because too much was under way.
    refusals: Cell<u32>,
    pause: RefCell<Option<Pin<Box<Sleep>>>>,
    completed: Cell<bool>,
}

impl Pauses {
    /// An answer is ready.
    pub(crate) fn on_answer(&self, refused: bool) {
        let refusals = if refused { self.refusals.get().saturating_add(1) } else { 0 };
        self.refusals.set(refusals);
        if let Some(beyond) = refusals.checked_sub(FREE_REFUSALS + 1) {
            let pause = SHORTEST_PAUSE.saturating_mul(1 << beyond.min(8)).min(LONGEST_PAUSE);
            *self.pause.borrow_mut() = Some(Box::pin(sleep(pause)));
        }
    }

    /// Waits until the client has made its pause.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut pause = self.pause.borrow_mut();
        if let Some(sleep) = &mut *pause {
            ready!(sleep.as_mut().poll(context));
            *pause = None;
            self.completed.set(true);
        }
        Poll::Ready(())
    }

    /// Was there a pause before this request?
    pub(crate) fn take_completed(&self) -> bool {
        self.completed.take()
    }
}
