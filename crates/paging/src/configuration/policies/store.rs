//! Rows of escalation policies. Every function takes the tenant, or the tenants of a scope.

use api::Resource as _;
use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{row::Policy, rules, wire::normal_id};
use crate::schema::{alert_routes, escalation_policies};

/// How many escalation policies a tenant has at most.
pub static QUOTA: Quota = Quota::new("escalation policies", "escalation_policies", 1_000);

/// What a list of policies is sorted by.
pub const SORTS: Sorts<Policy> = Sorts {
    by: &[SortBy::text("name", "escalation_policies.name_key", |row| Key::from(&row.name_key))],
    then: &[
        SortBy::text("id", "escalation_policies.id", |row| Key::from(&row.id)),
        SortBy::text("", "escalation_policies.tenant_id", |row| Key::from(&row.tenant_id)),
    ],
};

api::resource! {
    Policy, "escalation policy",
    find: |conn, tenants, id| db::one!(conn, escalation_policies, tenants, normal_id(id)),
    lock: |policy, conn| lock(&policy.tenant_id).take(conn),
}

/// Anyone who changes policies or routes of a tenant takes this.
pub fn lock(tenant: &str) -> db::Lock {
    db::Lock::of("policies", tenant)
}

/// Stores a new one.
///
/// # Errors
/// 409 when the name is taken, or when the tenant has as many as it may have.
pub fn insert(conn: &mut Conn, row: &Policy) -> Result<()> {
    check_name(conn, row)?;
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(escalation_policies::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores one that has changed.
///
/// # Errors
/// 409 when the name is taken.
pub fn update(conn: &mut Conn, row: &Policy) -> Result<()> {
    check_name(conn, row)?;
    diesel::update(escalation_policies::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

fn check_name(conn: &mut Conn, row: &Policy) -> Result<()> {
    if db::has_namesake!(conn, escalation_policies, row) {
        return Err(Policy::name_taken(&row.name).into());
    }
    Ok(())
}

/// Removes one.
///
/// # Errors
/// 409 while a route leads to it.
pub fn delete(conn: &mut Conn, row: &Policy) -> Result<()> {
    use alert_routes::dsl;
    let route = dsl::alert_routes.filter(dsl::tenant_id.eq(&row.tenant_id)).filter(dsl::policy_id.eq(&row.id));
    if let Some(name) = route.select(dsl::name).first::<String>(conn).optional()? {
        return Err(rules::in_use(&name).into());
    }
    diesel::delete(escalation_policies::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// A page of the policies that meet a condition.
pub fn page(conn: &mut Conn, condition: &Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Policy>> {
    Ok(db::page!(conn, escalation_policies::table.filter(condition.clone()), SORTS, sort, walk))
}
