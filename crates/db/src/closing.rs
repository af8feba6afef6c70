//! A service that stops does not wait for a database that stands still once for each of its workers: after the first
//! wait in vain, nobody waits again.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Db, Error, Inner, Result, backend::Manager};

/// Whether the service stops, and what it found then.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    begun: AtomicBool,
    /// Somebody waited for a connection since, and got none.
    in_vain: AtomicBool,
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

impl Inner {
    /// A connection of a pool of this database.
    pub(crate) fn connection(&self, pool: &r2d2::Pool<Manager>) -> Result<r2d2::PooledConnection<Manager>> {
        let closing = &self.closing;
        if closing.in_vain.load(Ordering::Relaxed) {
            return Err(Error::Unavailable("the service stops, and the database does not answer".to_owned()));
        }
        let connection = pool.get();
        if connection.is_err() && closing.has_begun() {
            closing.in_vain.store(true, Ordering::Relaxed);
        }
        Ok(connection?)
    }
}
