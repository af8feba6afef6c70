//! Rows of any table of SQLite.

use diesel::{
    RunQueryDsl,
    connection::{DefaultLoadingMode, SimpleConnection as _},
    query_builder::{BoxedSqlQuery, SqlQuery},
    sql_query,
    sql_types::{BigInt, Binary, Nullable, Text},
    sqlite::{Sqlite, SqliteConnection},
};

use crate::{
    schema::{Table, listed},
    value::{Row, Value},
};

type Query<'q> = BoxedSqlQuery<'q, Sqlite, SqlQuery>;

/// A statement has at most so many rows, and so many values.
const ROWS: usize = 200;
const VALUES: usize = 8_000;

fn bind<'q>(query: Query<'q>, value: &'q Value) -> Query<'q> {
    match value {
        Value::Null => query.bind::<Nullable<Text>, _>(None::<&str>),
        Value::Integer(number) => query.bind::<BigInt, _>(*number),
        Value::Text(text) => query.bind::<Text, _>(text.as_str()),
        Value::Bytes(bytes) => query.bind::<Binary, _>(bytes.as_slice()),
    }
}

/// Calls `each` with every row of a query.
pub(crate) fn for_each(
    conn: &mut SqliteConnection,
    text: &str,
    values: &[Value],
    mut each: impl FnMut(Row) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let query = values.iter().fold(sql_query(text).into_boxed::<Sqlite>(), bind);
    for row in RunQueryDsl::load_iter::<Row, DefaultLoadingMode>(query, conn)? {
        each(row?)?;
    }
    Ok(())
}

/// The first rows of a query: as many as these, of about as many bytes, and whether there are no more.
pub(crate) fn part(
    conn: &mut SqliteConnection,
    text: &str,
    values: &[Value],
    most: usize,
    bytes: usize,
) -> anyhow::Result<(Vec<Row>, bool)> {
    let query = values.iter().fold(sql_query(text).into_boxed::<Sqlite>(), bind);
    let mut rows: Vec<Row> = Vec::new();
    let mut size = 0;
    for row in RunQueryDsl::load_iter::<Row, DefaultLoadingMode>(query, conn)? {
        let row = row?;
        size += row.size();
        rows.push(row);
        if size >= bytes {
            return Ok((rows, false));
        }
    }
    let is_last = rows.len() < most;
    Ok((rows, is_last))
}

/// The first value of the first row, if there is one that is an integer.
pub(crate) fn integer(conn: &mut SqliteConnection, text: &str) -> anyhow::Result<Option<i64>> {
    let mut found = None;
    for_each(conn, text, &[], |row| {
        if let (None, Some(Value::Integer(number))) = (found, row.0.first()) {
            found = Some(*number);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The first value of the first row as a text.
pub(crate) fn text(conn: &mut SqliteConnection, text: &str) -> anyhow::Result<Option<String>> {
    let mut found = None;
    for_each(conn, text, &[], |Row(values)| {
        if let (None, Some(Value::Text(text))) = (&found, values.into_iter().next()) {
            found = Some(text);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Inserts rows that are not there.
pub(crate) fn insert(conn: &mut SqliteConnection, table: &Table, rows: &[Row]) -> anyhow::Result<()> {
    let columns = table.columns.len();
    let places = format!("({})", listed((0..columns).map(|_| "?".to_owned())));
    for rows in rows.chunks(ROWS.min(VALUES / columns.max(1)).max(1)) {
        let all = listed(rows.iter().map(|_| places.clone()));
        let text = format!("INSERT INTO {} ({}) VALUES {all}", table.quoted(), table.columns(""));
        let values = rows.iter().flat_map(|row| &row.0);
        values.fold(sql_query(text).into_boxed::<Sqlite>(), bind).execute(conn)?;
    }
    Ok(())
}

/// Reads as of one instant, until the end of `f`.
pub(crate) fn snapshot<T>(
    conn: &mut SqliteConnection,
    f: impl FnOnce(&mut SqliteConnection) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    conn.batch_execute("BEGIN")?;
    let done = f(conn);
    conn.batch_execute("ROLLBACK")?;
    done
}
