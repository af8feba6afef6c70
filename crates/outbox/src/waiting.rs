//! A periodic look at which tenants wait for background workers.

use std::time::Duration;

use base::timestamp::Timestamp;
use db::Db;

use crate::Background;

/// How often.
const PACE: Duration = Duration::from_secs(5);

/// Measures what workers said that they take ([`Db::watch_due`]), whether they run or hang; stops when dropped.
pub struct WaitWatch {
    _background: Background,
}

impl WaitWatch {
    /// Starts a thread. `clock` tells the time, so that tests can.
    ///
    /// # Errors
    /// The system has no further thread.
    pub fn start(db: Db, clock: impl Fn() -> Timestamp + Send + 'static) -> std::io::Result<Self> {
        let background = Background::start("waiting", move || {
            if let Err(error) = db.measure_waiting(clock().millis()) {
                tracing::warn!(%error, "looking which tenants wait");
            }
            PACE
        })?;
        Ok(Self { _background: background })
    }
}
