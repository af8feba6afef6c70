//! Rows of owners. Every function takes the tenant, or the tenants of a scope.

use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::row::Ownership;
use crate::schema::owners;

/// How many owners a tenant has at most.
pub static QUOTA: Quota = Quota::new("owners", "owners", 5_000);

/// What a list of owners is sorted by.
pub const SORTS: Sorts<Ownership> = Sorts {
    by: &[],
    then: &[
        SortBy::text("id", "owners.id", |row| Key::from(&row.id)),
        SortBy::text("", "owners.tenant_id", |row| Key::from(&row.tenant_id)),
    ],
};

/// The owners of a tenant.
pub fn of_tenant(conn: &mut Conn, tenant: &str) -> Result<Vec<Ownership>> {
    let own = owners::table.filter(owners::tenant_id.eq(tenant)).order(owners::id);
    Ok(db::direct!(conn, |conn| own.load(conn))?)
}

/// The owner of this very thing.
pub fn of_target(conn: &mut Conn, tenant: &str, kind: &str, target: &str) -> Result<Option<Ownership>> {
    use owners::dsl;
    let own =
        dsl::owners.filter(dsl::tenant_id.eq(tenant)).filter(dsl::kind.eq(kind)).filter(dsl::target_id.eq(target));
    Ok(own.get_result(conn).optional()?)
}

/// The owner with this id, in its spelling, among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Ownership>> {
    let found = owners::table.filter(owners::tenant_id.eq_any(scope)).filter(owners::id.eq(id));
    Ok(found.get_result(conn).optional()?)
}

/// Stores one in the place of what was said of the same thing before.
pub fn set(conn: &mut Conn, old: Option<&Ownership>, new: &Ownership) -> Result<()> {
    match old {
        Some(old) => delete(conn, old)?,
        None => QUOTA.admit(conn, &new.tenant_id, 1)?,
    }
    diesel::insert_into(owners::table).values(new).execute(conn)?;
    Ok(())
}

/// Removes one.
pub fn delete(conn: &mut Conn, row: &Ownership) -> Result<()> {
    diesel::delete(owners::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// A page of those that meet a condition.
pub fn page(conn: &mut Conn, condition: &Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Ownership>> {
    let total = walk.total(|| owners::table.filter(condition.clone()).count().get_result(conn))?;
    let order = SORTS.order(sort);
    let query = owners::table.filter(condition.clone()).filter(order.after(walk.after())?).order(order);
    Ok(walk.cut(query.offset(walk.offset()).limit(walk.row_limit()).load(conn)?, total, |row| SORTS.keys(sort, row)))
}
