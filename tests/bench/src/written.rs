//! The rows that a server wrote, in its SQLite file or on Postgres, and the loop that inserts them again into an empty
//! copy of the tables: prepared statements, and what belongs together in a transaction.
//!
//! On SQLite the loop calls the library. On Postgres it is psql, which sends an `EXECUTE` for each row and waits for
//! its answer; the time is what the server saw between the first and the last.

use std::{collections::HashSet, fmt::Write as _, path::Path, time::Instant};

use anyhow::{Context as _, Result};
use muster_tests::fresh_database;

use crate::{
    copies, moved, seed,
    sqlite::{Database, Row, Value},
};

/// As the server sets them.
const PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
     PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 67108864;";

/// A database, wherever it is.
pub enum LoopDatabase {
    /// In a SQLite file.
    File(Database),
    /// On Postgres, at this URL.
    Postgres(String),
}

/// What belongs together: statements by their numbers, and a row for each.
pub type Transaction<'r> = Vec<(usize, &'r Row)>;

/// Rows that are known, by their keys.
#[derive(Default)]
pub struct KnownRows(HashSet<Vec<String>>);

impl LoopDatabase {
    /// That of a data directory.
    pub fn open(directory: &Path) -> Result<Self> {
        match moved::is_on() {
            true => Ok(Self::Postgres(moved::url(directory))),
            false => Database::open(&seed::database(directory)).map(Self::File),
        }
    }

    /// Runs statements that both understand.
    pub fn execute(&self, sql: &str) -> Result<()> {
        match self {
            Self::File(database) => database.execute(sql),
            Self::Postgres(url) => moved::run(url, sql).map(drop),
        }
    }

    /// All rows of a query that both understand.
    pub fn rows(&self, sql: &str) -> Result<Vec<Row>> {
        match self {
            Self::File(database) => database.rows(sql, &[]),
            Self::Postgres(url) => moved::rows(url, sql),
        }
    }

    /// The first column of a query that both understand.
    pub fn texts(&self, sql: &str) -> Result<Vec<String>> {
        Ok(self.rows(sql)?.iter().filter_map(|row| row.first()).map(|value| value.as_text().to_owned()).collect())
    }

    /// The tables.
    pub fn tables(&self) -> Result<Vec<String>> {
        let sql = match self {
            Self::File(_) => {
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'"
            }
            Self::Postgres(_) => "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
        };
        Ok(self.texts(sql)?.into_iter().filter(|name| !name.starts_with('_')).collect())
    }

    /// The columns of a table.
    pub fn columns(&self, table: &str) -> Result<Vec<String>> {
        match self {
            Self::File(database) => copies::columns(database, table),
            Self::Postgres(_) => self.texts(&format!(
                "SELECT column_name FROM information_schema.columns \
                 WHERE table_schema = 'public' AND table_name = '{table}' ORDER BY ordinal_position"
            )),
        }
    }

    /// The tables that have rows of resources, `resources` first.
    pub fn tables_of_resources(&self) -> Result<Vec<String>> {
        match self {
            Self::File(database) => copies::tables_of_resources(database),
            Self::Postgres(_) => self.texts(
                "SELECT t.table_name FROM information_schema.tables t WHERE t.table_schema = 'public' AND EXISTS \
                 (SELECT 1 FROM information_schema.columns c WHERE c.table_schema = 'public' \
                 AND c.table_name = t.table_name AND c.column_name = 'tenant_id') \
                 AND (t.table_name = 'resources' OR EXISTS (SELECT 1 FROM information_schema.columns c \
                 WHERE c.table_schema = 'public' AND c.table_name = t.table_name AND c.column_name = 'resource_id')) \
                 AND NOT EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = to_regclass(t.table_name)) \
                 AND t.table_name <> 'resource_changes' ORDER BY t.table_name <> 'resources', t.table_name",
            ),
        }
    }

    /// The statement that inserts a row into a table.
    pub fn insertion(&self, table: &str) -> Result<String> {
        Ok(copies::insertion(table, self.columns(table)?.len()))
    }

