//! Rows of overrides. Every function takes the tenant, or the tenants of a scope.

use base::{Found, Key, Walk, query::Sort};
use db::{Column, Condition, Conn, Order, Quota, Result};
use diesel::prelude::*;

use super::rules;
use crate::schema::roster_overrides;

/// How many overrides a tenant has at most.
pub static QUOTA: Quota = Quota::new("overrides", "roster_overrides", 100_000);

/// One row of `roster_overrides`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_overrides, treat_none_as_default_value = false)]
pub struct Override {
    /// The tenant of its roster.
    pub tenant_id: String,
    /// Its roster.
    pub roster_id: String,
    /// `OVR-<uuid>`.
    pub id: String,
    /// The order in which overrides were made.
    pub number: i64,
    /// Who takes over.
    pub user_id: String,
    /// From here on.
    pub start_ms: i64,
    /// Until here.
    pub end_ms: i64,
    /// The shift; `None` for the whole roster.
    pub shift_id: Option<String>,
    /// As it was when this was made.
    pub shift_name: Option<String>,
    /// As it was when this was made.
    pub zone: Option<String>,
    /// As it was when this was made; JSON.
    pub schedule: Option<String>,
    /// Empty when there is none.
    pub note: String,
    /// Who made it.
    pub created_by: String,
    /// When it was made.
    pub created_ms: i64,
    /// Whom it relieves, when it is about one person.
    pub replaces: Option<String>,
    /// The swap that it is one half of.
    pub swap_id: Option<String>,
}

/// The overrides of a roster that end after an instant, in the order in which they were made.
pub fn since(conn: &mut Conn, tenant: &str, roster: &str, since_ms: i64) -> Result<Vec<Override>> {
    use roster_overrides::dsl;
    Ok(dsl::roster_overrides
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::roster_id.eq(roster))
        .filter(dsl::end_ms.gt(since_ms))
        .order(dsl::number)
        .load(conn)?)
}

/// As [`since`], of all rosters of these tenants, by roster.
pub fn all_since(conn: &mut Conn, scope: &[String], since_ms: i64) -> Result<Vec<Override>> {
    use roster_overrides::dsl;
    Ok(dsl::roster_overrides
        .filter(dsl::tenant_id.eq_any(scope))
        .filter(dsl::end_ms.gt(since_ms))
        .order((dsl::roster_id, dsl::number))
        .load(conn)?)
}

/// A page of the overrides of a roster that have a part in a time.
pub fn page(
    conn: &mut Conn,
    tenant: &str,
    roster: &str,
    (from_ms, to_ms): (i64, i64),
    sort: Sort,
    walk: &Walk,
) -> Result<Found<Override>> {
    use roster_overrides::dsl;
    let in_time = Condition::sql("roster_overrides.end_ms > ")
        .integer(from_ms)
        .then(" AND roster_overrides.start_ms < ")
        .integer(to_ms);
    let wanted = || {
        dsl::roster_overrides
            .filter(dsl::tenant_id.eq(tenant.to_owned()))
            .filter(dsl::roster_id.eq(roster.to_owned()))
            .filter(in_time.clone())
    };
    let (column, value): (_, fn(&Override) -> i64) = match sort.name {
        "createdTime" => ("roster_overrides.number", |row| row.number),
        _ => ("roster_overrides.start_ms", |row| row.start_ms),
    };
    let order = Order::by([Column::Integer(column), Column::Text("roster_overrides.id")], sort.descending);
    let total = walk.total(|| wanted().count().get_result(conn))?;
    let query = wanted().filter(order.after(walk.after())?).order(order);
    let rows = query.offset(walk.offset()).limit(walk.wanted()).load(conn)?;
    Ok(walk.cut(rows, total, |row| vec![Key::from(value(row)), Key::from(&row.id)]))
}

/// An override of a roster, or 404.
pub fn existing(conn: &mut Conn, tenant: &str, roster: &str, id: &str) -> Result<Override> {
    let row = roster_overrides::table.find((tenant, roster, id)).get_result(conn).optional()?;
    Ok(row.ok_or_else(rules::no_override)?)
}

/// Stores a new override.
pub fn insert(conn: &mut Conn, row: &Override) -> Result<()> {
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(roster_overrides::table).values(row).execute(conn)?;
    Ok(())
}

/// The other half of the swap that an override is one half of.
pub fn other_half(conn: &mut Conn, row: &Override) -> Result<Vec<Override>> {
    use roster_overrides::dsl;
    let Some(swap) = &row.swap_id else { return Ok(Vec::new()) };
    Ok(dsl::roster_overrides
        .filter(dsl::tenant_id.eq(&row.tenant_id))
        .filter(dsl::roster_id.eq(&row.roster_id))
        .filter(dsl::swap_id.eq(Some(swap)))
        .filter(dsl::id.ne(&row.id))
        .load(conn)?)
}

/// Ends an override earlier.
pub fn end(conn: &mut Conn, row: &Override, end_ms: i64) -> Result<()> {
    let stored = roster_overrides::table.find((&row.tenant_id, &row.roster_id, &row.id));
    diesel::update(stored).set(roster_overrides::end_ms.eq(end_ms)).execute(conn)?;
    Ok(())
}

/// Removes an override.
pub fn delete(conn: &mut Conn, row: &Override) -> Result<()> {
    diesel::delete(roster_overrides::table.find((&row.tenant_id, &row.roster_id, &row.id))).execute(conn)?;
    Ok(())
}
