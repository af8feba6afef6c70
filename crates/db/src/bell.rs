//! Wake-up calls for background workers: a commit wakes the workers of the same process that have work from it.
//! Other processes on the same database find it when they look by themselves.

use std::{
    cell::RefCell,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
};

type Wake = Arc<dyn Fn() + Send + Sync>;

/// A bell for one kind of work: a `static` beside the table that the work stands in.
///
/// To ring wakes each listener once, however much there is to do and however often it rang meanwhile: there are as many
/// listeners as threads that look after the work, which is one for each server of the process.
pub struct Bell {
    listeners: Mutex<Vec<(u64, Wake)>>,
}

thread_local! {
    /// The bells that ring when the transaction of this thread is committed.
    static NOTED: RefCell<Vec<&'static Bell>> = const { RefCell::new(Vec::new()) };
}

impl Bell {
    /// One that nobody listens to yet.
    #[expect(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> Self {
        Self { listeners: Mutex::new(Vec::new()) }
    }

    /// Calls `wake`, which should be quick, whenever it rings, until the answer is dropped.
    pub fn listen(&'static self, wake: impl Fn() + Send + Sync + 'static) -> Listener {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        self.lock().push((number, Arc::new(wake)));
        Listener { bell: self, number }
    }

    /// Rings once the write that is under way on this thread is committed; not at all when it is undone.
    pub fn ring_at_commit(&'static self) {
        NOTED.with_borrow_mut(|noted| {
            if !noted.iter().any(|known| std::ptr::eq(*known, self)) {
                noted.push(self);
            }
        });
    }

    fn ring(&self) {
        let listeners: Vec<Wake> = self.lock().iter().map(|(_, wake)| Arc::clone(wake)).collect();
        listeners.iter().for_each(|wake| wake());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Wake)>> {
        base::lock(&self.listeners)
    }
}

/// Somebody who is woken; not any more when dropped.
pub struct Listener {
    bell: &'static Bell,
    number: u64,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.bell.lock().retain(|(number, _)| *number != self.number);
    }
}

/// After a commit (`true`) or a rollback: rings what was noted, or forgets it.
pub(crate) fn settle(committed: bool) {
    let noted = NOTED.take();
    if committed {
        noted.into_iter().for_each(Bell::ring);
    }
}

#[cfg(test)]
mod tests;
