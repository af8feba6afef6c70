//! How the pools of connections are set up, and how long a call waits for a connection.

use std::{sync::atomic::Ordering, time::Duration};

use crate::{Backend, Error, Inner, Result, backend::Manager, error, url::DatabaseUrl};

/// The longest pause between two attempts of a pool to connect. A pool waits longer after each failure, up to half of
/// its `connection_timeout`: with that of a call, writes would go on seconds after another Postgres took over.
const PAUSE: Duration = Duration::from_millis(400);

/// What the pools of a database have in common.
pub(crate) fn builder(url: &DatabaseUrl) -> r2d2::Builder<Manager> {
    r2d2::Pool::builder()
        .connection_timeout(2 * PAUSE)
        .test_on_check_out(url.backend() == Backend::Postgres)
        .error_handler(Box::new(error::PoolErrors))
}

impl Inner {
    /// A connection of a pool of this database, which a call waits for as long as the options say.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when there is none by then; while the service stops, at once after somebody waited in
    /// vain.
    pub(crate) fn connection(&self, pool: &r2d2::Pool<Manager>) -> Result<r2d2::PooledConnection<Manager>> {
        let closing = &self.closing;
        if closing.in_vain.load(Ordering::Relaxed) {
            return Err(Error::Unavailable("the service stops, and the database does not answer".to_owned()));
        }
        let connection = pool.get_timeout(self.wait);
        if connection.is_err() && closing.has_begun() {
            closing.in_vain.store(true, Ordering::Relaxed);
        }
        Ok(connection?)
    }
}
