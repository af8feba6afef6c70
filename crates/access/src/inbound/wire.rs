//! What clients see of inbound addresses.

use api::inbound::PREFIX;
use base::{Fields, problem::Problem, secret::Secret, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store::Row;
use crate::tenants::rules::name;

/// An inbound address to be made.
#[derive(Debug, ToSchema)]
#[schema(as = InboundAddressInput, example = json!({"name": "grafana"}))]
pub(crate) struct NewInboundAddress {
    /// Its name, unique in the tenant whatever the letter case; at most 200 characters.
    pub(crate) name: String,
}

impl NewInboundAddress {
    /// Reads the body of a request.
    pub(crate) fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let name = name(&mut fields);
        fields.finish()?;
        Ok(Self { name })
    }
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
    address: InboundAddress,
    /// Whoever has it may report: the `routing_key` of PagerDuty events, the `GenieKey` of Opsgenie.
    token: String,
    /// Where plain reports go; for another format, `/` and its name are added.
    url: String,
}

impl CreatedInboundAddress {
    /// The one place where a token is told; `base` is how the caller reached the service.
    pub(crate) fn new(row: Row, token: Secret<String>, base: &str) -> Self {
        let token = token.into_inner();
        Self { address: row.into(), url: format!("{base}{PREFIX}{token}"), token }
    }
}

impl From<Row> for InboundAddress {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            name: row.name,
            user_id: row.user_id,
            created_by: row.created_by,
            created_date: Timestamp::from_millis(row.created_ms),
        }
    }
}
