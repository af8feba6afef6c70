//! What the gateway tells other domains of tenants and their people, beside [`users`](crate::users) and
//! [`user_groups`](crate::user_groups).

use std::collections::HashMap;

use db::{Conn, Result};
use diesel::{dsl::sql, prelude::*, sql_types::BigInt};

use crate::schema::{tenants, user_groups, users};

/// A number that is another one after every change to the users and groups of these tenants: each change counts up a
/// version, and nobody is ever removed.
pub fn people_revision(conn: &mut Conn, tenants: &[String]) -> Result<i64> {
    const VERSIONS: &str = "CAST(COALESCE(SUM(version), 0) AS BIGINT)";
    let of_users: i64 =
        users::table.filter(users::tenant_id.eq_any(tenants)).select(sql::<BigInt>(VERSIONS)).get_result(conn)?;
    let of_groups: i64 = user_groups::table
        .filter(user_groups::tenant_id.eq_any(tenants))
        .select(sql::<BigInt>(VERSIONS))
        .get_result(conn)?;
    Ok(of_users.wrapping_add(of_groups))
}

/// Is a tenant there, and not suspended?
pub fn is_active(conn: &mut Conn, tenant: &str) -> Result<bool> {
    let activated: Option<bool> = tenants::table.find(tenant).select(tenants::activated).get_result(conn).optional()?;
    Ok(activated.unwrap_or_default())
}

/// The names of these tenants, by id; unknown ids are left out.
pub fn names(conn: &mut Conn, ids: &[String]) -> Result<HashMap<String, String>> {
    let rows: Vec<(String, String)> =
        tenants::table.filter(tenants::id.eq_any(ids)).select((tenants::id, tenants::name)).load(conn)?;
    Ok(rows.into_iter().collect())
}

/// A tenant and its partner, each once; none for an unknown tenant.
pub fn with_partner(conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
    let query = tenants::table.find(tenant).select(tenants::partner_id);
    let partner: Option<String> = db::direct!(conn, |conn| query.get_result(conn)).optional()?;
    let mut found: Vec<String> = partner.map(|partner| vec![tenant.to_owned(), partner]).unwrap_or_default();
    found.dedup();
    Ok(found)
}
