//! Rows of heartbeats. Every function takes the tenant, or the tenants of a scope; who was pinged is looked up before its
//! tenant is known, and who is silent is looked for in all.

use base::{
    cursor::{Found, Key, Walk},
    query::Sort,
};
use db::{Condition, Conn, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{row::Row, rules};
use crate::schema::heartbeats;

/// What a search is sorted by.
pub const SORTS: Sorts<Row> = Sorts {
    by: &[SortBy::text("name", "heartbeats.name_key", |row| Key::from(&row.name_key))],
    then: &[
        SortBy::text("id", "heartbeats.id", |row| Key::from(&row.id)),
        SortBy::text("", "heartbeats.tenant_id", |row| Key::from(&row.tenant_id)),
    ],
};

/// Who was heard, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
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

/// Stores a heartbeat that has changed.
///
/// # Errors
/// 409 when another one has its name.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    let stored = heartbeats::table.find((&row.tenant_id, &row.id));
    diesel::update(stored).set(row).execute(conn).map_err(|error| taken(error, row))?;
    Ok(())
}

fn taken(error: diesel::result::Error, row: &Row) -> db::Error {
    db::Error::or_conflict(error, format!("A heartbeat named {} already exists.", row.name))
}

/// The heartbeat with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    let found = heartbeats::table.filter(heartbeats::tenant_id.eq_any(scope)).filter(heartbeats::id.eq(id));
    Ok(found.get_result(conn).optional()?.ok_or_else(rules::unknown)?)
}

/// Whoever changes a heartbeat takes this.
fn lock(id: &str) -> db::Lock {
    db::Lock::of("heartbeat", id)
}

/// As [`existing`], when everybody else waits who changes it or stores its pings.
pub fn lock_for_update(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    let row = existing(conn, scope, id)?;
    lock(&row.id).take(conn)?;
    existing(conn, scope, id)
}

/// Removes a heartbeat.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::delete(heartbeats::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// Tenant, id and interval of the heartbeat whose token has this hash.
pub fn of_token(conn: &mut Conn, token_hash: &str) -> Result<Option<(String, String, i64)>> {
    Ok(heartbeats::table
        .filter(heartbeats::token_hash.eq(token_hash))
        .select((heartbeats::tenant_id, heartbeats::id, heartbeats::interval_ms))
        .get_result(conn)
        .optional()?)
}

/// Stores that it was heard; answers its row as it was when its silence was an alert until then.
///
/// A ping that another gateway heard later counts; one that it heard before changes nothing.
pub fn heard(conn: &mut Conn, heard: &Heard) -> Result<Option<Row>> {
    use heartbeats::dsl;
    let stored = dsl::heartbeats.find((&heard.tenant_id, &heard.id));
    let timing = stored.select((dsl::missed, dsl::interval_ms, dsl::grace_ms));
    let known = db::direct!(conn, |conn| timing.get_result(conn)).optional()?;
    let Some((missed, interval_ms, grace_ms)) = known else { return Ok(None) };
    let before = match missed {
        true => Some(lock_for_update(conn, std::slice::from_ref(&heard.tenant_id), &heard.id)?),
        false => None,
    };
    let stored = dsl::tenant_id.eq(&heard.tenant_id).and(dsl::id.eq(&heard.id));
    let later = stored.and(dsl::last_ms.is_null().or(dsl::last_ms.lt(heard.at_ms)));
    let due = rules::due(interval_ms, grace_ms, heard.at_ms);
    let set = (dsl::last_ms.eq(heard.at_ms), dsl::due_ms.eq(due), dsl::missed.eq(false));
    let changed = db::update!(conn, heartbeats::table, later, set)?;
    Ok(before.filter(|row| changed > 0 && row.missed))
}

/// Some of the heartbeats of any tenant that are silent for too long and not reported.
pub fn overdue(conn: &mut Conn, now_ms: i64, most: i64) -> Result<Vec<Row>> {
    let due = Condition::sql("NOT heartbeats.missed AND heartbeats.due_ms IS NOT NULL AND heartbeats.due_ms <= ");
    Ok(heartbeats::table.filter(due.integer(now_ms)).order(heartbeats::due_ms).limit(most).load(conn)?)
}

/// Says that the silence of a heartbeat is an alert from now on; `false` when somebody else has said so, or it was heard
/// meanwhile.
pub fn mark_missed(conn: &mut Conn, row: &Row, now_ms: i64) -> Result<bool> {
    use heartbeats::dsl;
    lock(&row.id).take(conn)?;
    let still =
        dsl::heartbeats.find((&row.tenant_id, &row.id)).filter(dsl::missed.eq(false)).filter(dsl::due_ms.le(now_ms));
    Ok(diesel::update(still).set(dsl::missed.eq(true)).execute(conn)? > 0)
}

/// Some of the heartbeats of any tenant whose ping was expected until `now` and may have been lost, behind the one with
/// this tenant and id.
pub fn expected(conn: &mut Conn, now_ms: i64, after: &(String, String), most: i64) -> Result<Vec<Row>> {
    use heartbeats::dsl;
    let expected = Condition::sql(
        "NOT heartbeats.missed AND heartbeats.due_ms IS NOT NULL AND heartbeats.last_ms + heartbeats.interval_ms <= ",
    );
    let behind = Condition::sql("(heartbeats.tenant_id, heartbeats.id) > (").text(&after.0).then(", ").text(&after.1);
    let found = dsl::heartbeats.filter(expected.integer(now_ms)).filter(behind.then(")"));
    Ok(found.order((dsl::tenant_id, dsl::id)).limit(most).load(conn)?)
}

/// Gives a heartbeat more time.
pub fn excuse(conn: &mut Conn, row: &Row, due_ms: i64) -> Result<()> {
    use heartbeats::dsl;
    let still = dsl::heartbeats.find((&row.tenant_id, &row.id)).filter(dsl::due_ms.lt(due_ms));
    diesel::update(still).set(dsl::due_ms.eq(due_ms)).execute(conn)?;
    Ok(())
}

/// A page of the heartbeats that meet a condition.
pub fn page(conn: &mut Conn, condition: &Condition, sort: Sort, walk: &Walk) -> Result<Found<Row>> {
    Ok(db::page!(conn, heartbeats::table.filter(condition.clone()), SORTS, sort, walk))
}
