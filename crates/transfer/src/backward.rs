//! From Postgres into a new SQLite file: a copy as of one instant, for tests.

use std::{
    fs::{self, File},
    os::unix::fs::DirBuilderExt as _,
    path::Path,
    time::Instant,
};

use anyhow::{Context as _, bail};
use db::{Conn, DatabaseUrl, SQLITE_ENDINGS, beside};
use diesel::{PgConnection, RunQueryDsl as _, SqliteConnection, connection::SimpleConnection as _, sql_query};

use crate::{
    Contents, Outcome, compare,
    hash::Hash,
    postgres::{self, SESSION},
    rows::{postgres as to_postgres, put_words, sqlite as to_sqlite},
    say, schema,
    schema::Table,
    sqlite,
    value::{Row, Value},
    version,
};

/// How the copy is called until it is whole.
const UNFINISHED: &str = ".unfinished";
/// Rows that are in memory at once, and about how many bytes of them.
const ROWS: usize = 2_000;
const BYTES: usize = 4 << 20;

/// Makes the copy. An unfinished one of before is made anew.
pub(crate) fn run(from: &DatabaseUrl, to: &Path, contents: &Contents) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    if to.exists() {
        bail!("{} is there already: name an empty --data-dir", to.display());
    }
    version::check(from, contents).context("the source")?;
    if let Some(directory) = to.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.with_context(|| format!("creating {}", directory.display()))?;
    }
    let unfinished = beside(to, UNFINISHED);
    for ending in SQLITE_ENDINGS {
        let _ = fs::remove_file(beside(&unfinished, ending));
    }
    let url = DatabaseUrl::Sqlite(unfinished.clone());
    make_tables(&url, contents)?;
    let different = {
        let mut source = db::connect(from).context("the source")?;
        let mut target = db::connect(&url)?;
        to_postgres(&mut source.conn)?.batch_execute(SESSION)?;
        // What was not written when this is cut off is written anew.
        target.conn.batch_execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")?;
        let different = copy(&mut source.conn, &mut target.conn, contents)?;
        target.conn.batch_execute("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)")?;
        different
    };
    if different > 0 {
        return Ok(Outcome::Different);
    }
    File::open(&unfinished).and_then(|file| file.sync_all()).context("writing the copy")?;
    fs::rename(&unfinished, to).with_context(|| format!("writing {}", to.display()))?;
    say(&format!("done after {:.1} s: {}", begun.elapsed().as_secs_f64(), to.display()));
    Ok(Outcome::Done)
}

fn make_tables(url: &DatabaseUrl, contents: &Contents) -> anyhow::Result<()> {
    let db = db::Db::open(url, db::Options { connections: 1, ..db::Options::default() })?;
    db.migrate(&contents.migrations)?;
    db.close();
    Ok(())
}

/// Copies all tables as of one instant and reads them again; gives how many differ.
fn copy(source: &mut Conn, target: &mut Conn, contents: &Contents) -> anyhow::Result<usize> {
    let tables = schema::tables(to_sqlite(target)?, to_postgres(source)?, &contents.caches)?;
    let source = to_postgres(source)?;
    let hashes = postgres::transaction(source, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", |source| {
        let hashes = tables.iter().map(|table| copy_table(source, target, table, contents)).collect::<Result<_, _>>();
        let hashes: Vec<Hash> = hashes?;
        set_sequences(source, to_sqlite(target)?, &tables)?;
        Ok(hashes)
    })?;
    let target = to_sqlite(target)?;
    let broken = sqlite::text(target, "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1")?;
    if let Some(table) = broken {
        bail!("rows of {table} name rows that are not there");
    }
    let copied = compare::of_sqlite(target, &tables)?;
    Ok(compare::report(&compare::pairs(&tables, hashes, copied)))
}

/// Copies a table; gives the hash of what was read.
fn copy_table(
    source: &mut PgConnection,
    target: &mut Conn,
    table: &Table,
    contents: &Contents,
) -> anyhow::Result<Hash> {
    let words = contents.words.iter().copied().find(|words| words.table == table.name);
    let mut hash = Hash::default();
    let mut rows: Vec<Row> = Vec::new();
    let mut bytes = 0;
    target.batch_execute("BEGIN IMMEDIATE")?;
    let mut write = |rows: &mut Vec<Row>| {
        sqlite::insert(to_sqlite(target)?, table, rows)?;
        if let Some(words) = words {
            put_words(target, table, words, rows)?;
        }
        rows.clear();
        target.batch_execute("COMMIT; BEGIN IMMEDIATE")?;
        anyhow::Ok(())
    };
    postgres::for_each(source, table, |row| {
        hash.add(&row);
        bytes += row.size();
        rows.push(row);
        if rows.len() >= ROWS || bytes >= BYTES {
            bytes = 0;
            write(&mut rows)?;
        }
        Ok(())
    })?;
    write(&mut rows)?;
    target.batch_execute("COMMIT")?;
    Ok(hash)
}

/// Has each column that the database counts go on where the source is.
fn set_sequences(source: &mut PgConnection, target: &mut SqliteConnection, tables: &[Table]) -> anyhow::Result<()> {
    for (table, column) in tables.iter().filter_map(|table| Some((table, table.counted.as_ref()?))) {
        let text = format!(
            "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('{}', '{column}')::regclass), 0)::bigint \
             AS last",
            table.quoted()
        );
        let last: Vec<Row> = sql_query(text).load(source)?;
        if let Some(Value::Integer(last)) = last.first().and_then(|row| row.0.first()) {
            let name = &table.name;
            target.batch_execute(&format!(
                "DELETE FROM sqlite_sequence WHERE name = '{name}'; \
                 INSERT INTO sqlite_sequence (name, seq) VALUES ('{name}', {last})"
            ))?;
        }
    }
    Ok(())
}
