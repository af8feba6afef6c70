//! The rows of time off.

use diesel::prelude::*;

use crate::schema::{roster_former_time_off, roster_time_off};

/// One row of `roster_time_off`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = roster_time_off, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct TimeOff {
    /// The tenant of the person.
    pub tenant_id: String,
    /// `TOF-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// Who is away.
    pub user_id: String,
    /// When it begins.
    pub start_ms: i64,
    /// When it ends.
    pub end_ms: i64,
    /// Empty when there is none.
    pub reason: String,
    /// Who entered it.
    pub created_by: String,
    /// When it was entered.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}

/// One row of `roster_former_time_off`: how time off was until it was changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = roster_former_time_off, treat_none_as_default_value = false)]
pub struct FormerTimeOff {
    /// The tenant of the person.
    pub tenant_id: String,
    /// `TFF-<uuid>`.
    pub id: String,
    /// Which time off.
    pub time_off_id: String,
    /// Who was to be away.
    pub user_id: String,
    /// When it was to begin.
    pub start_ms: i64,
    /// When it was to end.
    pub end_ms: i64,
    /// Since when it was known like this.
    pub known_from_ms: i64,
    /// Until when; `None` for what was removed because of its age.
    pub known_until_ms: Option<i64>,
}
