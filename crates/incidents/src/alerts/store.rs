//! Rows of alerts and of their problems. Every function takes the tenant, or the tenants of a scope.

use base::{
    cursor::{Key, PageRequest, PageRows},
    query::Sort,
};
use db::{Condition, Conn, DueRows, Partitioned, Result, SortBy, Sorts, SqlQuery, SqlValue};
use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{BigInt, Text},
};
use outbox::{Keep, Retention, Setting};

use super::{
    row::{Alert, Pending, ProblemRow},
    rules,
    schema::{alert_problems, alert_windows, alerts, open_alerts},
    wire,
};

/// Ids that one statement names at most.
const AT_ONCE: usize = 500;

/// The sort orders of the search.
pub const SORTS: Sorts<Alert> = Sorts {
    by: &[
        SortBy::integer("createdDate", "alerts.created_ms", |row| Key::from(row.created_ms)),
        SortBy::integer("updatedDate", "alerts.updated_ms", |row| Key::from(row.updated_ms)),
        SortBy::integer("alertTime", "alerts.last_ms", |row| Key::from(row.last_ms)),
    ],
    then: &[
        SortBy::text("id", "alerts.id", |row| Key::from(&row.id)),
        SortBy::text("", "alerts.tenant_id", |row| Key::from(&row.tenant_id)),
    ],
};

/// Alerts whose suppression by a person runs out.
pub const LAPSES: DueRows = DueRows {
    table: "alerts",
    due: "suppressed_until_ms",
    only: "suppression = 'person' AND suppressed_until_ms IS NOT NULL",
};

/// Windows that hold back alerts; they are asked about whether or not they are thought to be over.
pub const WINDOWS: DueRows = DueRows { table: "alert_windows", due: "until_ms", only: "1 = 1" };

/// The problem of an alert belongs to it.
pub const PARTITIONED: Partitioned = Partitioned { table: "alerts", column: "id", prefix: "ALT-", goes_whole: false };

/// Alerts that are closed.
pub const RETENTION: Retention = Retention {
    kind: "alerts",
    keep: Keep::Setting(Setting {
        option: "keep-alerts",
        variable: "MUSTER_KEEP_ALERTS",
        days: 400,
        help: "How many days an alert is kept after it was closed; 0 for ever",
    }),
    most: Some(1_000_000),
    table: "alerts",
    id: "id",
    since: "closed_ms",
    only: "closed_ms IS NOT NULL",
    remove: Some(remove),
};

/// Problems that were only ever said to be well.
pub const RETENTION_OF_PROBLEMS: Retention = Retention {
    most: Some(1_000_000),
    id: "problem",
    only: "alert_id = ''",
    ..Retention::of("alert_problems", "settled_ms", 30 * 86_400_000)
};

/// Removes alerts, and what is known of their problems unless another alert is about those now, as a [`Retention`]
/// does.
fn remove(conn: &mut Conn, tenant: &str, ids: &[String], _: usize) -> Result<usize> {
    let these = || alerts::table.filter(alerts::tenant_id.eq(tenant)).filter(alerts::id.eq_any(ids));
    let problems: Vec<String> = these().select(alerts::problem).load(conn)?;
    let known = alert_problems::table
        .filter(alert_problems::tenant_id.eq(tenant))
        .filter(alert_problems::problem.eq_any(problems))
        .filter(alert_problems::alert_id.eq_any(ids));
    diesel::delete(known).execute(conn)?;
    Ok(diesel::delete(these()).execute(conn)?)
}

/// Makes everybody else wait who writes alerts of these tenants.
pub fn lock_tenants(conn: &mut Conn, tenants: &[String]) -> Result<()> {
    let mut tenants: Vec<&String> = tenants.iter().collect();
    // In one order, or two might wait for each other.
    tenants.sort_unstable();
    tenants.dedup();
    tenants.into_iter().try_for_each(|tenant| db::Lock::of("alerts", tenant).take(conn))
}

