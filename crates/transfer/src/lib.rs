//! `muster move`: all rows of a service from its SQLite file to an empty Postgres, while it runs; and from Postgres
//! into a new SQLite file.
//!
//! Tables and columns are read off the schemas, so that no domain is named here. A move copies all tables in parts
//! ([`rows`]) while triggers note in the source what changes ([`changes`]), writes again what was noted until little is
//! left, and compares both databases as of one instant ([`compare`]). Then it takes the lock of the writer, writes the
//! last rows, and ends the writes to the source ([`switch`]). What it has done it notes in the target ([`progress`]),
//! in the transactions that do it: after a kill the next run goes on from there.

mod backward;
mod changes;
mod compare;
mod definitions;
mod forward;
mod hash;
mod postgres;
mod progress;
mod rows;
mod schema;
mod sqlite;
mod steps;
mod switch;
mod value;
mod version;

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use db::{Backend, DatabaseUrl, FullText, Migrations};
use diesel::connection::SimpleConnection as _;

/// Options of `muster move`.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The empty Postgres database to move to, while the service runs
    #[arg(long, env = "MUSTER_MOVE_TO", value_name = "URL", hide_env_values = true,
        required_unless_present_any = ["from", "cancel"], conflicts_with_all = ["from", "cancel"])]
    pub to: Option<DatabaseUrl>,
    /// The Postgres database to copy into the data directory, which has no database yet
    #[arg(long, env = "MUSTER_MOVE_FROM", value_name = "URL", hide_env_values = true)]
    pub from: Option<DatabaseUrl>,
    /// Give up a move that is under way, so that the service stops noting what changes
    #[arg(long, conflicts_with = "from")]
    pub cancel: bool,
    /// Only compare the two databases, table by table
    #[arg(long, conflicts_with = "cancel")]
    pub check: bool,
}

/// What the service keeps in its database.
pub struct Contents {
    /// Those of all domains.
    pub migrations: Vec<Migrations>,
    /// The tables whose rows are found by their words.
    pub words: Vec<FullText>,
    /// The tables that each database fills for itself, and that are not moved.
    pub caches: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    /// The databases differ.
    Different,
}

/// `muster move`: `database` is that of the data directory. Ends with 0 when everything moved (or is equal), with 2
/// when the databases differ, with 1 on a failure.
pub fn run(database: &DatabaseUrl, options: &Options, contents: &Contents) -> ExitCode {
    match carry_out(database, options, contents) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Different) => ExitCode::from(2),
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn carry_out(database: &DatabaseUrl, options: &Options, contents: &Contents) -> anyhow::Result<Outcome> {
    let DatabaseUrl::Sqlite(path) = database else {
        bail!("name the data directory of the SQLite database with --data-dir, and no --database-url");
    };
    let other = options.to.as_ref().or(options.from.as_ref());
    if other.is_some_and(|other| other.backend() != Backend::Postgres) {
        bail!("the other database is one of Postgres: postgres://…");
    }
    let is_copy = options.from.is_some() && !options.check;
    if !is_copy && !path.exists() {
        bail!("there is no database {}", path.display());
    }
    match (&options.to, &options.from) {
        (Some(other), _) | (_, Some(other)) if options.check => check(database, other, contents),
        (Some(to), _) => forward::run(database, to, contents),
        (_, Some(from)) => backward::run(from, path, contents),
        (None, None) => cancel(database),
    }
}

/// Compares the two as they are.
fn check(sqlite: &DatabaseUrl, postgres: &DatabaseUrl, contents: &Contents) -> anyhow::Result<Outcome> {
    version::check(sqlite, contents).context("the data directory")?;
    version::check(postgres, contents).context("the other database")?;
    let mut here = db::connect(sqlite)?;
    let mut there = db::connect(postgres)?;
    rows::postgres(&mut there.conn)?.batch_execute(postgres::SESSION)?;
    let tables = schema::tables(rows::sqlite(&mut here.conn)?, rows::postgres(&mut there.conn)?, &contents.caches)?;
    here.conn.batch_execute("BEGIN")?;
    let compared = compare::all(&mut here.conn, &mut there.conn, &tables);
    here.conn.batch_execute("ROLLBACK")?;
    Ok(if compare::report(&compared?) == 0 { Outcome::Done } else { Outcome::Different })
}

/// Gives up a move.
fn cancel(database: &DatabaseUrl) -> anyhow::Result<Outcome> {
    let mut source = db::connect(database)?;
    let source = rows::sqlite(&mut source.conn)?;
    if let Some(moved) = changes::moved(source)? {
        bail!("the data of this file has moved to {}: it is too late to give that up", moved.url);
    }
    let mark = changes::under_way(source)?.context("no move is under way from this database")?;
    changes::cancel(source)?;
    say(&format!("the move to {} is given up: that database is of no use", mark.url));
    Ok(Outcome::Done)
}

/// Tells the person at the terminal how it goes.
#[expect(clippy::print_stdout, reason = "the output of the command")]
fn say(text: &str) {
    println!("{text}");
}

/// Tells why it did not work.
#[expect(clippy::print_stderr, reason = "the output of the command")]
fn complain(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}
