//! The timelines of single rosters that answers across rosters were made of lately: a change of one roster, or of one
//! person, leaves the others as they are.

use std::sync::Arc;

use calendar::Interval;
use moka::sync::Cache;

use super::wire::Part;
use crate::cache::OneRoster;

/// How many bytes all of them together may have.
const MOST_BYTES: u64 = 32 << 20;

/// What an entry takes beside its text, in bytes.
const ENTRY: usize = 256;

/// The timelines, by the stamp of the roster and the range.
pub struct PartCache(Cache<(u64, Interval), Arc<Part>>);

impl Default for PartCache {
    fn default() -> Self {
        let weigh = |_: &(u64, Interval), part: &Arc<Part>| {
            let stretches = part.cover.staffed.len() + part.cover.wanted.len();
            let bytes = ENTRY + part.timeline.len() + stretches * size_of::<Interval>();
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(MOST_BYTES).weigher(weigh).build())
    }
}

impl PartCache {
    /// The timeline of a roster as it is.
    pub fn get(&self, roster: &OneRoster, range: Interval) -> Option<Arc<Part>> {
        self.0.get(&(roster.stamp, range))
    }

    /// Keeps a timeline.
    pub fn insert(&self, roster: &OneRoster, range: Interval, part: Arc<Part>) {
        self.0.insert((roster.stamp, range), part);
    }
}
