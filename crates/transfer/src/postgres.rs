//! Rows of any table of Postgres.

use anyhow::{Context as _, bail};
use diesel::{
    PgConnection, RunQueryDsl,
    connection::SimpleConnection as _,
    pg::Pg,
    query_builder::{BoxedSqlQuery, SqlQuery},
    sql_query,
    sql_types::{Array, BigInt, Binary, Bool, Nullable, Text},
};

use crate::{
    hash::Hash,
    schema::{Table, listed, quoted},
    value::{Kind, Row, Value},
};

type Query<'q> = BoxedSqlQuery<'q, Pg, SqlQuery>;

/// Rows that one round trip brings at most, and about how many bytes.
const BATCH: usize = 2_000;
const BYTES: usize = 4 << 20;

/// A session that may take its time, and whose commits wait for the disk only when that is said.
pub(crate) const SESSION: &str = "SET statement_timeout = 0; SET lock_timeout = '30s'; SET synchronous_commit = off; \
    SET maintenance_work_mem = '128MB'; SET enable_hashjoin = off; SET enable_mergejoin = off";

/// The values of each column as an array, one after the other.
fn bind<'q>(query: Query<'q>, kinds: &[Kind], rows: &[Vec<&'q Value>]) -> Query<'q> {
    let mut query = query;
    for (index, kind) in kinds.iter().enumerate() {
        let column = || rows.iter().map(move |row| row.get(index).copied().unwrap_or(&Value::Null));
        query = match kind {
            Kind::Integer => query.bind::<Array<Nullable<BigInt>>, _>(column().map(integer).collect::<Vec<_>>()),
            Kind::Boolean => {
                let values = column().map(|value| integer(value).map(|number| number != 0));
                query.bind::<Array<Nullable<Bool>>, _>(values.collect::<Vec<_>>())
            }
            Kind::Text => query.bind::<Array<Nullable<Text>>, _>(column().map(text).collect::<Vec<_>>()),
            Kind::Bytes => query.bind::<Array<Nullable<Binary>>, _>(column().map(bytes).collect::<Vec<_>>()),
        };
    }
    query
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(number) => Some(*number),
        _ => None,
    }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// `unnest($1::text[], $2::bigint[])`: the rows that [`bind`] binds.
fn unnest(kinds: &[Kind]) -> String {
    let arrays = kinds.iter().enumerate().map(|(index, kind)| format!("${}::{}[]", index + 1, kind.in_postgres()));
    format!("unnest({})", listed(arrays))
}

/// Inserts rows. One whose key is there already stays as it is.
pub(crate) fn insert(conn: &mut PgConnection, table: &Table, rows: &[Row]) -> anyhow::Result<()> {
    for row in rows {
        for (column, value) in table.columns.iter().zip(&row.0) {
            value.check(column.kind).with_context(|| {
                let key: Vec<_> = key_of(table, row).into_iter().map(Value::to_json).collect();
                format!("{}.{} of the row {}", table.name, column.name, serde_json::Value::from(key))
            })?;
        }
    }
    let kinds: Vec<Kind> = table.columns.iter().map(|column| column.kind).collect();
    let columns = table.columns("");
    let text =
        format!("INSERT INTO {} ({columns}) SELECT * FROM {} ON CONFLICT DO NOTHING", table.quoted(), unnest(&kinds));
    let rows: Vec<Vec<&Value>> = rows.iter().map(|row| row.0.iter().collect()).collect();
    bind(sql_query(text).into_boxed(), &kinds, &rows).execute(conn)?;
    Ok(())
}

/// Deletes the rows of these keys.
pub(crate) fn delete(conn: &mut PgConnection, table: &Table, keys: &[Row]) -> anyhow::Result<()> {
    let kinds = table.key_kinds();
    let text = format!(
        "DELETE FROM {} AS t USING {} AS c ({}) WHERE {}",
        table.quoted(),
        unnest(&kinds),
        table.key(""),
        table.same_key("t", "c")
    );
    let keys: Vec<Vec<&Value>> = keys.iter().map(|row| row.0.iter().collect()).collect();
    bind(sql_query(text).into_boxed(), &kinds, &keys).execute(conn)?;
    Ok(())
}

/// Refuses when the rows of these keys are not these rows.
pub(crate) fn check(conn: &mut PgConnection, table: &Table, rows: &[Row]) -> anyhow::Result<()> {
    let kinds = table.key_kinds();
    let text = format!(
        "SELECT {} FROM {} AS c ({}) JOIN {} AS t ON {}",
        table.columns("t."),
        unnest(&kinds),
        table.key(""),
        table.quoted(),
        table.same_key("t", "c")
    );
    let keys: Vec<Vec<&Value>> = rows.iter().map(|row| key_of(table, row)).collect();
    let found: Vec<Row> = bind(sql_query(text).into_boxed(), &kinds, &keys).load(conn)?;
    let of = |rows: &[Row]| {
        let mut hash = Hash::default();
        rows.iter().for_each(|row| hash.add(row));
        hash
    };
    if of(&found) != of(rows) {
        bail!("rows of {} are not what was written", table.name);
    }
    Ok(())
}

fn key_of<'r>(table: &Table, row: &'r Row) -> Vec<&'r Value> {
    table.key.iter().filter_map(|place| row.0.get(*place)).collect()
}

/// Calls `each` with every row of a table, in the transaction that is open.
pub(crate) fn for_each(
    conn: &mut PgConnection,
    table: &Table,
    mut each: impl FnMut(Row) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let columns = table.columns("");
    conn.batch_execute(&format!("DECLARE move NO SCROLL CURSOR FOR SELECT {columns} FROM {}", table.quoted()))?;
    // As many as those before would have been of these bytes: some tables have long texts.
    let mut batch = BATCH / 20;
    loop {
        let rows: Vec<Row> = sql_query(format!("FETCH {batch} FROM move")).load(conn)?;
        let is_last = rows.len() < batch;
        let size: usize = rows.iter().map(Row::size).sum();
        batch = (BYTES * rows.len() / size.max(1)).clamp(1, BATCH);
        rows.into_iter().try_for_each(&mut each)?;
        if is_last {
            break;
        }
    }
    conn.batch_execute("CLOSE move")?;
    Ok(())
}

/// Does something in a transaction, which ends with a rollback when that fails.
pub(crate) fn transaction<T>(
    conn: &mut PgConnection,
    begin: &str,
    f: impl FnOnce(&mut PgConnection) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    conn.batch_execute(begin)?;
    let done = f(conn);
    conn.batch_execute(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    done
}

/// The first of these tables that has a row.
pub(crate) fn first_with_rows(conn: &mut PgConnection, tables: &[Table]) -> anyhow::Result<Option<String>> {
    for table in tables {
        let text = format!("SELECT 1::bigint FROM {} LIMIT 1", quoted(&table.name));
        if !sql_query(text).load::<Row>(conn)?.is_empty() {
            return Ok(Some(table.name.clone()));
        }
    }
    Ok(None)
}

/// The texts of a query's first column.
pub(crate) fn texts(conn: &mut PgConnection, text: &str) -> anyhow::Result<Vec<String>> {
    let rows: Vec<Row> = sql_query(text).load(conn)?;
    let first = rows.into_iter().filter_map(|Row(values)| values.into_iter().next());
    Ok(first.filter_map(|value| if let Value::Text(text) = value { Some(text) } else { None }).collect())
}
