//! Rows of watches: of all tenants; each row names its own.

use db::{Conn, Json, Result};
use diesel::prelude::*;

use crate::schema::roster_watches;

/// One row of `roster_watches`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = roster_watches, treat_none_as_default_value = false)]
pub struct Watch {
    /// The tenant of the roster.
    pub tenant_id: String,
    /// The roster.
    pub roster_id: String,
    /// Counts whoever wrote the row.
    pub seq: i64,
    /// When the roster is to be looked at next.
    pub due_ms: i64,
    /// Who was on call at the last look, by their ids; `None` before the first.
    pub on_call: Option<Json<Vec<String>>>,
    /// When the last stretch without anybody begins that was told of.
    pub warned_ms: i64,
}

/// Those that are due, the longest overdue first.
pub fn due(conn: &mut Conn, now_ms: i64, most: i64) -> Result<Vec<Watch>> {
    use roster_watches::dsl;
    let due = dsl::roster_watches.filter(dsl::due_ms.le(now_ms));
    Ok(due.order((dsl::due_ms, dsl::tenant_id, dsl::roster_id)).limit(most).load(conn)?)
}

/// Moves a row on; false when somebody else did meanwhile, or the roster changed.
pub fn advance(conn: &mut Conn, seen: &Watch, next: &Watch) -> Result<bool> {
    use roster_watches::dsl;
    let row = dsl::roster_watches.find((&seen.tenant_id, &seen.roster_id)).filter(dsl::seq.eq(seen.seq));
    let changed = (
        dsl::seq.eq(next.seq),
        dsl::due_ms.eq(next.due_ms),
        dsl::on_call.eq(&next.on_call),
        dsl::warned_ms.eq(next.warned_ms),
    );
    Ok(diesel::update(row).set(changed).execute(conn)? == 1)
}

/// A new roster is looked at from now on: before, nobody was on call through it.
pub fn insert(conn: &mut Conn, tenant: &str, roster: &str) -> Result<()> {
    let row = Watch {
        tenant_id: tenant.to_owned(),
        roster_id: roster.to_owned(),
        seq: 0,
        due_ms: 0,
        on_call: Some(Json::default()),
        warned_ms: 0,
    };
    diesel::insert_into(roster_watches::table).values(row).execute(conn)?;
    Ok(())
}

/// A roster or an override of it changed: it is to be looked at again.
pub fn touch(conn: &mut Conn, tenant: &str, roster: &str) -> Result<()> {
    use roster_watches::dsl;
    let row = dsl::roster_watches.find((tenant, roster));
    diesel::update(row).set((dsl::seq.eq(dsl::seq + 1), dsl::due_ms.eq(0))).execute(conn)?;
    Ok(())
}

/// A roster has no future any more.
pub fn delete(conn: &mut Conn, tenant: &str, roster: &str) -> Result<()> {
    diesel::delete(roster_watches::table.find((tenant, roster))).execute(conn)?;
    Ok(())
}
