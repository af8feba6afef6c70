//! What clients see of tenants.

use base::{Fields, problem::Problem, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{row::Row, rules};

/// A tenant: facts about a partner or a client.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": 1, "uniqueId": "client_1", "name": "Client One", "level": "client", "activated": true, "suspended": false,
    "partner": {"id": 1, "uniqueId": "msp_1"}, "createdDate": "2026-11-20T20:37:00+0000",
    "updatedDate": "2026-11-20T20:37:00+0000"
}))]
pub(crate) struct TenantFacts {
    /// The number in `uniqueId`.
    pub(crate) id: i64,
    /// `msp_<number>` or `client_<number>`: the tenant id of paths.
    pub(crate) unique_id: String,
    /// Its name; unique among the clients of a partner, whatever the letter case.
    pub(crate) name: String,
    /// `partner` or `client`.
    pub(crate) level: &'static str,
    /// Whether it is in use: false while it is suspended.
    pub(crate) activated: bool,
    /// Whether its callers are shut out for now; its data stays, and its partner sees it.
    pub(crate) suspended: bool,
    /// Whether a client was terminated: it is suspended, and stays so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) terminated: bool,
    /// The partner that a client belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) partner: Option<PartnerReference>,
    /// When it was created.
    #[schema(value_type = String)]
    pub(crate) created_date: Timestamp,
    /// When it was changed last.
    #[schema(value_type = String)]
    pub(crate) updated_date: Timestamp,
}

/// The partner of a client.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartnerReference {
    /// The number in `uniqueId`.
    pub(crate) id: i64,
    /// `msp_<number>`.
    pub(crate) unique_id: String,
}

/// A client, as creating and searching answer it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": 2, "uniqueId": "client_2", "name": "Globex", "activated": true}))]
pub(crate) struct Client {
    /// The number in `uniqueId`.
    pub(crate) id: i64,
    /// `client_<number>`: its tenant id.
    pub(crate) unique_id: String,
    /// Its name.
    pub(crate) name: String,
    /// Whether it is in use: false while it is suspended.
    pub(crate) activated: bool,
}

/// A client in a minimal list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": 2, "uniqueId": "client_2", "name": "Globex"}))]
pub(crate) struct ClientMinimal {
    /// The number in `uniqueId`.
    pub(crate) id: i64,
    /// `client_<number>`: its tenant id.
    pub(crate) unique_id: String,
    /// Its name.
    pub(crate) name: String,
}

/// A client to be created.
#[derive(Debug, ToSchema)]
#[schema(as = ClientInput, example = json!({"name": "Globex"}))]
pub(crate) struct NewClient {
    /// Its name, unique among the partner's clients whatever the letter case; at most 200 characters.
    pub(crate) name: String,
}

impl NewClient {
    /// Reads the body of a request.
    pub(crate) fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let name = rules::name(&mut fields);
        fields.finish()?;
        Ok(Self { name })
    }
}

/// The changes to a client: what is left out stays as it is.
#[derive(Debug, PartialEq, Eq, ToSchema)]
#[schema(as = ClientUpdate, example = json!({"name": "Globex Corporation"}))]
pub(crate) struct ClientChange {
    /// Its name, unique among the partner's clients whatever the letter case; at most 200 characters.
    pub(crate) name: Option<String>,
}

impl ClientChange {
    /// Reads the body of a request.
    pub(crate) fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let name = fields.has("name").then(|| rules::name(&mut fields));
        fields.finish()?;
        Ok(Self { name })
    }
}

impl From<Row> for TenantFacts {
    fn from(row: Row) -> Self {
        let partner = row.partner();
        Self {
            id: row.number,
            level: if partner.is_some() { "client" } else { "partner" },
            partner: partner.map(|id| PartnerReference { id: id.number(), unique_id: id.to_string() }),
            unique_id: row.id,
            name: row.name,
            activated: row.activated,
            suspended: row.suspended,
            terminated: row.terminated,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

impl From<Row> for Client {
    fn from(row: Row) -> Self {
        Self { id: row.number, unique_id: row.id, name: row.name, activated: row.activated }
    }
}

impl From<Row> for ClientMinimal {
    fn from(row: Row) -> Self {
        Self { id: row.number, unique_id: row.id, name: row.name }
    }
}
