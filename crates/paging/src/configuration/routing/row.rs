//! The row of an alert route.

use base::matching::Rules;
use db::MaybeJson;
use diesel::prelude::*;

use crate::schema::alert_routes;

/// One row of `alert_routes`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = alert_routes, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Route {
    pub tenant_id: String,
    /// `AR-<uuid>`.
    pub id: String,
    pub version: i64,
    pub name: String,
    /// Folded.
    pub name_key: String,
    /// Routes are asked in this order.
    pub position: i64,
    /// Is it asked last, and takes all?
    pub is_default: bool,
    /// What an alert has to be; `None` for the default.
    pub rules: MaybeJson<Rules>,
    /// Where it leads, in the same tenant.
    pub policy_id: String,
    pub created_by: String,
    pub updated_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}
