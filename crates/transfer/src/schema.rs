//! The tables that both databases have, read off their schemas.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
pub(crate) use db::{MOVE_LOG as LOG, MOVE_SOURCE as SOURCE};
use diesel::{
    PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query,
    sql_types::{BigInt, Bool, Text},
};

use crate::value::Kind;

/// What the migrations note, which each database does by itself.
const MIGRATIONS: &str = "__diesel_schema_migrations";

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// A table whose rows are moved.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    /// The places of the columns of its primary key on Postgres.
    pub(crate) key: Vec<usize>,
    /// On SQLite its rows have a `rowid`, in the order of which they are read.
    pub(crate) has_rowid: bool,
    /// The column that the database counts, if there is one.
    pub(crate) counted: Option<String>,
}

#[derive(QueryableByName)]
struct SqliteTable {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Bool)]
    has_rowid: bool,
}

#[derive(QueryableByName)]
struct FoundColumn {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    kind: String,
    /// From 1, in the primary key; 0 outside.
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Bool)]
    is_counted: bool,
}

const POSTGRES_COLUMNS: &str = "SELECT a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS kind, \
    coalesce(array_position(i.indkey::int2[], a.attnum), -1)::bigint + 1 AS place, \
    pg_get_serial_sequence(quote_ident($1), a.attname) IS NOT NULL AS is_counted \
    FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary \
    WHERE a.attrelid = to_regclass(quote_ident($1)) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";

const SQLITE_COLUMNS: &str = "SELECT name, type AS kind, CAST(pk AS BIGINT) AS place, FALSE AS is_counted \
    FROM pragma_table_info(?)";

/// The tables that are moved, by name: those of SQLite but for `caches`, which each database fills for itself.
///
/// # Errors
/// When a table or a column of one database is missing in the other, or of another type.
pub(crate) fn tables(
    sqlite: &mut SqliteConnection,
    postgres: &mut PgConnection,
    caches: &[&str],
) -> anyhow::Result<Vec<Table>> {
    let names = sqlite_tables(sqlite)?.into_iter().filter(|table| !caches.contains(&table.name.as_str()));
    let mut tables = Vec::new();
    for SqliteTable { name, has_rowid } in names {
        let here: Vec<FoundColumn> = sql_query(SQLITE_COLUMNS).bind::<Text, _>(&name).load(sqlite)?;
        let there: Vec<FoundColumn> = sql_query(POSTGRES_COLUMNS).bind::<Text, _>(&name).load(postgres)?;
        let table = table(name.clone(), has_rowid, &here, &there);
        tables.push(table.with_context(|| format!("the table {name}"))?);
    }
    Ok(tables)
}

/// All tables of the service in a SQLite file, those of a move apart.
fn sqlite_tables(sqlite: &mut SqliteConnection) -> anyhow::Result<Vec<SqliteTable>> {
    let text = "SELECT name, NOT wr AS has_rowid FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
                ORDER BY name";
    let found: Vec<SqliteTable> = sql_query(text).load(sqlite)?;
    let ours = |name: &str| {
        let of_sqlite = name.starts_with("sqlite_") || name == MIGRATIONS;
        !of_sqlite && !name.starts_with(LOG) && name != SOURCE && name != db::MOVED_TO
    };
    Ok(found.into_iter().filter(|table| ours(&table.name)).collect())
}

/// The names of all tables of the service in a SQLite file.
pub(crate) fn names(sqlite: &mut SqliteConnection) -> anyhow::Result<Vec<String>> {
    Ok(sqlite_tables(sqlite)?.into_iter().map(|table| table.name).collect())
}

