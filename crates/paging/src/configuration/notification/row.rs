//! The row of a notification rule.

use db::Json;
use diesel::prelude::*;

use super::rules::Plan;
use crate::schema::notification_rules;

/// One row of `notification_rules`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = notification_rules, treat_none_as_default_value = false)]
pub struct Rule {
    /// The tenant of the person.
    pub tenant_id: String,
    /// Whose rule it is.
    pub user_id: String,
    /// `high` or `low`.
    pub urgency: String,
    /// Counts its changes.
    pub version: i64,
    /// What is used.
    pub document: Json<Plan>,
    pub updated_ms: i64,
}
