//! Rows of heartbeats. Every function takes the tenant, or the tenants of a scope; but a token is looked up before its
//! tenant is known, and tenants with silent heartbeats are searched among all.

use base::{
    cursor::{Key, PageRequest, PageRows},
    query::Sort,
};
use db::{Condition, Conn, DueRows, Result, SortBy, Sorts, SqlValue};
use diesel::{
    prelude::*,
    sql_types::{BigInt, Nullable},
};

use super::{row::Row, rules};
use crate::schema::heartbeats;

/// The sort orders of the search.
pub const SORTS: Sorts<Row> = Sorts {
    by: &[SortBy::text("name", "heartbeats.name_key", |row| Key::from(&row.name_key))],
    then: &[
        SortBy::text("id", "heartbeats.id", |row| Key::from(&row.id)),
        SortBy::text("", "heartbeats.tenant_id", |row| Key::from(&row.tenant_id)),
    ],
};

/// Heartbeats that are silent for too long, as soon as they are.
pub const SILENCES: DueRows = DueRows { table: "heartbeats", due: "due_ms", only: "NOT missed AND due_ms IS NOT NULL" };

/// Heartbeats whose silence or recovery has to be reported.
pub const REPORTS: DueRows = DueRows { table: "heartbeats", due: "report_ms", only: "report_ms IS NOT NULL" };

/// The same, by when they fell silent.
pub const UNREPORTED: DueRows = DueRows { due: "due_ms", ..REPORTS };

/// A ping of a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ping {
    pub tenant_id: String,
    pub id: String,
    pub at_ms: i64,
}

/// Adds a heartbeat.
///
/// # Errors
/// 409 when the name is taken, or when the tenant has as many as it may have.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    db::Lock::of("heartbeats", &row.tenant_id).take(conn)?;
    let count: i64 = heartbeats::table.filter(heartbeats::tenant_id.eq(&row.tenant_id)).count().get_result(conn)?;
    if count >= rules::MOST {
        return Err(rules::too_many().into());
    }
    diesel::insert_into(heartbeats::table).values(row).execute(conn).map_err(|error| taken(error, row))?;
    Ok(())
}

/// Stores the settings of a heartbeat that has changed. Its pings may be stored meanwhile, since only those of a silent
/// one take the lock: what they said stays.
///
/// # Errors
/// 409 when another one has its name.
pub fn update(conn: &mut Conn, before: &Row, after: &Row) -> Result<()> {
    use heartbeats::dsl;
    let stored = || dsl::heartbeats.find((&after.tenant_id, &after.id));
    let settings = (
        dsl::version.eq(after.version),
        dsl::name.eq(&after.name),
        dsl::name_key.eq(&after.name_key),
        dsl::interval_ms.eq(after.interval_ms),
        dsl::grace_ms.eq(after.grace_ms),
        dsl::severity.eq(&after.severity),
        dsl::device.eq(&after.device),
        dsl::updated_ms.eq(after.updated_ms),
    );
    diesel::update(stored()).set(settings).execute(conn).map_err(|error| taken(error, after))?;
    if rules::is_retimed(before, after) {
        let due = dsl::due_ms.eq(SqlValue::<Nullable<BigInt>>::of(retimed(before, after)));
        diesel::update(stored()).set(due).execute(conn)?;
    }
    if before.missed && (before.missed, before.report_ms) != (after.missed, after.report_ms) {
        let told = (dsl::missed.eq(after.missed), dsl::report_ms.eq(after.report_ms));
        diesel::update(stored()).set(told).execute(conn)?;
    }
    Ok(())
}

/// The due time of [`rules::apply_change`], by the pings that are stored when this is.
fn retimed(before: &Row, after: &Row) -> Condition {
    let from_last = rules::due(after.interval_ms, after.grace_ms, 0);
    let added = rules::added_time(before, after);
    let is_later = Condition::sql("CASE WHEN heartbeats.due_ms + ").integer(added);
    let is_later = is_later.then(" > heartbeats.last_ms + ").integer(from_last);
    let due = is_later.then(" THEN heartbeats.due_ms + ").integer(added);
    due.then(" ELSE heartbeats.last_ms + ").integer(from_last).then(" END")
}

