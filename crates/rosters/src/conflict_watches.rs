//! Rows that say when the rosters of a tenant are to be looked at for conflicts.

use db::{Conn, DueRows, Result};
use diesel::prelude::*;

use crate::schema::roster_conflict_watches;

/// One row of `roster_conflict_watches`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = roster_conflict_watches, treat_none_as_default_value = false)]
pub struct ConflictWatch {
    /// The tenant of the rosters.
    pub tenant_id: String,
    /// Counts the writes of the row.
    pub seq: i64,
    /// When its rosters are to be looked at next.
    pub due_ms: i64,
    /// They are not looked at before, whatever changes.
    pub earliest_ms: i64,
}

/// Those that are due.
pub const DUE: DueRows = DueRows { table: "roster_conflict_watches", due: "due_ms", only: "1 = 1" };

/// The row of a tenant.
pub fn find(conn: &mut Conn, tenant: &str) -> Result<Option<ConflictWatch>> {
    Ok(roster_conflict_watches::table.find(tenant).get_result(conn).optional()?)
}

/// Moves a row on; false when somebody else did meanwhile, or something changed that conflicts come from.
pub fn advance(conn: &mut Conn, seen: &ConflictWatch, next: &ConflictWatch) -> Result<bool> {
    use roster_conflict_watches::dsl;
    let row = dsl::roster_conflict_watches.find(&seen.tenant_id).filter(dsl::seq.eq(seen.seq));
    let changed = (dsl::seq.eq(next.seq), dsl::due_ms.eq(next.due_ms), dsl::earliest_ms.eq(next.earliest_ms));
    Ok(diesel::update(row).set(changed).execute(conn)? == 1)
}

/// Something changed that conflicts come from: the rosters of the tenant are to be looked at soon. True when there is a
/// row of the tenant.
pub fn touch(conn: &mut Conn, tenant: &str) -> Result<bool> {
    use roster_conflict_watches::dsl;
    let row = dsl::roster_conflict_watches.find(tenant);
    let changed = (dsl::seq.eq(dsl::seq + 1), dsl::due_ms.eq(dsl::earliest_ms));
    Ok(diesel::update(row).set(changed).execute(conn)? == 1)
}

/// The same, of a tenant that may have its first roster. Who writes rosters of the tenant is waited for.
pub fn touch_or_insert(conn: &mut Conn, tenant: &str) -> Result<()> {
    if touch(conn, tenant)? {
        return Ok(());
    }
    let row = ConflictWatch { tenant_id: tenant.to_owned(), seq: 0, due_ms: 0, earliest_ms: 0 };
    diesel::insert_into(roster_conflict_watches::table).values(row).execute(conn)?;
    Ok(())
}
