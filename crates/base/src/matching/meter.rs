//! How much work is done for a caller's expressions and texts.
//!
//! Work is counted in steps, not in time, so that the same work always ends in the same way. A step is what takes about
//! 10 nanoseconds in a release build: a hundred thousand of them are a millisecond.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Something that was made ready for a caller. As long as it is there, it need not be made again.
pub type Retained = Arc<dyn Any + Send + Sync>;

/// The work that may still be done, and what was made ready by it.
#[derive(Debug)]
pub struct Meter {
    left: Cell<u64>,
    /// By where it is, so that it is held once however often it was asked for.
    kept: RefCell<HashMap<usize, Retained>>,
    /// Set when nobody waits for the result any more.
    abandoned: Arc<AtomicBool>,
}

/// More work was asked for than may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("takes too long to work out")]
pub struct Exhausted;

impl Meter {
    /// What one request may cost: a fifth of a second.
    pub const REQUEST: u64 = 20_000_000;
    /// What may be done inside a write for one thing that happens, while other writes wait: a twentieth of a second.
    pub const WRITE: u64 = 5_000_000;

    /// For so many steps.
    pub fn new(steps: u64) -> Self {
        Self::until(steps, Arc::default())
    }

    /// For so many steps, until `abandoned` is set.
    pub fn until(steps: u64, abandoned: Arc<AtomicBool>) -> Self {
        Self { left: Cell::new(steps), kept: RefCell::default(), abandoned }
    }

    /// Counts work before it is done.
    ///
    /// # Errors
    /// There is no room for it, nor for anything after it.
    pub fn charge(&self, steps: u64) -> Result<(), Exhausted> {
        match self.left.get().checked_sub(steps) {
            Some(left) if !self.abandoned.load(Ordering::Relaxed) => {
                self.left.set(left);
                Ok(())
            }
            _ => {
                self.left.set(0);
                Err(Exhausted)
            }
        }
    }

    /// Makes room for more steps: what may be done grows with what there is to look at.
    pub fn add(&self, steps: u64) {
        self.left.set(self.left.get().saturating_add(steps));
    }

    /// Keeps what was made ready as long as this meter.
    pub(super) fn keep(&self, made: Retained) {
        self.kept.borrow_mut().insert(Arc::as_ptr(&made).addr(), made);
    }

    /// What was made ready: whoever goes on with the same expressions holds it until then.
    pub fn take_kept(&self) -> Vec<Retained> {
        self.kept.take().into_values().collect()
    }

    /// Was more asked for than may be done?
    pub fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }
}
