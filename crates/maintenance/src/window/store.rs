//! Rows of windows and of their targets. Every function takes the tenant, or the tenants of a scope.

use std::collections::HashMap;

use base::{Found, Key, Walk, matching::Meter, problem::Problem, query::Sort, timestamp::Timestamp};
use db::{
    Column, Condition, Conn, Quota, Result,
    expressions::{self, Holder},
};
use diesel::prelude::*;

use super::{
    filter::Filter,
    rules,
    targets::{Kind, Target},
};
use crate::{
    course::Course,
    schema::{maintenance_calendars, maintenance_targets, maintenance_windows},
};

/// Values that one statement takes.
const AT_ONCE: usize = 500;

/// Windows that are worked out together.
const BATCH: i64 = 500;

/// How many maintenance windows a tenant has at most.
pub static QUOTA: Quota = Quota::new("maintenance windows", "maintenance_windows", 100_000);

/// One row of `maintenance_windows`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = maintenance_windows, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Window {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `SM-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// As it was given.
    pub name: String,
    /// Folded.
    pub name_key: String,
    /// Empty when there is none.
    pub description: String,
    /// JSON.
    pub schedule: String,
    /// JSON.
    pub holds: String,
    /// JSON.
    pub conditions: Option<String>,
    /// Are scripts to be run?
    pub run_rba: bool,
    /// Are patches to be installed?
    pub install_patch: bool,
    /// Are open alerts to be escalated afterwards?
    pub run_escalation: bool,
    /// Nothing takes place before.
    pub opens_ms: i64,
    /// Nothing takes place afterwards.
    pub closes_ms: i64,
    /// A user's id.
    pub created_by: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}

impl Window {
    /// When it is open.
    pub fn course(&self) -> std::result::Result<Course, Problem> {
        Course::stored(&self.schedule, &self.holds)
    }
}

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

/// Makes everybody else wait who changes windows of a tenant.
pub fn take_up(conn: &mut Conn, tenant: &str) -> Result<()> {
    db::lock(conn, &format!("maintenance:{tenant}"))
}

/// The window with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Window> {
    use maintenance_windows::dsl;
    let id = rules::window_id(id);
    let row = match scope {
        // The common case has a text that never changes, so that the statement stays prepared.
        [tenant] => dsl::maintenance_windows.find((tenant, id)).get_result(conn),
        tenants => {
            dsl::maintenance_windows.filter(dsl::tenant_id.eq_any(tenants)).filter(dsl::id.eq(id)).get_result(conn)
        }
    };
    Ok(row.optional()?.ok_or_else(rules::no_window)?)
}

/// These windows, by tenant and id; those that are gone are left out.
pub fn some(conn: &mut Conn, names: &[(String, String)]) -> Result<Vec<Window>> {
    use maintenance_windows::dsl;
    let mut found = Vec::with_capacity(names.len());
    for names in names.chunks(AT_ONCE) {
        let tenants: Vec<&String> = names.iter().map(|(tenant, _)| tenant).collect();
        let rows: Vec<Window> = dsl::maintenance_windows
            .filter(dsl::tenant_id.eq_any(tenants))
            .filter(dsl::id.eq_any(names.iter().map(|(_, id)| id)))
            .load(conn)?;
        found.extend(
            rows.into_iter().filter(|row| names.iter().any(|(tenant, id)| *tenant == row.tenant_id && *id == row.id)),
        );
    }
    Ok(found)
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
    let mut found = Vec::with_capacity(names.len());
    for names in names.chunks(AT_ONCE) {
        let mut tenants: Vec<&String> = names.iter().map(|(tenant, _)| tenant).collect();
        tenants.dedup();
        let rows: Vec<(String, String, i64)> = dsl::maintenance_windows
            .filter(dsl::tenant_id.eq_any(tenants))
            .filter(dsl::id.eq_any(names.iter().map(|(_, id)| id)))
            .select((dsl::tenant_id, dsl::id, dsl::version))
            .load(conn)?;
        found.extend(rows);
    }
    Ok(found)
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
    let mut found = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        let rows: Vec<Row> = dsl::maintenance_targets
            .filter(Condition::text_in("maintenance_targets.tenant_id IN", tenants))
            .filter(dsl::kind.eq(kind.word()))
            .filter(Condition::text_in("maintenance_targets.target IN", ids))
            .filter(dsl::closes_ms.gt(at.millis()))
            .load(conn)?;
        found.extend(
            rows.into_iter().map(|row| {
                (Target { kind, tenant: row.target_tenant, id: row.target }, (row.tenant_id, row.window_id))
            }),
        );
    }
    Ok(found)
}

