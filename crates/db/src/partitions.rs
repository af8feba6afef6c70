//! Partitions by month of the tables that grow with time, on Postgres (ARCHITECTURE.md, "Partitions by month").
//!
//! A domain names such a table beside its migrations ([`Partitioned`]). Its migration makes the partition of all that
//! is from before (`_earlier`) and the one that takes anything else (`_default`), so that no row is ever refused for
//! lack of a partition; here are the months that are made ahead, and those that are over and go. Each is a transaction
//! of its own, which waits for a lock for a moment only: the next look does what this one could not.

mod indexes;
#[cfg(test)]
mod tests;

use base::timestamp::Timestamp;
use diesel::{
    OptionalExtension as _, QueryableByName, RunQueryDsl,
    connection::SimpleConnection as _,
    sql_query,
    sql_types::{BigInt, Bool, Nullable, Text},
};

pub(crate) use self::indexes::change_index;
use crate::{Backend, Conn, Db, Lock, Result};

/// A table that Postgres keeps in partitions by month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partitioned {
    /// The table.
    pub table: &'static str,
    /// The column that says of which month a row is.
    pub column: &'static str,
    /// What stands before the UUID of version 7 in that column; empty where it has milliseconds.
    pub prefix: &'static str,
    /// Does a partition go with its rows as soon as all of them are too old, by that column? That is for rows to which
    /// nothing else belongs. Otherwise it goes when no row is left in it.
    pub goes_whole: bool,
}

/// How many months after this one have a partition.
const AHEAD: usize = 2;
/// How long after its end a partition without rows stays: rows that come late have a place, and so have those that
/// `muster move` brings.
const STAYS_MS: i64 = 31 * 86_400_000;
/// A partition is made or dropped at once or not at all: everybody who uses the table waits behind the lock.
const LIMITS: &str = "SET LOCAL lock_timeout = '500ms'; SET LOCAL statement_timeout = '2s'";

/// Held while one is made or dropped, so that one gateway does it.
static LOCK: Lock = Lock::only("partitions");

/// A month in GMT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Month {
    year: i64,
    month: i64,
}

impl Month {
    /// The month of an instant.
    fn of(at_ms: i64) -> Self {
        let text = Timestamp::from_millis(at_ms).to_string();
        let number = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse().ok()).unwrap_or(1);
        Self { year: number(0, 4), month: number(5, 7) }
    }

    fn next(self) -> Self {
        match self.month {
            12 => Self { year: self.year + 1, month: 1 },
            month => Self { month: month + 1, ..self },
        }
    }

    /// Its first millisecond.
    fn first_ms(self) -> i64 {
        let first = Timestamp::parse(&format!("{:04}-{:02}-01T00:00:00Z", self.year, self.month));
        first.map_or(i64::MAX, Timestamp::millis)
    }
}

/// A partition that is there. Its bounds are values of the column; [`None`] where it has no bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Partition {
    name: String,
    from: Option<String>,
    to: Option<String>,
}

/// A partition that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedPartition {
    /// Its name.
    pub name: String,
    /// How many rows went with it, as Postgres estimates them.
    pub rows: u64,
}

#[derive(QueryableByName)]
struct PartitionRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    bounds: String,
}

#[derive(QueryableByName)]
struct LastPartition {
    #[diesel(sql_type = Nullable<Text>)]
    last: Option<String>,
}

#[derive(QueryableByName)]
struct Emptiness {
    #[diesel(sql_type = Bool)]
    is_empty: bool,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

impl Partitioned {
    /// The least value of the column that is of an instant or later.
    fn bound(&self, at_ms: i64) -> String {
        if self.prefix.is_empty() {
            return at_ms.to_string();
        }
        let digits = format!("{:012x}", at_ms.max(0));
        let (high, low) = digits.split_at_checked(8).unwrap_or((&digits, ""));
        format!("{}{high}-{low}", self.prefix)
    }

    /// Are two values of the column in this order, or the same?
    fn is_ordered(&self, one: &str, other: &str) -> bool {
        match (one.parse::<i64>(), other.parse::<i64>()) {
            (Ok(one), Ok(other)) if self.prefix.is_empty() => one <= other,
            _ => one <= other,
        }
    }

