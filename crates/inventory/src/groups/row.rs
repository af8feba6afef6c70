//! The row of a group.

use db::Json;
use diesel::prelude::*;

use super::criteria::Criteria;
use crate::schema::resource_groups;

/// One row of `resource_groups`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = resource_groups, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Group {
    pub tenant_id: String,
    /// Unique in the whole database.
    pub id: i64,
    /// `DGP-<uuid>` or `SGP-<uuid>`.
    pub unique_id: String,
    pub version: i64,
    /// The word of its kind.
    pub kind: String,
    pub name: String,
    /// Folded; unique in the tenant among the groups of the kind.
    pub name_key: String,
    /// Empty when absent.
    pub description: String,
    /// The group above, of the same tenant and kind.
    pub parent_id: Option<i64>,
    /// The rules that make a resource a member of a dynamic group.
    pub rules: Option<Json<Criteria>>,
    pub created_ms: i64,
    pub updated_ms: i64,
}