/// The targets of these windows, in the order in which they were given.
pub fn targets(conn: &mut Conn, windows: &[(String, String)]) -> Result<Targets> {
    use maintenance_targets::dsl;
    let mut found = Targets::new();
    for windows in windows.chunks(AT_ONCE) {
        let tenants: Vec<&String> = windows.iter().map(|(tenant, _)| tenant).collect();
        let rows: Vec<Row> = dsl::maintenance_targets
            .filter(dsl::tenant_id.eq_any(tenants))
            .filter(dsl::window_id.eq_any(windows.iter().map(|(_, id)| id)))
            .order(dsl::position)
            .load(conn)?;
        for row in rows {
            let kind = Kind::parse(&row.kind).ok_or_else(Problem::internal)?;
            let target = Target { kind, tenant: row.target_tenant, id: row.target };
            found.entry((row.tenant_id, row.window_id)).or_default().push(target);
        }
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
    if window.conditions.is_some() {
        keep_expressions(conn, window)?;
    }
    insert_targets(conn, window, targets)
}

/// Notes how much the expressions of a window take. They were compiled when the body was read, and are kept since.
fn keep_expressions(conn: &mut Conn, window: &Window) -> Result<()> {
    let rules = rules::conditions(window.conditions.as_deref())?;
    let size = rules.map_or(Ok(0), |rules| rules.expressions_size(&Meter::new(Meter::REQUEST)));
    let size = size.map_err(|error| Problem::field("alertConditions", error.to_string()))?;
    expressions::keep(conn, holder(window), size)
}

fn holder(window: &Window) -> Holder<'_> {
    Holder { tenant_id: &window.tenant_id, kind: "window", id: &window.id }
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
    if old.conditions != new.conditions {
        keep_expressions(conn, new)?;
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
    let (tenant, id) = (&window.tenant_id, &window.id);
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
    expressions::forget(conn, holder(window))
}

/// Has the tenant any window?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    use maintenance_windows::dsl;
    Ok(diesel::select(diesel::dsl::exists(dsl::maintenance_windows.filter(dsl::tenant_id.eq(tenant))))
        .get_result(conn)?)
}