/// The alert with this id among these tenants, if there is one.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Alert>> {
    Ok(db::one!(conn, alerts, scope, wire::normal_id(id)))
}

/// The alert with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Alert> {
    Ok(find(conn, scope, id)?.ok_or_else(rules::no_alert)?)
}

/// Does a tenant have any alert?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    Ok(db::has_any!(conn, alerts, tenant))
}

/// The alerts of a tenant that have these ids.
pub fn by_ids(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<Vec<Alert>> {
    use alerts::dsl;
    db::in_chunks(ids, |ids| dsl::alerts.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids)).load(conn))
}

/// Host name and resource of the alerts of a tenant that are open on these hosts, each once.
pub fn open_on_hosts(conn: &mut Conn, tenant: &str, hosts: &[String]) -> Result<Vec<(String, String)>> {
    use alerts::dsl;
    let rows: Vec<(String, Option<String>)> = db::in_chunks(hosts, |hosts| {
        dsl::alerts
            .filter(dsl::tenant_id.eq(tenant))
            .filter(dsl::host_key.eq_any(hosts))
            .filter(dsl::closed_ms.is_null())
            .filter(dsl::resource_id.is_not_null())
            .select((dsl::host_key, dsl::resource_id))
            .distinct()
            .load(conn)
    })?;
    Ok(rows.into_iter().filter_map(|(host, id)| Some((host, id?))).collect())
}

/// The rows of these problems of a tenant.
pub fn problems_by_name(conn: &mut Conn, tenant: &str, problems: &[String]) -> Result<Vec<ProblemRow>> {
    use alert_problems::dsl;
    db::in_chunks(problems, |problems| {
        dsl::alert_problems.filter(dsl::tenant_id.eq(tenant)).filter(dsl::problem.eq_any(problems)).load(conn)
    })
}

/// Which of these problems have an alert that is open, at any of these tenants.
pub fn open_problems(conn: &mut Conn, tenants: &[String], problems: &[String]) -> Result<Vec<ProblemRow>> {
    use alert_problems::dsl;
    let mut found = Vec::new();
    for (tenants, problems) in tenants.chunks(AT_ONCE).flat_map(|t| problems.chunks(AT_ONCE).map(move |p| (t, p))) {
        let rows: Vec<ProblemRow> = dsl::alert_problems
            .filter(dsl::tenant_id.eq_any(tenants))
            .filter(dsl::problem.eq_any(problems))
            .filter(dsl::is_open.eq(true))
            .load(conn)?;
        found.extend(rows);
    }
    Ok(found)
}

/// The alerts that are open of these problems, at any of these tenants, in the order of the tenants.
pub fn open_alerts(conn: &mut Conn, tenants: &[String], problems: &[String]) -> Result<Vec<Alert>> {
    let mut open = open_problems(conn, tenants, problems)?;
    open.sort_unstable_by(|one, other| one.tenant_id.cmp(&other.tenant_id));
    open.into_iter().map(|known| existing(conn, &[known.tenant_id], &known.alert_id)).collect()
}

/// All alerts that are open of these problems, at any of these tenants, or else the last one.
pub fn open_or_last(conn: &mut Conn, tenants: &[String], problems: &[String]) -> Result<Vec<Alert>> {
    use alert_problems::dsl;
    let open = open_alerts(conn, tenants, problems)?;
    if !open.is_empty() {
        return Ok(open);
    }
    let of_problems = dsl::alert_problems.filter(dsl::problem.eq_any(problems)).filter(dsl::alert_id.ne(""));
    let known: Vec<ProblemRow> =
        db::in_chunks(tenants, |tenants| of_problems.clone().filter(dsl::tenant_id.eq_any(tenants)).load(conn))?;
    let last = known.into_iter().max_by(|one, other| one.alert_id.cmp(&other.alert_id));
    let last = last.map(|known| find(conn, &[known.tenant_id], &known.alert_id)).transpose()?;
    Ok(last.flatten().into_iter().collect())
}

