//! Rows of alert routes. Every function takes the tenant, or the tenants of a scope.

use api::Resource as _;
use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::{dsl::max, prelude::*};

use super::{row::Route, rules, wire::normal_id};
use crate::{configuration::policies, schema::alert_routes};

/// How many alert routes a tenant has at most.
pub static QUOTA: Quota = Quota::new("alert routes", "alert_routes", 500);

/// How far apart routes stand that say no position.
const APART: i64 = 10;

/// The place of a route; the default has the last of all.
const PLACE: &str = "(CASE WHEN alert_routes.is_default THEN 9000000000 ELSE alert_routes.position END)";

/// What a list of routes is sorted by. By position they stand as they are asked, tenant by tenant.
pub const SORTS: Sorts<Route> = Sorts {
    by: &[
        SortBy::text("position", "alert_routes.tenant_id", |row| Key::from(&row.tenant_id)),
        SortBy::integer("position", PLACE, |row| Key::from(if row.is_default { 9_000_000_000 } else { row.position })),
        SortBy::text("name", "alert_routes.name_key", |row| Key::from(&row.name_key)),
    ],
    then: &[
        SortBy::text("id", "alert_routes.id", |row| Key::from(&row.id)),
        SortBy::text("", "alert_routes.tenant_id", |row| Key::from(&row.tenant_id)),
    ],
};

api::resource! {
    Route, "alert route",
    find: |conn, tenants, id| db::one!(conn, alert_routes, tenants, normal_id(id)),
    lock: |route, conn| policies::store::lock(&route.tenant_id).take(conn),
}

/// The routes of a tenant in the order in which they are asked.
pub fn in_order(conn: &mut Conn, tenant: &str) -> Result<Vec<Route>> {
    use alert_routes::dsl;
    let own = dsl::alert_routes.filter(dsl::tenant_id.eq(tenant));
    Ok(db::direct!(conn, |conn| own.order((dsl::is_default, dsl::position, dsl::id)).load(conn))?)
}

/// Ids and names of those of these routes that these tenants have.
pub fn names(conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<(String, String)>> {
    use alert_routes::dsl;
    let own = Condition::text_in("alert_routes.tenant_id IN", tenants);
    let own = dsl::alert_routes.filter(own).select((dsl::id, dsl::name));
    db::in_chunks(ids, |ids| own.clone().filter(dsl::id.eq_any(ids)).load(conn))
}

/// Has a tenant any route?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    Ok(db::has_any!(conn, alert_routes, tenant))
}

/// The position behind all others.
pub fn behind_all(conn: &mut Conn, tenant: &str) -> Result<i64> {
    let last: Option<i64> = alert_routes::table
        .filter(alert_routes::tenant_id.eq(tenant))
        .select(max(alert_routes::position))
        .get_result(conn)?;
    Ok(last.unwrap_or(0) + APART)
}

/// Stores a new one.
///
/// # Errors
/// 409 when the name is taken, when there is a default already, or when the tenant has as many as it may have.
pub fn insert(conn: &mut Conn, row: &Route) -> Result<()> {
    check(conn, row)?;
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(alert_routes::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores one that has changed.
///
/// # Errors
/// 409 when the name is taken, or there is another default.
pub fn update(conn: &mut Conn, row: &Route) -> Result<()> {
    check(conn, row)?;
    diesel::update(alert_routes::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

fn check(conn: &mut Conn, row: &Route) -> Result<()> {
    use alert_routes::dsl;
    if db::has_namesake!(conn, alert_routes, row) {
        return Err(Route::name_taken(&row.name).into());
    }
    let others = dsl::alert_routes.filter(dsl::tenant_id.eq(&row.tenant_id)).filter(dsl::id.ne(&row.id));
    let default = others.filter(dsl::is_default.eq(true)).select(dsl::name);
    if row.is_default
        && let Some(name) = default.first::<String>(conn).optional()?
    {
        return Err(rules::default_taken(&name).into());
    }
    Ok(())
}

/// Removes one.
pub fn delete(conn: &mut Conn, row: &Route) -> Result<()> {
    diesel::delete(alert_routes::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// A page of the routes that meet a condition.
pub fn page(conn: &mut Conn, condition: &Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Route>> {
    Ok(db::page!(conn, alert_routes::table.filter(condition.clone()), SORTS, sort, walk))
}
