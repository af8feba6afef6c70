//! Writes that are committed, and whose position could not be noted.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts writes whose position could not be recorded. Until that is repaired, all callers read from the primary: who
/// wrote is not remembered, so that this takes no memory. The watch repairs all of them by one record that concerns
/// every caller, which other gateways see, too.
#[derive(Debug, Default)]
pub(crate) struct UnrecordedWrites {
    added: AtomicU64,
    settled: AtomicU64,
}

impl UnrecordedWrites {
    /// A note is missing from now on.
    pub(crate) fn add(&self) {
        self.added.fetch_add(1, Ordering::SeqCst);
    }

    /// Is one missing?
    pub(crate) fn is_any(&self) -> bool {
        self.added.load(Ordering::SeqCst) > self.settled.load(Ordering::SeqCst)
    }

    /// Makes up for those that have been added.
    ///
    /// # Errors
    /// Those of `work`; they are missing then as before.
    pub(crate) fn settle<E>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let added = self.added.load(Ordering::SeqCst);
        if added > self.settled.load(Ordering::SeqCst) {
            work()?;
            self.settled.fetch_max(added, Ordering::SeqCst);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_while_it_is_made_up_for_is_missing_still() {
        let unnoted = UnrecordedWrites::default();
        assert!(!unnoted.is_any());
        unnoted.settle(|| -> Result<(), ()> { panic!("nothing is missing") }).unwrap();
        unnoted.add();
        assert_eq!(unnoted.settle(|| Err("away")), Err("away"));
        assert!(unnoted.is_any());
        let settle = || {
            unnoted.add();
            Ok::<(), ()>(())
        };
        unnoted.settle(settle).unwrap();
        assert!(unnoted.is_any());
        unnoted.settle(|| Ok::<(), ()>(())).unwrap();
        assert!(!unnoted.is_any());
    }
}
