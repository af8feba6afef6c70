//! Rows of owners. Every function takes the tenant, or the tenants of a scope.

use base::{Found, Key, Walk};
use db::{Column, Condition, Conn, Order, Quota, Result};
use diesel::prelude::*;

use crate::schema::owners;

/// How many owners a tenant has at most.
pub static QUOTA: Quota = Quota::new("owners", "owners", 5_000);

/// Of a resource.
pub const RESOURCE: &str = "resource";
/// Of a device group.
pub const DEVICE_GROUP: &str = "deviceGroup";
/// Of a service group.
pub const SERVICE_GROUP: &str = "serviceGroup";
/// Of a site.
pub const SITE: &str = "site";
/// Of all that has no other.
pub const DEFAULT: &str = "default";

/// One row of `owners`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = owners, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant of what is owned.
    pub tenant_id: String,
    /// `OWN-<uuid>`.
    pub id: String,
    /// What is owned.
    pub kind: String,
    /// Which one.
    pub target_id: String,
    /// The user group that owns it.
    pub group_id: String,
    /// Who said so.
    pub created_by: String,
    /// When.
    pub created_ms: i64,
}

/// The owners of a tenant.
pub fn of_tenant(conn: &mut Conn, tenant: &str) -> Result<Vec<Row>> {
    let own = owners::table.filter(owners::tenant_id.eq(tenant)).order(owners::id);
    Ok(db::direct!(conn, |conn| own.load(conn))?)
}

/// The owner of this very thing.
pub fn of_target(conn: &mut Conn, tenant: &str, kind: &str, target: &str) -> Result<Option<Row>> {
    use owners::dsl;
    let own =
        dsl::owners.filter(dsl::tenant_id.eq(tenant)).filter(dsl::kind.eq(kind)).filter(dsl::target_id.eq(target));
    Ok(own.get_result(conn).optional()?)
}

/// The owner with this id among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Row>> {
    let folded = base::fold(id.trim());
    let id = folded.strip_prefix("own-").map(|uuid| format!("OWN-{uuid}")).unwrap_or(folded);
    let found = owners::table.filter(owners::tenant_id.eq_any(scope)).filter(owners::id.eq(id));
    Ok(found.get_result(conn).optional()?)
}

/// Stores one in the place of what was said of the same thing before.
pub fn set(conn: &mut Conn, old: Option<&Row>, new: &Row) -> Result<()> {
    match old {
        Some(old) => delete(conn, old)?,
        None => QUOTA.admit(conn, &new.tenant_id, 1)?,
    }
    diesel::insert_into(owners::table).values(new).execute(conn)?;
    Ok(())
}

/// Removes one.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::delete(owners::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// A page of those that meet a condition, by id.
pub fn page(conn: &mut Conn, condition: &Condition, descending: bool, walk: &Walk) -> Result<Found<Row>> {
    let total = walk.total(|| owners::table.filter(condition.clone()).count().get_result(conn))?;
    let order = Order::by([Column::Text("owners.id"), Column::Text("owners.tenant_id")], descending);
    let query = owners::table.filter(condition.clone()).filter(order.after(walk.after())?).order(order);
    let rows: Vec<Row> = query.offset(walk.offset()).limit(walk.wanted()).load(conn)?;
    Ok(walk.cut(rows, total, |row: &Row| vec![Key::from(&row.id), Key::from(&row.tenant_id)]))
}
