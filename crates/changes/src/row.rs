//! The rows of changes, and the scope that a stream watches.

use diesel::prelude::*;

use crate::schema::changes;

/// One row of `changes`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = changes, treat_none_as_default_value = false)]
pub struct Change {
    /// The tenant of what changed.
    pub tenant_id: String,
    /// The id of the event.
    pub id: String,
    /// The tenant's partner.
    pub partner_id: String,
    /// What kind of thing changed.
    pub entity: String,
    pub entity_id: String,
    /// What happened to it.
    pub action: String,
    pub request_id: String,
    pub at_ms: i64,
    /// Its number among those of the tenant, while somebody watches that.
    pub own_seq: Option<i64>,
    /// Its number among those of the partner and its clients, while somebody watches them.
    pub all_seq: Option<i64>,
}

/// The scope of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StreamScope {
    /// The tenant, or the partner.
    pub tenant: String,
    /// The tenants below it as well?
    pub all: bool,
}

impl StreamScope {
    /// The value of the column `reach`.
    pub const fn reach(&self) -> &'static str {
        if self.all { "all" } else { "own" }
    }
}