/// [`rules::due`] after an instant, which follows, by the settings that the row has when it is stored: another gateway
/// may be changing them.
const DUE_AFTER: &str = "heartbeats.interval_ms + heartbeats.grace_ms + CASE WHEN heartbeats.interval_ms < 300000 THEN \
     heartbeats.interval_ms / 10 ELSE 30000 END + ";

fn due_after(at_ms: i64) -> SqlValue<Nullable<BigInt>> {
    SqlValue::of(Condition::sql(DUE_AFTER).integer(at_ms))
}

fn taken(error: diesel::result::Error, row: &Row) -> db::Error {
    db::Error::or_conflict(error, format!("A heartbeat named {} already exists.", row.name))
}

api::resource! {
    Row, "heartbeat",
    find: |conn, tenants, id| db::one!(conn, heartbeats, tenants, id),
    lock: |heartbeat, conn| lock(&heartbeat.id).take(conn),
}

/// The lock for a change of a heartbeat, and for storing that it is silent or is not any more.
fn lock(id: &str) -> db::Lock {
    db::Lock::of("heartbeat", id)
}

/// Removes a heartbeat.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::delete(heartbeats::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// The heartbeat whose token has this hash: its tenant, id and interval, and whether it is silent.
pub fn by_token(conn: &mut Conn, token_hash: &str) -> Result<Option<(String, String, i64, bool)>> {
    use heartbeats::dsl;
    let of_token = dsl::heartbeats.filter(dsl::token_hash.eq(token_hash));
    Ok(of_token.select((dsl::tenant_id, dsl::id, dsl::interval_ms, dsl::missed)).get_result(conn).optional()?)
}

/// Stores a ping. When the heartbeat was silent until then, its recovery becomes due for reporting.
///
/// A ping earlier than the stored one changes nothing, unless that one is of the future ([`rules::CLOCK_STEP_MS`]).
/// Only under the lock is one that is silent changed: another gateway may be calling it silent, or reporting that, at
/// this moment.
pub fn store_ping(conn: &mut Conn, heard: &Ping, now_ms: i64) -> Result<()> {
    use heartbeats::dsl;
    let future = now_ms + rules::CLOCK_STEP_MS;
    let earlier = dsl::last_ms.is_null().or(dsl::last_ms.lt(heard.at_ms)).or(dsl::last_ms.gt(future));
    let stored = dsl::heartbeats.find((&heard.tenant_id, &heard.id)).filter(earlier);
    let times = || (dsl::last_ms.eq(heard.at_ms), dsl::due_ms.eq(due_after(heard.at_ms)));
    if diesel::update(stored.filter(dsl::missed.eq(false))).set(times()).execute(conn)? == 0 {
        lock(&heard.id).take(conn)?;
        let silent = stored.filter(dsl::missed.eq(true));
        let heard_again = (dsl::missed.eq(false), dsl::report_ms.eq(Some(now_ms)));
        diesel::update(silent).set((times(), heard_again)).execute(conn)?;
    }
    Ok(())
}

/// Some of the heartbeats of a tenant that are silent for too long, the longest first.
pub fn overdue(conn: &mut Conn, tenant: &str, now_ms: i64, most: i64) -> Result<Vec<Row>> {
    let due = Condition::sql("NOT heartbeats.missed AND heartbeats.due_ms IS NOT NULL AND heartbeats.due_ms <= ");
    let overdue = heartbeats::table.filter(heartbeats::tenant_id.eq(tenant)).filter(due.integer(now_ms));
    Ok(overdue.order((heartbeats::due_ms, heartbeats::id)).limit(most).load(conn)?)
}

/// Marks a heartbeat silent and due for reporting, unless another gateway did or it was pinged meanwhile.
pub fn mark_missed(conn: &mut Conn, row: &Row, now_ms: i64) -> Result<()> {
    use heartbeats::dsl;
    lock(&row.id).take(conn)?;
    let still =
        dsl::heartbeats.find((&row.tenant_id, &row.id)).filter(dsl::missed.eq(false)).filter(dsl::due_ms.le(now_ms));
    diesel::update(still).set((dsl::missed.eq(true), dsl::report_ms.eq(Some(now_ms)))).execute(conn)?;
    Ok(())
}

/// Looks later whether a heartbeat is silent.
pub fn put_off(conn: &mut Conn, row: &Row, until_ms: i64) -> Result<()> {
    let still = heartbeats::table.find((&row.tenant_id, &row.id)).filter(heartbeats::due_ms.eq(row.due_ms));
    diesel::update(still).set(heartbeats::due_ms.eq(Some(until_ms))).execute(conn)?;
    Ok(())
}

