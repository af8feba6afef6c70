//! Rows of watches. Which tenants have some that are due is looked for in all.

use db::{Condition, Conn, DueRows, Result};
use diesel::prelude::*;

use crate::schema::maintenance_watches;

/// One row of `maintenance_watches`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = maintenance_watches, treat_none_as_default_value = false)]
pub struct Watch {
    /// The tenant of the window.
    pub tenant_id: String,
    pub window_id: String,
    /// Counts the writes of the row.
    pub seq: i64,
    /// When the window is to be looked at next.
    pub due_ms: Option<i64>,
    /// When it was last looked at.
    pub looked_ms: Option<i64>,
    /// Since when it was open then.
    pub open_ms: Option<i64>,
}

/// Those that are due.
pub const DUE: DueRows = DueRows { table: "maintenance_watches", due: "due_ms", only: "due_ms IS NOT NULL" };

/// Those of a tenant that are due, the longest overdue first.
pub fn due(conn: &mut Conn, tenant: &str, now_ms: i64, most: usize) -> Result<Vec<Watch>> {
    use maintenance_watches::dsl;
    Ok(dsl::maintenance_watches
        .filter(Condition::sql("maintenance_watches.due_ms IS NOT NULL"))
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::due_ms.le(Some(now_ms)))
        .order((dsl::due_ms, dsl::window_id))
        .limit(i64::try_from(most).unwrap_or(i64::MAX))
        .load(conn)?)
}

/// Moves a row on to when the window is to be looked at next, and since when it is open; false when somebody else did
/// meanwhile, or the window changed.
pub fn advance(
    conn: &mut Conn,
    seen: &Watch,
    (due_ms, open_ms): (Option<i64>, Option<i64>),
    now_ms: i64,
) -> Result<bool> {
    use maintenance_watches::dsl;
    let row = dsl::maintenance_watches.find((&seen.tenant_id, &seen.window_id)).filter(dsl::seq.eq(seen.seq));
    let next =
        (dsl::seq.eq(seen.seq + 1), dsl::due_ms.eq(due_ms), dsl::looked_ms.eq(Some(now_ms)), dsl::open_ms.eq(open_ms));
    Ok(diesel::update(row).set(next).execute(conn)? == 1)
}

/// Looks at a window later, unless somebody else did meanwhile.
pub fn put_off(conn: &mut Conn, seen: &Watch, until_ms: i64) -> Result<()> {
    use maintenance_watches::dsl;
    let row = dsl::maintenance_watches.find((&seen.tenant_id, &seen.window_id)).filter(dsl::seq.eq(seen.seq));
    diesel::update(row).set(dsl::due_ms.eq(Some(until_ms))).execute(conn)?;
    Ok(())
}

/// A new window is looked at from now on: one that is open at once opens.
pub fn insert(conn: &mut Conn, tenant: &str, window: &str, now_ms: i64) -> Result<()> {
    let row = Watch {
        tenant_id: tenant.to_owned(),
        window_id: window.to_owned(),
        seq: 0,
        due_ms: Some(0),
        looked_ms: Some(now_ms),
        open_ms: None,
    };
    diesel::insert_into(maintenance_watches::table).values(row).execute(conn)?;
    Ok(())
}

/// A window changed: when it opens and closes is to be worked out again.
pub fn touch(conn: &mut Conn, tenant: &str, window: &str) -> Result<()> {
    use maintenance_watches::dsl;
    let row = dsl::maintenance_watches.find((tenant, window));
    diesel::update(row).set((dsl::seq.eq(dsl::seq + 1), dsl::due_ms.eq(Some(0)))).execute(conn)?;
    Ok(())
}

/// A window is gone.
pub fn delete(conn: &mut Conn, tenant: &str, window: &str) -> Result<()> {
    diesel::delete(maintenance_watches::table.find((tenant, window))).execute(conn)?;
    Ok(())
}
