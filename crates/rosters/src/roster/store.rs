//! Rows of rosters and of the versions of their shifts. Every function takes the tenant, or the tenants of a scope.

use base::{Found, Key, Walk, problem::Problem, query::Sort, timestamp::Timestamp};
use db::{Column, Condition, Conn, Order, Result};
use diesel::prelude::*;

use super::rules::{self, Filter, Plan};
use crate::schema::{roster_calendars, roster_overrides, roster_revisions, roster_shifts, rosters};

/// Ids that one statement names at most.
const AT_ONCE: usize = 500;

/// One row of `rosters`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = rosters, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Roster {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `ES-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
    pub name: String,
    /// Folded; unique in the tenant.
    pub name_key: String,
    /// What it is for.
    pub description: String,
    /// The name of its time zone.
    pub zone: String,
    /// A JSON array.
    pub off_hours: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it was updated last.
    pub updated_ms: Option<i64>,
    /// Counts its changes and those of its overrides.
    pub sequence: i64,
    /// When it or an override of it changed last.
    pub modified_ms: i64,
}

/// One row of `roster_shifts`: a version of a shift.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_shifts, treat_none_as_default_value = false)]
pub struct Shift {
    /// The tenant of its roster.
    pub tenant_id: String,
    /// Its roster.
    pub roster_id: String,
    /// `ESD-<uuid>`; the same in all versions.
    pub id: String,
    /// The shift is like this from here on.
    pub valid_from_ms: i64,
    /// And until here; `None` for the present version.
    pub valid_until_ms: Option<i64>,
    /// Its place among the shifts of the roster.
    pub position: i64,
    /// As it was given.
    pub name: String,
    /// The roster's zone, then.
    pub zone: String,
    /// JSON.
    pub schedule: String,
    /// JSON.
    pub crew: String,
}

/// Makes everybody else wait who writes rosters of a tenant, and counts the change.
pub fn take_up(conn: &mut Conn, tenant: &str) -> Result<()> {
    use roster_revisions::dsl;
    db::lock(conn, &format!("rosters:{tenant}"))?;
    let counted = diesel::update(dsl::roster_revisions.find(tenant)).set(dsl::revision.eq(dsl::revision + 1));
    if counted.execute(conn)? == 0 {
        let first = (dsl::tenant_id.eq(tenant), dsl::revision.eq(1));
        diesel::insert_into(dsl::roster_revisions).values(first).execute(conn)?;
    }
    Ok(())
}

/// The number of changes to the rosters of these tenants.
pub fn revision(conn: &mut Conn, scope: &[String]) -> Result<i64> {
    use roster_revisions::dsl;
    let revisions: Vec<i64> =
        dsl::roster_revisions.filter(dsl::tenant_id.eq_any(scope)).select(dsl::revision).load(conn)?;
    Ok(revisions.into_iter().sum())
}

/// The roster with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Roster> {
    Ok(find(conn, scope, id)?.ok_or_else(rules::no_roster)?)
}

/// The roster with this id among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Roster>> {
    use rosters::dsl;
    let row = match scope {
        // The common case has a text that never changes, so that the statement stays prepared.
        [tenant] => dsl::rosters.find((tenant, id)).get_result(conn),
        tenants => dsl::rosters.filter(dsl::tenant_id.eq_any(tenants)).filter(dsl::id.eq(id)).get_result(conn),
    };
    Ok(row.optional()?)
}

/// The present shifts of rosters of these tenants, those of a roster in their order.
pub fn present_shifts(conn: &mut Conn, scope: &[String], ids: &[String]) -> Result<Vec<Shift>> {
    use roster_shifts::dsl;
    let mut found = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        let rows: Vec<Shift> = dsl::roster_shifts
            .filter(dsl::tenant_id.eq_any(scope))
            .filter(dsl::roster_id.eq_any(ids))
            .filter(dsl::valid_until_ms.is_null())
            .order((dsl::roster_id, dsl::position, dsl::id))
            .load(conn)?;
        found.extend(rows);
    }
    Ok(found)
}

/// The versions of the shifts of a roster that end after an instant.
pub fn shifts_since(conn: &mut Conn, tenant: &str, roster: &str, since_ms: i64) -> Result<Vec<Shift>> {
    use roster_shifts::dsl;
    Ok(dsl::roster_shifts
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::roster_id.eq(roster))
        .filter(dsl::valid_until_ms.is_null().or(dsl::valid_until_ms.gt(since_ms)))
        .order((dsl::position, dsl::id, dsl::valid_from_ms))
        .load(conn)?)
}

/// As [`shifts_since`], of all rosters of these tenants, by roster.
pub fn all_shifts_since(conn: &mut Conn, scope: &[String], since_ms: i64) -> Result<Vec<Shift>> {
    use roster_shifts::dsl;
    Ok(dsl::roster_shifts
        .filter(dsl::tenant_id.eq_any(scope))
        .filter(dsl::valid_until_ms.is_null().or(dsl::valid_until_ms.gt(since_ms)))
        .order((dsl::roster_id, dsl::position, dsl::id, dsl::valid_from_ms))
        .load(conn)?)
}

/// Id and name of all rosters of these tenants.
pub fn names(conn: &mut Conn, scope: &[String]) -> Result<Vec<(String, String)>> {
    use rosters::dsl;
    Ok(dsl::rosters.filter(dsl::tenant_id.eq_any(scope)).order(dsl::id).select((dsl::id, dsl::name)).load(conn)?)
}

