//! What clients see of deliveries.

use api::Request;
use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::row::{Attempt, MessageRow, NEVER, Row};
use crate::headers::Header;

/// What a delivery may be.
pub const STATUSES: [&str; 3] = ["pending", "delivered", "failed"];

api::path_id! {
    /// `DLV-<uuid>`
    pub DeliveryId = "deliveryId", "DLV-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", prefix "DLV-"
}

/// Which deliveries are to be sent again.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "DeliveryReplayInput", example = json!({
    "status": "failed", "startTime": "2026-11-20T00:00:00+0000", "endTime": "2026-11-21T00:00:00+0000"
}))]
pub struct ReplayRequest {
    /// `pending`, `delivered`, `failed` (default) or `all`.
    #[request(words = ["pending", "delivered", "failed", "all"], default = "failed")]
    pub status: &'static str,
    /// Only deliveries created at this instant or later.
    pub start_time: Option<Timestamp>,
    /// Only deliveries created before this instant.
    pub end_time: Option<Timestamp>,
}

/// A delivery.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationDelivery, example = json!({
    "id": "DLV-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "status": "delivered", "attempts": 2,
    "createdTime": "2026-11-20T20:37:00+0000", "lastAttemptTime": "2026-11-20T20:37:05+0000", "responseStatus": 201
}))]
pub struct Delivery {
    /// `DLV-<uuid>`: the `webhook-id` of every attempt.
    pub id: String,
    /// `pending`, `delivered` or `failed`.
    #[schema(pattern = "^(pending|delivered|failed)$")]
    pub status: String,
    /// How many attempts were made.
    pub attempts: i64,
    /// When the action committed.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
    /// When the last attempt was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:05+0000")]
    pub last_attempt_time: Option<Timestamp>,
    /// When the next one is due; left out when none is, or when it waits for the event to be active again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:05+0000")]
    pub next_attempt_time: Option<Timestamp>,
    /// The status of the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_status: Option<i64>,
}

impl Delivery {
    /// What is shown of a row, whose event fires or is switched off.
    pub fn of(row: &Row, fires: bool) -> Self {
        let waits = fires && row.status == "pending" && row.due_ms < NEVER;
        Self {
            id: row.id.clone(),
            status: row.status.clone(),
            attempts: row.attempts,
            created_time: Timestamp::from_millis(row.created_ms),
            last_attempt_time: row.last_attempt_ms.map(Timestamp::from_millis),
            next_attempt_time: waits.then(|| Timestamp::from_millis(row.due_ms)),
            response_status: row.response_status,
        }
    }
}

/// A delivery with its message and its attempts.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IntegrationDeliveryDetail)]
pub struct DeliveryDetail {
    /// The delivery.
    #[serde(flatten)]
    pub delivery: Delivery,
    /// Its event.
    pub event_id: String,
    /// What it tells of: `actionId`, `tenantId`, `entity`, `eventType`, `entityId`.
    #[schema(value_type = Object)]
    pub about: Value,
    /// What is sent, at every attempt.
    pub request: DeliveryRequest,
    /// The attempts, oldest first; of many the last thirty.
    pub attempt_log: Vec<Attempt>,
}

/// The request of a delivery, without the parts made for each attempt (credentials, signature).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = IntegrationRequest)]
pub struct DeliveryRequest {
    /// The method.
    #[schema(example = "POST")]
    pub method: String,
    /// What is joined to `baseURI`.
    #[schema(example = "/tickets")]
    pub target: String,
    /// Headers.
    pub headers: Vec<Header>,
    /// The body.
    pub body: String,
}

impl DeliveryDetail {
    /// What is shown of a row and its message.
    pub fn of(row: &Row, fires: bool, message: MessageRow) -> Self {
        let about = message.about.0.clone();
        let sent = message.message();
        Self {
            delivery: Delivery::of(row, fires),
            event_id: row.event_id.clone(),
            about,
            request: DeliveryRequest {
                method: sent.method,
                target: sent.target,
                headers: sent.headers.into_iter().map(|(key, value)| Header { key, value }).collect(),
                body: sent.body,
            },
            attempt_log: row.log.0.clone(),
        }
    }
}

/// How many deliveries are sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReplayedDeliveries)]
pub struct ReplayCount {
    /// How many.
    #[schema(example = 12)]
    pub replayed: usize,
    /// Left out when all are. Otherwise something failed on the way: those that were created before this are sent
    /// again, and another replay goes on with this `startTime`, under another `Idempotency-Key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:00+0000")]
    pub continue_from: Option<Timestamp>,
}

/// Just as clients see it.
impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("IntegrationDelivery", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&Delivery::of(self, true))
    }
}
