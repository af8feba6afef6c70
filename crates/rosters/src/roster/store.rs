//! Rows of rosters. Every function takes the tenant, or the tenants of a scope.

use std::collections::HashMap;

use base::{Key, PageRequest, PageRows, problem::Problem, query::Sort, timestamp::Timestamp};
use db::{Condition, Conn, Json, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{row::Roster, rules, watches};
use crate::{
    conflict_watches,
    crew::Crew,
    schema::{roster_revisions, rosters},
};

/// How many rosters a tenant has at most.
pub static QUOTA: Quota = Quota::new("rosters", "rosters", 10_000).of("deleted_ms IS NULL");

/// What a search is sorted by.
pub const SORTS: Sorts<Roster> = Sorts {
    by: &[
        SortBy::text("name", "rosters.name_key", |row| Key::from(&row.name_key)),
        SortBy::integer("createdTime", "rosters.created_ms", |row| Key::from(row.created_ms)),
    ],
    then: &[SortBy::text("id", "rosters.id", |row| Key::from(&row.id))],
};

/// Makes everybody else wait who writes rosters of a tenant, and counts the change.
pub fn lock_for_update(conn: &mut Conn, tenant: &str) -> Result<()> {
    use roster_revisions::dsl;
    db::Lock::of("rosters", tenant).take(conn)?;
    let counted = diesel::update(dsl::roster_revisions.find(tenant)).set(dsl::revision.eq(dsl::revision + 1));
    if counted.execute(conn)? == 0 {
        let first = (dsl::tenant_id.eq(tenant), dsl::revision.eq(1));
        diesel::insert_into(dsl::roster_revisions).values(first).execute(conn)?;
    }
    conflict_watches::touch_or_insert(conn, tenant)
}

/// Of each of these tenants the number of changes to its rosters, by tenant; tenants without any are left out.
pub fn revisions(conn: &mut Conn, scope: &[String]) -> Result<Vec<(String, i64)>> {
    use roster_revisions::dsl;
    Ok(dsl::roster_revisions.filter(dsl::tenant_id.eq_any(scope)).order(dsl::tenant_id).load(conn)?)
}

/// What another is after each change of a roster, its overrides among it.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct State {
    pub tenant_id: String,
    pub id: String,
    version: i64,
    sequence: i64,
    deleted_ms: Option<i64>,
}

/// The states of all rosters of these tenants that there are or were.
pub fn states(conn: &mut Conn, scope: &[String]) -> Result<Vec<State>> {
    use rosters::dsl;
    let columns = (dsl::tenant_id, dsl::id, dsl::version, dsl::sequence, dsl::deleted_ms);
    Ok(dsl::rosters.filter(dsl::tenant_id.eq_any(scope)).select(columns).load(conn)?)
}

/// The roster with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Roster> {
    Ok(find(conn, scope, id)?.ok_or_else(rules::no_roster)?)
}

/// The roster with this id among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Roster>> {
    Ok(find_ever(conn, scope, id)?.filter(|roster| roster.deleted_ms.is_none()))
}

/// The same, and one that was deleted too; or 404.
pub fn existed(conn: &mut Conn, scope: &[String], id: &str) -> Result<Roster> {
    Ok(find_ever(conn, scope, id)?.ok_or_else(rules::no_roster)?)
}

fn find_ever(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Roster>> {
    Ok(db::one!(conn, rosters, scope, id))
}

/// A page of the present rosters that meet a condition.
pub fn search(conn: &mut Conn, condition: Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Roster>> {
    let present = rosters::table.filter(rosters::deleted_ms.is_null());
    Ok(db::page!(conn, present.filter(condition), SORTS, sort, walk))
}

fn check_name(conn: &mut Conn, roster: &Roster) -> Result<()> {
    if db::has_namesake!(conn, rosters, roster, rosters::deleted_ms.is_null()) {
        return Err(rules::taken(&roster.name).into());
    }
    Ok(())
}

/// Stores the row of a new roster.
///
/// # Errors
/// 409 when the tenant has a roster of this name.
pub fn insert(conn: &mut Conn, roster: &Roster) -> Result<()> {
    check_name(conn, roster)?;
    QUOTA.admit(conn, &roster.tenant_id, 1)?;
    diesel::insert_into(rosters::table).values(roster).execute(conn)?;
    watches::insert(conn, &roster.tenant_id, &roster.id)
}

/// Stores a roster that has changed.
///
/// # Errors
/// 409 when the tenant has another roster of this name, or somebody else changed this one meanwhile.
pub fn update(conn: &mut Conn, old: &Roster, new: &Roster) -> Result<()> {
    check_name(conn, new)?;
    let stored = rosters::table.find((&old.tenant_id, &old.id)).filter(rosters::version.eq(old.version));
    if diesel::update(stored).set(new).execute(conn)? == 0 {
        return Err(Problem::conflict("Somebody else changed the roster meanwhile. Read it again.").into());
    }
    watches::touch(conn, &new.tenant_id, &new.id)
}

/// Stores a roster that was deleted, and is there again.
///
/// # Errors
/// As [`insert`] and [`update`].
pub fn reopen(conn: &mut Conn, old: &Roster, new: &Roster) -> Result<()> {
    QUOTA.admit(conn, &new.tenant_id, 1)?;
    update(conn, old, new)?;
    watches::insert(conn, &new.tenant_id, &new.id)
}

/// Tells calendars that an override of a roster changed.
pub fn touch(conn: &mut Conn, roster: &Roster, now: Timestamp) -> Result<()> {
    use rosters::dsl;
    let stored = dsl::rosters.find((&roster.tenant_id, &roster.id));
    let changed = (dsl::sequence.eq(dsl::sequence + 1), dsl::modified_ms.eq(now.millis()));
    diesel::update(stored).set(changed).execute(conn)?;
    watches::touch(conn, &roster.tenant_id, &roster.id)
}

/// Who is told of the conflicts of the rosters of a tenant that say so.
pub fn conflict_recipients(conn: &mut Conn, tenant: &str) -> Result<HashMap<String, Crew>> {
    use rosters::dsl;
    let own = dsl::rosters.filter(dsl::tenant_id.eq(tenant)).filter(dsl::deleted_ms.is_null());
    let rows: Vec<(String, Option<Json<Crew>>)> =
        own.filter(dsl::conflicts_to.is_not_null()).select((dsl::id, dsl::conflicts_to)).load(conn)?;
    Ok(rows.into_iter().filter_map(|(id, crew)| Some((id, crew?.0))).collect())
}

/// The rosters with these ids among these tenants, by id; those that are not there are left out.
pub fn present(conn: &mut Conn, scope: &[String], ids: &[String]) -> Result<Vec<Roster>> {
    use rosters::dsl;
    let mut rows: Vec<Roster> = db::in_chunks(ids, |ids| {
        let these = dsl::rosters.filter(dsl::tenant_id.eq_any(scope)).filter(dsl::id.eq_any(ids));
        these.filter(dsl::deleted_ms.is_null()).load(conn)
    })?;
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(rows)
}

/// All rosters of a tenant, by id.
pub fn all(conn: &mut Conn, tenant: &str) -> Result<Vec<Roster>> {
    let of_tenant = rosters::table.filter(rosters::tenant_id.eq(tenant)).filter(rosters::deleted_ms.is_null());
    Ok(of_tenant.order(rosters::id).load(conn)?)
}
