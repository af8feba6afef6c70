//! How many browsers there are at a time.

use std::sync::{Condvar, Mutex, PoisonError};

/// Together with their servers they keep two cores busy.
const MOST: usize = 3;

static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

/// The right to run a browser, until it is dropped.
pub(super) struct Turn(());

impl Turn {
    /// Waits until fewer than [`MOST`] run.
    pub fn wait() -> Self {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut running = ENDED.wait_while(running, |running| *running == MOST).unwrap_or_else(PoisonError::into_inner);
        *running += 1;
        Self(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}
