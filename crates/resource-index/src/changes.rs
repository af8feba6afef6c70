//! The log of changed resources (`resource_changes`), by which an index follows the database.
//!
//! A transaction that changes a resource logs its key ([`log`]). An index entry names the snapshot that it reflects
//! ([`Snapshot`]); a later reader loads the changes between the two ([`Changes::since`]), sees only those that its own
//! transaction sees, and checks these resources again.
//!
//! On SQLite, with its one writer, the changes of a tenant are counted, and a snapshot is a number. On Postgres
//! transactions commit in another order than they began or wrote: a change has the number of its transaction, and a
//! snapshot is the database's own. No writer waits for another to log a change. A standby does not tell which
//! transactions are open in a snapshot of its own; there the changes that it sees tell which are not.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU64, Ordering},
};

use db::{Conn, Lock, Result};
use diesel::{
    QueryableByName, RunQueryDsl,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::QueryResult,
    sql_query,
    sql_types::{BigInt, Text},
    sqlite::Sqlite,
};

/// Changes of a tenant beyond this many are pruned, oldest first; an index that is further behind is built anew.
const MAX_CHANGES: i64 = 20_000;
/// Transactions between the first and the last of which a standby does not say which it sees.
const MAX_OPEN: i64 = 1_000;
/// Changes are pruned once in so many.
const PRUNE_INTERVAL: u64 = 256;

/// The changes of a tenant that a transaction sees. Two snapshots of one tenant and process are comparable: one of them
/// sees all changes that the other sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// All stamps below are seen.
    low: i64,
    /// None from here on is seen.
    high: i64,
    /// In between, these are not.
    open: Vec<i64>,
}

impl Snapshot {
    /// Where stamps are counted: all up to this one are seen.
    pub fn counted(stamp: i64) -> Self {
        Self { low: stamp + 1, high: stamp + 1, open: Vec::new() }
    }

    /// `low:high:open,open` as Postgres writes it.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let low = parts.next()?.parse().ok()?;
        let high = parts.next()?.parse().ok()?;
        let open = parts.next()?.split(',').filter(|part| !part.is_empty()).map(|part| part.parse().ok());
        Some(Self { low, high, open: open.collect::<Option<_>>()? })
    }

    /// That of a standby, which leaves out what is open: of the transactions that may be open, it sees those of these
    /// changes. Others that it sees have changed nothing of the tenant.
    fn of_standby(mut self, seen: &BTreeSet<i64>) -> Result<Self> {
        if self.high - self.low > MAX_OPEN {
            return Err(db::Error::Unavailable("a standby with too many open transactions".to_owned()));
        }
        self.open = (self.low..self.high).filter(|stamp| !seen.contains(stamp)).collect();
        Ok(self)
    }

    /// Does it see a change?
    pub fn sees(&self, stamp: i64) -> bool {
        stamp < self.low || (stamp < self.high && !self.open.contains(&stamp))
    }

    /// Does it see every change below this one?
    pub fn sees_all_below(&self, stamp: i64) -> bool {
        self.low >= stamp
    }

    /// Does it see more than the other one?
    pub fn is_later_than(&self, other: &Self) -> bool {
        self.high > other.high || (self.high == other.high && self.open.len() < other.open.len())
    }
}

/// The changes of a tenant between a snapshot and that of a transaction.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The snapshot of the transaction.
    pub now: Snapshot,
    /// Stamp and key of each change that the earlier snapshot does not see.
    pub entries: Vec<(i64, String)>,
    /// Whether these are all; some were pruned otherwise.
    pub is_complete: bool,
}

/// Logs a change of the resource, group or tenant with this key; it commits with the transaction.
pub fn log(conn: &mut Conn, tenant: &str, key: &str) -> Result<()> {
    static LOGGED: AtomicU64 = AtomicU64::new(0);
    let insert = InsertChange { tenant, key };
    match conn {
        Conn::Sqlite(conn) => insert.execute(conn)?,
        Conn::Postgres(conn) => insert.execute(conn)?,
    };
    if LOGGED.fetch_add(1, Ordering::Relaxed) % PRUNE_INTERVAL == PRUNE_INTERVAL - 1 {
        prune(conn, tenant)?;
    }
    Ok(())
}

struct InsertChange<'a> {
    tenant: &'a str,
    key: &'a str,
}

impl QueryId for InsertChange<'_> {
    type QueryId = InsertChange<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<C> RunQueryDsl<C> for InsertChange<'_> {}

