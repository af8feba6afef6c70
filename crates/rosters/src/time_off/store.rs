//! Rows of time off. Every function takes the tenant, or the tenants of a scope.

use base::{Key, PageRequest, PageRows, query::Sort, timestamp::Timestamp};
use calendar::Interval;
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;
use outbox::{Keep, Retention};

use super::{row::TimeOff, rules};
use crate::{
    absences::{self, row::FormerTimeOff, store::lock_for_update},
    conflict_watches,
    schema::roster_time_off,
};

/// How much time off the people of a tenant have at most.
pub static QUOTA: Quota = Quota::new("entries of time off", "roster_time_off", 100_000);

/// How many entries of time off are looked at at once.
pub const MOST_AT_ONCE: i64 = 100_000;

/// Time off that has long been over.
pub const RETENTION: Retention = Retention {
    kind: "timeOff",
    keep: Keep::Millis(731 * 86_400_000),
    most: None,
    table: "roster_time_off",
    id: "id",
    since: "end_ms",
    only: "end_ms > 0",
    remove: Some(|conn, tenant, ids, _| {
        use roster_time_off::dsl;
        let these = || dsl::roster_time_off.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
        // Whose turn it is now may depend on who was away years ago.
        let rows: Vec<TimeOff> = these().load(conn)?;
        let former: Vec<FormerTimeOff> = rows.iter().filter_map(|row| rules::former(row, None)).collect();
        absences::store::insert(conn, &former)?;
        Ok(diesel::delete(these()).execute(conn)?)
    }),
};

/// What a list is sorted by.
pub const SORTS: Sorts<TimeOff> = Sorts {
    by: &[
        SortBy::integer("from", "roster_time_off.start_ms", |row| Key::from(row.start_ms)),
        SortBy::integer("createdTime", "roster_time_off.created_ms", |row| Key::from(row.created_ms)),
    ],
    then: &[SortBy::text("", "roster_time_off.id", |row| Key::from(&row.id))],
};

api::resource! {
    TimeOff, "time off",
    find: |conn, tenants, id| db::one!(conn, roster_time_off, tenants, id),
    lock: |row, conn| lock_for_update(conn, &row.tenant_id),
}

/// A page of the time off of a person that has a part in a time.
pub fn page(
    conn: &mut Conn,
    (tenant, user): (&str, &str),
    within: (i64, i64),
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<TimeOff>> {
    use roster_time_off::dsl;
    let wanted = dsl::roster_time_off
        .filter(dsl::tenant_id.eq(tenant.to_owned()))
        .filter(dsl::user_id.eq(user.to_owned()))
        .filter(in_time(within));
    Ok(db::page!(conn, wanted, SORTS, sort, walk))
}

fn in_time((from_ms, to_ms): (i64, i64)) -> Condition {
    let ends_later = Condition::sql("roster_time_off.end_ms > ").integer(from_ms);
    ends_later.then(" AND roster_time_off.start_ms < ").integer(to_ms)
}

/// The time off of the people of these tenants that has a part in a range, by when it begins; at most so many rows.
pub fn within(conn: &mut Conn, tenants: &[String], range: Interval, most: i64) -> Result<Vec<TimeOff>> {
    use roster_time_off::dsl;
    Ok(dsl::roster_time_off
        .filter(Condition::text_in("roster_time_off.tenant_id IN", tenants))
        .filter(in_time((range.start().millis(), range.end().millis())))
        .order((dsl::start_ms, dsl::id))
        .limit(most)
        .load(conn)?)
}

/// The time off of a person that has a part in a range, by when it begins.
pub fn of_user(conn: &mut Conn, tenant: &str, user: &str, range: Interval) -> Result<Vec<TimeOff>> {
    use roster_time_off::dsl;
    Ok(dsl::roster_time_off
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::user_id.eq(user))
        .filter(in_time((range.start().millis(), range.end().millis())))
        .order((dsl::start_ms, dsl::id))
        .load(conn)?)
}

/// Stores a new one. Its tenant is locked.
///
/// # Errors
/// 409 when the person or the tenant has as much as there may be.
pub fn insert(conn: &mut Conn, row: &TimeOff) -> Result<()> {
    let count = present(conn, row)?;
    if count >= rules::MOST {
        return Err(rules::too_many().into());
    }
    admit(conn, row, count)?;
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(roster_time_off::table).values(row).execute(conn)?;
    conflict_watches::touch(conn, &row.tenant_id).map(drop)
}

/// Stores one that has changed.
///
/// # Errors
/// 409 when the time off of the person was changed as often as is kept.
pub fn update(conn: &mut Conn, old: &TimeOff, row: &TimeOff) -> Result<()> {
    if let Some(former) = rules::former(old, Some(row.updated_ms)) {
        let count = present(conn, row)?;
        admit(conn, row, count)?;
        absences::store::insert(conn, &[former])?;
    }
    diesel::update(roster_time_off::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    conflict_watches::touch(conn, &row.tenant_id).map(drop)
}

/// Removes one, at an instant.
pub fn delete(conn: &mut Conn, row: &TimeOff, now: Timestamp) -> Result<()> {
    if let Some(former) = rules::former(row, Some(now.millis())) {
        absences::store::insert(conn, &[former])?;
    }
    diesel::delete(roster_time_off::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    conflict_watches::touch(conn, &row.tenant_id).map(drop)
}

/// How many entries a person has.
fn present(conn: &mut Conn, row: &TimeOff) -> Result<i64> {
    use roster_time_off::dsl;
    let own = dsl::roster_time_off.filter(dsl::tenant_id.eq(&row.tenant_id)).filter(dsl::user_id.eq(&row.user_id));
    Ok(own.count().get_result(conn)?)
}

/// Is there room for one more beside the entries of a person and what they were before?
fn admit(conn: &mut Conn, row: &TimeOff, present: i64) -> Result<()> {
    let former = absences::store::count(conn, &row.tenant_id, &row.user_id)?;
    if present + former >= rules::MOST_FORMER { Err(rules::too_many_changes().into()) } else { Ok(()) }
}
