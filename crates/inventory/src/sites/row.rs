//! The row of a site.

use diesel::prelude::*;

use crate::schema::sites;

/// The kind of entity, as the audit log names it.
pub const ENTITY: &str = "Site";

/// One row of `sites`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = sites, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Site {
    pub tenant_id: String,
    /// Unique in the whole database.
    pub id: i64,
    pub version: i64,
    pub name: String,
    /// Folded; unique in the tenant.
    pub name_key: String,
    /// Empty when absent.
    pub description: String,
    /// Empty when absent.
    pub address: String,
    /// Empty when absent.
    pub city: String,
    /// Empty when absent.
    pub country: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// Where a machine is: what the detail of a resource says of its site.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct Place {
    /// The site.
    pub id: i64,
    pub name: String,
    /// Empty when absent.
    pub city: String,
}