fn table(name: String, has_rowid: bool, here: &[FoundColumn], there: &[FoundColumn]) -> anyhow::Result<Table> {
    let mut others: BTreeMap<&str, &FoundColumn> = there.iter().map(|column| (column.name.as_str(), column)).collect();
    // The index of words is a column there; it is made anew.
    others.retain(|_, column| column.kind != "tsvector");
    let mut columns = Vec::new();
    let mut key = Vec::new();
    let mut counted = None;
    for (index, column) in here.iter().enumerate() {
        let Some(other) = others.remove(column.name.as_str()) else {
            bail!("Postgres has no column {}: are both databases of the same version?", column.name);
        };
        let kind = Kind::of_sqlite(&column.kind).filter(|kind| Kind::of_postgres(&other.kind) == Some(*kind));
        let Some(kind) = kind else {
            bail!("{} is {} in SQLite and {} in Postgres", column.name, column.kind, other.kind);
        };
        if other.place > 0 {
            key.push((other.place, index));
        }
        if other.is_counted {
            counted = Some(column.name.clone());
        }
        columns.push(Column { name: column.name.clone(), kind });
    }
    if let Some(more) = others.keys().next() {
        bail!("SQLite has no column {more}: are both databases of the same version?");
    }
    if key.is_empty() {
        bail!("it has no primary key");
    }
    key.sort_unstable();
    let key = key.into_iter().map(|(_, index)| index).collect();
    Ok(Table { name, columns, key, has_rowid, counted })
}

/// A name as both databases take it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Table {
    pub(crate) fn quoted(&self) -> String {
        quoted(&self.name)
    }

    /// Where changes of it are noted in the source.
    pub(crate) fn log(&self) -> String {
        quoted(&format!("{LOG}{}", self.name))
    }

    /// Its columns, each behind a prefix such as `t.`.
    pub(crate) fn columns(&self, prefix: &str) -> String {
        listed(self.columns.iter().map(|column| format!("{prefix}{}", quoted(&column.name))))
    }

    /// The columns of its key, each behind a prefix.
    pub(crate) fn key(&self, prefix: &str) -> String {
        listed(self.key_names().map(|name| format!("{prefix}{}", quoted(name))))
    }

    pub(crate) fn key_names(&self) -> impl Iterator<Item = &str> {
        self.key.iter().filter_map(|index| self.columns.get(*index)).map(|column| column.name.as_str())
    }

    pub(crate) fn key_kinds(&self) -> Vec<Kind> {
        self.key.iter().filter_map(|index| self.columns.get(*index)).map(|column| column.kind).collect()
    }

    /// The condition that a row of `one` and a row of `other` have the same key.
    pub(crate) fn same_key(&self, one: &str, other: &str) -> String {
        let equal = |name: &str| format!("{one}.{name} = {other}.{name}", name = quoted(name));
        self.key_names().map(equal).collect::<Vec<_>>().join(" AND ")
    }

    /// The place of a column.
    pub(crate) fn place(&self, name: &str) -> anyhow::Result<usize> {
        let place = self.columns.iter().position(|column| column.name == name);
        place.with_context(|| format!("the table {} has no column {name}", self.name))
    }
}

pub(crate) fn listed(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: &str, place: i64) -> FoundColumn {
        FoundColumn { name: name.to_owned(), kind: kind.to_owned(), place, is_counted: name == "seq" }
    }

    #[test]
    fn a_table_has_the_same_columns_on_both_databases() {
        let here = [column("seq", "INTEGER", 1), column("tenant_id", "TEXT", 0), column("packed", "BYTEA", 0)];
        let mut there = vec![
            column("tenant_id", "text", 1),
            column("seq", "bigint", 2),
            column("packed", "bytea", 0),
            column("words", "tsvector", 0),
        ];
        let found = table("events".to_owned(), true, &here, &there).unwrap();
        assert_eq!(found.key(""), "\"tenant_id\", \"seq\"");
        assert_eq!(found.counted.as_deref(), Some("seq"));
        assert_eq!(found.same_key("t", "c"), "t.\"tenant_id\" = c.\"tenant_id\" AND t.\"seq\" = c.\"seq\"");
        there.push(column("more", "text", 0));
        let more = table("events".to_owned(), true, &here, &there).unwrap_err().to_string();
        assert!(more.contains("SQLite has no column more"), "{more}");
        there.pop();
        there[2].kind = "text".to_owned();
        let other = table("events".to_owned(), true, &here, &there).unwrap_err().to_string();
        assert_eq!(other, "packed is BYTEA in SQLite and text in Postgres");
    }
}
