//! What changes in the source while its rows are copied: triggers note the key of each row in a table beside its own.
//! SQLite fires them for every writer, so the service needs no code for a move.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use diesel::{SqliteConnection, connection::SimpleConnection as _};

use crate::{
    schema::{self, LOG, SOURCE, Table, quoted},
    sqlite,
};

/// How long the writer of the service is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks whether the file is free.
const LOOK_AGAIN: Duration = Duration::from_micros(200);
/// A transaction that removes notes has so many.
const TRIMMED: i64 = 20_000;

/// A mark of a move in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) id: String,
    /// Where to, without a password.
    pub(crate) url: String,
}

/// The move that is under way from this file.
pub(crate) fn under_way(conn: &mut SqliteConnection) -> anyhow::Result<Option<Mark>> {
    mark(conn, SOURCE)
}

/// The move that ended and took the data of this file elsewhere.
pub(crate) fn moved(conn: &mut SqliteConnection) -> anyhow::Result<Option<Mark>> {
    mark(conn, db::MOVED_TO)
}

fn mark(conn: &mut SqliteConnection, table: &str) -> anyhow::Result<Option<Mark>> {
    let found = sqlite::integer(conn, &format!("SELECT count(*) FROM sqlite_master WHERE name = '{table}'"))?;
    if found.unwrap_or_default() == 0 {
        return Ok(None);
    }
    let id = sqlite::text(conn, &format!("SELECT id FROM {table}"))?;
    let url = sqlite::text(conn, &format!("SELECT url FROM {table}"))?;
    Ok(id.zip(url).map(|(id, url)| Mark { id, url }))
}

/// Begins to note which rows change, in place of notes of an earlier move.
pub(crate) fn begin(conn: &mut SqliteConnection, tables: &[Table], mark: &Mark) -> anyhow::Result<()> {
    immediate(conn, |conn| {
        remove(conn)?;
        for table in tables {
            conn.batch_execute(&notes_of(table))?;
        }
        write_mark(conn, SOURCE, mark)
    })
}

/// The table of notes of a table, and what fills it.
fn notes_of(table: &Table) -> String {
    let (log, name) = (table.log(), table.quoted());
    let trigger = |what: &str| quoted(&format!("{LOG}{}-{what}", table.name));
    let note = |row: &str| format!("BEGIN INSERT INTO {log} VALUES ({}); END", table.key(row));
    let key = table.key("");
    format!(
        "CREATE TABLE {log} ({key}); \
         CREATE TRIGGER {} AFTER INSERT ON {name} {}; CREATE TRIGGER {} AFTER UPDATE ON {name} {}; \
         CREATE TRIGGER {} AFTER UPDATE OF {key} ON {name} {}; CREATE TRIGGER {} AFTER DELETE ON {name} {}",
        trigger("insert"),
        note("NEW."),
        trigger("update"),
        note("NEW."),
        trigger("key"),
        note("OLD."),
        trigger("delete"),
        note("OLD."),
    )
}

fn write_mark(conn: &mut SqliteConnection, table: &str, Mark { id, url }: &Mark) -> anyhow::Result<()> {
    let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let text = format!("CREATE TABLE {table} (id TEXT NOT NULL, url TEXT NOT NULL)");
    let row = format!("INSERT INTO {table} (id, url) VALUES ({}, {})", literal(id), literal(url));
    Ok(conn.batch_execute(&format!("{text}; {row}"))?)
}