/// Some of the heartbeats of a tenant that have to be reported now, the longest due first.
pub fn to_report(conn: &mut Conn, tenant: &str, now_ms: i64, most: i64) -> Result<Vec<Row>> {
    let rows = heartbeats::table.filter(heartbeats::tenant_id.eq(tenant)).filter(is_to_report(now_ms));
    Ok(rows.order((heartbeats::report_ms, heartbeats::id)).limit(most).load(conn)?)
}

/// Has a heartbeat to be reported now? So has one whose time is of a clock that has gone back since.
fn is_to_report(now_ms: i64) -> Condition {
    let is_due = Condition::sql("heartbeats.report_ms <= ").integer(now_ms);
    let is_future = Condition::sql("heartbeats.report_ms > ").integer(now_ms + rules::CLOCK_STEP_MS);
    Condition::all([Condition::sql("heartbeats.report_ms IS NOT NULL"), Condition::any([is_due, is_future])])
}

/// The heartbeats among these that still have to be reported, locked so that no other gateway reports them meanwhile.
pub fn lock_to_report(conn: &mut Conn, tenant: &str, rows: &[Row], now_ms: i64) -> Result<Vec<Row>> {
    use heartbeats::dsl;
    let mut ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    // In one order, so that two gateways do not wait for each other.
    ids.sort_unstable();
    let locks: Vec<db::Lock> = ids.iter().map(|id| lock(id)).collect();
    db::Lock::take_all(conn, &locks)?;
    let still = dsl::heartbeats.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
    Ok(still.filter(is_to_report(now_ms)).order(dsl::id).load(conn)?)
}

/// Stores when these heartbeats of a tenant have to be reported next; `None` once they were.
pub fn report_at(conn: &mut Conn, tenant: &str, rows: &[Row], at_ms: Option<i64>) -> Result<()> {
    use heartbeats::dsl;
    let ids = rows.iter().map(|row| row.id.as_str());
    let these = dsl::heartbeats.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
    diesel::update(these.filter(dsl::report_ms.is_not_null())).set(dsl::report_ms.eq(at_ms)).execute(conn)?;
    Ok(())
}

/// Some of the heartbeats of a tenant whose ping was expected until `now` and may have been lost, or that are due later
/// than a ping of the present would make them, since the clock has gone back; behind the one with this id.
pub fn expected(conn: &mut Conn, tenant: &str, now_ms: i64, after: &str, most: i64) -> Result<Vec<Row>> {
    use heartbeats::dsl;
    let up = Condition::sql("NOT heartbeats.missed AND heartbeats.due_ms IS NOT NULL");
    let expected = Condition::sql("heartbeats.last_ms + heartbeats.interval_ms <= ").integer(now_ms);
    let future = Condition::sql("heartbeats.due_ms > ").then(DUE_AFTER).integer(now_ms + rules::CLOCK_STEP_MS);
    let found = dsl::heartbeats.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.gt(after));
    let found = found.filter(Condition::all([up, Condition::any([expected, future])]));
    Ok(found.order(dsl::id).limit(most).load(conn)?)
}

/// Gives a heartbeat the time of a ping at this instant where it is due earlier, or later by more than clocks differ.
pub fn excuse(conn: &mut Conn, row: &Row, now_ms: i64) -> Result<()> {
    use heartbeats::dsl;
    let is_other = dsl::due_ms.lt(due_after(now_ms)).or(dsl::due_ms.gt(due_after(now_ms + rules::CLOCK_STEP_MS)));
    let still = dsl::heartbeats.find((&row.tenant_id, &row.id)).filter(is_other);
    let last = Condition::sql("CASE WHEN heartbeats.last_ms > ").integer(now_ms).then(" THEN ").integer(now_ms);
    let last = SqlValue::<Nullable<BigInt>>::of(last.then(" ELSE heartbeats.last_ms END"));
    diesel::update(still).set((dsl::due_ms.eq(due_after(now_ms)), dsl::last_ms.eq(last))).execute(conn)?;
    Ok(())
}

/// A page of the heartbeats that meet a condition.
pub fn page(conn: &mut Conn, condition: &Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Row>> {
    Ok(db::page!(conn, heartbeats::table.filter(condition.clone()), SORTS, sort, walk))
}
