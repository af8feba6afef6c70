//! Rows of requests for cover. Every function takes the tenant.

use base::{Key, PageRequest, PageRows, problem::Problem, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;
use outbox::Retention;

use super::row::Cover;
use crate::schema::roster_covers;

/// How many requests for cover a tenant has at most.
pub static QUOTA: Quota = Quota::new("requests for cover", "roster_covers", 20_000);

/// Requests whose time has long been over.
pub const RETENTION: Retention =
    Retention { kind: "covers", only: "end_ms > 0", ..Retention::of("roster_covers", "end_ms", 366 * 86_400_000) };

/// What a list is sorted by.
pub const SORTS: Sorts<Cover> = Sorts {
    by: &[SortBy::integer("start", "roster_covers.start_ms", |row| Key::from(row.start_ms))],
    then: &[SortBy::text("", "roster_covers.id", |row| Key::from(&row.id))],
};

/// A request of a roster, or 404.
pub fn existing(conn: &mut Conn, tenant: &str, roster: &str, id: &str) -> Result<Cover> {
    let row = roster_covers::table.find((tenant, roster, id)).get_result(conn).optional()?;
    Ok(row.ok_or_else(|| Problem::not_found("The request for cover was not found."))?)
}

/// A page of the requests of a roster, by their start.
pub fn page(
    conn: &mut Conn,
    (tenant, roster): (&str, &str),
    condition: &Condition,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Cover>> {
    use roster_covers::dsl;
    let wanted = dsl::roster_covers
        .filter(dsl::tenant_id.eq(tenant.to_owned()))
        .filter(dsl::roster_id.eq(roster.to_owned()))
        .filter(condition.clone());
    Ok(db::page!(conn, wanted, SORTS, sort, walk))
}

/// Stores a new request.
pub fn insert(conn: &mut Conn, row: &Cover) -> Result<()> {
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(roster_covers::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores what became of a request. Its roster is locked, so nobody else does so meanwhile.
pub fn update(conn: &mut Conn, row: &Cover) -> Result<()> {
    diesel::update(roster_covers::table.find((&row.tenant_id, &row.roster_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}
