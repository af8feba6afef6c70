//! The row of an escalation policy.

use db::Json;
use diesel::prelude::*;

use super::wire::Document;
use crate::schema::escalation_policies;

/// One row of `escalation_policies`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = escalation_policies, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Policy {
    pub tenant_id: String,
    /// `EP-<uuid>`.
    pub id: String,
    pub version: i64,
    pub name: String,
    /// Folded.
    pub name_key: String,
    /// What it says.
    pub document: Json<Document>,
    pub created_by: String,
    pub updated_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}
