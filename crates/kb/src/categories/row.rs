//! The row of a category.

use diesel::prelude::*;

use crate::schema::kb_categories;

/// The separator of the names in a path.
pub const SEPARATOR: &str = " >> ";

/// One row of `kb_categories`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = kb_categories, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Category {
    pub tenant_id: String,
    /// `KBC` and digits, unique in the whole database.
    pub id: String,
    pub version: i64,
    pub name: String,
    /// Folded; unique among its siblings outside the trash.
    pub name_key: String,
    /// A description.
    pub description: String,
    /// The category above, of the same tenant; empty at the top.
    pub parent_id: String,
    /// 1 at the top.
    pub depth: i64,
    /// The names from the top down to its own.
    pub path: String,
    /// Its state outside the trash.
    pub state: String,
    /// The category whose deletion put it into the trash; empty outside.
    pub trashed_with: String,
    pub created_by: String,
    pub updated_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}
