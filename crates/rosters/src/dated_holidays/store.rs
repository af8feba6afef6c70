//! Reading of days and owners, and of the versions of their calendars. Every function takes the tenants.

use std::collections::{BTreeSet, HashMap};

use db::{Condition, Conn, Result};
use diesel::prelude::*;

use super::{
    dated::DatedHolidays,
    row::{DayRow, OwnerRow, ShiftHolidays},
};
use crate::schema::{roster_holiday_calendars, roster_holiday_owners, roster_holidays};

/// The days of the calendars of shifts, as they were known when; the calendars belong to these tenants.
pub fn dated<'s>(
    conn: &mut Conn,
    tenants: &[String],
    shifts: impl IntoIterator<Item = &'s ShiftHolidays>,
) -> Result<DatedHolidays> {
    let ids: BTreeSet<&String> = shifts.into_iter().flat_map(|holidays| &holidays.calendars).collect();
    dated_of(conn, tenants, &ids.into_iter().cloned().collect::<Vec<_>>())
}

/// The days of calendars with these ids, as they were known when; the calendars belong to these tenants.
pub fn dated_of(conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<DatedHolidays> {
    use roster_holidays::dsl;
    if ids.is_empty() {
        return Ok(DatedHolidays::default());
    }
    let rows: Vec<DayRow> = db::in_chunks(ids, |ids| {
        dsl::roster_holidays.filter(dsl::tenant_id.eq_any(tenants)).filter(dsl::calendar_id.eq_any(ids)).load(conn)
    })?;
    Ok(DatedHolidays::of(rows, &names(conn, tenants, ids)?))
}

/// What calendars with these ids are called; those that are gone are left out.
fn names(conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<HashMap<String, String>> {
    use roster_holiday_calendars::dsl;
    let found: Vec<(String, String)> = db::in_chunks(ids, |ids| {
        let these = dsl::roster_holiday_calendars.filter(dsl::tenant_id.eq_any(tenants)).filter(dsl::id.eq_any(ids));
        these.select((dsl::id, dsl::name)).load(conn)
    })?;
    Ok(found.into_iter().collect())
}

/// Of calendars with these ids a number that is another one after each change; those that are gone are left out.
pub fn versions(conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<HashMap<String, i64>> {
    use roster_holiday_calendars::dsl;
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let found: Vec<(String, i64)> = db::in_chunks(ids, |ids| {
        let these = dsl::roster_holiday_calendars.filter(dsl::tenant_id.eq_any(tenants)).filter(dsl::id.eq_any(ids));
        these.select((dsl::id, dsl::version)).load(conn)
    })?;
    Ok(found.into_iter().collect())
}

/// Whose calendars of these tenants are, or were after an instant.
pub fn owners_since(conn: &mut Conn, tenants: &[String], since_ms: i64) -> Result<Vec<OwnerRow>> {
    use roster_holiday_owners::dsl;
    let known = dsl::roster_holiday_owners.filter(Condition::text_in("roster_holiday_owners.tenant_id IN", tenants));
    let known = known.filter(dsl::known_until_ms.is_null().or(dsl::known_until_ms.gt(since_ms)));
    Ok(known.order((dsl::calendar_id, dsl::owner_id, dsl::known_from_ms)).load(conn)?)
}

/// The days of calendars that are known, or were after an instant; at most so many.
pub fn days_since(
    conn: &mut Conn,
    tenants: &[String],
    mut ids: Vec<String>,
    since_ms: i64,
    most: usize,
) -> Result<Vec<DayRow>> {
    use roster_holidays::dsl;
    ids.sort_unstable();
    ids.dedup();
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    db::in_chunks(&ids, |ids| {
        dsl::roster_holidays
            .filter(Condition::text_in("roster_holidays.tenant_id IN", tenants))
            .filter(dsl::calendar_id.eq_any(ids))
            .filter(dsl::known_until_ms.is_null().or(dsl::known_until_ms.gt(since_ms)))
            .limit(most)
            .load(conn)
    })
}