/// Takes back what [`begin`] made, in the transaction that is open.
pub(crate) fn remove(conn: &mut SqliteConnection) -> anyhow::Result<()> {
    let made = format!("name LIKE '{}%' ESCAPE '\\'", LOG.replace('_', "\\_"));
    let text = format!("SELECT count(*) FROM sqlite_master WHERE {made}");
    while sqlite::integer(conn, &text)?.unwrap_or_default() > 0 {
        // The triggers go first; a table is dropped with its own alone.
        let next = format!("SELECT type || ' ' || name FROM sqlite_master WHERE {made} ORDER BY type DESC LIMIT 1");
        let Some(found) = sqlite::text(conn, &next)? else { break };
        let (kind, name) = found.split_once(' ').unwrap_or_default();
        conn.batch_execute(&format!("DROP {kind} {}", quoted(name)))?;
    }
    Ok(conn.batch_execute(&format!("DROP TABLE IF EXISTS {SOURCE}"))?)
}

/// Takes back what [`begin`] made.
pub(crate) fn cancel(conn: &mut SqliteConnection) -> anyhow::Result<()> {
    immediate(conn, remove)
}

/// The last note about a table, as of the snapshot that is open.
pub(crate) fn last(conn: &mut SqliteConnection, table: &Table) -> anyhow::Result<i64> {
    Ok(sqlite::integer(conn, &format!("SELECT max(rowid) FROM {}", table.log()))?.unwrap_or_default())
}

/// How many notes there are.
pub(crate) fn count(conn: &mut SqliteConnection, tables: &[Table]) -> anyhow::Result<i64> {
    let mut count = 0;
    for table in tables {
        let text = format!("SELECT max(rowid) - min(rowid) + 1 FROM {}", table.log());
        count += sqlite::integer(conn, &text)?.unwrap_or_default();
    }
    Ok(count)
}

/// Removes the notes up to these, a table each, whose rows the target has.
pub(crate) fn trim(conn: &mut SqliteConnection, done: &[(Table, i64)]) -> anyhow::Result<()> {
    for (table, last) in done {
        let log = table.log();
        let first = sqlite::integer(conn, &format!("SELECT min(rowid) FROM {log}"))?;
        let mut from = first.unwrap_or(last + 1);
        while from <= *last {
            let to = last.min(&(from + TRIMMED - 1)).to_owned();
            immediate(conn, |conn| {
                Ok(conn.batch_execute(&format!("DELETE FROM {log} WHERE rowid BETWEEN {from} AND {to}"))?)
            })?;
            from = to + 1;
        }
    }
    Ok(())
}

/// Ends the writes to this file for good, in the transaction that is open: each is refused, by whomever, with where the
/// data went. What a move made is removed.
pub(crate) fn end(conn: &mut SqliteConnection, mark: &Mark) -> anyhow::Result<()> {
    remove(conn)?;
    let told = format!("{}{}", db::HAS_MOVED, mark.url).replace('\'', "''");
    for name in schema::names(conn)? {
        for what in ["INSERT", "UPDATE", "DELETE"] {
            let trigger = quoted(&format!("moved_{name}_{what}"));
            let table = quoted(&name);
            conn.batch_execute(&format!(
                "CREATE TRIGGER {trigger} BEFORE {what} ON {table} BEGIN SELECT RAISE(ABORT, '{told}'); END"
            ))?;
        }
    }
    write_mark(conn, db::MOVED_TO, mark)
}

/// Begins a transaction that writes; it waits for the writer of the service.
pub(crate) fn lock(conn: &mut SqliteConnection) -> anyhow::Result<()> {
    // SQLite would look again ever less often, and the writer of a busy service leaves the file free for moments only.
    conn.batch_execute("PRAGMA busy_timeout = 0")?;
    let begun = Instant::now();
    loop {
        match conn.batch_execute("BEGIN IMMEDIATE") {
            Ok(()) => return Ok(()),
            Err(error) if begun.elapsed() >= PATIENCE => {
                return Err(error).context("the writer of the service leaves no room");
            }
            Err(error) if error.to_string().contains("locked") => thread::sleep(LOOK_AGAIN),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Does something in a transaction that writes.
fn immediate<T>(
    conn: &mut SqliteConnection,
    f: impl FnOnce(&mut SqliteConnection) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    lock(conn)?;
    let done = f(conn);
    conn.batch_execute(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    done
}