fn condition(scope: &[String], filter: &Filter, only: Option<&[String]>) -> Condition {
    let mut all = vec![Condition::text_in("maintenance_windows.tenant_id IN", scope)];
    if !filter.ids.is_empty() {
        all.push(Condition::text_in("maintenance_windows.id IN", &filter.ids));
    }
    if let Some(only) = only {
        all.push(Condition::text_in("maintenance_windows.id IN", only));
    }
    if !filter.names.is_empty() {
        all.push(if filter.exact {
            Condition::text_in("maintenance_windows.name_key IN", &filter.names)
        } else {
            Condition::any(filter.names.iter().map(|name| {
                let replaced = Condition::sql("replace(maintenance_windows.name_key, ").text(name);
                replaced.then(", '') <> maintenance_windows.name_key")
            }))
        });
    }
    if let Some(from) = filter.from {
        all.push(Condition::sql("maintenance_windows.closes_ms > ").integer(from.millis()));
    }
    if let Some(until) = filter.until {
        all.push(Condition::sql("maintenance_windows.opens_ms < ").integer(until.millis()));
    }
    // What is shown has whole seconds, and an end takes in all of its second.
    let end = |time: Timestamp| Timestamp::from_millis(time.millis().saturating_add(999));
    let ranges = [
        (filter.created.0, "maintenance_windows.created_ms >= "),
        (filter.created.1.map(end), "maintenance_windows.created_ms <= "),
        (filter.updated.0, "maintenance_windows.updated_ms >= "),
        (filter.updated.1.map(end), "maintenance_windows.updated_ms <= "),
    ];
    let bound = |(time, text): (Option<Timestamp>, &'static str)| Some(Condition::sql(text).integer(time?.millis()));
    all.extend(ranges.into_iter().filter_map(bound));
    Condition::all(all)
}

/// A page of the windows that a filter means, of those with the ids of `only`.
pub fn search(
    conn: &mut Conn,
    scope: &[String],
    filter: &Filter,
    only: Option<&[String]>,
    sort: Sort,
    walk: &Walk,
    now: Timestamp,
) -> Result<Found<Window>> {
    let (condition, order) = (condition(scope, filter, only), order(sort));
    let keys = |window: &Window| keys(sort, window);
    if filter.asks_for_times() {
        return worked_out(conn, &condition, &order, filter, walk, keys, now);
    }
    let total = walk.total(|| maintenance_windows::table.filter(condition.clone()).count().get_result(conn))?;
    let rows = slice(conn, &condition, &order, walk.after(), walk.offset(), walk.wanted())?;
    Ok(walk.cut(rows, total, keys))
}

fn slice(
    conn: &mut Conn,
    condition: &Condition,
    order: &db::Order,
    after: Option<&[Key]>,
    skip: i64,
    most: i64,
) -> Result<Vec<Window>> {
    let query =
        maintenance_windows::table.filter(condition.clone()).filter(order.after(after)?).into_boxed::<db::Sql>();
    Ok(query.order(order.clone()).offset(skip).limit(most).load(conn)?)
}

/// The same for what only a window's course tells: windows are read batch by batch, and those that are meant counted.
fn worked_out(
    conn: &mut Conn,
    condition: &Condition,
    order: &db::Order,
    filter: &Filter,
    walk: &Walk,
    keys: impl Fn(&Window) -> Vec<Key>,
    now: Timestamp,
) -> Result<Found<Window>> {
    let counts = walk.after().is_none();
    let (mut after, mut rows, mut met) = (walk.after().map(<[Key]>::to_vec), Vec::new(), 0_i64);
    let is_full = |rows: &Vec<Window>| i64::try_from(rows.len()).is_ok_and(|count| count >= walk.wanted());
    loop {
        let batch = slice(conn, condition, order, after.as_deref(), 0, BATCH)?;
        after = batch.last().map(&keys);
        let last = i64::try_from(batch.len()).is_ok_and(|count| count < BATCH);
        for window in batch {
            if !filter.takes(&window.course()?, now) {
                continue;
            }
            met += 1;
            if met > walk.offset() && !is_full(&rows) {
                rows.push(window);
            }
        }
        if last || (!counts && is_full(&rows)) {
            break;
        }
    }
    let total = walk.total(|| Ok::<_, db::Error>(met))?;
    Ok(walk.cut(rows, total, keys))
}

fn order(sort: Sort) -> db::Order {
    let first = match sort.name {
        "name" => Some(Column::Text("maintenance_windows.name_key")),
        "createdDate" => Some(Column::Integer("maintenance_windows.created_ms")),
        "startTime" => Some(Column::Integer("maintenance_windows.opens_ms")),
        _ => None,
    };
    let ties = [Column::Text("maintenance_windows.id"), Column::Text("maintenance_windows.tenant_id")];
    db::Order::by(first.into_iter().chain(ties), sort.descending)
}

fn keys(sort: Sort, window: &Window) -> Vec<Key> {
    let first = match sort.name {
        "name" => Some(Key::from(&window.name_key)),
        "createdDate" => Some(Key::from(window.created_ms)),
        "startTime" => Some(Key::from(window.opens_ms)),
        _ => None,
    };
    first.into_iter().chain([Key::from(&window.id), Key::from(&window.tenant_id)]).collect()
}
