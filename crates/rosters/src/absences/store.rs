//! Rows of how time off is and was. Every function takes the tenant, or the tenants of a scope.

use db::{Condition, Conn, Result};
use diesel::prelude::*;

use super::row::FormerTimeOff;
use crate::schema::{roster_former_time_off, roster_time_off, roster_time_off_revisions};

/// The time off of people, as it is and as it was; what is so now is known without an end.
pub fn ever(conn: &mut Conn, tenants: &[String], users: &[String]) -> Result<Vec<FormerTimeOff>> {
    let mut rows: Vec<FormerTimeOff> = db::in_chunks(users, |users| {
        use roster_former_time_off::dsl;
        dsl::roster_former_time_off
            .filter(Condition::text_in("roster_former_time_off.tenant_id IN", tenants))
            .filter(dsl::user_id.eq_any(users))
            .load(conn)
    })?;
    let present: Vec<FormerTimeOff> = db::in_chunks(users, |users| {
        use roster_time_off::dsl;
        dsl::roster_time_off
            .filter(Condition::text_in("roster_time_off.tenant_id IN", tenants))
            .filter(dsl::user_id.eq_any(users))
            .select((
                dsl::tenant_id,
                dsl::id,
                dsl::id,
                dsl::user_id,
                dsl::start_ms,
                dsl::end_ms,
                dsl::updated_ms,
                None::<i64>.into_sql::<diesel::sql_types::Nullable<diesel::sql_types::BigInt>>(),
            ))
            .load(conn)
    })?;
    rows.extend(present);
    Ok(rows)
}

/// Stores how some was.
pub fn insert(conn: &mut Conn, rows: &[FormerTimeOff]) -> Result<()> {
    db::insert_rows!(conn, roster_former_time_off::table, rows)
}

/// How many states before their present ones the entries of a person had.
pub fn count(conn: &mut Conn, tenant: &str, user: &str) -> Result<i64> {
    use roster_former_time_off::dsl;
    let own = dsl::roster_former_time_off.filter(dsl::tenant_id.eq(tenant)).filter(dsl::user_id.eq(user));
    Ok(own.count().get_result(conn)?)
}

/// Makes everybody else wait who writes time off of a tenant's people, and counts the change.
pub fn lock_for_update(conn: &mut Conn, tenant: &str) -> Result<()> {
    use roster_time_off_revisions::dsl;
    db::Lock::of("timeOff", tenant).take(conn)?;
    let counted = diesel::update(dsl::roster_time_off_revisions.find(tenant)).set(dsl::revision.eq(dsl::revision + 1));
    if counted.execute(conn)? == 0 {
        let first = (dsl::tenant_id.eq(tenant), dsl::revision.eq(1));
        diesel::insert_into(dsl::roster_time_off_revisions).values(first).execute(conn)?;
    }
    Ok(())
}

/// Of each of these tenants the number of changes to the time off of its people, by tenant; tenants without any are
/// left out.
pub fn revisions(conn: &mut Conn, tenants: &[String]) -> Result<Vec<(String, i64)>> {
    use roster_time_off_revisions::dsl;
    Ok(dsl::roster_time_off_revisions.filter(dsl::tenant_id.eq_any(tenants)).order(dsl::tenant_id).load(conn)?)
}
