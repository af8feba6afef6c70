//! Lines of the log that strangers cause: a few a second, however many there would be.

use std::{
    net::IpAddr,
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
};

use crate::{clock, request_id};

/// So many a second are written; the next one after that says how many were not.
const LINES_PER_SECOND: u64 = 10;

/// How much of a key that is not known is shown: enough to find it, and not what it is when somebody took the secret
/// for the key.
const SHOWN_CHARS: usize = 8;

static LOGINS: LineCounter = LineCounter::new();
static THROTTLED: LineCounter = LineCounter::new();

/// Somebody sent a wrong token, or key and secret that do not belong together.
pub fn failed_login(from: IpAddr, key: Option<&str>) {
    let Some(not_written) = LOGINS.count_line(clock::now().millis() / 1000) else { return };
    let request_id = request_id::current();
    match key {
        Some(key) => {
            let key_begins: String = key.chars().take(SHOWN_CHARS).collect();
            tracing::warn!(request_id, %from, ?key_begins, not_written, "a wrong key or secret");
        }
        None => tracing::warn!(request_id, %from, not_written, "an unknown token"),
    }
}

/// A request was refused because there were too many: of this key, or failed attempts from this address.
pub fn throttled(from: IpAddr, key: &str) {
    let Some(not_written) = THROTTLED.count_line(clock::now().millis() / 1000) else { return };
    tracing::warn!(request_id = request_id::current(), %from, key, not_written, "too many requests");
}

/// Counts lines of one sort.
struct LineCounter {
    second: AtomicI64,
    written: AtomicU64,
    not_written: AtomicU64,
}

impl LineCounter {
    const fn new() -> Self {
        Self { second: AtomicI64::new(0), written: AtomicU64::new(0), not_written: AtomicU64::new(0) }
    }

    /// May there be another line in this second? Answers how many were not written before it.
    fn count_line(&self, second: i64) -> Option<u64> {
        if self.second.swap(second, Ordering::Relaxed) != second {
            self.written.store(0, Ordering::Relaxed);
        }
        if self.written.fetch_add(1, Ordering::Relaxed) < LINES_PER_SECOND {
            return Some(self.not_written.swap(0, Ordering::Relaxed));
        }
        self.not_written.fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_a_few_lines_and_a_number() {
        let notices = LineCounter::new();
        let written = (0..1000).filter(|_| notices.count_line(1).is_some()).count();
        assert_eq!(written as u64, LINES_PER_SECOND);
        assert_eq!((notices.count_line(2), notices.count_line(2)), (Some(1000 - LINES_PER_SECOND), Some(0)));
    }
}
