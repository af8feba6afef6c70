//! Timelines that were asked for lately, kept until something changes.
//!
//! What shows a schedule asks for the same weeks again and again. As with the boards of who is on call, two numbers of
//! the database tell whether an answer still holds.

use actix_web::web::Bytes;
use calendar::Interval;
use moka::sync::Cache;

use crate::revisions::Revisions;

/// How many bytes all of them together may have.
const MOST_BYTES: u64 = 32 << 20;

/// Which timeline: of the tenants in reach, the roster, the range.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The tenants in whose records the caller may look.
    pub scope: Vec<String>,
    /// The roster's id.
    pub roster: String,
    /// The range.
    pub range: Interval,
}

/// The timelines.
pub struct TimelineCache(Cache<Key, (Revisions, Bytes)>);

impl Default for TimelineCache {
    fn default() -> Self {
        let weigh = |_: &Key, (_, text): &(Revisions, Bytes)| u32::try_from(text.len()).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(MOST_BYTES).weigher(weigh).build())
    }
}

impl TimelineCache {
    /// A timeline that holds.
    pub fn get(&self, asked: &Key, revisions: Revisions) -> Option<Bytes> {
        self.0.get(asked).filter(|(of, _)| *of == revisions).map(|(_, text)| text)
    }

    /// Keeps a timeline.
    pub fn insert(&self, asked: Key, revisions: Revisions, text: Bytes) {
        self.0.insert(asked, (revisions, text));
    }
}
