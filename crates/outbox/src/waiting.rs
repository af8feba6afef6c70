//! A periodic look at which tenants wait for background workers.

use std::time::Duration;

use base::timestamp::Timestamp;
use db::Db;

use crate::Background;

/// How often.
const PACE: Duration = Duration::from_secs(5);

/// Starts a thread that measures what workers said that they take ([`Db::watch_due`]), whether they run or hang.
/// `clock` tells the time, so that tests can.
///
/// # Errors
/// The system has no further thread.
pub fn start_wait_watch(db: Db, clock: impl Fn() -> Timestamp + Send + 'static) -> std::io::Result<Background> {
    Background::start("waiting", move || {
        if let Err(error) = db.measure_waiting(clock().millis()) {
            tracing::warn!(%error, "looking which tenants wait");
        }
        PACE
    })
}
