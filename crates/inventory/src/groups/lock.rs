//! One order for what changes groups and for what changes their members.
//!
//! A group that becomes dynamic looks at every resource, and a resource that changes looks at every dynamic group.
//! Two transactions that do so side by side would each miss what the other has not committed yet. So whoever changes
//! groups is alone among a partner and its clients until the end of its transaction, and whoever changes resources
//! shares with others that do. Changes of the tree are alone too: two moves could close a cycle together.

use db::{Conn, Result};
use diesel::{RunQueryDsl, sql_query, sql_types::Text};

/// Keeps the groups of a partner and its clients as they are until the end of the transaction.
pub(super) fn share(conn: &mut Conn, partner: &str) -> Result<()> {
    hold(conn, "SELECT pg_advisory_xact_lock_shared(1735552368, hashtext($1))", partner)
}

/// Keeps everybody else from the groups of a partner and its clients until the end of the transaction.
pub(super) fn alone(conn: &mut Conn, partner: &str) -> Result<()> {
    hold(conn, "SELECT pg_advisory_xact_lock(1735552368, hashtext($1))", partner)
}

fn hold(conn: &mut Conn, text: &'static str, partner: &str) -> Result<()> {
    match conn {
        // SQLite has one writer: whoever writes is alone.
        Conn::Sqlite(_) => {}
        Conn::Postgres(conn) => {
            sql_query(text).bind::<Text, _>(partner).execute(conn)?;
        }
    }
    Ok(())
}
