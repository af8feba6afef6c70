//! Rows of those who are told before their shifts. Which tenants have somebody who is due is looked for in all.

use db::{Conn, DueRows, Result};
use diesel::prelude::*;

use crate::schema::shift_reminders;

/// One row of `shift_reminders`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = shift_reminders, treat_none_as_default_value = false)]
pub struct Reminder {
    /// The tenant of the person.
    pub tenant_id: String,
    /// Who.
    pub user_id: String,
    /// How long before.
    pub before_ms: i64,
    /// When their shifts are looked at next.
    pub next_ms: i64,
}

/// Those who are due.
pub const DUE: DueRows = DueRows { table: "shift_reminders", due: "next_ms", only: "1 = 1" };

/// Says how long before their shifts a person is told; `None`: not at all.
pub fn set(conn: &mut Conn, tenant: &str, user: &str, before_ms: Option<i64>, now_ms: i64) -> Result<()> {
    diesel::delete(shift_reminders::table.find((tenant, user))).execute(conn)?;
    let Some(before_ms) = before_ms else { return Ok(()) };
    let row = Reminder { tenant_id: tenant.to_owned(), user_id: user.to_owned(), before_ms, next_ms: now_ms };
    diesel::insert_into(shift_reminders::table).values(row).execute(conn)?;
    Ok(())
}

/// Those of a tenant who are due, the longest overdue first.
pub fn due(conn: &mut Conn, tenant: &str, now_ms: i64, most: usize) -> Result<Vec<Reminder>> {
    use shift_reminders::dsl;
    let due = dsl::shift_reminders.filter(dsl::tenant_id.eq(tenant)).filter(dsl::next_ms.le(now_ms));
    Ok(due.order((dsl::next_ms, dsl::user_id)).limit(i64::try_from(most).unwrap_or(i64::MAX)).load(conn)?)
}

/// Moves a row on; false when somebody else did meanwhile, or the person asked for something else.
pub fn advance(conn: &mut Conn, seen: &Reminder, next_ms: i64) -> Result<bool> {
    use shift_reminders::dsl;
    let row = dsl::shift_reminders.find((&seen.tenant_id, &seen.user_id));
    let row = row.filter(dsl::next_ms.eq(seen.next_ms)).filter(dsl::before_ms.eq(seen.before_ms));
    Ok(diesel::update(row).set(dsl::next_ms.eq(next_ms)).execute(conn)? == 1)
}
