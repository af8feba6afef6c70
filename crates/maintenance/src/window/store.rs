//! Rows of windows and of their targets. Every function takes the tenant, or the tenants of a scope.

mod find;

use std::collections::HashMap;

use base::{problem::Problem, timestamp::Timestamp};
use db::{Condition, Conn, Quota, Result};
use diesel::prelude::*;

use super::{
    row::Window,
    targets::{Kind, Target},
    watches,
};
use crate::schema::{maintenance_calendars, maintenance_targets, maintenance_windows};

pub use self::find::{SORTS, each_open, search};

/// How many maintenance windows a tenant has at most.
pub static QUOTA: Quota = Quota::new("maintenance windows", "maintenance_windows", 100_000);

/// One row of `maintenance_targets`.
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = maintenance_targets, treat_none_as_default_value = false)]
struct Row {
    tenant_id: String,
    window_id: String,
    kind: String,
    target_tenant: String,
    target: String,
    position: i64,
    closes_ms: i64,
}

/// The targets of windows, by tenant and id of the window.
pub type Targets = HashMap<(String, String), Vec<Target>>;

/// Anyone who changes windows of a tenant takes this.
pub fn lock(tenant: &str) -> db::Lock {
    db::Lock::of("maintenance", tenant)
}

api::resource! {
    Window, "maintenance window",
    find: |conn, tenants, id| db::one!(conn, maintenance_windows, tenants, id),
    lock: |window, conn| lock(&window.tenant_id).take(conn),
}

/// The key of a window. Tenants and ids are looked for in pairs: each tenant with each id would be very many.
const KEYS: &str = "(maintenance_windows.tenant_id, maintenance_windows.id) IN";

/// These windows, by tenant and id; those that are gone are left out.
pub fn some(conn: &mut Conn, names: &[(String, String)]) -> Result<Vec<Window>> {
    use maintenance_windows::dsl;
    db::in_chunks(names, |names| {
        let keys = Condition::pairs_in(KEYS, names.iter().map(|(tenant, id)| (tenant, id)));
        dsl::maintenance_windows.filter(keys).load(conn)
    })
}

/// Tenant, id and version of the windows of these tenants of which something may take place at an instant, by id.
pub fn possible(conn: &mut Conn, tenants: &[String], at: Timestamp) -> Result<Vec<(String, String, i64)>> {
    use maintenance_windows::dsl;
    let mut rows: Vec<(String, String, i64)> = dsl::maintenance_windows
        .filter(dsl::tenant_id.eq_any(tenants))
        .filter(dsl::closes_ms.gt(at.millis()))
        .filter(dsl::opens_ms.le(at.millis()))
        .select((dsl::tenant_id, dsl::id, dsl::version))
        .load(conn)?;
    rows.sort();
    Ok(rows)
}

/// Tenant, id and version of these windows.
pub fn versions(conn: &mut Conn, names: &[(String, String)]) -> Result<Vec<(String, String, i64)>> {
    use maintenance_windows::dsl;
    db::in_chunks(names, |names| {
        let keys = Condition::pairs_in(KEYS, names.iter().map(|(tenant, id)| (tenant, id)));
        dsl::maintenance_windows.filter(keys).select((dsl::tenant_id, dsl::id, dsl::version)).load(conn)
    })
}

/// The targets among these that windows of these tenants have, with the windows, of which something may take place
/// after an instant.
pub fn covering(
    conn: &mut Conn,
    tenants: &[String],
    kind: Kind,
    ids: &[String],
    at: Timestamp,
) -> Result<Vec<(Target, (String, String))>> {
    use maintenance_targets::dsl;
    let rows: Vec<Row> = db::in_chunks(ids, |ids| {
        dsl::maintenance_targets
            .filter(Condition::text_in("maintenance_targets.tenant_id IN", tenants))
            .filter(dsl::kind.eq(kind.word()))
            .filter(Condition::text_in("maintenance_targets.target IN", ids))
            .filter(dsl::closes_ms.gt(at.millis()))
            .load(conn)
    })?;
    Ok(rows
        .into_iter()
        .map(|row| (Target { kind, tenant: row.target_tenant, id: row.target }, (row.tenant_id, row.window_id)))
        .collect())
}

