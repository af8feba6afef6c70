//! The declaration by which a domain limits how long its rows are kept.

use db::{Conn, Result};

/// Rows that are not kept for ever.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// What they are called in metrics and in the log, such as `audit`.
    pub kind: &'static str,
    /// How long they are kept.
    pub keep: Keep,
    /// How many of them a tenant has at most; the oldest beyond go first. [`None`] for any number.
    pub most: Option<i64>,
    /// Their table. It has a column `tenant_id`, and an index of it that goes on with [`since`](Self::since).
    pub table: &'static str,
    /// What tells the rows of a tenant apart, as an SQL expression that is a text.
    pub id: &'static str,
    /// Since when they age: a column with milliseconds.
    pub since: &'static str,
    /// Which rows age, as an SQL condition in the words of the index.
    pub only: &'static str,
    /// Removes them, where that takes more than to delete the rows.
    pub remove: Option<Remove>,
}

impl Retention {
    /// Rows of a table that has a column `id`: all age, and nothing belongs to them.
    pub const fn of(table: &'static str, since: &'static str, keep_ms: i64) -> Self {
        let keep = Keep::Millis(keep_ms);
        Self { kind: table, keep, most: None, table, id: "id", since, only: "1 = 1", remove: None }
    }
}

/// Removes the rows of a tenant with these ids, and what belongs to them; answers how many of them are gone, from the
/// first on. One to which more belongs than the last argument says, in rows, loses so much of it and stays for the
/// next time.
pub type Remove = fn(&mut Conn, &str, &[String], usize) -> Result<usize>;

/// How long rows are kept.
#[derive(Clone, Copy, Debug)]
pub enum Keep {
    /// As long as an option of the command line says.
    Setting(Setting),
    /// For so many milliseconds.
    Millis(i64),
}

/// An option of the command line: a number of days, 0 for ever.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name, such as `keep-audit`.
    pub option: &'static str,
    /// Its environment variable, such as `MUSTER_KEEP_AUDIT`.
    pub variable: &'static str,
    /// What it says without being given.
    pub days: u32,
    /// What it is, for `--help`.
    pub help: &'static str,
}
