//! The comparison of all tables of two databases.

use std::thread;

use db::Conn;
use diesel::{PgConnection, SqliteConnection};

use crate::{
    hash::Hash,
    postgres,
    rows::{postgres as to_postgres, sqlite as to_sqlite},
    say,
    schema::Table,
};

/// How a table compares.
pub(crate) struct Comparison {
    table: String,
    source: Hash,
    target: Hash,
}

/// Reads all tables of both, side by side; of SQLite in the transaction that is open.
pub(crate) fn all(sqlite: &mut Conn, postgres: &mut Conn, tables: &[Table]) -> anyhow::Result<Vec<Comparison>> {
    thread::scope(|scope| {
        let others = scope.spawn(|| of_postgres(to_postgres(postgres)?, tables));
        let here = of_sqlite(to_sqlite(sqlite)?, tables);
        let others = others.join().map_err(|_| anyhow::anyhow!("the comparison failed"))??;
        Ok(pairs(tables, here?, others))
    })
}

/// What is read of each table, side by side.
pub(crate) fn pairs(tables: &[Table], source: Vec<Hash>, target: Vec<Hash>) -> Vec<Comparison> {
    let pairs = tables.iter().zip(source.into_iter().zip(target));
    pairs.map(|(table, (source, target))| Comparison { table: table.name.clone(), source, target }).collect()
}

/// The hash of each table, in the transaction that is open.
pub(crate) fn of_sqlite(conn: &mut SqliteConnection, tables: &[Table]) -> anyhow::Result<Vec<Hash>> {
    let of = |table: &Table| {
        let mut hash = Hash::default();
        let text = format!("SELECT {} FROM {}", table.columns(""), table.quoted());
        crate::sqlite::for_each(conn, &text, &[], |row| {
            hash.add(&row);
            Ok(())
        })?;
        Ok(hash)
    };
    tables.iter().map(of).collect()
}

fn of_postgres(conn: &mut PgConnection, tables: &[Table]) -> anyhow::Result<Vec<Hash>> {
    postgres::transaction(conn, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", |conn| {
        let of = |table: &Table| {
            let mut hash = Hash::default();
            postgres::for_each(conn, table, |row| {
                hash.add(&row);
                Ok(())
            })?;
            Ok(hash)
        };
        tables.iter().map(of).collect()
    })
}

/// Prints a line for each table: its rows, its hash, and whether both databases have the same. Gives how many differ.
pub(crate) fn report(all: &[Comparison]) -> usize {
    let width = all.iter().map(|one| one.table.len()).max().unwrap_or_default();
    for Comparison { table, source, target } in all {
        if source == target {
            say(&format!("equal      {table:width$}  {:>10} rows  {source}", source.rows));
        } else {
            say(&format!("DIFFERENT  {table:width$}  {:>10} rows  {source}", source.rows));
            say(&format!("           {:width$}  {:>10} rows  {target}", "", target.rows));
        }
    }
    let rows: u64 = all.iter().map(|one| one.source.rows).sum();
    let different = all.iter().filter(|one| one.source != one.target).count();
    say(&format!("{} tables with {rows} rows compared: {different} differ", all.len()));
    different
}
