//! Rows of the conflicts that were told. Every function takes the tenant.

use db::{Conn, Result};
use diesel::prelude::*;
use outbox::Retention;

use crate::schema::roster_conflicts_told;

/// One row of `roster_conflicts_told`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = roster_conflicts_told, treat_none_as_default_value = false)]
pub struct ToldConflict {
    /// The tenant of the roster.
    pub tenant_id: String,
    /// `RCF-<uuid>`.
    pub id: String,
    /// A hash of all that makes a conflict another one but its time.
    pub subject: String,
    pub roster_id: String,
    /// When it began, as far as that was known when it was told.
    pub from_ms: i64,
    /// When it ends, as far as that is known.
    pub to_ms: i64,
    /// Were those told whom the roster names for that?
    pub people_told: bool,
    /// When it was told.
    pub told_ms: i64,
}

/// Conflicts that have long been over, of tenants whose rosters are not looked at any more.
pub const RETENTION: Retention = Retention {
    kind: "conflictsTold",
    only: "to_ms > 0",
    ..Retention::of("roster_conflicts_told", "to_ms", 31 * 86_400_000)
};

/// Those of a tenant, by when they begin.
pub fn all(conn: &mut Conn, tenant: &str) -> Result<Vec<ToldConflict>> {
    use roster_conflicts_told::dsl;
    let own = dsl::roster_conflicts_told.filter(dsl::tenant_id.eq(tenant));
    Ok(own.order((dsl::from_ms, dsl::id)).load(conn)?)
}

/// Stores new ones.
pub fn insert(conn: &mut Conn, rows: &[ToldConflict]) -> Result<()> {
    db::insert_rows!(conn, roster_conflicts_told::table, rows)
}

/// One goes on longer.
pub fn extend(conn: &mut Conn, tenant: &str, id: &str, to_ms: i64) -> Result<()> {
    use roster_conflicts_told::dsl;
    diesel::update(dsl::roster_conflicts_told.find((tenant, id))).set(dsl::to_ms.eq(to_ms)).execute(conn)?;
    Ok(())
}

/// People were told of these.
pub fn note_people(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<()> {
    use roster_conflicts_told::dsl;
    for ids in ids.chunks(500) {
        let these = dsl::roster_conflicts_told.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
        diesel::update(these).set(dsl::people_told.eq(true)).execute(conn)?;
    }
    Ok(())
}

/// Removes those that are over; answers how many there were.
pub fn delete(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<usize> {
    use roster_conflicts_told::dsl;
    let mut count = 0;
    for ids in ids.chunks(500) {
        let these = dsl::roster_conflicts_told.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
        count += diesel::delete(these).execute(conn)?;
    }
    Ok(count)
}
