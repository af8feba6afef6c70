//! The rows of deliveries and their messages.

use base::timestamp::Timestamp;
use db::Json;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::headers::Header;
use crate::schema::{integration_deliveries, integration_messages};

/// The due time that never comes: of a delivery whose event is not active, and of a queue without deliveries.
pub const NEVER: i64 = 9_000_000_000_000_000;

/// The message that an event renders for an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub method: String,
    /// What is joined to the base of the URL.
    pub target: String,
    /// Headers, but for those that are secret or made for each attempt.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// An attempt.
#[api::without_none]
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = IntegrationAttempt)]
pub struct Attempt {
    /// When it was made.
    pub time: String,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// The status of the answer.
    pub response_status: Option<u16>,
    /// Those of the configured `responseHeaders` that the answer has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub response_headers: Vec<Header>,
    /// The start of the answer's body, up to 16 KiB; of former attempts up to 1 KiB.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub response_body: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
}

impl Attempt {
    /// What was never sent, and why.
    pub fn refused(why: &str, now: Timestamp) -> Self {
        Self { time: now.to_string(), error: why.to_owned(), ..Self::default() }
    }
}

/// One row of `integration_deliveries`.
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = integration_deliveries, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant of the event.
    pub tenant_id: String,
    /// `DLV-<uuid>`.
    pub id: String,
    pub event_id: String,
    /// `pending`, `delivered` or `failed`.
    pub status: String,
    /// When the next attempt is due.
    pub due_ms: i64,
    /// The gateway that makes it.
    pub owner: String,
    /// Counts the claims.
    pub claim: i64,
    pub attempts: i64,
    /// How many since it was last asked for.
    pub tries: i64,
    /// When the action committed.
    pub created_ms: i64,
    pub last_attempt_ms: Option<i64>,
    /// The status of the last answer.
    pub response_status: Option<i64>,
    /// The attempts, oldest first; of many the last thirty.
    pub log: Json<Vec<Attempt>>,
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
    pub delivery_id: String,
    pub method: String,
    /// What is joined to the base of the URL.
    pub target: String,
    /// Headers, as in [`Message`].
    pub headers: Json<Vec<(String, String)>>,
    pub body: String,
    /// What it tells of: `actionId`, `tenantId`, `entity`, `eventType`, `entityId`.
    pub about: Json<Value>,
    /// The trace that it belongs to.
    pub trace: Option<String>,
}

impl MessageRow {
    /// What is sent.
    pub fn message(self) -> Message {
        Message { method: self.method, target: self.target, headers: self.headers.0, body: self.body }
    }
}
