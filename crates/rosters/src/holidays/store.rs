//! Rows of holiday calendars. Every function takes the tenant, or the tenants of a scope.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::{Key, PageRequest, PageRows, query::Sort, timestamp::Timestamp};
use calendar::Day;
use db::{Condition, Conn, DueRows, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{
    row::{CalendarRow, HolidayCalendar},
    rules,
};
use crate::{
    dated_holidays::row::{DayRow, OwnerRow},
    roster::{self, rules::effective_ms},
    schema::{
        roster_holiday_calendars, roster_holiday_owners, roster_holidays, roster_overrides, roster_shifts, rosters,
    },
};

/// How many holiday calendars a tenant has at most.
pub static QUOTA: Quota = Quota::new("holiday calendars", "roster_holiday_calendars", 500);
/// How many days they have together, former ones included.
pub static DAYS: Quota = Quota::new("holidays", "roster_holidays", 100_000);
/// How many users and groups they have together, former ones included.
pub static OWNERS: Quota = Quota::new("owners of holidays", "roster_holiday_owners", 20_000);

/// Those that are to be read.
pub const DUE: DueRows = DueRows { table: "roster_holiday_calendars", due: "due_ms", only: "due_ms IS NOT NULL" };

/// How long what was a holiday once is kept: ten years.
const KEPT_MS: i64 = 3_653 * 86_400_000;

/// What a search is sorted by.
pub const SORTS: Sorts<CalendarRow> = Sorts {
    by: &[
        SortBy::text("name", "roster_holiday_calendars.name_key", |row| Key::from(&row.name_key)),
        SortBy::integer("createdTime", "roster_holiday_calendars.created_ms", |row| Key::from(row.created_ms)),
    ],
    then: &[SortBy::text("id", "roster_holiday_calendars.id", |row| Key::from(&row.id))],
};

api::resource! {
    HolidayCalendar, "holiday calendar",
    find: |conn, tenants, id| find(conn, tenants, id)?,
    lock: |row, conn| lock(conn, &row.tenant_id),
}

/// Makes everybody else wait who writes calendars or rosters of a tenant, and counts the change: rosters may follow.
pub fn lock(conn: &mut Conn, tenant: &str) -> Result<()> {
    roster::store::lock_for_update(conn, tenant)
}

fn find(conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<HolidayCalendar>> {
    let row: Option<CalendarRow> = db::one!(conn, roster_holiday_calendars, tenants, id);
    let Some(row) = row else { return Ok(None) };
    let days = days_in_force(conn, &row.tenant_id, &row.id)?;
    let days = days.into_iter().map(|row| (Day::of_number(row.day), row.name)).collect();
    let owners = owners_in_force(conn, &row.tenant_id, &row.id)?.into_iter().map(|row| row.owner_id).collect();
    Ok(Some(HolidayCalendar { row, days, owners }))
}

fn days_in_force(conn: &mut Conn, tenant: &str, calendar: &str) -> Result<Vec<DayRow>> {
    use roster_holidays::dsl;
    let own = dsl::roster_holidays.filter(dsl::tenant_id.eq(tenant)).filter(dsl::calendar_id.eq(calendar));
    Ok(own.filter(dsl::known_until_ms.is_null()).order(dsl::day).load(conn)?)
}

fn owners_in_force(conn: &mut Conn, tenant: &str, calendar: &str) -> Result<Vec<OwnerRow>> {
    use roster_holiday_owners::dsl;
    let own = dsl::roster_holiday_owners.filter(dsl::tenant_id.eq(tenant)).filter(dsl::calendar_id.eq(calendar));
    Ok(own.filter(dsl::known_until_ms.is_null()).order(dsl::owner_id).load(conn)?)
}

/// A page of calendars whose names contain a text, folded.
pub fn page(
    conn: &mut Conn,
    scope: &[String],
    name: Option<&str>,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<CalendarRow>> {
    use roster_holiday_calendars::dsl;
    let named = name.iter().map(|name| Condition::contains("roster_holiday_calendars.name_key", *name));
    let wanted =
        dsl::roster_holiday_calendars.filter(dsl::tenant_id.eq_any(scope.to_vec())).filter(Condition::all(named));
    Ok(db::page!(conn, wanted, SORTS, sort, walk))
}

/// Of calendars, by their ids, how many days they have and whose they are.
pub fn contents(conn: &mut Conn, rows: &[CalendarRow]) -> Result<HashMap<String, (usize, BTreeSet<String>)>> {
    let tenants: BTreeSet<&str> = rows.iter().map(|row| row.tenant_id.as_str()).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let mut found: HashMap<String, (usize, BTreeSet<String>)> = HashMap::new();
    let counts: Vec<(String, i64)> = {
        use roster_holidays::dsl;
        dsl::roster_holidays
            .filter(dsl::tenant_id.eq_any(&tenants))
            .filter(dsl::calendar_id.eq_any(&ids))
            .filter(dsl::known_until_ms.is_null())
            .group_by(dsl::calendar_id)
            .select((dsl::calendar_id, diesel::dsl::count_star()))
            .load(conn)?
    };
    for (id, count) in counts {
        found.entry(id).or_default().0 = usize::try_from(count).unwrap_or_default();
    }
    let owners: Vec<(String, String)> = {
        use roster_holiday_owners::dsl;
        dsl::roster_holiday_owners
            .filter(dsl::tenant_id.eq_any(&tenants))
            .filter(dsl::calendar_id.eq_any(&ids))
            .filter(dsl::known_until_ms.is_null())
            .select((dsl::calendar_id, dsl::owner_id))
            .load(conn)?
    };
    for (id, owner) in owners {
        found.entry(id).or_default().1.insert(owner);
    }
    Ok(found)
}

/// Stores a new calendar. Its tenant is locked.
///
/// # Errors
/// 409 when the tenant has one of this name, or as many as there may be.
pub fn insert(conn: &mut Conn, new: &HolidayCalendar, now: Timestamp) -> Result<()> {
    check_name(conn, &new.row)?;
    QUOTA.admit(conn, &new.tenant_id, 1)?;
    diesel::insert_into(roster_holiday_calendars::table).values(&new.row).execute(conn)?;
    write_contents(conn, &new.row, &new.days, &new.owners, now)
}

/// Stores a calendar that has changed.
///
/// # Errors
/// 409 when the tenant has another one of this name, or as many days as there may be.
pub fn update(conn: &mut Conn, new: &HolidayCalendar, now: Timestamp) -> Result<()> {
    check_name(conn, &new.row)?;
    let stored = roster_holiday_calendars::table.find((&new.tenant_id, &new.id));
    diesel::update(stored).set(&new.row).execute(conn)?;
    write_contents(conn, &new.row, &new.days, &new.owners, now)
}

/// The calendar of a tenant that is due first, which nobody else reads until an instant.
pub fn take_due(conn: &mut Conn, tenant: &str, now_ms: i64, until_ms: i64) -> Result<Option<CalendarRow>> {
    use roster_holiday_calendars::dsl;
    let due = dsl::roster_holiday_calendars.filter(dsl::tenant_id.eq(tenant)).filter(dsl::due_ms.le(now_ms));
    let row: Option<CalendarRow> = due.order((dsl::due_ms, dsl::id)).first(conn).optional()?;
    let Some(row) = row else { return Ok(None) };
    let still = dsl::roster_holiday_calendars.find((tenant, &row.id)).filter(dsl::due_ms.eq(row.due_ms));
    let taken = diesel::update(still).set(dsl::due_ms.eq(Some(until_ms))).execute(conn)?;
    Ok((taken == 1).then_some(row))
}

/// Notes when the days of a calendar, which are the same, were read.
pub fn note_read(conn: &mut Conn, row: &CalendarRow, now_ms: i64, due_ms: i64) -> Result<()> {
    use roster_holiday_calendars::dsl;
    let still = dsl::roster_holiday_calendars.find((&row.tenant_id, &row.id)).filter(dsl::url.eq(&row.url));
    let noted = (dsl::read_ms.eq(Some(now_ms)), dsl::due_ms.eq(Some(due_ms)), dsl::error.eq(None::<String>));
    diesel::update(still).set(noted).execute(conn)?;
    Ok(())
}

/// Notes why the days of a calendar could not be read; those that were read before stay.
pub fn note_error(conn: &mut Conn, row: &CalendarRow, due_ms: i64, error: &str) -> Result<()> {
    use roster_holiday_calendars::dsl;
    let still = dsl::roster_holiday_calendars.find((&row.tenant_id, &row.id)).filter(dsl::url.eq(&row.url));
    diesel::update(still).set((dsl::due_ms.eq(Some(due_ms)), dsl::error.eq(Some(error)))).execute(conn)?;
    Ok(())
}

/// Removes a calendar; what was a holiday stays one.
///
/// # Errors
/// 409 when shifts of rosters of this scope, or overrides of them, have it.
pub fn delete(conn: &mut Conn, scope: &[String], row: &CalendarRow, now: Timestamp) -> Result<()> {
    if let Some(roster) = roster_with(conn, scope, &row.id, effective_ms(now))? {
        return Err(rules::in_use(&roster).into());
    }
    write_contents(conn, row, &BTreeMap::new(), &BTreeSet::new(), now)?;
    diesel::delete(roster_holiday_calendars::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

fn check_name(conn: &mut Conn, row: &CalendarRow) -> Result<()> {
    if db::has_namesake!(conn, roster_holiday_calendars, row) {
        return Err(rules::taken(&row.name).into());
    }
    Ok(())
}

/// The name of a roster of these tenants that has shifts with a calendar, now or later, or overrides that are not over
/// of a shift that had it.
fn roster_with(conn: &mut Conn, scope: &[String], calendar: &str, now_ms: i64) -> Result<Option<String>> {
    let named = format!("%\"{calendar}\"%");
    let names = roster_shifts::table
        .inner_join(
            rosters::table
                .on(rosters::tenant_id.eq(roster_shifts::tenant_id).and(rosters::id.eq(roster_shifts::roster_id))),
        )
        .filter(roster_shifts::tenant_id.eq_any(scope))
        .filter(roster_shifts::holidays.is_not_null())
        .filter(roster_shifts::holidays.like(&named))
        .filter(roster_shifts::valid_until_ms.is_null().or(roster_shifts::valid_until_ms.gt(now_ms)))
        .filter(rosters::deleted_ms.is_null());
    let found = names.order(rosters::name_key).select(rosters::name).first(conn).optional()?;
    if found.is_some() {
        return Ok(found);
    }
    let names =
        roster_overrides::table
            .inner_join(rosters::table.on(
                rosters::tenant_id.eq(roster_overrides::tenant_id).and(rosters::id.eq(roster_overrides::roster_id)),
            ))
            .filter(roster_overrides::tenant_id.eq_any(scope))
            .filter(roster_overrides::shift_settings.like(&named))
            .filter(roster_overrides::end_ms.gt(now_ms))
            .filter(rosters::deleted_ms.is_null());
    Ok(names.order(rosters::name_key).select(rosters::name).first(conn).optional()?)
}

/// Ends and adds rows, so that a calendar has these days and owners from now on.
fn write_contents(
    conn: &mut Conn,
    row: &CalendarRow,
    days: &BTreeMap<Day, String>,
    owners: &BTreeSet<String>,
    now: Timestamp,
) -> Result<()> {
    let (tenant, id) = (&row.tenant_id, &row.id);
    let known = days_in_force(conn, tenant, id)?;
    let known_owners = owners_in_force(conn, tenant, id)?;
    let changes = rules::row_changes(&known, &known_owners, (days, owners), now);
    let now_ms = effective_ms(now);
    for (day, from) in &changes.remove_days {
        diesel::delete(roster_holidays::table.find((tenant, id, day, from))).execute(conn)?;
    }
    for (day, from) in &changes.end_days {
        let ended = diesel::update(roster_holidays::table.find((tenant, id, day, from)));
        ended.set(roster_holidays::known_until_ms.eq(Some(now_ms))).execute(conn)?;
    }
    for (day, from, name) in &changes.rename_days {
        let renamed = diesel::update(roster_holidays::table.find((tenant, id, day, from)));
        renamed.set(roster_holidays::name.eq(name)).execute(conn)?;
    }
    for (owner, from) in &changes.remove_owners {
        diesel::delete(roster_holiday_owners::table.find((tenant, id, owner, from))).execute(conn)?;
    }
    for (owner, from) in &changes.end_owners {
        let ended = diesel::update(roster_holiday_owners::table.find((tenant, id, owner, from)));
        ended.set(roster_holiday_owners::known_until_ms.eq(Some(now_ms))).execute(conn)?;
    }
    forget(conn, tenant, now_ms.saturating_sub(KEPT_MS))?;
    if !changes.insert_days.is_empty() {
        DAYS.admit(conn, tenant, changes.insert_days.len())?;
    }
    if !changes.insert_owners.is_empty() {
        OWNERS.admit(conn, tenant, changes.insert_owners.len())?;
    }
    let new: Vec<DayRow> = changes
        .insert_days
        .into_iter()
        .map(|(day, name)| DayRow {
            tenant_id: tenant.clone(),
            calendar_id: id.clone(),
            day,
            known_from_ms: now_ms,
            known_until_ms: None,
            name,
        })
        .collect();
    db::insert_rows!(conn, roster_holidays::table, new.as_slice())?;
    let new: Vec<OwnerRow> = changes
        .insert_owners
        .into_iter()
        .map(|owner_id| OwnerRow {
            tenant_id: tenant.clone(),
            calendar_id: id.clone(),
            owner_id,
            known_from_ms: now_ms,
            known_until_ms: None,
        })
        .collect();
    db::insert_rows!(conn, roster_holiday_owners::table, new.as_slice())
}

/// Removes what has not been known since an instant.
fn forget(conn: &mut Conn, tenant: &str, before_ms: i64) -> Result<()> {
    let days = roster_holidays::table.filter(roster_holidays::tenant_id.eq(tenant));
    diesel::delete(days.filter(roster_holidays::known_until_ms.lt(before_ms))).execute(conn)?;
    let owners = roster_holiday_owners::table.filter(roster_holiday_owners::tenant_id.eq(tenant));
    diesel::delete(owners.filter(roster_holiday_owners::known_until_ms.lt(before_ms))).execute(conn)?;
    Ok(())
}
