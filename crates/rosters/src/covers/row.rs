//! The rows of requests for cover.

use base::timestamp::Timestamp;
use db::Json;
use diesel::prelude::*;

use crate::schema::roster_covers;

/// Nobody has answered.
pub const OPEN: &str = "OPEN";
/// Somebody takes over.
pub const ACCEPTED: &str = "ACCEPTED";
/// Everybody who was asked declined.
pub const DECLINED: &str = "DECLINED";
/// It is not needed any more.
pub const WITHDRAWN: &str = "WITHDRAWN";
/// Nobody has answered, and its time is over. It is not stored.
pub const EXPIRED: &str = "EXPIRED";

/// All of them.
pub const STATUSES: [&str; 5] = [OPEN, ACCEPTED, DECLINED, WITHDRAWN, EXPIRED];

/// One row of `roster_covers`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = roster_covers, primary_key(tenant_id, roster_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Cover {
    /// The tenant of its roster.
    pub tenant_id: String,
    pub roster_id: String,
    /// `CVR-<uuid>`.
    pub id: String,
    /// Who is to be relieved.
    pub user_id: String,
    pub start_ms: i64,
    pub end_ms: i64,
    /// Through which shift; `None` for any.
    pub shift_id: Option<String>,
    /// Who is asked, by ids; nobody for everybody.
    pub asked: Json<Vec<String>>,
    /// Empty when there is none.
    pub note: String,
    /// What became of it.
    pub state: String,
    /// By whom; empty while it is open.
    pub answered_by: String,
    /// When.
    pub answered_ms: Option<i64>,
    /// What came of it.
    pub override_id: Option<String>,
    pub created_by: String,
    pub created_ms: i64,
}

impl Cover {
    /// What became of it, as of an instant.
    pub fn status(&self, now: Timestamp) -> &str {
        if self.state == OPEN && self.end_ms <= now.millis() { EXPIRED } else { &self.state }
    }
}
