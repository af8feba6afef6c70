//! The row of a category.

use diesel::prelude::*;

use crate::schema::incident_categories;

/// One row of `incident_categories`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = incident_categories, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Category {
    pub tenant_id: String,
    /// `SCAT-<uuid>`, unique in the whole database.
    pub id: String,
    pub version: i64,
    pub name: String,
    /// Folded; unique among its siblings.
    pub name_key: String,
    /// The category above, of the same tenant; empty at the top.
    pub parent_id: String,
    /// 1 at the top.
    pub depth: i64,
    pub created_by: String,
    pub updated_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}
