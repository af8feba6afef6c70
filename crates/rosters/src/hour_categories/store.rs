//! Rows of the categories of hours. Every function takes the tenant, or tenants.

use db::{Conn, Result};
use diesel::prelude::*;

use super::row::Row;
use crate::schema::roster_hour_categories;

/// What a tenant said.
pub fn find(conn: &mut Conn, tenant: &str) -> Result<Option<Row>> {
    Ok(roster_hour_categories::table.find(tenant).get_result(conn).optional()?)
}

/// What these tenants said, those of them that did.
pub fn of_tenants(conn: &mut Conn, tenants: &[String]) -> Result<Vec<Row>> {
    use roster_hour_categories::dsl;
    db::in_chunks(tenants, |tenants| dsl::roster_hour_categories.filter(dsl::tenant_id.eq_any(tenants)).load(conn))
}

/// Makes everybody else wait who writes them for a tenant.
pub fn lock(conn: &mut Conn, tenant: &str) -> Result<()> {
    db::Lock::of("hour-categories", tenant).take(conn)
}

/// Stores what a tenant says in place of what it said before, or that it says nothing any more.
pub fn set(conn: &mut Conn, tenant: &str, row: Option<&Row>) -> Result<()> {
    diesel::delete(roster_hour_categories::table.find(tenant)).execute(conn)?;
    if let Some(row) = row {
        diesel::insert_into(roster_hour_categories::table).values(row).execute(conn)?;
    }
    Ok(())
}
