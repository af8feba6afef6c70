//! What was looked up a moment ago.

use std::{
    hash::Hash,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use moka::sync::Cache;

/// How long an answer may be used again. What another gateway changes is felt within a second.
const LIFE: Duration = Duration::from_millis(900);

/// A bounded cache of answers that live less than a second. Only what exists is to be kept: an unknown token or tenant
/// is looked up each time, so that a new one is there at once and nobody fills the memory with guesses.
pub struct Recent<K, V> {
    entries: Cache<K, (u64, V)>,
    generation: AtomicU64,
}

/// The generation in which a look-up began.
#[derive(Clone, Copy)]
pub struct Generation(u64);

impl<K, V> Recent<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// One that keeps so many answers at most.
    pub fn new(capacity: u64) -> Self {
        let entries = Cache::builder().max_capacity(capacity).time_to_live(LIFE).build();
        Self { entries, generation: AtomicU64::new(0) }
    }

    /// What was answered a moment ago.
    pub fn get(&self, key: &K) -> Option<V> {
        let (generation, value) = self.entries.get(key)?;
        (generation == self.generation().0).then_some(value)
    }

    /// To be asked before the look-up whose answer is [`put`](Self::put).
    pub fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::Acquire))
    }

    /// Keeps the answer of a look-up that began then.
    pub fn put(&self, key: K, value: V, began: Generation) {
        self.entries.insert(key, (began.0, value));
    }

    /// Forgets everything, and with it the answers of look-ups that are still under way: they began before the change
    /// that this call follows, and may not have seen it.
    pub fn forget(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_also_what_was_under_way() {
        let recent = Recent::new(10);
        let before = recent.generation();
        recent.put("a", 1, before);
        assert_eq!(recent.get(&"a"), Some(1));
        recent.forget();
        assert_eq!(recent.get(&"a"), None);
        recent.put("a", 1, before);
        assert_eq!(recent.get(&"a"), None);
        recent.put("a", 2, recent.generation());
        assert_eq!(recent.get(&"a"), Some(2));
    }
}