/// Stores new alerts, or rows that take the place of others.
pub fn insert(conn: &mut Conn, rows: &[Alert]) -> Result<()> {
    db::insert_rows!(conn, alerts::table, rows)
}

/// How many alerts of some senders of some tenants are open: tenant, sender, and how many.
pub fn open_counts(conn: &mut Conn, tenants: &[String], senders: &[&str]) -> Result<Vec<(String, String, i64)>> {
    use open_alerts::dsl;
    let of_senders = dsl::open_alerts.filter(dsl::sender.eq_any(senders));
    db::in_chunks(tenants, |tenants| of_senders.clone().filter(dsl::tenant_id.eq_any(tenants)).load(conn))
}

/// Notes that a sender has so many more open alerts.
pub fn count_open(conn: &mut Conn, tenant: &str, sender: &str, more: i64) -> Result<()> {
    use open_alerts::dsl;
    let counted = diesel::update(dsl::open_alerts.find((tenant, sender))).set(dsl::open.eq(dsl::open + more));
    if counted.execute(conn)? == 0 {
        let new = (dsl::tenant_id.eq(tenant), dsl::sender.eq(sender), dsl::open.eq(more));
        diesel::insert_into(open_alerts::table).values(new).execute(conn)?;
    }
    Ok(())
}

/// The sender of a tenant that has most open alerts.
pub fn largest_sender(conn: &mut Conn, tenant: &str, all: &str) -> Result<Option<String>> {
    use open_alerts::dsl;
    let of_tenant = dsl::open_alerts.filter(dsl::tenant_id.eq(tenant)).filter(dsl::sender.ne(all));
    Ok(of_tenant.order(dsl::open.desc()).select(dsl::sender).first(conn).optional()?)
}

/// Stores alerts of a tenant anew, in the place of the rows that they have: a few statements for any number.
pub fn replace(conn: &mut Conn, tenant: &str, rows: &[Alert]) -> Result<()> {
    use alerts::dsl;
    for rows in rows.chunks(AT_ONCE) {
        let ids = rows.iter().map(|row| row.id.as_str());
        diesel::delete(dsl::alerts.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids))).execute(conn)?;
        insert(conn, rows)?;
    }
    Ok(())
}

/// Replaces the rows of problems of a tenant; `gone` are removed.
pub fn replace_problems(conn: &mut Conn, tenant: &str, rows: &[ProblemRow], gone: &[String]) -> Result<()> {
    use alert_problems::dsl;
    let stale: Vec<&str> = rows.iter().map(|row| &row.problem).chain(gone).map(String::as_str).collect();
    for problems in stale.chunks(AT_ONCE) {
        let stored = dsl::alert_problems.filter(dsl::tenant_id.eq(tenant)).filter(dsl::problem.eq_any(problems));
        diesel::delete(stored).execute(conn)?;
    }
    db::insert_rows!(conn, alert_problems::table, rows)
}

/// Stores the rows of new problems.
pub fn insert_problems(conn: &mut Conn, rows: &[ProblemRow]) -> Result<()> {
    db::insert_rows!(conn, alert_problems::table, rows)
}

/// Closes the problems of alerts of a tenant that somebody closed, so that the next reports open new ones.
pub fn close_problems(conn: &mut Conn, tenant: &str, alerts: &[Alert]) -> Result<()> {
    use alert_problems::dsl;
    for alerts in alerts.chunks(AT_ONCE) {
        let stored = dsl::alert_problems
            .filter(dsl::tenant_id.eq(tenant))
            .filter(dsl::problem.eq_any(alerts.iter().map(|alert| &alert.problem)))
            .filter(dsl::alert_id.eq_any(alerts.iter().map(|alert| &alert.id)));
        diesel::update(stored).set(dsl::is_open.eq(false)).execute(conn)?;
    }
    Ok(())
}

