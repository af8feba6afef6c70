//! Who must wait for whom, where rows alone do not say it.
//!
//! SQLite has one writer: whoever writes is alone, and these do nothing.

use diesel::{
    QueryableByName, RunQueryDsl, sql_query,
    sql_types::{Array, Bool, Text},
};

use crate::{Conn, Result};

/// Keeps every other transaction that takes this name, alone or shared, waiting until this one ends.
pub fn lock(conn: &mut Conn, name: &str) -> Result<()> {
    hold(conn, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)
}

/// As [`lock`], for several names in this order, in one statement.
pub fn lock_all(conn: &mut Conn, names: &[String]) -> Result<()> {
    match conn {
        Conn::Sqlite(_) => {}
        Conn::Postgres(conn) => {
            let text = "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest($1) AS name";
            sql_query(text).bind::<Array<Text>, _>(names).execute(conn)?;
        }
    }
    Ok(())
}

/// Keeps those waiting that take this name alone, until this transaction ends.
pub fn lock_shared(conn: &mut Conn, name: &str) -> Result<()> {
    hold(conn, "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", name)
}

#[derive(QueryableByName)]
struct Got {
    #[diesel(sql_type = Bool)]
    got: bool,
}

/// As [`lock`], unless another transaction has the name: then `false`, at once.
pub fn try_lock(conn: &mut Conn, name: &str) -> Result<bool> {
    match conn {
        Conn::Sqlite(_) => Ok(true),
        Conn::Postgres(conn) => {
            let text = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS got";
            Ok(sql_query(text).bind::<Text, _>(name).get_result::<Got>(conn)?.got)
        }
    }
}

fn hold(conn: &mut Conn, text: &'static str, name: &str) -> Result<()> {
    match conn {
        Conn::Sqlite(_) => {}
        Conn::Postgres(conn) => {
            sql_query(text).bind::<Text, _>(name).execute(conn)?;
        }
    }
    Ok(())
}
