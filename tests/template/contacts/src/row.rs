//! The row of a contact.

use diesel::prelude::*;

use crate::schema::contacts;

/// One row of `contacts`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = contacts, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `CT-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
    pub name: String,
    /// Folded; unique in the tenant.
    pub name_key: String,
    /// As it was given.
    pub phone: String,
    /// Anything else.
    pub note: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}
