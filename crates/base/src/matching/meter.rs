//! A meter of the work done for a caller's expressions and texts, in steps of about 10 nanoseconds: a hundred thousand
//! of them are a millisecond. Most work is estimated before it is done; regular expressions are measured, by the CPU
//! time of their thread: what else the machine does refuses nobody's.

use std::{cell::Cell, time::Duration};

use rustix::time::{ClockId, clock_gettime};

/// The work that may still be done.
#[derive(Debug)]
pub struct Meter {
    left: Cell<u64>,
}

/// There is more work than may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("takes too long to work out")]
pub struct Exhausted;

impl Meter {
    /// What one request may cost: a fifth of a second.
    pub const REQUEST: u64 = 20_000_000;
    /// What may be done inside a write for one thing that happens, while other writes wait: a twentieth of a second.
    pub const WRITE: u64 = 5_000_000;

    /// A meter that allows so many steps.
    pub fn new(steps: u64) -> Self {
        Self { left: Cell::new(steps) }
    }

    /// Counts work before it is done.
    ///
    /// # Errors
    /// When the work exceeds what is left. All later work then fails as well.
    pub fn charge(&self, steps: u64) -> Result<(), Exhausted> {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        left.map(drop).ok_or(Exhausted)
    }

    /// Does work, and counts the CPU time that it took.
    ///
    /// # Errors
    /// It took longer than there was room for, or there was none.
    pub(super) fn time<T>(&self, work: impl FnOnce() -> T) -> Result<T, Exhausted> {
        self.charge(1)?;
        let begun = cpu_time();
        let done = work();
        self.charge(u64::try_from(cpu_time().saturating_sub(begun).as_nanos() / 10).unwrap_or(u64::MAX))?;
        Ok(done)
    }

    /// Makes room for more steps: what may be done grows with what there is to look at.
    pub fn add(&self, steps: u64) {
        self.left.set(self.left.get().saturating_add(steps));
    }

    /// Is there no room left?
    pub fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }
}

/// How long this thread has run.
fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
