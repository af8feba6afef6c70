//! Rows of overrides. Every function takes the tenant, or the tenants of a scope.

use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{row::Override, rules};
use crate::{roster::versions::Selection, schema::roster_overrides};

/// How many overrides a tenant has at most.
pub static QUOTA: Quota = Quota::new("overrides", "roster_overrides", 100_000);

/// What a list is sorted by.
pub const SORTS: Sorts<Override> = Sorts {
    by: &[
        SortBy::integer("start", "roster_overrides.start_ms", |row| Key::from(row.start_ms)),
        SortBy::integer("createdTime", "roster_overrides.number", |row| Key::from(row.number)),
    ],
    then: &[SortBy::text("", "roster_overrides.id", |row| Key::from(&row.id))],
};

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

/// As [`since`], of many rosters, by roster.
pub fn all_since(conn: &mut Conn, of: Selection<'_>, since_ms: i64) -> Result<Vec<Override>> {
    use roster_overrides::dsl;
    Ok(dsl::roster_overrides
        .filter(of.overrides())
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
    walk: &PageRequest,
) -> Result<PageRows<Override>> {
    use roster_overrides::dsl;
    let in_time = Condition::sql("roster_overrides.end_ms > ")
        .integer(from_ms)
        .then(" AND roster_overrides.start_ms < ")
        .integer(to_ms);
    let wanted = dsl::roster_overrides
        .filter(dsl::tenant_id.eq(tenant.to_owned()))
        .filter(dsl::roster_id.eq(roster.to_owned()))
        .filter(in_time);
    Ok(db::page!(conn, wanted, SORTS, sort, walk))
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