/// The targets of these windows, in the order in which they were given.
pub fn targets(conn: &mut Conn, windows: &[(String, String)]) -> Result<Targets> {
    use maintenance_targets::dsl;
    let rows: Vec<Row> = db::in_chunks(windows, |windows| {
        let of_windows = "(maintenance_targets.tenant_id, maintenance_targets.window_id) IN";
        let keys = Condition::pairs_in(of_windows, windows.iter().map(|(tenant, id)| (tenant, id)));
        dsl::maintenance_targets.filter(keys).order(dsl::position).load(conn)
    })?;
    let mut found = Targets::new();
    for row in rows {
        let kind = Kind::parse(&row.kind).ok_or_else(|| Problem::internal())?;
        let target = Target { kind, tenant: row.target_tenant, id: row.target };
        found.entry((row.tenant_id, row.window_id)).or_default().push(target);
    }
    Ok(found)
}

/// The targets of one window.
pub fn targets_of(conn: &mut Conn, window: &Window) -> Result<Vec<Target>> {
    let name = (window.tenant_id.clone(), window.id.clone());
    Ok(targets(conn, std::slice::from_ref(&name))?.remove(&name).unwrap_or_default())
}

/// Stores a new window.
pub fn insert(conn: &mut Conn, window: &Window, targets: &[Target]) -> Result<()> {
    QUOTA.admit(conn, &window.tenant_id, 1)?;
    diesel::insert_into(maintenance_windows::table).values(window).execute(conn)?;
    watches::insert(conn, &window.tenant_id, &window.id, window.updated_ms)?;
    insert_targets(conn, window, targets)
}

fn insert_targets(conn: &mut Conn, window: &Window, targets: &[Target]) -> Result<()> {
    let rows: Vec<Row> = (0..)
        .zip(targets)
        .map(|(position, target)| Row {
            tenant_id: window.tenant_id.clone(),
            window_id: window.id.clone(),
            kind: target.kind.word().to_owned(),
            target_tenant: target.tenant.clone(),
            target: target.id.clone(),
            position,
            closes_ms: window.closes_ms,
        })
        .collect();
    db::insert_rows!(conn, maintenance_targets::table, rows.as_slice())
}

/// Stores the next version of a window; with `targets`, other targets as well.
///
/// # Errors
/// 409 when somebody else changed it meanwhile.
pub fn update(conn: &mut Conn, old: &Window, new: &Window, targets: Option<&[Target]>) -> Result<()> {
    use maintenance_targets::dsl;
    let stored =
        maintenance_windows::table.find((&old.tenant_id, &old.id)).filter(maintenance_windows::version.eq(old.version));
    if diesel::update(stored).set(new).execute(conn)? == 0 {
        return Err(Problem::conflict("Somebody else changed the maintenance window meanwhile. Read it again.").into());
    }
    if (&old.schedule, &old.holds) != (&new.schedule, &new.holds) {
        watches::touch(conn, &new.tenant_id, &new.id)?;
    }
    let of = || {
        dsl::maintenance_targets
            .filter(dsl::tenant_id.eq(old.tenant_id.clone()))
            .filter(dsl::window_id.eq(old.id.clone()))
    };
    match targets {
        Some(targets) => {
            diesel::delete(of()).execute(conn)?;
            insert_targets(conn, new, targets)?;
        }
        None if old.closes_ms != new.closes_ms => {
            diesel::update(of()).set(dsl::closes_ms.eq(new.closes_ms)).execute(conn)?;
        }
        None => {}
    }
    Ok(())
}

/// Removes a window and all that belongs to it.
pub fn delete(conn: &mut Conn, window: &Window) -> Result<()> {
    let tenant = &window.tenant_id;
    let id = &window.id;
    watches::delete(conn, tenant, id)?;
    diesel::delete(
        maintenance_calendars::table
            .filter(maintenance_calendars::tenant_id.eq(tenant))
            .filter(maintenance_calendars::window_id.eq(id)),
    )
    .execute(conn)?;
    diesel::delete(
        maintenance_targets::table
            .filter(maintenance_targets::tenant_id.eq(tenant))
            .filter(maintenance_targets::window_id.eq(id)),
    )
    .execute(conn)?;
    diesel::delete(maintenance_windows::table.find((tenant, id))).execute(conn)?;
    Ok(())
}

/// Has the tenant any window?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    Ok(db::has_any!(conn, maintenance_windows, tenant))
}
