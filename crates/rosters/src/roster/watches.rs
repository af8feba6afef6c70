//! Rows of the watches of rosters. Which tenants have some that are due is looked for in all.

use db::{Conn, DueRows, Json, Result};
use diesel::prelude::*;
use serde::{Deserialize, Serialize};

use crate::schema::roster_watches;

/// One row of `roster_watches`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = roster_watches, treat_none_as_default_value = false)]
pub struct Watch {
    /// The tenant of the roster.
    pub tenant_id: String,
    /// The roster.
    pub roster_id: String,
    /// Counts the writes of the row.
    pub seq: i64,
    /// When the roster is to be looked at next.
    pub due_ms: i64,
    /// Who was on call at the last look, by their ids; `None` before the first.
    pub on_call: Option<Json<Vec<String>>>,
    /// In rows of the version before, when the last stretch without anybody begins that was told of.
    pub warned_ms: i64,
    /// The stretches without anybody that were told of and are not over; `None` in rows of the version before.
    pub uncovered: Option<Json<Vec<ToldGap>>>,
}

/// A stretch of time of a shift in which nobody stands, and which was told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToldGap {
    /// The id of the shift; `None` for an override outside every shift.
    pub shift: Option<String>,
    /// When it begins.
    pub start_ms: i64,
}

/// Those that are due.
pub const DUE: DueRows = DueRows { table: "roster_watches", due: "due_ms", only: "1 = 1" };

/// The rosters of a tenant that are due, the longest overdue first.
pub fn due(conn: &mut Conn, tenant: &str, now_ms: i64, most: usize) -> Result<Vec<String>> {
    use roster_watches::dsl;
    let due = dsl::roster_watches.filter(dsl::tenant_id.eq(tenant)).filter(dsl::due_ms.le(now_ms));
    let due = due.order((dsl::due_ms, dsl::roster_id)).select(dsl::roster_id);
    Ok(due.limit(i64::try_from(most).unwrap_or(i64::MAX)).load(conn)?)
}

/// The row of a roster.
pub fn find(conn: &mut Conn, tenant: &str, roster: &str) -> Result<Option<Watch>> {
    Ok(roster_watches::table.find((tenant, roster)).get_result(conn).optional()?)
}

/// Looks at a roster later.
pub fn put_off(conn: &mut Conn, tenant: &str, roster: &str, now_ms: i64, until_ms: i64) -> Result<()> {
    use roster_watches::dsl;
    let still = dsl::roster_watches.find((tenant, roster)).filter(dsl::due_ms.le(now_ms));
    diesel::update(still).set(dsl::due_ms.eq(until_ms)).execute(conn)?;
    Ok(())
}

/// Moves a row on; false when somebody else did meanwhile, or the roster changed.
pub fn advance(conn: &mut Conn, seen: &Watch, next: &Watch) -> Result<bool> {
    use roster_watches::dsl;
    let row = dsl::roster_watches.find((&seen.tenant_id, &seen.roster_id)).filter(dsl::seq.eq(seen.seq));
    let changed = (
        dsl::seq.eq(next.seq),
        dsl::due_ms.eq(next.due_ms),
        dsl::on_call.eq(&next.on_call),
        dsl::uncovered.eq(&next.uncovered),
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
        uncovered: Some(Json::default()),
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
