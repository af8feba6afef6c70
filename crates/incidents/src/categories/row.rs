//! The row of a category.

use diesel::prelude::*;

use crate::schema::incident_categories;

/// One row of `incident_categories`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = incident_categories, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Category {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `SCAT-<uuid>`, unique in the whole database.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
    pub name: String,
    /// Folded; unique among its siblings.
    pub name_key: String,
    /// The category above, of the same tenant; empty at the top.
    pub parent_id: String,
    /// 1 at the top.
    pub depth: i64,
    /// A user.
    pub created_by: String,
    /// A user.
    pub updated_by: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}
