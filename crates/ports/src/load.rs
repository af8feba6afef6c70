//! The ports of what alerts ask of people: pages that were sent to them, and time that they worked on alerts.

use std::collections::HashMap;

use base::timestamp::Timestamp;
use db::{Conn, Result};

/// A page that was sent to a person, or is going to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentPage {
    /// Who, by id.
    pub user: String,
    /// Tenant and id of the roster through which the person was told; both are empty for none.
    pub roster: (String, String),
    /// When it was decided.
    pub at: Timestamp,
}

/// Takes a page; an error ends the walk.
pub type EachPage<'a> = &'a mut dyn FnMut(SentPage) -> Result<()>;

/// The pages that people got.
pub trait SentPages: Send + Sync {
    /// Calls `each` with the pages of alerts and incidents of these tenants that were decided in a range, its end not
    /// included, without what was not sent and is not going to be.
    fn for_each_page(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        range: (Timestamp, Timestamp),
        each: EachPage<'_>,
    ) -> Result<()>;
}

/// The time that people worked on alerts.
pub trait WorkedTimes: Send + Sync {
    /// How many milliseconds of a range each person had alerts of these tenants in hand, by the person's id: from when
    /// the person acknowledged one first until it was closed, or until `now`. What overlaps counts once.
    fn worked(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        range: (Timestamp, Timestamp),
        now: Timestamp,
    ) -> Result<HashMap<String, u64>>;
}
