//! Rows of notification rules. Every function takes the tenants.

use std::collections::HashMap;

use db::{Conn, Result};
use diesel::prelude::*;

use super::rules::Plan;
use crate::schema::notification_rules;

/// One row of `notification_rules`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = notification_rules, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant of the person.
    pub tenant_id: String,
    /// Whose.
    pub user_id: String,
    /// `high` or `low`.
    pub urgency: String,
    /// Counts its changes.
    pub version: i64,
    /// A [`Plan`], JSON.
    pub document: String,
    /// When it changed last.
    pub updated_ms: i64,
}

impl Row {
    /// What is used.
    pub fn plan(&self) -> Plan {
        serde_json::from_str(&self.document).unwrap_or_default()
    }
}

/// What a person said.
pub fn of_user(conn: &mut Conn, tenant: &str, user: &str) -> Result<Vec<Row>> {
    use notification_rules::dsl;
    let own = dsl::notification_rules.filter(dsl::tenant_id.eq(tenant)).filter(dsl::user_id.eq(user));
    Ok(own.order(dsl::urgency).load(conn)?)
}

/// What people said for an urgency, by person.
pub fn of_users(conn: &mut Conn, tenants: &[String], users: &[String], urgency: &str) -> Result<HashMap<String, Plan>> {
    use notification_rules::dsl;
    let mut found = HashMap::new();
    for users in users.chunks(500) {
        let rows: Vec<Row> = dsl::notification_rules
            .filter(dsl::tenant_id.eq_any(tenants))
            .filter(dsl::user_id.eq_any(users))
            .filter(dsl::urgency.eq(urgency))
            .load(conn)?;
        found.extend(rows.into_iter().map(|row| (row.user_id.clone(), row.plan())));
    }
    Ok(found)
}

/// Stores what a person said in the place of what they said before.
pub fn set(conn: &mut Conn, row: &Row) -> Result<()> {
    let stored = notification_rules::table.find((&row.tenant_id, &row.user_id, &row.urgency));
    diesel::delete(stored).execute(conn)?;
    diesel::insert_into(notification_rules::table).values(row).execute(conn)?;
    Ok(())
}
