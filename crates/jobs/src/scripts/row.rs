//! The row of a script.

use db::Json;
use diesel::prelude::*;

use crate::schema::job_scripts;

/// One row of `job_scripts`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = job_scripts, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Script {
    pub tenant_id: String,
    /// Unique in the whole database.
    pub id: i64,
    pub version: i64,
    pub name: String,
    /// Folded; unique in the tenant.
    pub name_key: String,
    /// What it does.
    pub description: String,
    /// In capitals.
    pub platforms: Json<Vec<String>>,
    /// What it is run with.
    pub interpreter: String,
    pub content: String,
    /// The length of the text.
    pub bytes: i64,
    /// A user's id.
    pub created_by: String,
    pub created_ms: i64,
    /// A user's id.
    pub updated_by: String,
    pub updated_ms: i64,
}
