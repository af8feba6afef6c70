//! Pauses between looks at something that is waited for.

use std::thread::sleep;
use std::time::{Duration, Instant};

const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(250);

/// Pauses that get longer the longer something takes: each look costs the service something, too, and many tests wait
/// at a time.
pub struct Pauses(Instant);

impl Pauses {
    /// Waiting begins now.
    pub fn begin() -> Self {
        Self(Instant::now())
    }

    /// A twentieth of the time that has passed, within bounds.
    pub fn pause(&self) {
        sleep((self.0.elapsed() / 20).clamp(SHORTEST, LONGEST));
    }
}
