//! What clients see and say of tenants.

use api::Request;
use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// The longest name of a client or an API key, in characters.
pub(crate) const LONGEST_NAME: usize = 200;

api::path_id! {
    /// `client_<number>`.
    pub(crate) ClientId = "clientId", "client_1", str::to_owned
}

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
    #[schema(pattern = "^(partner|client)$")]
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
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "ClientInput", example = json!({"name": "Globex"}))]
#[request(update(
    name = ClientChange,
    schema = "ClientUpdate",
    doc = "The changes to a client: what is left out stays as it is.",
    example = json!({"name": "Globex Corporation"})
))]
pub(crate) struct NewClient {
    /// Its name, unique among the partner's clients whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub(crate) name: String,
}
