//! Rows of contacts. Every function takes the tenant, or the tenants of a scope.

use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{row::Row, rules};
use crate::schema::contacts;

/// How many contacts a tenant has at most.
pub static QUOTA: Quota = Quota::new("contacts", "contacts", 10_000);

/// What a search is sorted by.
pub const SORTS: Sorts<Row> = Sorts {
    by: &[SortBy::text("name", "contacts.name_key", |row| Key::from(&row.name_key))],
    then: &[SortBy::text("id", "contacts.id", |row| Key::from(&row.id))],
};

/// Anyone who changes a contact takes this.
pub fn lock(id: &str) -> db::Lock {
    db::Lock::of("contacts", id)
}

/// The contact with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    Ok(db::one!(conn, contacts, scope, id).ok_or_else(rules::unknown)?)
}

/// A page of the contacts of these tenants.
pub fn page(conn: &mut Conn, scope: &[String], sort: Sort, walk: &PageRequest) -> Result<PageRows<Row>> {
    let condition = Condition::text_in("contacts.tenant_id IN", scope);
    Ok(db::page!(conn, contacts::table.filter(condition), SORTS, sort, walk))
}

/// Stores a new contact.
///
/// # Errors
/// 409 when its name is taken, or when the tenant has as many as it may have.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(contacts::table).values(row).execute(conn).map_err(|error| taken(error, row))?;
    Ok(())
}

/// Stores the next version of a contact.
///
/// # Errors
/// 409 when its name is taken.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    let stored = contacts::table.find((&row.tenant_id, &row.id));
    diesel::update(stored).set(row).execute(conn).map_err(|error| taken(error, row))?;
    Ok(())
}

/// Removes a contact.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::delete(contacts::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

fn taken(error: diesel::result::Error, row: &Row) -> db::Error {
    match error.into() {
        db::Error::Taken(_) => rules::taken(&row.name).into(),
        other => other,
    }
}
