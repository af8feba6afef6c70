//! The row of a script.

use db::Json;
use diesel::prelude::*;

use crate::schema::job_scripts;

/// One row of `job_scripts`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = job_scripts, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Script {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// Unique in the whole database.
    pub id: i64,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
    pub name: String,
    /// Folded; unique in the tenant.
    pub name_key: String,
    /// What it does.
    pub description: String,
    /// In capitals.
    pub platforms: Json<Vec<String>>,
    /// What it is run with.
    pub interpreter: String,
    /// The text.
    pub content: String,
    /// The length of the text.
    pub bytes: i64,
    /// A user's id.
    pub created_by: String,
    /// When it was created.
    pub created_ms: i64,
    /// A user's id.
    pub updated_by: String,
    /// When it changed last.
    pub updated_ms: i64,
}
