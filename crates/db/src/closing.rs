//! A service that stops does not wait for a database that stands still once for each of its workers: after the first
//! wait in vain, nobody waits again.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Db;

/// Whether the service stops, and what it found then.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    begun: AtomicBool,
    /// Somebody waited for a connection since, and got none.
    pub(crate) in_vain: AtomicBool,
}

impl Closing {
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }
}

impl Db {
    /// From now on, calls fail at once when one has waited for a connection in vain. What is done before the end goes
    /// on as long as the database answers.
    pub fn begin_closing(&self) {
        self.0.closing.begun.store(true, Ordering::Relaxed);
    }
}