/// Remembers that a window holds back alerts.
pub fn hold(conn: &mut Conn, window: &Pending) -> Result<()> {
    forget(conn, window)?;
    diesel::insert_into(alert_windows::table).values(window).execute(conn)?;
    Ok(())
}

/// Forgets a window.
pub fn forget(conn: &mut Conn, window: &Pending) -> Result<()> {
    let stored = alert_windows::table.find((&window.tenant_id, &window.window_tenant, &window.window_id));
    diesel::delete(stored).execute(conn)?;
    Ok(())
}

/// The windows of a tenant that hold back alerts.
pub fn pending(conn: &mut Conn, tenant: &str) -> Result<Vec<Pending>> {
    Ok(alert_windows::table.filter(alert_windows::tenant_id.eq(tenant)).load(conn)?)
}

/// A window, as it is remembered now.
pub fn still_pending(conn: &mut Conn, window: &Pending) -> Result<Option<Pending>> {
    let stored = alert_windows::table.find((&window.tenant_id, &window.window_tenant, &window.window_id));
    Ok(stored.get_result(conn).optional()?)
}

/// The ids of some of the alerts that a window holds back, until another time than this one where one is given.
pub fn held_back(conn: &mut Conn, window: &Pending, but_until_ms: Option<i64>, most: i64) -> Result<Vec<String>> {
    use alerts::dsl;
    let held = dsl::alerts
        .filter(dsl::tenant_id.eq(&window.tenant_id))
        .filter(dsl::window_tenant.eq(&window.window_tenant))
        .filter(dsl::window_id.eq(&window.window_id))
        // As the index has it.
        .filter(Condition::sql("alerts.suppression = 'window'"));
    let other = match but_until_ms {
        Some(until) => Condition::sql("COALESCE(alerts.suppressed_until_ms, 0) <> ").integer(until),
        None => Condition::sql("1 = 1"),
    };
    Ok(held.filter(other).select(dsl::id).order(dsl::id).limit(most).load(conn)?)
}

/// The place of an alert among those that windows hold back: tenant and id of the window, and its own id.
pub type HeldPlace = (String, String, String);

/// Some of the alerts of a tenant that windows hold back, behind a place, in order.
pub fn held_after(conn: &mut Conn, tenant: &str, after: &HeldPlace, most: i64) -> Result<Vec<Alert>> {
    use alerts::dsl;
    let (window_tenant, window_id, id) = after;
    // As the index has it.
    let behind =
        Condition::sql("alerts.suppression = 'window' AND (alerts.window_tenant, alerts.window_id, alerts.id) > (")
            .text(window_tenant)
            .then(", ")
            .text(window_id)
            .then(", ")
            .text(id)
            .then(")");
    let held = dsl::alerts.filter(dsl::tenant_id.eq(tenant)).filter(behind);
    Ok(held.order((dsl::window_tenant, dsl::window_id, dsl::id)).limit(most).load(conn)?)
}

/// The ids of some of the alerts of a tenant whose suppression by a person has run out, the longest first.
pub fn lapsing(conn: &mut Conn, tenant: &str, now_ms: i64, most: i64) -> Result<Vec<String>> {
    use alerts::dsl;
    let due = Condition::sql(
        "alerts.suppression = 'person' AND alerts.suppressed_until_ms IS NOT NULL AND alerts.suppressed_until_ms <= ",
    );
    let due = dsl::alerts.filter(dsl::tenant_id.eq(tenant)).filter(due.integer(now_ms)).select(dsl::id);
    Ok(due.order((dsl::suppressed_until_ms, dsl::id)).limit(most).load(conn)?)
}

/// Some of the alerts of a sender that meet a condition, newest first, and how many there are.
pub fn of_sender(
    conn: &mut Conn,
    scope: &[String],
    sender: &str,
    condition: Condition,
    (offset, most): (i64, i64),
) -> Result<(Vec<Alert>, i64)> {
    use alerts::dsl;
    let own = Condition::text_in("alerts.tenant_id IN", scope).then(" AND alerts.sender = ").text(sender);
    let own = dsl::alerts.filter(Condition::all([own, condition]));
    let rows = match most {
        0 => Vec::new(),
        most => own.clone().order((dsl::created_ms.desc(), dsl::id.desc())).offset(offset).limit(most).load(conn)?,
    };
    Ok((rows, own.count().get_result(conn)?))
}

