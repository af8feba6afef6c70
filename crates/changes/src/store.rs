//! Rows of changes, and of the tenants that are watched.

use std::collections::HashMap;

use db::{Condition, Conn, Result};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use outbox::Retention;

use crate::{
    row::{Change, StreamScope},
    schema::{changes, changes_heads},
};

/// How long a change can be read again, by a stream that comes back.
pub const RETENTION: Retention = Retention { most: Some(20_000), ..Retention::of("changes", "at_ms", 600_000) };

/// Somebody watches from now until then. What happened while nobody did was not counted: numbers from before lead
/// nowhere then.
pub fn watch(conn: &mut Conn, watched: &StreamScope, now_ms: i64, until_ms: i64) -> Result<()> {
    use changes_heads::dsl;
    db::Lock::of("changes", format_args!("{}:{}", watched.tenant, watched.reach())).take(conn)?;
    let row = || dsl::changes_heads.find((&watched.tenant, watched.reach()));
    let skipped = match head(conn, watched)? {
        Some((until, _)) if until > now_ms => 0,
        _ => 2,
    };
    let set = (dsl::until_ms.eq(until_ms), dsl::seq.eq(dsl::seq + skipped));
    if diesel::update(row()).set(set).execute(conn)? == 0 {
        let new = (
            dsl::tenant_id.eq(&watched.tenant),
            dsl::reach.eq(watched.reach()),
            dsl::until_ms.eq(until_ms),
            dsl::seq.eq(0),
        );
        diesel::insert_into(dsl::changes_heads).values(new).execute(conn)?;
    }
    Ok(())
}

/// Until when it is watched, and how many changes were told so far; `None` when nobody ever watched it.
pub fn head(conn: &mut Conn, watched: &StreamScope) -> Result<Option<(i64, i64)>> {
    let row = changes_heads::table.find((&watched.tenant, watched.reach()));
    Ok(row.select((changes_heads::until_ms, changes_heads::seq)).get_result(conn).optional()?)
}

/// How many changes were told so far, of all that is watched.
pub fn heads(conn: &mut Conn, now_ms: i64) -> Result<HashMap<StreamScope, i64>> {
    let rows: Vec<(String, String, i64)> = changes_heads::table
        .filter(changes_heads::until_ms.gt(now_ms))
        .select((changes_heads::tenant_id, changes_heads::reach, changes_heads::seq))
        .load(conn)?;
    Ok(rows.into_iter().map(|(tenant, reach, seq)| (StreamScope { tenant, all: reach == "all" }, seq)).collect())
}

#[derive(QueryableByName)]
struct HeadPosition {
    #[diesel(sql_type = Text)]
    reach: String,
    #[diesel(sql_type = BigInt)]
    seq: i64,
}

/// Takes so many numbers for changes of this tenant, among its own and among those of its partner, where they are
/// watched, and answers the last one. A transaction that takes numbers waits until the one before it has committed, so
/// that numbers appear in their order.
pub fn count(
    conn: &mut Conn,
    tenant: &str,
    partner: &str,
    many: i64,
    now_ms: i64,
) -> Result<(Option<i64>, Option<i64>)> {
    let text = match conn {
        Conn::Sqlite(_) => {
            "UPDATE changes_heads SET seq = seq + ? WHERE until_ms > ? \
             AND ((tenant_id = ? AND reach = 'own') OR (tenant_id = ? AND reach = 'all')) RETURNING reach, seq"
        }
        Conn::Postgres(_) => {
            "UPDATE changes_heads SET seq = seq + $1 WHERE until_ms > $2 \
             AND ((tenant_id = $3 AND reach = 'own') OR (tenant_id = $4 AND reach = 'all')) RETURNING reach, seq"
        }
    };
    let update = sql_query(text)
        .bind::<BigInt, _>(many)
        .bind::<BigInt, _>(now_ms)
        .bind::<Text, _>(tenant)
        .bind::<Text, _>(partner);
    let heads: Vec<HeadPosition> = db::Prepared(update).load(conn)?;
    let of = |reach: &str| heads.iter().find(|head| head.reach == reach).map(|head| head.seq);
    Ok((of("own"), of("all")))
}

/// Stores a change.
pub fn insert(conn: &mut Conn, change: &Change) -> Result<()> {
    diesel::insert_into(changes::table).values(change).execute(conn)?;
    Ok(())
}

/// The changes after this number, in their order, each with its number; those of some kinds, or without kinds all.
pub fn after(
    conn: &mut Conn,
    watched: &StreamScope,
    seq: i64,
    only: &[&'static str],
    most: i64,
) -> Result<Vec<(i64, Change)>> {
    let mut these = numbered_after(watched, seq);
    if !only.is_empty() {
        these = these.then(" AND ").append(Condition::text_in("changes.entity IN", only.iter().copied()));
    }
    let order = db::Order::by([db::Column::Integer(number(watched))], false);
    let rows: Vec<Change> = changes::table.filter(these).order(order).limit(most).load(conn)?;
    let numbered = |change: Change| {
        let seq = if watched.all { change.all_seq } else { change.own_seq };
        Some((seq?, change))
    };
    Ok(rows.into_iter().filter_map(numbered).collect())
}

/// Are all changes after this number up to that one stored still?
pub fn is_whole(conn: &mut Conn, watched: &StreamScope, after: i64, until: i64) -> Result<bool> {
    let these = numbered_after(watched, after).then(" AND ").then(number(watched)).then(" <= ").integer(until);
    let stored: i64 = changes::table.filter(these).count().get_result(conn)?;
    Ok(until.checked_sub(after) == Some(stored))
}

/// The column of the numbers of a scope.
const fn number(watched: &StreamScope) -> &'static str {
    if watched.all { "changes.all_seq" } else { "changes.own_seq" }
}

fn numbered_after(watched: &StreamScope, seq: i64) -> Condition {
    let tenant = if watched.all { "changes.partner_id = " } else { "changes.tenant_id = " };
    Condition::sql(tenant).text(&watched.tenant).then(" AND ").then(number(watched)).then(" > ").integer(seq)
}
