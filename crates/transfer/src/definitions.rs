//! Indexes, foreign keys and sequences of the target.

use anyhow::Context as _;
use diesel::{PgConnection, SqliteConnection, connection::SimpleConnection as _};

use crate::{
    postgres,
    schema::{Table, listed},
    sqlite,
};

/// The indexes that are no constraints, of tables that are not in parts: they are made faster when the rows are there.
fn indexes(tables: &[Table], what: &str) -> String {
    let names = listed(tables.iter().map(|table| format!("'{}'", table.name)));
    format!(
        "SELECT {what} FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid \
         WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind = 'r' AND t.relname IN ({names}) \
         AND NOT EXISTS (SELECT 1 FROM pg_constraint c \
         WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x')) \
         ORDER BY t.relname, x.relname"
    )
}

fn foreign_keys(what: &str) -> String {
    format!(
        "SELECT {what} FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid \
         WHERE c.contype = 'f' AND c.conparentid = 0 AND t.relnamespace = current_schema()::regnamespace \
         ORDER BY t.relname, c.conname"
    )
}

/// Drops indexes and foreign keys, and gives what makes them again, in this order. The foreign keys then hold at the
/// end of a transaction, since rows are followed in any order.
pub(crate) fn drop_all(conn: &mut PgConnection, tables: &[Table]) -> anyhow::Result<Vec<String>> {
    let mut made = postgres::texts(conn, &indexes(tables, "pg_get_indexdef(i.indexrelid)"))?;
    let keys = "format('ALTER TABLE %I ADD CONSTRAINT %I %s DEFERRABLE INITIALLY DEFERRED', t.relname, c.conname, \
                pg_get_constraintdef(c.oid))";
    made.extend(postgres::texts(conn, &foreign_keys(keys))?);
    let drop_keys = foreign_keys("format('ALTER TABLE %I DROP CONSTRAINT %I', t.relname, c.conname)");
    let mut dropped = postgres::texts(conn, &drop_keys)?;
    dropped.extend(postgres::texts(conn, &indexes(tables, "format('DROP INDEX %I', x.relname)"))?);
    for statement in dropped {
        conn.batch_execute(&statement)?;
    }
    Ok(made)
}

/// Makes what was dropped.
pub(crate) fn make(conn: &mut PgConnection, statements: &[String]) -> anyhow::Result<()> {
    for statement in statements {
        conn.batch_execute(statement).with_context(|| statement.clone())?;
    }
    Ok(())
}

/// Lets foreign keys hold at the end of a transaction, or after each statement as the service has them.
pub(crate) fn defer_foreign_keys(conn: &mut PgConnection, deferred: bool) -> anyhow::Result<()> {
    let how = if deferred { "DEFERRABLE INITIALLY DEFERRED" } else { "NOT DEFERRABLE" };
    let text = foreign_keys(&format!("format('ALTER TABLE %I ALTER CONSTRAINT %I {how}', t.relname, c.conname)"));
    // What was put off is looked at first: a table with a check to come cannot be altered.
    conn.batch_execute("SET CONSTRAINTS ALL IMMEDIATE")?;
    for statement in postgres::texts(conn, &text)? {
        conn.batch_execute(&statement)?;
    }
    Ok(())
}

/// Has each column that the database counts go on where the source is.
pub(crate) fn set_sequences(
    source: &mut SqliteConnection,
    target: &mut PgConnection,
    tables: &[Table],
) -> anyhow::Result<()> {
    for (table, column) in tables.iter().filter_map(|table| Some((table, table.counted.as_ref()?))) {
        let text = format!("SELECT seq FROM sqlite_sequence WHERE name = '{}'", table.name);
        if let Some(last) = sqlite::integer(source, &text)?.filter(|last| *last > 0) {
            let sequence = format!("pg_get_serial_sequence('{}', '{column}')", table.quoted());
            target.batch_execute(&format!("SELECT setval({sequence}, {last})"))?;
        }
    }
    Ok(())
}
