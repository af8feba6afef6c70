//! The rows of how time off was.

use diesel::prelude::*;

use crate::schema::roster_former_time_off;

/// One row of `roster_former_time_off`: how time off was until it was changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = roster_former_time_off, treat_none_as_default_value = false)]
pub struct FormerTimeOff {
    /// The tenant of the person.
    pub tenant_id: String,
    /// `TFF-<uuid>`.
    pub id: String,
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
