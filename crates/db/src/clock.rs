//! The one clock. Rules take the time as a parameter.
//!
//! Gateways on one Postgres hand leases, due times and silences to each other, so they have to agree on the time: they
//! go by the clock of the database. The health probe, which asks the database several times a second, compares.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use base::timestamp::Timestamp;

/// A smaller difference is left alone, so that the time does not jump with each comparison.
const LEAST_DIFFERENCE: i64 = 1000;

/// An answer that took longer says too little of when the database looked at its clock.
const LONGEST_ANSWER: Duration = Duration::from_millis(500);

/// Milliseconds by which the clock of the database is ahead of that of this machine.
static AHEAD_MS: AtomicI64 = AtomicI64::new(0);

/// The time now, by the clock of the database.
pub fn now() -> Timestamp {
    Timestamp::from_millis(on_this_machine().saturating_add(AHEAD_MS.load(Ordering::Relaxed)))
}

/// The time now, in milliseconds, by the clock of this machine.
#[expect(clippy::disallowed_methods, reason = "this is the place that the ban points to")]
pub(crate) fn on_this_machine() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Takes in that the database answered this time to a question which was asked when it was `asked` here, and was
/// answered after `took`.
pub(crate) fn compare(database: i64, asked: i64, took: Duration) {
    let before = AHEAD_MS.load(Ordering::Relaxed);
    let Some(ahead) = correction(before, database, asked, took) else { return };
    AHEAD_MS.store(ahead, Ordering::Relaxed);
    tracing::warn!(ahead_ms = ahead, "the database has another time than this machine: the service goes by its clock");
}

/// By how much the database is ahead, where that is something else than was known `before`.
fn correction(before: i64, database: i64, asked: i64, took: Duration) -> Option<i64> {
    let half = i64::try_from(took.as_millis() / 2).ok().filter(|_| took <= LONGEST_ANSWER)?;
    let ahead = database.saturating_sub(asked.saturating_add(half));
    (ahead.saturating_sub(before).saturating_abs() > LEAST_DIFFERENCE).then_some(ahead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_once_it_is_larger_than_what_a_comparison_may_be_wrong_by() {
        let quick = Duration::from_millis(20);
        assert_eq!(correction(0, 50_510, 50_000, quick), None);
        assert_eq!(correction(0, 140_010, 50_000, quick), Some(90_000));
        assert_eq!(correction(0, 10_010, 100_000, quick), Some(-90_000));
        assert_eq!(correction(90_000, 140_700, 50_000, quick), None, "what is known stays");
        assert_eq!(correction(90_000, 50_020, 50_000, quick), Some(10), "the machine's clock was put right");
        assert_eq!(correction(0, 140_010, 50_000, Duration::from_secs(1)), None, "an answer that took long");
    }
}