    /// The partitions with bounds; none on SQLite, and where somebody has made other ones (docs/operations.md).
    fn partitions(&self, conn: &mut Conn) -> Result<Option<Vec<Partition>>> {
        let Conn::Postgres(conn) = conn else { return Ok(None) };
        let is_ours = "SELECT p.partdefid = 0 AS is_empty FROM pg_partitioned_table p JOIN pg_attribute a \
             ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0] \
             WHERE p.partrelid = to_regclass($1) AND p.partstrat = 'r' AND p.partnatts = 1 AND a.attname = $2";
        let ours = sql_query(is_ours).bind::<Text, _>(self.table).bind::<Text, _>(self.column);
        if ours.get_result::<Emptiness>(conn).optional()?.is_none_or(|has_no_default| has_no_default.is_empty) {
            return Ok(None);
        }
        let text = "SELECT c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_inherits i \
             JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass($1) ORDER BY c.relname";
        let found: Vec<PartitionRow> = sql_query(text).bind::<Text, _>(self.table).load(conn)?;
        Ok(Some(found.into_iter().filter_map(|PartitionRow { name, bounds }| Partition::of(name, &bounds)).collect()))
    }

    /// Is there no partition of a month?
    fn is_missing(&self, partitions: &[Partition], month: Month) -> bool {
        let (from, to) = (self.bound(month.first_ms()), self.bound(month.next().first_ms()));
        !partitions.iter().any(|partition| partition.overlaps(self, &from, &to))
    }

    /// Makes the partition of a month beside writers, unless another gateway has; gives its name. What is in the
    /// partition that takes anything stays there, and the new one begins behind it.
    fn make(&self, conn: &mut Conn, month: Month) -> Result<Option<String>> {
        let Self { table, column, .. } = self;
        conn.batch_execute(LIMITS)?;
        LOCK.take(conn)?;
        if self.partitions(conn)?.is_none_or(|found| !self.is_missing(&found, month)) {
            return Ok(None);
        }
        let name = format!("{table}_{:04}_{:02}", month.year, month.month);
        let (from, to) = (self.bound(month.first_ms()), self.bound(month.next().first_ms()));
        let last = format!(
            "SELECT max({column})::text AS last FROM {table}_default WHERE {column} >= '{from}' AND {column} < '{to}'"
        );
        // What would take too long while others wait fails here, before they do.
        sql_query(&last).get_result::<LastPartition>(conn)?;
        conn.batch_execute(&format!(
            "CREATE TABLE {name} (LIKE {table} INCLUDING ALL EXCLUDING INDEXES); \
             LOCK TABLE {table}_default IN ACCESS EXCLUSIVE MODE"
        ))?;
        let from = match sql_query(&last).get_result::<LastPartition>(conn)?.last {
            None => from,
            Some(last) if self.prefix.is_empty() => {
                last.parse().map_or(last, |last: i64| last.saturating_add(1).to_string())
            }
            Some(last) => format!("{last}0").replace('\'', "''"),
        };
        let attach = format!("ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ('{from}') TO ('{to}')");
        conn.batch_execute(&attach)?;
        Ok(Some(name))
    }

    /// Drops a partition, unless it has rows and does not go with them, or another gateway has dropped it.
    fn drop(&self, conn: &mut Conn, name: String, with_rows: bool) -> Result<Option<DroppedPartition>> {
        let quoted = format!("\"{}\"", name.replace('"', "\"\""));
        conn.batch_execute(LIMITS)?;
        LOCK.take(conn)?;
        if self.partitions(conn)?.is_none_or(|found| found.iter().all(|partition| partition.name != name)) {
            return Ok(None);
        }
        let is_empty = format!("SELECT NOT EXISTS (SELECT 1 FROM {quoted}) AS is_empty");
        if !with_rows && !sql_query(&is_empty).get_result::<Emptiness>(conn)?.is_empty {
            return Ok(None);
        }
        // One that was not analyzed yet is small.
        let rows = format!(
            "SELECT CASE WHEN reltuples > 0 THEN reltuples::bigint ELSE \
             (SELECT count(*) FROM (SELECT 1 FROM {quoted} LIMIT 10000) AS few) END AS number \
             FROM pg_class WHERE oid = '{quoted}'::regclass"
        );
        let rows = sql_query(rows).get_result::<Number>(conn)?.number;
        conn.batch_execute(&format!("ALTER TABLE {} DETACH PARTITION {quoted}", self.table))?;
        // Nobody else uses it any more.
        if !with_rows && !sql_query(&is_empty).get_result::<Emptiness>(conn)?.is_empty {
            return Err(crate::Error::Fault(format!("{name} got rows while it was dropped")));
        }
        conn.batch_execute(&format!("DROP TABLE {quoted}"))?;
        Ok(Some(DroppedPartition { name, rows: rows.unsigned_abs() }))
    }
}

impl Partition {
    /// A partition by what Postgres says of its bounds, `FOR VALUES FROM ('a') TO ('b')`; [`None`] for the one that
    /// takes anything.
    fn of(name: String, bounds: &str) -> Option<Self> {
        let (from, to) = bounds.strip_prefix("FOR VALUES FROM (")?.strip_suffix(')')?.split_once(") TO (")?;
        let value = |text: &str| text.strip_prefix('\'')?.strip_suffix('\'').map(|value| value.replace("''", "'"));
        Some(Self { name, from: value(from), to: value(to) })
    }

