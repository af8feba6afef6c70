//! Timelines that were asked for lately, kept until something changes.
//!
//! What shows a schedule asks for the same weeks again and again. As with the boards of who is on call, numbers of the
//! database tell whether an answer still holds.

use actix_web::web::Bytes;
use calendar::Interval;
use moka::sync::Cache;

use crate::revisions::Totals;

/// How many bytes all of them together may have.
const MOST_BYTES: u64 = 32 << 20;

/// Which timeline: of the tenants in reach, the roster, the range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The tenants whose rosters are meant.
    pub scope: Vec<String>,
    /// The roster's id.
    pub roster: String,
    /// The range.
    pub range: Interval,
}

/// The timelines.
pub struct TimelineCache(Cache<Key, (Totals, Bytes)>);

impl Default for TimelineCache {
    fn default() -> Self {
        let weigh = |asked: &Key, (_, text): &(Totals, Bytes)| {
            let tenants: usize = asked.scope.iter().map(String::len).sum();
            u32::try_from(tenants + text.len()).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(MOST_BYTES).weigher(weigh).build())
    }
}

impl TimelineCache {
    /// A timeline that holds.
    pub fn get(&self, asked: &Key, totals: Totals) -> Option<Bytes> {
        self.0.get(asked).filter(|(of, _)| *of == totals).map(|(_, text)| text)
    }

    /// Keeps a timeline.
    pub fn insert(&self, asked: Key, totals: Totals, text: Bytes) {
        self.0.insert(asked, (totals, text));
    }
}