impl QueryFragment<Sqlite> for InsertChange<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        // Not `INSERT … SELECT` from the table itself: for that SQLite makes a temporary table each time.
        out.push_sql("INSERT INTO resource_changes (tenant_id, stamp, resource_id) VALUES (");
        out.push_bind_param::<Text, _>(self.tenant)?;
        out.push_sql(", (SELECT COALESCE(MAX(stamp), 0) + 1 FROM resource_changes WHERE tenant_id = ");
        out.push_bind_param::<Text, _>(self.tenant)?;
        out.push_sql("), ");
        out.push_bind_param::<Text, _>(self.key)?;
        out.push_sql(")");
        Ok(())
    }
}

impl QueryFragment<Pg> for InsertChange<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("INSERT INTO resource_changes (tenant_id, stamp, resource_id) VALUES (");
        out.push_bind_param::<Text, _>(self.tenant)?;
        out.push_sql(", pg_current_xact_id()::text::bigint, ");
        out.push_bind_param::<Text, _>(self.key)?;
        out.push_sql(") ON CONFLICT DO NOTHING");
        Ok(())
    }
}

#[derive(QueryableByName)]
struct Stamp {
    #[diesel(sql_type = BigInt)]
    stamp: i64,
}

/// Prunes the oldest changes of a tenant. The entry of stamp 0 names, as its key, the lowest stamp that is left.
fn prune(conn: &mut Conn, tenant: &str) -> Result<()> {
    if !Lock::of("resource_changes", tenant).try_take(conn)? {
        return Ok(());
    }
    if let Conn::Postgres(conn) = conn {
        // A database that was restored elsewhere counts its transactions anew: what seems to be of later ones is old.
        let text = "DELETE FROM resource_changes WHERE tenant_id = $1 \
                    AND stamp >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint \
                    AND stamp <> pg_current_xact_id()::text::bigint";
        sql_query(text).bind::<Text, _>(tenant).execute(conn)?;
    }
    let text = match conn {
        // They are counted there.
        Conn::Sqlite(_) => {
            "SELECT MAX(stamp) - $2 AS stamp FROM resource_changes WHERE tenant_id = $1 HAVING MAX(stamp) > $2 + 1"
        }
        Conn::Postgres(_) => {
            "SELECT stamp FROM resource_changes WHERE tenant_id = $1 AND stamp > 0 ORDER BY stamp DESC LIMIT 1 OFFSET \
             $2"
        }
    };
    let oldest: Vec<Stamp> = sql_query(text).bind::<Text, _>(tenant).bind::<BigInt, _>(MAX_CHANGES).load(conn)?;
    let Some(oldest) = oldest.first() else { return Ok(()) };
    let text = "DELETE FROM resource_changes WHERE tenant_id = $1 AND stamp < $2";
    sql_query(text).bind::<Text, _>(tenant).bind::<BigInt, _>(oldest.stamp).execute(conn)?;
    let text = "INSERT INTO resource_changes (tenant_id, stamp, resource_id) VALUES ($1, 0, $2)";
    sql_query(text).bind::<Text, _>(tenant).bind::<Text, _>(oldest.stamp.to_string()).execute(conn)?;
    Ok(())
}

type Entry = (i64, String);

/// The changes from a stamp on, in their order.
struct ChangesFrom<'a> {
    tenant: &'a str,
    stamp: i64,
}

impl QueryId for ChangesFrom<'_> {
    type QueryId = ChangesFrom<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for ChangesFrom<'_> {
    type SqlType = (BigInt, Text);
}

impl<C> RunQueryDsl<C> for ChangesFrom<'_> {}

impl QueryFragment<Sqlite> for ChangesFrom<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("SELECT stamp, resource_id FROM resource_changes WHERE tenant_id = ");
        out.push_bind_param::<Text, _>(self.tenant)?;
        out.push_sql(" AND stamp >= ");
        out.push_bind_param::<BigInt, _>(&self.stamp)?;
        out.push_sql(" ORDER BY stamp");
        Ok(())
    }
}

/// The highest stamp of a tenant, 0 before the first.
struct LastStamp<'a>(&'a str);

impl QueryId for LastStamp<'_> {
    type QueryId = LastStamp<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for LastStamp<'_> {
    type SqlType = BigInt;
}

impl<C> RunQueryDsl<C> for LastStamp<'_> {}

impl QueryFragment<Sqlite> for LastStamp<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("SELECT COALESCE(MAX(stamp), 0) FROM resource_changes WHERE tenant_id = ");
        out.push_bind_param::<Text, _>(self.0)
    }
}

/// The snapshot (stamp −1), the lowest stamp that is left (stamp 0), and the changes that another snapshot does not
/// see; on a standby also stamps that may be open, and are not (stamp −2), and one more of these, 0.
struct UnseenChanges<'a> {
    tenant: &'a str,
    high: i64,
    open: String,
}

