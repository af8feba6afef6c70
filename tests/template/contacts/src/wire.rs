//! What clients see and say of contacts.

use api::Request;
use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

api::path_id! {
    /// `CT-<uuid>`.
    pub ContactId = "contactId", "CT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", str::to_owned
}

/// A contact.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// `CT-<uuid>`.
    pub id: String,
    /// Unique in the tenant.
    pub name: String,
    /// How to call it.
    pub phone: String,
    /// Left out when there is nothing to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub note: String,
    /// When it was created.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
}

/// A contact to create.
#[derive(Clone, Debug, Request)]
#[request(schema = "ContactInput", example = json!({"name": "Ann Lee", "phone": "+1 555 0100", "note": "Data centre"}))]
#[request(update(
    name = ContactChange,
    schema = "ContactUpdate",
    doc = "The changes to a contact; what is left out stays as it is."
))]
pub struct NewContact {
    /// Unique in the tenant, whatever the letter case.
    #[request(line, chars = 200)]
    pub name: String,
    /// How to call it.
    #[request(line, chars = 50)]
    pub phone: String,
    /// Anything else.
    #[request(default)]
    pub note: String,
}
