//! Indexes that a migration makes beside writers on a table in partitions.
//!
//! Postgres makes none on such a table while others write. So the table gets an index that no partition has yet, each
//! partition one of its own beside writers, and each of these becomes a part of the first, which is valid with the
//! last.

use diesel::{QueryableByName, RunQueryDsl, connection::SimpleConnection as _, sql_query, sql_types::Text};

use crate::{Conn, Result};

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Carries out a statement that makes or drops an index `CONCURRENTLY`, where it is one of a table in partitions.
pub(crate) fn change_index(conn: &mut Conn, statement: &str) -> Result<bool> {
    let words: Vec<&str> = statement.split_whitespace().collect();
    match words.as_slice() {
        ["CREATE", "INDEX", "CONCURRENTLY", name, "ON", table, columns @ ..] if is_of_kind(conn, table, "p")? => {
            make(conn, name, table, &columns.join(" "))?;
        }
        ["DROP", "INDEX", "CONCURRENTLY", .., name] if is_of_kind(conn, name, "I")? => {
            // It reads no row, so that others wait for a moment only.
            conn.batch_execute(&format!("BEGIN; SET LOCAL lock_timeout = '500ms'; DROP INDEX {name}; COMMIT"))?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn is_of_kind(conn: &mut Conn, name: &str, kind: &str) -> Result<bool> {
    let text = "SELECT relname::text AS name FROM pg_class WHERE oid = to_regclass($1) AND relkind::text = $2";
    Ok(!sql_query(text).bind::<Text, _>(name).bind::<Text, _>(kind).load::<Name>(conn)?.is_empty())
}

fn make(conn: &mut Conn, name: &str, table: &str, columns: &str) -> Result<()> {
    conn.batch_execute(&format!("CREATE INDEX IF NOT EXISTS {name} ON ONLY {table} {columns}"))?;
    // A partition that is made from now on has the index.
    let text = "SELECT p.relname::text AS name FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid \
         WHERE i.inhparent = to_regclass($1) AND NOT EXISTS (SELECT 1 FROM pg_index x \
         JOIN pg_inherits part ON part.inhrelid = x.indexrelid \
         WHERE x.indrelid = p.oid AND part.inhparent = to_regclass($2)) ORDER BY p.relname";
    let partitions: Vec<Name> = sql_query(text).bind::<Text, _>(table).bind::<Text, _>(name).load(conn)?;
    for Name { name: partition } in partitions {
        let part = format!("{name}{}", partition.strip_prefix(table).unwrap_or(&partition));
        for statement in [
            format!("DROP INDEX CONCURRENTLY IF EXISTS {part}"),
            format!("CREATE INDEX CONCURRENTLY {part} ON {partition} {columns}"),
            format!("ALTER INDEX {name} ATTACH PARTITION {part}"),
        ] {
            conn.batch_execute(&statement)?;
        }
    }
    Ok(())
}
