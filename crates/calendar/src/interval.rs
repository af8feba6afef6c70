//! A stretch of time.

use base::Timestamp;
use serde::Serialize;

/// A stretch of time that contains its start and not its end: `{"start","end"}` on the wire. Never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
pub struct Interval {
    start: Timestamp,
    end: Timestamp,
}

impl Interval {
    /// What stands for one that is wrong: the first millisecond of 1970.
    pub const BLANK: Self = Self { start: Timestamp::from_millis(0), end: Timestamp::from_millis(1) };

    /// The stretch from `start` to `end`; `None` when the end is not after the start.
    pub fn new(start: Timestamp, end: Timestamp) -> Option<Self> {
        (start < end).then_some(Self { start, end })
    }

    /// The first instant.
    pub fn start(self) -> Timestamp {
        self.start
    }

    /// The first instant that is no longer part of it.
    pub fn end(self) -> Timestamp {
        self.end
    }

    /// Whether an instant is part of it.
    pub fn contains(self, at: Timestamp) -> bool {
        self.start <= at && at < self.end
    }

    /// The part that another stretch has too; `None` when they have none in common, if only because they just touch.
    pub fn intersection(self, other: Interval) -> Option<Self> {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }

    /// Its length in milliseconds.
    pub fn millis(self) -> u64 {
        self.end.millis().abs_diff(self.start.millis())
    }
}
