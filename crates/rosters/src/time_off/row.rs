//! The rows of time off.

use diesel::prelude::*;

use crate::schema::roster_time_off;

/// One row of `roster_time_off`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = roster_time_off, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct TimeOff {
    /// The tenant of the person.
    pub tenant_id: String,
    /// `TOF-<uuid>`.
    pub id: String,
    pub version: i64,
    /// Who is away.
    pub user_id: String,
    pub start_ms: i64,
    pub end_ms: i64,
    /// Empty when there is none.
    pub reason: String,
    pub created_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}
