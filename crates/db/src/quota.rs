//! Limits on the number of rows of a tenant.

use std::sync::atomic::{AtomicU64, Ordering};

use base::problem::Problem;
use diesel::{
    QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
};

use crate::{Conn, Result};

/// How many rows of a kind a tenant has at most, so that no caller fills the database.
///
/// Rows are counted when one is added, which costs in proportion to their number and no more than to the quota: this is
/// for what people make. Two that are added at once, on Postgres, may both be the last.
#[derive(Debug)]
pub struct Quota {
    name: &'static str,
    table: &'static str,
    only: &'static str,
    most: i64,
    refused: AtomicU64,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl Quota {
    /// A tenant has at most so many rows of a table; `name` is what they are called in messages and metrics, such as
    /// `users`. An index of the table has to begin with `tenant_id`.
    pub const fn new(name: &'static str, table: &'static str, most: i64) -> Self {
        Self { name, table, only: "1 = 1", most, refused: AtomicU64::new(0) }
    }

    /// Counts only rows that meet an SQL condition, which an index should have.
    #[must_use]
    pub const fn of(mut self, only: &'static str) -> Self {
        self.only = only;
        self
    }

    /// What is counted.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many additions were refused since the start.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Counts an addition that was refused by who counts the rows in another way.
    pub fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Is there room for so many more? Otherwise a 409 that names the limit. To be asked in the write that adds them.
    pub fn admit(&self, conn: &mut Conn, tenant: &str, more: usize) -> Result<()> {
        let Self { table, only, most, .. } = self;
        let query = format!(
            "SELECT count(*) AS count FROM (SELECT 1 AS one FROM {table} WHERE tenant_id = $1 AND {only} LIMIT {most}) \
             q"
        );
        let Count { count } = sql_query(query).bind::<Text, _>(tenant).get_result(conn)?;
        if count.saturating_add(i64::try_from(more).unwrap_or(i64::MAX)) <= *most {
            return Ok(());
        }
        self.refuse();
        Err(Problem::conflict(format!("A tenant has at most {} {}.", grouped(*most), self.name)).into())
    }
}

/// A number with commas between its thousands.
fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection as _;

    use super::*;
    use crate::{DatabaseUrl, Db, Error, Options};

    #[test]
    fn a_tenant_has_as_many_as_it_may() {
        static THINGS: Quota = Quota::new("open things", "things", 3).of("gone = 0");
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.write_here(|conn| {
            conn.batch_execute(
                "CREATE TABLE things (tenant_id TEXT, gone BIGINT); \
                 INSERT INTO things VALUES ('a', 0), ('a', 0), ('a', 1), ('b', 0)",
            )?;
            THINGS.admit(conn, "a", 1)?;
            THINGS.admit(conn, "b", 2)?;
            for (tenant, more) in [("a", 2), ("b", 3), ("c", 4)] {
                let Err(Error::Problem(problem)) = THINGS.admit(conn, tenant, more) else { panic!("{tenant}") };
                assert_eq!(problem.detail, "A tenant has at most 3 open things.");
            }
            Ok(())
        })
        .unwrap();
        assert_eq!((THINGS.name(), THINGS.refused()), ("open things", 3));
    }

    #[test]
    fn thousands() {
        assert_eq!([1, 999, 1_000, 20_000, 1_000_000].map(grouped), ["1", "999", "1,000", "20,000", "1,000,000"]);
    }
}
