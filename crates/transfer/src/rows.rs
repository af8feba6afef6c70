//! Rows on their way from SQLite to Postgres.

use std::{sync::mpsc, thread};

use anyhow::Context as _;
use db::{Conn, FullText};
use diesel::{PgConnection, SqliteConnection};

use crate::{
    changes, postgres,
    progress::{self, CopyProgress},
    schema::Table,
    sqlite,
    value::{Row, Value},
};

/// Rows that are in memory at once, and about how many bytes of them.
const ROWS: usize = 2_000;
const BYTES: usize = 4 << 20;
/// Parts of a table that are read before they are written.
const AHEAD: usize = 2;

/// The connection of Postgres.
pub(crate) fn postgres(conn: &mut Conn) -> anyhow::Result<&mut PgConnection> {
    match conn {
        Conn::Postgres(conn) => Ok(conn),
        Conn::Sqlite(_) => anyhow::bail!("this is a database of SQLite"),
    }
}

/// The connection of SQLite.
pub(crate) fn sqlite(conn: &mut Conn) -> anyhow::Result<&mut SqliteConnection> {
    match conn {
        Conn::Sqlite(conn) => Ok(conn),
        Conn::Postgres(_) => anyhow::bail!("this is a database of Postgres"),
    }
}

/// Copies a table from where that was left off; gives how many rows. Each part is committed with a note of how far it
/// goes. Rows that change meanwhile may be missed or be older: that is noted in the source.
pub(crate) fn copy(
    source: &mut SqliteConnection,
    target: &mut Conn,
    table: &Table,
    words: Option<FullText>,
    from: CopyProgress,
) -> anyhow::Result<u64> {
    let mut copied = 0;
    let from = match from {
        CopyProgress::Nothing => None,
        CopyProgress::To(key) => Some(key),
        CopyProgress::All => return Ok(0),
    };
    thread::scope(|scope| {
        let (parts, arrived) = mpsc::sync_channel(AHEAD);
        let reader = scope.spawn(move || read_parts(source, table, from, &parts));
        for (rows, key) in arrived {
            copied += rows.len() as u64;
            in_transaction(target, |target| {
                write(target, table, words, &rows)?;
                progress::note_copied(postgres(target)?, table, &key)
            })?;
        }
        reader.join().map_err(|_| anyhow::anyhow!("reading {} failed", table.name))?
    })?;
    Ok(copied)
}

type Part = (Vec<Row>, CopyProgress);

/// Reads a table in parts, in the order of its keys; each part as of an instant of its own.
fn read_parts(
    source: &mut SqliteConnection,
    table: &Table,
    mut from: Option<Vec<Value>>,
    parts: &mpsc::SyncSender<Part>,
) -> anyhow::Result<()> {
    let key = if table.has_rowid { "rowid".to_owned() } else { table.key("") };
    let columns = table.columns("");
    let places = vec!["?"; if table.has_rowid { 1 } else { table.key.len() }].join(", ");
    loop {
        let after = from.as_ref().map_or(String::new(), |_| format!("WHERE ({key}) > ({places})"));
        let text = format!("SELECT {columns}, {key} FROM {} {after} ORDER BY {key} LIMIT {ROWS}", table.quoted());
        let (mut rows, is_last) = sqlite::part(source, &text, from.as_deref().unwrap_or_default(), ROWS, BYTES)?;
        let last = rows.last().map(|row| row.0.get(table.columns.len()..).unwrap_or_default().to_vec());
        rows.iter_mut().for_each(|row| row.0.truncate(table.columns.len()));
        let copied = match (is_last, &last) {
            (false, Some(key)) => CopyProgress::To(key.clone()),
            _ => CopyProgress::All,
        };
        // Nobody takes it where the writing failed; that is told there.
        if parts.send((rows, copied)).is_err() || is_last {
            return Ok(());
        }
        from = last;
    }
}

