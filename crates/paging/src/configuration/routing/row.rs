//! The row of an alert route.

use base::matching::Rules;
use db::MaybeJson;
use diesel::prelude::*;

use crate::schema::alert_routes;

/// One row of `alert_routes`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = alert_routes, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Route {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `AR-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
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
    /// A user.
    pub created_by: String,
    /// A user.
    pub updated_by: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}
