//! Rows of calendars, and their tokens. Every function takes the tenant.

use api::feed;
use base::{Key, PageRequest, PageRows, query::Sort, secret::Secret, timestamp::Timestamp};
use db::{Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::row::{Calendar, CalendarOwner};
use crate::schema::roster_calendars;

/// How many calendars of rosters a tenant has at most.
pub static QUOTA: Quota = Quota::new("calendars of rosters", "roster_calendars", 10_000);

/// What the list of all is sorted by.
pub const SORTS: Sorts<Calendar> = Sorts {
    by: &[SortBy::integer("createdTime", "roster_calendars.created_ms", |row| Key::from(row.created_ms))],
    then: &[SortBy::text("", "roster_calendars.id", |row| Key::from(&row.id))],
};

/// Stores a new calendar.
pub fn insert(
    conn: &mut Conn,
    tenant: &str,
    of: &CalendarOwner,
    token: &Secret<String>,
    created_by: &str,
    created_ms: i64,
) -> Result<Calendar> {
    let (roster_id, user_id) = of.columns();
    let row = Calendar {
        tenant_id: tenant.to_owned(),
        id: format!("CAL-{}", uuid::Uuid::new_v4()),
        hash: feed::hash(token.expose()),
        roster_id,
        user_id,
        created_by: created_by.to_owned(),
        created_ms,
    };
    // What has ended makes room.
    let ended = roster_calendars::table.filter(roster_calendars::tenant_id.eq(&row.tenant_id));
    diesel::delete(ended.filter(roster_calendars::created_ms.le(feed::ended(Timestamp::from_millis(created_ms)))))
        .execute(conn)?;
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(roster_calendars::table).values(&row).execute(conn)?;
    Ok(row)
}

/// The calendars of a roster or a user that have not ended, oldest first.
pub fn list(conn: &mut Conn, tenant: &str, of: &CalendarOwner, now: Timestamp) -> Result<Vec<Calendar>> {
    use roster_calendars::dsl;
    let query = dsl::roster_calendars
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::created_ms.gt(feed::ended(now)))
        .order((dsl::created_ms, dsl::id));
    Ok(match of {
        CalendarOwner::Roster(id) => query.filter(dsl::roster_id.eq(Some(id))).load(conn)?,
        CalendarOwner::User(id) => query.filter(dsl::user_id.eq(Some(id))).load(conn)?,
    })
}

/// A page of all calendars of these tenants.
pub fn page(
    conn: &mut Conn,
    tenants: &[String],
    now: Timestamp,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Calendar>> {
    use roster_calendars::dsl;
    let wanted = dsl::roster_calendars
        .filter(dsl::tenant_id.eq_any(tenants.to_vec()))
        .filter(dsl::created_ms.gt(feed::ended(now)));
    Ok(db::page!(conn, wanted, SORTS, sort, walk))
}

/// The address whose token has this hash, when it opens this calendar at this time. By its hash, so that nobody learns
/// from the time it takes.
pub fn opened(
    conn: &mut Conn,
    tenant: &str,
    of: &CalendarOwner,
    hash: &str,
    now: Timestamp,
) -> Result<Option<Calendar>> {
    use roster_calendars::dsl;
    let same = dsl::roster_calendars.filter(dsl::tenant_id.eq(tenant)).filter(dsl::hash.eq(hash));
    let row: Option<Calendar> = same.first(conn).optional()?;
    let opens = |row: &Calendar| feed::end(row.created_ms) > now;
    Ok(row.filter(|row| (row.roster_id.clone(), row.user_id.clone()) == of.columns()).filter(opens))
}

/// Removes a calendar of a roster or a user, and answers it.
///
/// # Errors
/// 404 when it has none of this id.
pub fn delete(conn: &mut Conn, tenant: &str, of: &CalendarOwner, id: &str) -> Result<Calendar> {
    let row: Option<Calendar> = roster_calendars::table.find((tenant, id)).first(conn).optional()?;
    let row = row.filter(|row| (row.roster_id.clone(), row.user_id.clone()) == of.columns());
    let row = row.ok_or_else(feed::unknown)?;
    diesel::delete(roster_calendars::table.find((tenant, id))).execute(conn)?;
    Ok(row)
}