    /// The rows of a table that are not known, about in the order in which they were written; then they are.
    pub fn added(&self, table: &str, known: &mut KnownRows) -> Result<Vec<Row>> {
        let (order, key) = match self {
            Self::File(_) => ("rowid", format!("SELECT name FROM pragma_table_info('{table}') WHERE pk > 0")),
            Self::Postgres(_) => (
                "ctid",
                format!(
                    "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey) \
                     WHERE indrelid = '{table}'::regclass AND indisprimary"
                ),
            ),
        };
        let columns = self.columns(table)?;
        let key = self.texts(&key)?;
        let places: Vec<usize> = (0..columns.len()).filter(|place| key.contains(&columns[*place])).collect();
        let mut rows = self.rows(&format!("SELECT * FROM {table} ORDER BY {order}"))?;
        rows.retain(|row| known.0.insert(places.iter().map(|place| format!("{:?}", row[*place])).collect()));
        Ok(rows)
    }

    /// An empty database with the same tables and indexes, in this file when it is SQLite's.
    pub fn empty_copy(&self, file: &Path) -> Result<Self> {
        match self {
            Self::File(original) => {
                let copy = Database::open(file)?;
                copy.execute(PRAGMAS)?;
                // A virtual table makes its own tables, whose names stand in quotes.
                let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL \
                     AND name NOT LIKE 'sqlite@_%' ESCAPE '@' AND sql NOT LIKE 'CREATE TABLE ''%' \
                     ORDER BY type = 'index'";
                for sql in original.texts(sql, &[])? {
                    copy.execute(&sql)?;
                }
                Ok(Self::File(copy))
            }
            Self::Postgres(original) => {
                let copy = fresh_database();
                moved::run(&copy, &moved::dump(original, &["--schema-only"])?)?;
                Ok(Self::Postgres(copy))
            }
        }
    }

    /// A copy of all of it, in this file when it is SQLite's.
    pub fn copy(&self, file: &Path) -> Result<Self> {
        match self {
            Self::File(original) => {
                original.execute(&format!("VACUUM INTO '{}'", file.display()))?;
                Database::open(file).map(Self::File)
            }
            Self::Postgres(original) => {
                let copy = fresh_database();
                moved::run(&copy, &moved::dump(original, &[])?)?;
                Ok(Self::Postgres(copy))
            }
        }
    }

    /// Runs these transactions of prepared statements, in which `?` stands for a value; gives the seconds.
    pub fn insert(&self, statements: &[String], transactions: &[Transaction<'_>]) -> Result<f64> {
        let database = match self {
            Self::File(database) => database,
            Self::Postgres(url) => return insert_on_postgres(url, statements, transactions),
        };
        let mut prepared = statements.iter().map(|sql| database.prepare(sql)).collect::<Result<Vec<_>>>()?;
        let mut begin = database.prepare("BEGIN IMMEDIATE")?;
        let mut commit = database.prepare("COMMIT")?;
        let begun = Instant::now();
        for transaction in transactions {
            begin.run(&[])?;
            for (statement, row) in transaction {
                prepared[*statement].run(row)?;
            }
            commit.run(&[])?;
        }
        Ok(begun.elapsed().as_secs_f64())
    }
}

fn insert_on_postgres(url: &str, statements: &[String], transactions: &[Transaction<'_>]) -> Result<f64> {
    const NOW: &str = "SELECT extract(epoch FROM clock_timestamp());\n";
    let mut script = String::new();
    for (number, sql) in statements.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(script, "PREPARE insertion_{number} AS {};", numbered(sql));
    }
    script.push_str(NOW);
    for transaction in transactions {
        script.push_str("BEGIN;\n");
        for (statement, row) in transaction {
            let values: Vec<String> = row.iter().map(literal).collect();
            let _ = writeln!(script, "EXECUTE insertion_{statement}({});", values.join(", "));
        }
        script.push_str("COMMIT;\n");
    }
    script.push_str(NOW);
    let printed = moved::run(url, &script)?;
    let times = printed.lines().map(|line| line.trim().parse::<f64>()).collect::<Result<Vec<_>, _>>();
    let times = times.with_context(|| format!("psql printed {printed:.200}"))?;
    let [first, last] = times[..] else { anyhow::bail!("psql printed {printed:.200}") };
    Ok(last - first)
}

/// The same statement with `$1` for the first `?`, and so on.
fn numbered(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len() * 2);
    for (number, piece) in sql.split('?').enumerate() {
        if number > 0 {
            let _ = write!(text, "${number}");
        }
        text.push_str(piece);
    }
    text
}

/// A value as Postgres reads it, whatever type its column has.
fn literal(value: &Value<'_>) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => format!("'{number}'"),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("'\\x{digits}'")
        }
    }
}
