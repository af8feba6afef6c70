//! The one clock. Rules take the time as a parameter.

use std::time::{SystemTime, UNIX_EPOCH};

use base::timestamp::Timestamp;

/// The time now, in milliseconds.
#[expect(clippy::disallowed_methods, reason = "this is the place that the ban points to")]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
