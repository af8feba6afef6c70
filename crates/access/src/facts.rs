//! Facts on tenants and their people that the [directory](crate::Directory) gives to other domains, beside users and
//! user groups.

use std::collections::{BTreeMap, HashMap};

use api::Role;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use diesel::{dsl::sql, prelude::*, sql_types::BigInt};

use crate::{
    callers::split_operations,
    schema::{api_keys, tenants, user_groups, users},
};

/// Of each of these tenants a number that is another one after every change to its users and groups, by tenant: each
/// change counts up a version, and nobody is ever removed.
pub fn people_revisions(conn: &mut Conn, tenants: &[String]) -> Result<Vec<(String, i64)>> {
    const VERSIONS: &str = "CAST(COALESCE(SUM(version), 0) AS BIGINT)";
    let of_users: Vec<(String, i64)> = users::table
        .filter(users::tenant_id.eq_any(tenants))
        .group_by(users::tenant_id)
        .select((users::tenant_id, sql::<BigInt>(VERSIONS)))
        .load(conn)?;
    let of_groups: Vec<(String, i64)> = user_groups::table
        .filter(user_groups::tenant_id.eq_any(tenants))
        .group_by(user_groups::tenant_id)
        .select((user_groups::tenant_id, sql::<BigInt>(VERSIONS)))
        .load(conn)?;
    let mut revisions: BTreeMap<String, i64> = of_users.into_iter().collect();
    for (tenant, versions) in of_groups {
        let revision = revisions.entry(tenant).or_default();
        *revision = revision.wrapping_add(versions);
    }
    Ok(revisions.into_iter().collect())
}

/// May the user with this id among these tenants still act? One who is in use may, while its tenant is; and of a
/// program, an API key has to be live.
pub fn may_act(conn: &mut Conn, tenants: &[String], user_id: &str, now: Timestamp) -> Result<bool> {
    acts(conn, tenants, user_id, None, now)
}

/// May the user with this id among these tenants call this operation now, which takes the role operator? Of a program,
/// a key that is restricted to operations has to name it.
pub fn may_operate(
    conn: &mut Conn,
    tenants: &[String],
    user_id: &str,
    operation: &str,
    now: Timestamp,
) -> Result<bool> {
    acts(conn, tenants, user_id, Some(operation), now)
}

fn acts(conn: &mut Conn, tenants: &[String], user_id: &str, operation: Option<&str>, now: Timestamp) -> Result<bool> {
    let user: Option<(bool, bool, String)> = users::table
        .inner_join(tenants::table.on(tenants::id.eq(users::tenant_id)))
        .filter(users::tenant_id.eq_any(tenants))
        .filter(users::id.eq(user_id))
        .select((users::activated, tenants::activated, users::role))
        .first(conn)
        .optional()?;
    let Some((true, true, role)) = user else { return Ok(false) };
    if operation.is_some() && Role::parse(&role).is_none_or(|role| role < Role::Operator) {
        return Ok(false);
    }
    let keys: Vec<(Option<i64>, Option<i64>, Option<String>)> = api_keys::table
        .filter(api_keys::tenant_id.eq_any(tenants))
        .filter(api_keys::user_id.eq(user_id))
        // A person acts without its keys too.
        .filter(api_keys::personal.eq(false))
        .select((api_keys::revoked_ms, api_keys::expires_ms, api_keys::operations))
        .load(conn)?;
    let names = |operations: &str, operation: &str| split_operations(operations).iter().any(|one| one == operation);
    let live = |(revoked, expires, operations): &(Option<i64>, Option<i64>, Option<String>)| {
        let named = operation.is_none_or(|one| operations.as_deref().is_none_or(|all| names(all, one)));
        revoked.is_none() && expires.is_none_or(|end| end > now.millis()) && named
    };
    Ok(keys.is_empty() || keys.iter().any(live))
}

/// The users of a tenant that are administrators and in use, oldest first.
pub fn administrators(conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
    let of_tenant = users::table.filter(users::tenant_id.eq(tenant)).filter(users::activated.eq(true));
    let found = of_tenant.filter(users::role.eq(Role::Admin.as_str())).order(users::id).limit(1_000);
    Ok(found.select(users::id).load(conn)?)
}

/// Is a tenant there, and not suspended?
pub fn is_active(conn: &mut Conn, tenant: &str) -> Result<bool> {
    let activated: Option<bool> = tenants::table.find(tenant).select(tenants::activated).get_result(conn).optional()?;
    Ok(activated.unwrap_or_default())
}

/// The tenants among `ids` that exist and are not suspended.
pub fn active(conn: &mut Conn, ids: &[String]) -> Result<Vec<String>> {
    let active = tenants::table.filter(tenants::id.eq_any(ids)).filter(tenants::activated.eq(true));
    Ok(active.select(tenants::id).load(conn)?)
}

/// The names of these tenants, by id; unknown ids are left out.
pub fn names(conn: &mut Conn, ids: &[String]) -> Result<HashMap<String, String>> {
    let rows: Vec<(String, String)> =
        tenants::table.filter(tenants::id.eq_any(ids)).select((tenants::id, tenants::name)).load(conn)?;
    Ok(rows.into_iter().collect())
}

/// A tenant and, of a partner, its clients; none for an unknown tenant.
pub fn with_clients(conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
    let these = tenants::table.filter(tenants::id.eq(tenant).or(tenants::partner_id.eq(tenant)));
    Ok(these.order(tenants::number).select(tenants::id).load(conn)?)
}

/// A tenant and its partner, each once; none for an unknown tenant.
pub fn with_partner(conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
    let query = tenants::table.find(tenant).select(tenants::partner_id);
    let partner: Option<String> = db::direct!(conn, |conn| query.get_result(conn)).optional()?;
    let mut found: Vec<String> = partner.map(|partner| vec![tenant.to_owned(), partner]).unwrap_or_default();
    found.dedup();
    Ok(found)
}
