//! What changed since, for those who keep in memory what they made of rows.
//!
//! Whoever changes rows that others may have made something of notes their key, in the same transaction
//! ([`note`]). Whoever keeps something says of which instant it is ([`Snapshot`]); a later reader asks what changed in
//! between ([`Changes::since`]), sees only what its own transaction sees, and looks at that alone again.
//!
//! On SQLite, with its one writer, the notes of a tenant are counted, and an instant is a number. On Postgres
//! transactions commit in another order than they began or wrote, so that no number tells which were seen: a note has
//! the number of its transaction, and an instant is the database's own snapshot. Nobody waits for anybody to note.

use std::sync::atomic::{AtomicU64, Ordering};

use diesel::{
    QueryableByName, RunQueryDsl,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::QueryResult,
    sql_query,
    sql_types::{BigInt, Text},
    sqlite::Sqlite,
};

use crate::{Conn, Lock, Result};

/// A tenant's notes beyond this many are forgotten, oldest first: who is further behind begins anew.
const KEPT: i64 = 20_000;
/// Old notes are looked for once in so many.
const EACH: u64 = 256;

/// Which of the notes of a tenant a transaction sees. Those of one tenant and process are comparable: of two, one sees
/// all that the other does.
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

    /// Does it see a note?
    pub fn sees(&self, stamp: i64) -> bool {
        stamp < self.low || (stamp < self.high && !self.open.contains(&stamp))
    }

    /// Does it see every note below this one?
    pub fn sees_all_below(&self, stamp: i64) -> bool {
        self.low >= stamp
    }

    /// It sees no note from this stamp on.
    pub fn end(&self) -> i64 {
        self.high
    }

    /// Does it see more than the other one?
    pub fn is_later_than(&self, other: &Self) -> bool {
        self.high > other.high || (self.high == other.high && self.open.len() < other.open.len())
    }
}

/// What a transaction sees of the notes of a tenant.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The instant of the transaction.
    pub now: Snapshot,
    /// What was noted and was not seen before: stamp and key.
    pub notes: Vec<(i64, String)>,
    /// Whether these are all; some are forgotten otherwise.
    pub whole: bool,
}

/// Notes that what has this key changed; the key is in the words of whoever asks. What it was noted for commits with
/// it.
pub fn note(conn: &mut Conn, tenant: &str, key: &str) -> Result<()> {
    static NOTES: AtomicU64 = AtomicU64::new(0);
    let note = Note { tenant, key };
    match conn {
        Conn::Sqlite(conn) => note.execute(conn)?,
        Conn::Postgres(conn) => note.execute(conn)?,
    };
    if NOTES.fetch_add(1, Ordering::Relaxed) % EACH == EACH - 1 {
        forget(conn, tenant)?;
    }
    Ok(())
}

struct Note<'a> {
    tenant: &'a str,
    key: &'a str,
}

impl QueryId for Note<'_> {
    type QueryId = Note<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<C> RunQueryDsl<C> for Note<'_> {}

impl QueryFragment<Sqlite> for Note<'_> {
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

impl QueryFragment<Pg> for Note<'_> {
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

/// Forgets a tenant's oldest notes. Where the stamp is 0, the key says below which one all are forgotten.
fn forget(conn: &mut Conn, tenant: &str) -> Result<()> {
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
    let oldest: Vec<Stamp> = sql_query(text).bind::<Text, _>(tenant).bind::<BigInt, _>(KEPT).load(conn)?;
    let Some(oldest) = oldest.first() else { return Ok(()) };
    let text = "DELETE FROM resource_changes WHERE tenant_id = $1 AND stamp < $2";
    sql_query(text).bind::<Text, _>(tenant).bind::<BigInt, _>(oldest.stamp).execute(conn)?;
    let text = "INSERT INTO resource_changes (tenant_id, stamp, resource_id) VALUES ($1, 0, $2)";
    sql_query(text).bind::<Text, _>(tenant).bind::<Text, _>(oldest.stamp.to_string()).execute(conn)?;
    Ok(())
}

type Noted = (i64, String);

/// The notes from a stamp on, in their order.
struct Later<'a> {
    tenant: &'a str,
    stamp: i64,
}

impl QueryId for Later<'_> {
    type QueryId = Later<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Later<'_> {
    type SqlType = (BigInt, Text);
}

impl<C> RunQueryDsl<C> for Later<'_> {}

impl QueryFragment<Sqlite> for Later<'_> {
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
struct Last<'a>(&'a str);

impl QueryId for Last<'_> {
    type QueryId = Last<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Last<'_> {
    type SqlType = BigInt;
}

impl<C> RunQueryDsl<C> for Last<'_> {}

impl QueryFragment<Sqlite> for Last<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("SELECT COALESCE(MAX(stamp), 0) FROM resource_changes WHERE tenant_id = ");
        out.push_bind_param::<Text, _>(self.0)
    }
}

/// The snapshot (stamp −1), below which notes are forgotten (stamp 0), and the notes that another snapshot does not
/// see.
struct Unseen<'a> {
    tenant: &'a str,
    high: i64,
    open: String,
}

impl QueryId for Unseen<'_> {
    type QueryId = Unseen<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Unseen<'_> {
    type SqlType = (BigInt, Text);
}

impl<C> RunQueryDsl<C> for Unseen<'_> {}

impl QueryFragment<Pg> for Unseen<'_> {
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
        Ok(())
    }
}

impl Changes {
    /// What was noted for a tenant and another snapshot does not see; without one, nothing but the instant.
    ///
    /// The caller has a transaction open that only reads ([`Db::read`](crate::Db::read)).
    pub fn since(conn: &mut Conn, tenant: &str, before: Option<&Snapshot>) -> Result<Self> {
        match conn {
            Conn::Sqlite(conn) => {
                let last = |conn: &mut _| Last(tenant).get_result::<i64>(conn);
                let Some(before) = before else {
                    return Ok(Self { now: Snapshot::counted(last(conn)?), notes: Vec::new(), whole: true });
                };
                // From the last one that is known on, which says that none is missing in between.
                let known = before.low - 1;
                let stamp = known.max(1);
                let mut notes: Vec<Noted> = Later { tenant, stamp }.load(conn)?;
                let (Some(first), Some(highest)) = (notes.first(), notes.last()) else {
                    return Ok(Self { now: Snapshot::counted(last(conn)?), notes, whole: true });
                };
                let whole = first.0 <= known + 1;
                let now = Snapshot::counted(highest.0);
                notes.retain(|(stamp, _)| *stamp > known);
                Ok(Self { now, notes, whole })
            }
            Conn::Postgres(conn) => {
                let (high, open) = match before {
                    Some(before) => (before.high, before.open.as_slice()),
                    None => (i64::MAX, &[][..]),
                };
                let open: Vec<String> = open.iter().map(ToString::to_string).collect();
                let rows: Vec<Noted> = Unseen { tenant, high, open: open.join(",") }.load(conn)?;
                let mut now = None;
                let mut forgotten = 0;
                let mut notes = Vec::new();
                for (stamp, text) in rows {
                    match stamp {
                        -1 => now = Snapshot::parse(&text),
                        0 => forgotten = text.parse().unwrap_or(i64::MAX),
                        _ => notes.push((stamp, text)),
                    }
                }
                let now = now.ok_or_else(|| crate::Error::Fault("a snapshot that cannot be read".to_owned()))?;
                let whole = before.is_none_or(|before| before.sees_all_below(forgotten));
                Ok(Self { now, notes, whole })
            }
        }
    }
}
