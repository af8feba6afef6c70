//! Locks between transactions, for cases that row locks do not cover.
//!
//! SQLite has one writer at a time, so these do nothing there.

use std::{borrow::Cow, fmt::Display};

use diesel::{
    QueryableByName, RunQueryDsl, sql_query,
    sql_types::{Array, Bool, Text},
};

use crate::{Conn, Result};

/// A lock that one transaction holds until it ends, while others wait. Gateways of two versions may share a database,
/// so the name of a kind must never change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock(Cow<'static, str>);

impl Lock {
    /// The only lock of its kind.
    pub const fn only(kind: &'static str) -> Self {
        Self(Cow::Borrowed(kind))
    }

    /// The lock of one tenant or one row: a kind, such as `roster`, and its id.
    pub fn of(kind: &'static str, which: impl Display) -> Self {
        Self(Cow::Owned(format!("{kind}:{which}")))
    }

    /// Makes every other transaction that takes or shares this lock wait until this one ends.
    pub fn take(&self, conn: &mut Conn) -> Result<()> {
        self.hold(conn, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
    }

    /// As [`Lock::take`], for several in this order, in one statement.
    pub fn take_all(conn: &mut Conn, locks: &[Self]) -> Result<()> {
        match conn {
            Conn::Sqlite(_) => {}
            Conn::Postgres(conn) => {
                let names: Vec<&str> = locks.iter().map(|lock| &*lock.0).collect();
                let text = "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1) AS name";
                sql_query(text).bind::<Array<Text>, _>(names).execute(conn)?;
            }
        }
        Ok(())
    }

    /// Makes transactions that take this lock wait until this one ends; others that share it do not wait.
    pub fn share(&self, conn: &mut Conn) -> Result<()> {
        self.hold(conn, "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))")
    }

    /// As [`Lock::take`], unless another transaction has it: then `false`, at once.
    pub fn try_take(&self, conn: &mut Conn) -> Result<bool> {
        match conn {
            Conn::Sqlite(_) => Ok(true),
            Conn::Postgres(conn) => {
                let text = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS got";
                Ok(sql_query(text).bind::<Text, _>(&self.0).get_result::<LockAttempt>(conn)?.got)
            }
        }
    }

    /// As [`Lock::try_take`], for several: which of them this transaction has.
    pub fn try_take_each(conn: &mut Conn, locks: &[Self]) -> Result<Vec<bool>> {
        match conn {
            Conn::Sqlite(_) => Ok(vec![true; locks.len()]),
            Conn::Postgres(conn) => {
                let names: Vec<&str> = locks.iter().map(|lock| &*lock.0).collect();
                let text = "SELECT pg_try_advisory_xact_lock(hashtextextended(name, 0)) AS got \
                            FROM unnest($1) WITH ORDINALITY AS named (name, place) ORDER BY place";
                let attempts: Vec<LockAttempt> = sql_query(text).bind::<Array<Text>, _>(names).load(conn)?;
                Ok(attempts.into_iter().map(|attempt| attempt.got).collect())
            }
        }
    }

    fn hold(&self, conn: &mut Conn, text: &'static str) -> Result<()> {
        match conn {
            Conn::Sqlite(_) => {}
            Conn::Postgres(conn) => {
                sql_query(text).bind::<Text, _>(&self.0).execute(conn)?;
            }
        }
        Ok(())
    }
}

#[derive(QueryableByName)]
struct LockAttempt {
    #[diesel(sql_type = Bool)]
    got: bool,
}