    /// Has it a part of the range between two values?
    fn overlaps(&self, table: &Partitioned, from: &str, to: &str) -> bool {
        let begins_before = self.from.as_deref().is_none_or(|own| !table.is_ordered(to, own));
        let ends_behind = self.to.as_deref().is_none_or(|own| !table.is_ordered(own, from));
        begins_before && ends_behind
    }

    /// Is all that can be in it from before an instant?
    fn is_over(&self, table: &Partitioned, at_ms: i64) -> bool {
        self.to.as_deref().is_some_and(|to| table.is_ordered(to, &table.bound(at_ms)))
    }
}

impl Db {
    /// Makes the partitions of this month and the next two where they are missing; gives their names. On SQLite there
    /// are none.
    pub fn make_partitions(&self, table: &'static Partitioned, now: Timestamp) -> Result<Vec<String>> {
        let mut made = Vec::new();
        if self.backend() == Backend::Sqlite {
            return Ok(made);
        }
        let Some(found) = self.read_here(|conn| table.partitions(conn))? else { return Ok(made) };
        let months = std::iter::successors(Some(Month::of(now.millis())), |month| Some(month.next()));
        for month in months.take(AHEAD + 1) {
            if table.is_missing(&found, month) {
                made.extend(self.write_here(move |conn| table.make(conn, month))?);
            }
        }
        if !made.is_empty() {
            // Postgres does that for each partition by itself, and for all of them together only when it is told to.
            let analyze = format!("ANALYZE {}", table.table);
            self.write_here(move |conn| Ok(conn.batch_execute(&analyze)?))?;
        }
        Ok(made)
    }

    /// Drops the partitions that are over and have no rows left, and where partitions go whole those with rows from
    /// before `expired` alone.
    pub fn drop_partitions(
        &self,
        table: &'static Partitioned,
        now: Timestamp,
        expired: Option<Timestamp>,
    ) -> Result<Vec<DroppedPartition>> {
        let mut dropped = Vec::new();
        if self.backend() == Backend::Sqlite {
            return Ok(dropped);
        }
        let Some(found) = self.read_here(|conn| table.partitions(conn))? else { return Ok(dropped) };
        for partition in found {
            let is_over = |at_ms| partition.is_over(table, at_ms);
            let with_rows = table.goes_whole && expired.is_some_and(|expired| is_over(expired.millis()));
            if !with_rows && !is_over(now.millis().saturating_sub(STAYS_MS)) {
                continue;
            }
            dropped.extend(self.write_here(move |conn| table.drop(conn, partition.name, with_rows))?);
        }
        Ok(dropped)
    }

    /// [`Db::make_partitions`] of all tables, by the clock of the server. What cannot be made now is made later.
    pub(crate) fn make_all_partitions(&self, tables: impl Iterator<Item = &'static Partitioned>) -> Result<()> {
        let mut tables = tables.peekable();
        if self.backend() == Backend::Sqlite || tables.peek().is_none() {
            return Ok(());
        }
        let text = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS number";
        let now = self.read_here(|conn| Ok(sql_query(text).get_result::<Number>(conn)?.number))?;
        for table in tables {
            if let Err(error) = self.make_partitions(table, Timestamp::from_millis(now)) {
                tracing::warn!(%error, table = table.table, "the partitions of the next months are made later");
            }
        }
        Ok(())
    }
}