/// A page of the alerts that meet a condition.
pub fn page(conn: &mut Conn, condition: &Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Alert>> {
    Ok(db::page!(conn, alerts::table.filter(condition.clone()), SORTS, sort, walk))
}

/// How many alerts meet a condition.
pub fn count(conn: &mut Conn, condition: &Condition) -> Result<i64> {
    Ok(alerts::table.filter(condition.clone()).count().get_result(conn)?)
}

/// The values that alerts are counted by, as SQL.
#[derive(Clone, Debug)]
pub struct CountedValues {
    /// A text.
    pub state: Condition,
    /// A text.
    pub status: Condition,
    /// An integer.
    pub hour: Condition,
}

/// How many of the alerts that meet a condition have the same values: those values and the number, the largest hour
/// first, `most` rows of them.
pub fn counts(
    conn: &mut Conn,
    condition: &Condition,
    values: CountedValues,
    most: i64,
) -> Result<Vec<(String, String, i64, i64)>> {
    let CountedValues { state, status, hour } = values;
    let grouped = alerts::table.filter(condition.clone()).group_by(sql::<BigInt>("1, 2, 3"));
    let [state, status] = [state, status].map(SqlValue::<Text>::of);
    let values = (state, status, SqlValue::<BigInt>::of(hour), sql::<BigInt>("COUNT(*)"));
    Ok(grouped.select(values).order(sql::<BigInt>("3 DESC")).limit(most).load(conn)?)
}

/// The closed alerts of a tenant from one id to another, of each of some pairs of ids: id, and when they were taken in.
///
/// A query for each pair, in one statement: of pairs that `OR` joins, SQLite looks at all alerts of the tenant.
pub fn closed_ids(
    conn: &mut Conn,
    tenant: &str,
    pairs: impl IntoIterator<Item = (String, String)>,
) -> Result<Vec<(String, i64)>> {
    let mut query: Option<Condition> = None;
    for (first, last) in pairs {
        const TEXT: &str = "SELECT id, created_ms FROM alerts WHERE tenant_id = ";
        let begun = match query {
            None => Condition::sql(TEXT),
            Some(before) => before.then(" UNION ALL ").then(TEXT),
        };
        let of_tenant = begun.text(tenant).then(" AND closed_ms IS NOT NULL AND id >= ").text(first);
        query = Some(of_tenant.then(" AND id <= ").text(last));
    }
    let Some(query) = query else { return Ok(Vec::new()) };
    Ok(SqlQuery::<(Text, BigInt)>::of(query).load(conn)?)
}

/// Tenant and id of an alert.
pub type AlertKey = (String, String);

/// The keys of some of the alerts that meet a condition, in their order.
pub fn keys(conn: &mut Conn, condition: &Condition, most: i64) -> Result<Vec<AlertKey>> {
    use alerts::dsl;
    let met = dsl::alerts.filter(condition.clone()).select((dsl::tenant_id, dsl::id));
    Ok(met.order((dsl::tenant_id, dsl::id)).limit(most).load(conn)?)
}

/// Those of these alerts that meet a condition, in the order of their keys.
pub fn of_keys(conn: &mut Conn, keys: &[AlertKey], condition: &Condition) -> Result<Vec<Alert>> {
    use alerts::dsl;
    let pairs = keys.iter().map(|(tenant, id)| (tenant.as_str(), id.as_str()));
    let named = Condition::pairs_in("(alerts.tenant_id, alerts.id) IN", pairs);
    let met = dsl::alerts.filter(Condition::all([named, condition.clone()]));
    Ok(met.order((dsl::tenant_id, dsl::id)).load(conn)?)
}
