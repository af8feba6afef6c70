//! Rows of calendar addresses. Every function takes the tenant.

use api::feed;
use base::{Key, PageRequest, PageRows, query::Sort, secret::Secret, timestamp::Timestamp};
use db::{Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::row::Calendar;
use crate::{schema::maintenance_calendars, window::row::Window};

/// How many calendars of windows a tenant has at most.
pub static QUOTA: Quota = Quota::new("calendars of windows", "maintenance_calendars", 10_000);

/// What the list of all is sorted by.
pub const SORTS: Sorts<Calendar> = Sorts {
    by: &[SortBy::integer("createdTime", "maintenance_calendars.created_ms", |row| Key::from(row.created_ms))],
    then: &[SortBy::text("", "maintenance_calendars.id", |row| Key::from(&row.id))],
};

/// Stores a new address of a window's calendar.
pub fn insert(
    conn: &mut Conn,
    window: &Window,
    token: &Secret<String>,
    author: &str,
    now: Timestamp,
) -> Result<Calendar> {
    let row = Calendar {
        tenant_id: window.tenant_id.clone(),
        id: format!("CAL-{}", uuid::Uuid::new_v4()),
        window_id: window.id.clone(),
        hash: feed::hash(token.expose()),
        created_by: author.to_owned(),
        created_ms: now.millis(),
    };
    // What has ended makes room.
    let ended = maintenance_calendars::table.filter(maintenance_calendars::tenant_id.eq(&row.tenant_id));
    diesel::delete(ended.filter(maintenance_calendars::created_ms.le(feed::ended(now)))).execute(conn)?;
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(maintenance_calendars::table).values(&row).execute(conn)?;
    Ok(row)
}

/// The addresses of a window's calendar that have not ended, oldest first.
pub fn list(conn: &mut Conn, window: &Window, now: Timestamp) -> Result<Vec<Calendar>> {
    use maintenance_calendars::dsl;
    Ok(dsl::maintenance_calendars
        .filter(dsl::tenant_id.eq(&window.tenant_id))
        .filter(dsl::window_id.eq(&window.id))
        .filter(dsl::created_ms.gt(feed::ended(now)))
        .order((dsl::created_ms, dsl::id))
        .load(conn)?)
}

/// A page of all addresses of these tenants.
pub fn page(
    conn: &mut Conn,
    tenants: &[String],
    now: Timestamp,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Calendar>> {
    use maintenance_calendars::dsl;
    let wanted = dsl::maintenance_calendars
        .filter(dsl::tenant_id.eq_any(tenants.to_vec()))
        .filter(dsl::created_ms.gt(feed::ended(now)));
    Ok(db::page!(conn, wanted, SORTS, sort, walk))
}

/// The address whose token has this hash, when it opens the calendar of a window at this time. By its hash, so that
/// nobody learns from the time it takes.
pub fn opened(conn: &mut Conn, window: &Window, hash: &str, now: Timestamp) -> Result<Option<Calendar>> {
    Ok(list(conn, window, now)?.into_iter().find(|row| row.hash == hash))
}

/// Removes an address of a window's calendar, and answers it.
///
/// # Errors
/// 404 when the window has none of this id.
pub fn delete(conn: &mut Conn, window: &Window, id: &str, now: Timestamp) -> Result<Calendar> {
    let row = list(conn, window, now)?.into_iter().find(|row| row.id == id).ok_or_else(feed::unknown)?;
    diesel::delete(maintenance_calendars::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(row)
}
