//! Rows of escalation policies. Every function takes the tenant, or the tenants of a scope.

use base::{Found, Key, Walk, problem::Problem};
use db::{Column, Condition, Conn, Order, Quota, Result};
use diesel::prelude::*;

use super::wire::Document;
use crate::schema::{alert_routes, escalation_policies};

/// How many escalation policies a tenant has at most.
pub static QUOTA: Quota = Quota::new("escalation policies", "escalation_policies", 1_000);

/// One row of `escalation_policies`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = escalation_policies, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `EP-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
    pub name: String,
    /// Folded.
    pub name_key: String,
    /// A [`Document`], JSON.
    pub document: String,
    /// A user.
    pub created_by: String,
    /// A user.
    pub updated_by: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}

impl Row {
    /// What it says.
    pub fn document(&self) -> Document {
        serde_json::from_str(&self.document).unwrap_or_default()
    }
}

/// What an unknown policy is answered with.
pub fn unknown() -> Problem {
    Problem::not_found("The escalation policy was not found.")
}

/// The id of a policy in the spelling in which it is stored.
pub fn normal_id(text: &str) -> String {
    let folded = base::fold(text.trim());
    folded.strip_prefix("ep-").map(|uuid| format!("EP-{uuid}")).unwrap_or(folded)
}

/// The policy with this id among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Row>> {
    use escalation_policies::dsl;
    let id = normal_id(id);
    let row = match scope {
        [tenant] => dsl::escalation_policies.find((tenant, id)).get_result(conn),
        many => dsl::escalation_policies.filter(dsl::tenant_id.eq_any(many)).filter(dsl::id.eq(id)).get_result(conn),
    };
    Ok(row.optional()?)
}

/// The policy with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    Ok(find(conn, scope, id)?.ok_or_else(unknown)?)
}

/// Keeps everybody else from the policies and routes of a tenant until the end of the transaction.
pub fn take_up(conn: &mut Conn, tenant: &str) -> Result<()> {
    db::lock(conn, &format!("policies:{tenant}"))
}

/// Stores a new one.
///
/// # Errors
/// 409 when the name is taken, or when the tenant has as many as it may have.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    check_name(conn, row)?;
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(escalation_policies::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores one that has changed.
///
/// # Errors
/// 409 when the name is taken.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    check_name(conn, row)?;
    diesel::update(escalation_policies::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

fn check_name(conn: &mut Conn, row: &Row) -> Result<()> {
    use escalation_policies::dsl;
    let namesake = dsl::escalation_policies
        .filter(dsl::tenant_id.eq(&row.tenant_id))
        .filter(dsl::name_key.eq(&row.name_key))
        .filter(dsl::id.ne(&row.id));
    match namesake.select(dsl::id).first::<String>(conn).optional()? {
        Some(_) => {
            Err(Problem::conflict(format!("The tenant has an escalation policy named {} already.", row.name)).into())
        }
        None => Ok(()),
    }
}

/// Removes one.
///
/// # Errors
/// 409 while a route leads to it.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    use alert_routes::dsl;
    let route = dsl::alert_routes.filter(dsl::tenant_id.eq(&row.tenant_id)).filter(dsl::policy_id.eq(&row.id));
    if let Some(name) = route.select(dsl::name).first::<String>(conn).optional()? {
        return Err(Problem::conflict(format!("The alert route {name} leads to the policy: change it first.")).into());
    }
    diesel::delete(escalation_policies::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// A page of the policies of these tenants, by name or by id; `name` is contained in theirs.
pub fn page(
    conn: &mut Conn,
    condition: &Condition,
    by_name: bool,
    descending: bool,
    walk: &Walk,
) -> Result<Found<Row>> {
    use escalation_policies::dsl;
    let total = walk.total(|| dsl::escalation_policies.filter(condition.clone()).count().get_result(conn))?;
    let first = by_name.then_some(Column::Text("escalation_policies.name_key"));
    let ties = [Column::Text("escalation_policies.id"), Column::Text("escalation_policies.tenant_id")];
    let order = Order::by(first.into_iter().chain(ties), descending);
    let query = dsl::escalation_policies.filter(condition.clone()).filter(order.after(walk.after())?).order(order);
    let rows: Vec<Row> = query.offset(walk.offset()).limit(walk.wanted()).load(conn)?;
    let keys = |row: &Row| {
        let first = by_name.then(|| Key::from(&row.name_key));
        first.into_iter().chain([Key::from(&row.id), Key::from(&row.tenant_id)]).collect()
    };
    Ok(walk.cut(rows, total, keys))
}