/// A page of the rosters that a filter means.
pub fn search(conn: &mut Conn, scope: &[String], filter: &Filter, sort: Sort, walk: &Walk) -> Result<Found<Roster>> {
    use rosters::dsl;
    let wanted = || dsl::rosters.filter(dsl::tenant_id.eq_any(scope.to_vec())).filter(condition(filter));
    let first = match sort.name {
        "name" => Some(Column::Text("rosters.name_key")),
        "createdTime" => Some(Column::Integer("rosters.created_ms")),
        _ => None,
    };
    let order = Order::by(first.into_iter().chain([Column::Text("rosters.id")]), sort.descending);
    let total = walk.total(|| wanted().count().get_result(conn))?;
    let query = wanted().filter(order.after(walk.after())?).order(order);
    let keys = |row: &Roster| {
        let first = first.map(|column| match column {
            Column::Text(_) => Key::from(&row.name_key),
            Column::Integer(_) => Key::from(row.created_ms),
        });
        first.into_iter().chain([Key::from(&row.id)]).collect()
    };
    Ok(walk.cut(query.offset(walk.offset()).limit(walk.wanted()).load(conn)?, total, keys))
}

fn condition(filter: &Filter) -> Condition {
    let ids = filter.ids.iter().map(|ids| Condition::text_in("rosters.id IN", ids.iter().cloned()));
    let names = filter.names.iter().map(|names| {
        if filter.whole {
            return Condition::text_in("rosters.name_key IN", names.iter().cloned());
        }
        Condition::any(names.iter().map(|name| {
            Condition::sql("replace(rosters.name_key, ").text(name.clone()).then(", '') <> rosters.name_key")
        }))
    });
    Condition::all(ids.chain(names))
}

fn check_name(conn: &mut Conn, roster: &Roster) -> Result<()> {
    use rosters::dsl;
    let same = dsl::rosters.filter(dsl::tenant_id.eq(&roster.tenant_id)).filter(dsl::name_key.eq(&roster.name_key));
    let known: Option<String> = same.select(dsl::id).first(conn).optional()?;
    match known {
        Some(id) if id != roster.id => Err(rules::taken(&roster.name).into()),
        _ => Ok(()),
    }
}

/// Stores a new roster.
///
/// # Errors
/// 409 when the tenant has a roster of this name.
pub fn insert(conn: &mut Conn, roster: &Roster, shifts: &[Shift]) -> Result<()> {
    check_name(conn, roster)?;
    diesel::insert_into(rosters::table).values(roster).execute(conn)?;
    db::insert_rows!(conn, roster_shifts::table, shifts)
}

/// Stores what an update does.
///
/// # Errors
/// 409 when the tenant has another roster of this name, or somebody else changed this one meanwhile.
pub fn update(conn: &mut Conn, old: &Roster, plan: &Plan) -> Result<()> {
    use roster_shifts::dsl;
    check_name(conn, &plan.roster)?;
    let stored = rosters::table.find((&old.tenant_id, &old.id)).filter(rosters::version.eq(old.version));
    if diesel::update(stored).set(&plan.roster).execute(conn)? == 0 {
        return Err(Problem::conflict("Somebody else changed the roster meanwhile. Read it again.").into());
    }
    let present = || {
        dsl::roster_shifts
            .filter(dsl::tenant_id.eq(old.tenant_id.clone()))
            .filter(dsl::roster_id.eq(old.id.clone()))
            .filter(dsl::valid_until_ms.is_null())
    };
    for id in &plan.end {
        // A version that never held is none.
        diesel::delete(present().filter(dsl::id.eq(id)).filter(dsl::valid_from_ms.ge(plan.from_ms))).execute(conn)?;
        let ended = present().filter(dsl::id.eq(id));
        diesel::update(ended).set(dsl::valid_until_ms.eq(Some(plan.from_ms))).execute(conn)?;
    }
    for (id, position) in &plan.moved {
        diesel::update(present().filter(dsl::id.eq(id))).set(dsl::position.eq(*position)).execute(conn)?;
    }
    db::insert_rows!(conn, roster_shifts::table, plan.begin.as_slice())
}

/// Tells calendars that an override of a roster changed.
pub fn touch(conn: &mut Conn, roster: &Roster, now: Timestamp) -> Result<()> {
    use rosters::dsl;
    let stored = dsl::rosters.find((&roster.tenant_id, &roster.id));
    let changed = (dsl::sequence.eq(dsl::sequence + 1), dsl::modified_ms.eq(now.millis()));
    diesel::update(stored).set(changed).execute(conn)?;
    Ok(())
}

/// All rosters of a tenant, by id.
pub fn all(conn: &mut Conn, tenant: &str) -> Result<Vec<Roster>> {
    Ok(rosters::table.filter(rosters::tenant_id.eq(tenant)).order(rosters::id).load(conn)?)
}

/// Removes a roster and all that belongs to it.
pub fn delete(conn: &mut Conn, roster: &Roster) -> Result<()> {
    let (tenant, id) = (&roster.tenant_id, &roster.id);
    diesel::delete(
        roster_calendars::table
            .filter(roster_calendars::tenant_id.eq(tenant))
            .filter(roster_calendars::roster_id.eq(Some(id))),
    )
    .execute(conn)?;
    diesel::delete(
        roster_overrides::table
            .filter(roster_overrides::tenant_id.eq(tenant))
            .filter(roster_overrides::roster_id.eq(id)),
    )
    .execute(conn)?;
    diesel::delete(
        roster_shifts::table.filter(roster_shifts::tenant_id.eq(tenant)).filter(roster_shifts::roster_id.eq(id)),
    )
    .execute(conn)?;
    diesel::delete(rosters::table.find((tenant, id))).execute(conn)?;
    Ok(())
}
