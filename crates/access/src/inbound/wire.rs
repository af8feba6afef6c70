//! What clients see and say of inbound addresses.

use api::Request;
use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::rules;
use crate::tenants::wire::LONGEST_NAME;

api::path_id! {
    /// `INB-<uuid>`.
    pub(crate) InboundId = "inboundId", "INB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", looked_up
}

/// An id of the wrong form names no address, and is not looked up.
fn looked_up(text: &str) -> String {
    let id = base::text::spelled(text, "INB-");
    if rules::is_id(&id) { id } else { String::new() }
}

/// An inbound address to be made.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "InboundAddressInput", example = json!({"name": "grafana"}))]
pub(crate) struct NewInboundAddress {
    /// Its name, unique in the tenant whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub(crate) name: String,
}

/// An inbound address, without its token.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "INB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "grafana", "userId": "USR0000000007",
    "createdBy": "USR0000000001", "createdDate": "2026-11-20T20:37:00+0000"
}))]
pub(crate) struct InboundAddress {
    /// `INB-<uuid>`.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// The user by whom reports through it are made.
    pub(crate) user_id: String,
    /// The user that made it.
    pub(crate) created_by: String,
    /// When it was made.
    #[schema(value_type = String)]
    pub(crate) created_date: Timestamp,
}

/// An inbound address with its token: the only time that it is shown.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "INB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "grafana", "userId": "USR0000000007",
    "createdBy": "USR0000000001", "createdDate": "2026-11-20T20:37:00+0000", "token": "<token>",
    "url": "https://muster.example/api/v2/inbound/<token>"
}))]
pub(crate) struct CreatedInboundAddress {
    #[serde(flatten)]
    pub(super) address: InboundAddress,
    /// The secret that lets a monitor report: the `routing_key` of PagerDuty events, the `GenieKey` of Opsgenie.
    /// Only in the first answer under an `Idempotency-Key`.
    #[schema(required = false)]
    pub(super) token: String,
    /// Where plain reports go; for another format, `/` and its name are added. Only in the first answer under
    /// an `Idempotency-Key`.
    #[schema(required = false)]
    pub(super) url: String,
}
