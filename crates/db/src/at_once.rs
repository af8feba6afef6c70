//! Migrations of a database that nobody else writes to: a SQLite file before the service begins, and an empty Postgres.
//! All of them are one transaction.

use diesel::connection::SimpleConnection as _;

use crate::{
    Conn, Result, contract,
    migrate::{Migrations, TABLE, note_program, pending, run_one},
};

/// Runs what is pending of each domain, one after the other, where nobody else writes; gives the versions. What fills
/// rows in the background is done to its end before a migration that relies on it.
pub(crate) fn run(conn: &mut Conn, domains: &[Migrations]) -> Result<Vec<String>> {
    conn.batch_execute(TABLE)?;
    let mut done = Vec::new();
    for domain in domains {
        for migration in pending(conn, domain)? {
            contract::finish_backfills(conn, migration, domains)?;
            run_one(conn, migration)?;
            done.push(migration);
        }
    }
    // The columns of these notes are made by migrations, too.
    done.iter().try_for_each(|migration| note_program(conn, migration))?;
    Ok(done.iter().map(|migration| migration.version().to_owned()).collect())
}