impl QueryId for UnseenChanges<'_> {
    type QueryId = UnseenChanges<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for UnseenChanges<'_> {
    type SqlType = (BigInt, Text);
}

impl<C> RunQueryDsl<C> for UnseenChanges<'_> {}

impl QueryFragment<Pg> for UnseenChanges<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        const OF: &str = " UNION ALL SELECT stamp, resource_id FROM resource_changes WHERE tenant_id = ";
        out.push_sql("SELECT -1::bigint, pg_current_snapshot()::text");
        out.push_sql(OF);
        out.push_bind_param::<Text, _>(self.tenant)?;
        out.push_sql(" AND stamp = 0");
        out.push_sql(OF);
        out.push_bind_param::<Text, _>(self.tenant)?;
        out.push_sql(" AND stamp > 0 AND stamp >= ");
        out.push_bind_param::<BigInt, _>(&self.high)?;
        out.push_sql(OF);
        out.push_bind_param::<Text, _>(self.tenant)?;
        out.push_sql(" AND stamp > 0 AND stamp = ANY(string_to_array(");
        out.push_bind_param::<Text, _>(&self.open)?;
        out.push_sql(", ',')::bigint[])");
        out.push_sql(" UNION ALL SELECT -2::bigint, '0' WHERE (SELECT pg_is_in_recovery())");
        out.push_sql(" UNION ALL SELECT -2::bigint, stamp::text FROM resource_changes WHERE tenant_id = ");
        out.push_bind_param::<Text, _>(self.tenant)?;
        out.push_sql(
            " AND (SELECT pg_is_in_recovery()) AND stamp > 0 \
             AND stamp >= (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint)",
        );
        Ok(())
    }
}

impl Changes {
    /// The changes of a tenant that another snapshot does not see; without one, only the snapshot of the transaction.
    ///
    /// The caller has a transaction open that only reads ([`db::Db::read`]).
    pub fn since(conn: &mut Conn, tenant: &str, before: Option<&Snapshot>) -> Result<Self> {
        match conn {
            Conn::Sqlite(conn) => {
                let last = |conn: &mut _| LastStamp(tenant).get_result::<i64>(conn);
                let Some(before) = before else {
                    return Ok(Self { now: Snapshot::counted(last(conn)?), entries: Vec::new(), is_complete: true });
                };
                // From the last one that is known on, which says that none is missing in between.
                let known = before.low - 1;
                let stamp = known.max(1);
                let mut entries: Vec<Entry> = ChangesFrom { tenant, stamp }.load(conn)?;
                let (Some(first), Some(highest)) = (entries.first(), entries.last()) else {
                    return Ok(Self { now: Snapshot::counted(last(conn)?), entries, is_complete: true });
                };
                let is_complete = first.0 <= known + 1;
                let now = Snapshot::counted(highest.0);
                entries.retain(|(stamp, _)| *stamp > known);
                Ok(Self { now, entries, is_complete })
            }
            Conn::Postgres(conn) => {
                let (high, open) = match before {
                    Some(before) => (before.high, before.open.as_slice()),
                    None => (i64::MAX, &[][..]),
                };
                let open: Vec<String> = open.iter().map(ToString::to_string).collect();
                let rows: Vec<Entry> = UnseenChanges { tenant, high, open: open.join(",") }.load(conn)?;
                let mut now = None;
                let mut pruned = 0;
                let mut entries = Vec::new();
                let mut seen = BTreeSet::new();
                for (stamp, text) in rows {
                    match stamp {
                        -2 => seen.extend(text.parse::<i64>()),
                        -1 => now = Snapshot::parse(&text),
                        0 => pruned = text.parse().unwrap_or(i64::MAX),
                        _ => entries.push((stamp, text)),
                    }
                }
                let now = now.ok_or_else(|| db::Error::Fault("a snapshot cannot be parsed".to_owned()))?;
                let now = if seen.is_empty() { now } else { now.of_standby(&seen)? };
                let is_complete = before.is_none_or(|before| before.sees_all_below(pruned));
                Ok(Self { now, entries, is_complete })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standby_sees_what_is_there_of_what_may_be_open() {
        let told = || Snapshot::parse("10:15:").unwrap();
        let snapshot = told().of_standby(&BTreeSet::from([0, 11, 14])).unwrap();
        let seen: Vec<i64> = (8..17).filter(|stamp| snapshot.sees(*stamp)).collect();
        assert_eq!(seen, [8, 9, 11, 14]);
        let wide = Snapshot { low: 10, high: 10 + MAX_OPEN + 1, open: Vec::new() };
        assert!(matches!(wide.of_standby(&BTreeSet::new()), Err(db::Error::Unavailable(_))), "the primary is read");
    }
}
