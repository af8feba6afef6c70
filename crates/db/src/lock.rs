//! Who must wait for whom, where rows alone do not say it.
//!
//! SQLite has one writer: whoever writes is alone, and these do nothing.

use diesel::{RunQueryDsl, sql_query, sql_types::Text};

use crate::{Conn, Result};

/// Keeps every other transaction that takes this name, alone or shared, waiting until this one ends.
pub fn lock(conn: &mut Conn, name: &str) -> Result<()> {
    hold(conn, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)
}

/// Keeps those waiting that take this name alone, until this transaction ends.
pub fn lock_shared(conn: &mut Conn, name: &str) -> Result<()> {
    hold(conn, "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", name)
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