/// Writes rows, and their words where they are searched for.
fn write(target: &mut Conn, table: &Table, words: Option<FullText>, rows: &[Row]) -> anyhow::Result<()> {
    postgres::insert(postgres(target)?, table, rows)?;
    match words {
        Some(words) => put_words(target, table, words, rows),
        None => Ok(()),
    }
}

/// Stores the words of rows, as the service does.
pub(crate) fn put_words(conn: &mut Conn, table: &Table, words: FullText, rows: &[Row]) -> anyhow::Result<()> {
    let places = [table.place("tenant_id")?, table.place("number")?, table.place("title")?, table.place("content")?];
    for row in rows {
        let [tenant, number, title, content] = places.map(|place| row.0.get(place));
        let (
            Some(Value::Text(tenant)),
            Some(Value::Integer(number)),
            Some(Value::Text(title)),
            Some(Value::Text(content)),
        ) = (tenant, number, title, content)
        else {
            anyhow::bail!("a row of {} has no words", table.name);
        };
        words.put(conn, tenant, *number, title, content)?;
    }
    Ok(())
}

/// What a round of following did.
pub(crate) struct Round {
    /// The tables with the last note of each that it regarded.
    pub(crate) done: Vec<(Table, i64)>,
    /// How many rows were written.
    pub(crate) rows: u64,
}

/// Brings every row that was noted to what it is in the snapshot that is open in the source, and compares it then; in
/// the transaction that is open in the target. A row that is gone is deleted.
pub(crate) fn follow(
    source: &mut SqliteConnection,
    target: &mut Conn,
    tables: &[Table],
    words: &[FullText],
) -> anyhow::Result<Round> {
    let mut round = Round { done: Vec::new(), rows: 0 };
    for table in tables {
        let last = changes::last(source, table)?;
        if last > 0 {
            round.done.push((table.clone(), last));
        }
    }
    for (table, last) in &round.done {
        let keys = keys(table, *last);
        in_parts(source, &keys, |keys| postgres::delete(postgres(target)?, table, keys))?;
    }
    for (table, last) in &round.done {
        let (columns, same) = (table.columns("t."), table.same_key("t", "c"));
        // The order of the loops is said: first the few keys, then a row of each.
        let text = format!(
            "SELECT {columns} FROM ({}) AS c CROSS JOIN {} AS t WHERE {same}",
            keys(table, *last),
            table.quoted()
        );
        let words = words.iter().copied().find(|words| words.table == table.name);
        in_parts(source, &text, |rows| {
            round.rows += rows.len() as u64;
            write(target, table, words, rows)?;
            postgres::check(postgres(target)?, table, rows)
        })?;
    }
    Ok(round)
}

fn keys(table: &Table, last: i64) -> String {
    format!("SELECT DISTINCT {} FROM {} WHERE rowid <= {last}", table.key(""), table.log())
}

/// Hands on the rows of a query, some at a time.
pub(crate) fn in_parts(
    source: &mut SqliteConnection,
    text: &str,
    mut each: impl FnMut(&[Row]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let mut bytes = 0;
    sqlite::for_each(source, text, &[], |row| {
        bytes += row.size();
        rows.push(row);
        if rows.len() >= ROWS || bytes >= BYTES {
            each(&rows)?;
            rows.clear();
            bytes = 0;
        }
        Ok(())
    })?;
    if rows.is_empty() { Ok(()) } else { each(&rows) }
}

/// Does something in a transaction of the target.
pub(crate) fn in_transaction<T>(
    target: &mut Conn,
    f: impl FnOnce(&mut Conn) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    use diesel::connection::SimpleConnection as _;
    target.batch_execute("BEGIN")?;
    let done = f(target);
    let ended = target.batch_execute(if done.is_ok() { "COMMIT" } else { "ROLLBACK" });
    let done = done?;
    ended.context("committing to the target")?;
    Ok(done)
}
