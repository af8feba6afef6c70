//! The rows of deliveries and their messages.

use diesel::prelude::*;

use crate::schema::{integration_deliveries, integration_messages};

/// When what waits for somebody is due: a delivery of an event that is not active, a queue without deliveries.
pub const NEVER: i64 = 9_000_000_000_000_000;

/// What an event makes of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The method.
    pub method: String,
    /// What is joined to the base of the URL.
    pub target: String,
    /// Headers, but for those that are secret or made for each attempt.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// One row of `integration_deliveries`.
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = integration_deliveries, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant of the event.
    pub tenant_id: String,
    /// `DLV-<uuid>`.
    pub id: String,
    /// Its event.
    pub event_id: String,
    /// `pending`, `delivered` or `failed`.
    pub status: String,
    /// When the next attempt is due.
    pub due_ms: i64,
    /// The gateway that makes it.
    pub owner: String,
    /// Counts the claims.
    pub claim: i64,
    /// How many attempts were made.
    pub attempts: i64,
    /// How many since it was last asked for.
    pub tries: i64,
    /// When the action committed.
    pub created_ms: i64,
    /// When the last attempt was made.
    pub last_attempt_ms: Option<i64>,
    /// The status of the last answer.
    pub response_status: Option<i64>,
    /// The attempts, a JSON array.
    pub log: String,
    /// What kind of thing it tells of.
    pub entity: String,
    /// What happened to that.
    pub action: String,
    /// Which one; of a long id the beginning.
    pub entity_id: String,
}

/// One row of `integration_messages`.
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = integration_messages, treat_none_as_default_value = false)]
pub struct MessageRow {
    /// The tenant of the event.
    pub tenant_id: String,
    /// Its delivery.
    pub delivery_id: String,
    /// The method.
    pub method: String,
    /// What is joined to the base of the URL.
    pub target: String,
    /// JSON, `[[name, value]]`.
    pub headers: String,
    /// The body.
    pub body: String,
    /// What it tells of, JSON.
    pub about: String,
}

impl MessageRow {
    /// What is sent.
    pub fn message(&self) -> Message {
        Message {
            method: self.method.clone(),
            target: self.target.clone(),
            headers: serde_json::from_str(&self.headers).unwrap_or_default(),
            body: self.body.clone(),
        }
    }
}
