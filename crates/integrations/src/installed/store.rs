//! Rows of installed integrations. Every function takes the tenant, or the tenants in reach.

use std::collections::HashMap;

use base::{Key, PageRequest, PageRows, problem::Problem, query::Sort};
use db::{Bell, Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::row::Row;
use crate::schema::{integration_revisions, integrations};

/// How many integrations a tenant has at most.
pub static QUOTA: Quota = Quota::new("integrations", "integrations", 1_000).of("NOT gone");

/// What a search is sorted by.
pub const SORTS: Sorts<Row> = Sorts {
    by: &[
        SortBy::text("displayName", "integrations.name_key", |row| Key::from(&row.name_key)),
        SortBy::integer("createdDate", "integrations.created_ms", |row| Key::from(row.created_ms)),
    ],
    then: &[SortBy::text("id", "integrations.id", |row| Key::from(&row.id))],
};

/// What a change of a tenant's integrations takes, until the end of its transaction.
pub fn lock(tenant: &str) -> db::Lock {
    db::Lock::of("integrations", tenant)
}

/// Rings when integrations, or events of them, have changed.
pub static CHANGES: Bell = Bell::new();

/// Makes everybody else wait who changes integrations of a tenant, and counts the change.
pub fn lock_tenant(conn: &mut Conn, tenant: &str) -> Result<()> {
    use integration_revisions::dsl;
    lock(tenant).take(conn)?;
    CHANGES.ring_at_commit();
    let counted = diesel::update(dsl::integration_revisions.find(tenant)).set(dsl::revision.eq(dsl::revision + 1));
    if counted.execute(conn)? == 0 {
        let first = (dsl::tenant_id.eq(tenant), dsl::revision.eq(1));
        diesel::insert_into(dsl::integration_revisions).values(first).execute(conn)?;
    }
    Ok(())
}

/// How often the integrations of a tenant have changed.
pub fn revision(conn: &mut Conn, tenant: &str) -> Result<i64> {
    use integration_revisions::dsl;
    let query = dsl::integration_revisions.find(tenant).select(dsl::revision);
    Ok(db::direct!(conn, |conn| query.get_result(conn)).optional()?.unwrap_or(0))
}

/// As [`revision`], of these tenants; without those that have never had any.
pub fn revisions(conn: &mut Conn, tenants: &[String]) -> Result<HashMap<String, i64>> {
    let of = integration_revisions::table.filter(integration_revisions::tenant_id.eq_any(tenants));
    let rows: Vec<(String, i64)> = of.load(conn)?;
    Ok(rows.into_iter().collect())
}

/// 404: no integration has this id, in any tenant that the caller sees.
pub fn none() -> Problem {
    Problem::not_found("Installed integration not found")
}

/// The integration with this id among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Row>> {
    let found: Option<Row> = db::one!(conn, integrations, scope, id);
    Ok(found.filter(|row| !row.gone))
}

/// The integration with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    Ok(find(conn, scope, id)?.ok_or_else(none)?)
}

/// As [`existing`], when everybody else waits who changes integrations of its tenant.
pub fn lock_for_update(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    let seen = existing(conn, scope, id)?;
    lock_tenant(conn, &seen.tenant_id)?;
    existing(conn, scope, id)
}

/// What a search looks for: ids, and folded parts of names.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Any of these.
    pub ids: Option<Vec<String>>,
    /// A name contains one of these.
    pub names: Option<Vec<String>>,
    /// What was installed is one of these.
    pub kinds: Vec<&'static str>,
}

/// A page of the integrations of these tenants.
pub fn search(
    conn: &mut Conn,
    scope: &[String],
    filter: &Filter,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Row>> {
    use integrations::dsl;
    let ids = filter.ids.iter().map(|ids| Condition::text_in("integrations.id IN", ids.iter().cloned()));
    let names = filter.names.iter().map(|names| Condition::named("integrations.name_key", names, false));
    let kinds = Condition::text_in("integrations.kind IN", filter.kinds.iter().copied());
    let condition = Condition::all(ids.chain(names).chain([kinds]));
    let wanted =
        dsl::integrations.filter(dsl::tenant_id.eq_any(scope.to_vec())).filter(dsl::gone.eq(false)).filter(condition);
    Ok(db::page!(conn, wanted, SORTS, sort, walk))
}

/// All integrations of a tenant.
pub fn all(conn: &mut Conn, tenant: &str) -> Result<Vec<Row>> {
    let of = integrations::table.filter(integrations::tenant_id.eq(tenant)).filter(integrations::gone.eq(false));
    Ok(of.order(integrations::id).load(conn)?)
}

/// Stores a new one, or one in the place of itself that is gone.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    let former = integrations::table.find((&row.tenant_id, &row.id)).filter(integrations::gone);
    if diesel::update(former).set(row).execute(conn)? == 0 {
        diesel::insert_into(integrations::table).values(row).execute(conn)?;
    }
    Ok(())
}

/// Stores a changed one.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::update(integrations::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

/// Deletes an integration, whose events are deleted before: it is gone, and is removed with what they have left.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    let nothing = String::new;
    let gone = Row {
        enabled: false,
        notifier: None,
        secrets: nothing(),
        signing: nothing(),
        inbound: None,
        gone: true,
        ..row.clone()
    };
    update(conn, &gone)?;
    clear_gone(conn, &row.tenant_id, &row.id)
}

/// Removes an integration that is gone, unless events of it are there.
pub fn clear_gone(conn: &mut Conn, tenant: &str, id: &str) -> Result<()> {
    let events = "NOT EXISTS (SELECT 1 FROM integration_events e WHERE e.tenant_id = integrations.tenant_id AND \
                  e.integration_id = integrations.id)";
    let gone = integrations::table.find((tenant, id)).filter(integrations::gone);
    diesel::delete(gone.filter(Condition::sql(events))).execute(conn)?;
    Ok(())
}

/// The tenants that have integrations.
pub fn tenants(conn: &mut Conn) -> Result<Vec<String>> {
    let all = integrations::table.filter(integrations::gone.eq(false)).select(integrations::tenant_id);
    Ok(all.distinct().order(integrations::tenant_id).load(conn)?)
}

/// One integration of a tenant.
pub fn first(conn: &mut Conn, tenant: &str) -> Result<Option<Row>> {
    let of = integrations::table.filter(integrations::tenant_id.eq(tenant)).filter(integrations::gone.eq(false));
    let of = of.order(integrations::id);
    Ok(of.first(conn).optional()?)
}
