//! The row of an escalation policy.

use db::Json;
use diesel::prelude::*;

use super::wire::Document;
use crate::schema::escalation_policies;

/// One row of `escalation_policies`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = escalation_policies, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Policy {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `EP-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
    pub name: String,
    /// Folded.
    pub name_key: String,
    /// What it says.
    pub document: Json<Document>,
    /// A user.
    pub created_by: String,
    /// A user.
    pub updated_by: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}
