//! Rows of contact methods. Every function takes the tenant, or the tenants of a scope.

use base::problem::Problem;
use db::{Conn, Quota, Result};
use diesel::prelude::*;

use super::{row::Method, rules, wire::normal_id};
use crate::schema::contact_methods;

/// How many contact methods the people of a tenant have at most.
pub static QUOTA: Quota = Quota::new("contact methods", "contact_methods", 200_000);

/// The methods of a person, in the order in which they were made.
pub fn of_user(conn: &mut Conn, tenant: &str, user: &str) -> Result<Vec<Method>> {
    use contact_methods::dsl;
    let own = dsl::contact_methods.filter(dsl::tenant_id.eq(tenant)).filter(dsl::user_id.eq(user));
    Ok(own.order((dsl::created_ms, dsl::id)).limit(rules::MOST).load(conn)?)
}

/// The methods of people whose tenants are among these.
pub fn of_users(conn: &mut Conn, tenants: &[String], users: &[String]) -> Result<Vec<Method>> {
    use contact_methods::dsl;
    db::in_chunks(users, |users| {
        dsl::contact_methods
            .filter(dsl::tenant_id.eq_any(tenants))
            .filter(dsl::user_id.eq_any(users))
            .order((dsl::created_ms, dsl::id))
            .load(conn)
    })
}

/// The method of a person with this id, or 404.
pub fn existing(conn: &mut Conn, tenant: &str, user: &str, id: &str) -> Result<Method> {
    let found = find(conn, tenant, id)?.filter(|row| row.user_id == user);
    Ok(found.ok_or_else(rules::unknown)?)
}

/// The method with this id.
pub fn find(conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<Method>> {
    Ok(contact_methods::table.find((tenant, normal_id(id))).get_result(conn).optional()?)
}

/// Anyone who changes the methods of a person takes this.
pub fn lock(tenant: &str, user: &str) -> db::Lock {
    db::Lock::of("contact", format_args!("{tenant}:{user}"))
}

/// Stores a new one.
///
/// # Errors
/// 409 when the person has as many as there may be.
pub fn insert(conn: &mut Conn, row: &Method) -> Result<()> {
    if i64::try_from(of_user(conn, &row.tenant_id, &row.user_id)?.len()).is_ok_and(|count| count >= rules::MOST) {
        return Err(Problem::conflict(format!("A person has at most {} contact methods.", rules::MOST)).into());
    }
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(contact_methods::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores one that has changed.
pub fn update(conn: &mut Conn, row: &Method) -> Result<()> {
    diesel::update(contact_methods::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

/// Removes one.
pub fn delete(conn: &mut Conn, row: &Method) -> Result<()> {
    diesel::delete(contact_methods::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// Some of those of all tenants that are sealed, behind one; for a rotation of keys.
pub fn sealed(conn: &mut Conn, behind: &(String, String), most: i64) -> Result<Vec<Method>> {
    let after = db::Condition::sql("(contact_methods.tenant_id, contact_methods.id) > (").text(&behind.0).then(", ");
    let after = after.text(&behind.1).then(")");
    let sealed = contact_methods::table.filter(contact_methods::sealed.ne("")).filter(after);
    Ok(sealed.order((contact_methods::tenant_id, contact_methods::id)).limit(most).load(conn)?)
}
