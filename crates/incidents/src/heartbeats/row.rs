//! The row of a heartbeat.

use diesel::prelude::*;

use crate::schema::heartbeats;

/// A heartbeat as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = heartbeats, treat_none_as_default_value = false)]
pub struct Row {
    pub tenant_id: String,
    /// `HB-<uuid>`.
    pub id: String,
    /// Counts its changes, pings left out; the `ETag`.
    pub version: i64,
    pub name: String,
    pub name_key: String,
    pub interval_ms: i64,
    pub grace_ms: i64,
    pub severity: String,
    /// The machine, as it was named; empty for none.
    pub device: String,
    /// SHA-256, in hex.
    pub token_hash: String,
    /// `None` before the first ping.
    pub last_ms: Option<i64>,
    /// `None` before the first ping.
    pub due_ms: Option<i64>,
    /// Is it silent? Alerts are told of it then (`report_ms`).
    pub missed: bool,
    pub created_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
    /// When alerts are to be told that it is silent, or that it is not any more; `None` once they were.
    pub report_ms: Option<i64>,
}
