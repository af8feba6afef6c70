//! Rows of notification rules. Every function takes the tenants.

use std::collections::HashMap;

use db::{Conn, Result};
use diesel::prelude::*;

use super::{row::Rule, rules::Plan};
use crate::schema::notification_rules;

/// What a person said.
pub fn of_user(conn: &mut Conn, tenant: &str, user: &str) -> Result<Vec<Rule>> {
    use notification_rules::dsl;
    let own = dsl::notification_rules.filter(dsl::tenant_id.eq(tenant)).filter(dsl::user_id.eq(user));
    Ok(own.order(dsl::urgency).load(conn)?)
}

/// What people said for an urgency, by person.
pub fn of_users(conn: &mut Conn, tenants: &[String], users: &[String], urgency: &str) -> Result<HashMap<String, Plan>> {
    use notification_rules::dsl;
    let rows: Vec<Rule> = db::in_chunks(users, |users| {
        dsl::notification_rules
            .filter(dsl::tenant_id.eq_any(tenants))
            .filter(dsl::user_id.eq_any(users))
            .filter(dsl::urgency.eq(urgency))
            .load(conn)
    })?;
    Ok(rows.into_iter().map(|row| (row.user_id, row.document.0)).collect())
}

/// Stores what a person said in the place of what they said before.
pub fn set(conn: &mut Conn, row: &Rule) -> Result<()> {
    let stored = notification_rules::table.find((&row.tenant_id, &row.user_id, &row.urgency));
    diesel::delete(stored).execute(conn)?;
    diesel::insert_into(notification_rules::table).values(row).execute(conn)?;
    Ok(())
}
