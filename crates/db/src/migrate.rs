//! Each domain brings its own migrations; they share one table, so each version starts with the domain's name.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use diesel::{
    QueryableByName, RunQueryDsl,
    connection::SimpleConnection as _,
    sql_query,
    sql_types::{BigInt, Nullable, Text},
};

use crate::{
    Backfill, Conn, Error, Partitioned, Result,
    migration_text::{in_transaction, on_sqlite},
};

/// The migrations of one domain, for both backends; made by [`migrations!`](crate::migrations).
#[derive(Clone, Copy)]
pub struct Migrations {
    /// The domain; every version starts with it.
    pub domain: &'static str,
    /// In their order.
    pub all: &'static [MigrationTexts],
    /// What is filled in the background afterwards.
    pub backfills: &'static [Backfill],
    /// The tables that Postgres keeps in partitions by month.
    pub partitioned: &'static [Partitioned],
}

impl Migrations {
    /// These, with what is filled in the background once they have run.
    #[must_use]
    pub const fn with_backfills(self, backfills: &'static [Backfill]) -> Self {
        Self { backfills, ..self }
    }

    /// These, with the tables that they made partitions by month of.
    #[must_use]
    pub const fn with_partitions(self, partitioned: &'static [Partitioned]) -> Self {
        Self { partitioned, ..self }
    }
}

/// One migration: the text for each backend.
#[derive(Clone, Copy)]
pub struct MigrationTexts {
    /// Its folder: the version, `_`, and what it is about.
    pub name: &'static str,
    /// For SQLite; without the collations of Postgres ([`on_sqlite`]).
    pub sqlite: &'static str,
    /// For Postgres.
    pub postgres: &'static str,
}

/// Embeds the migrations of a domain, whose folders are beside that of the file that names them: those of `both` in
/// `migrations/both`, with one text for both backends; those of `each` in `migrations/sqlite` and
/// `migrations/postgres`. `db::migrations!("kb", each kb0001_kb, both kb0002_retention)`.
#[macro_export]
macro_rules! migrations {
    ($domain:literal, $($of:ident $name:ident),+ $(,)?) => {
        $crate::Migrations {
            domain: $domain,
            all: &[$($crate::migrations!(@$of $name)),+],
            backfills: &[],
            partitioned: &[],
        }
    };
    (@both $name:ident) => {
        $crate::migrations!(@from $name, "both", "both")
    };
    (@each $name:ident) => {
        $crate::migrations!(@from $name, "sqlite", "postgres")
    };
    (@from $name:ident, $sqlite:literal, $postgres:literal) => {
        $crate::MigrationTexts {
            name: stringify!($name),
            sqlite: include_str!(concat!("../migrations/", $sqlite, "/", stringify!($name), "/up.sql")),
            postgres: include_str!(concat!("../migrations/", $postgres, "/", stringify!($name), "/up.sql")),
        }
    };
}

/// What this crate itself keeps: the counters.
const OWN: Migrations = crate::migrations!(
    "db",
    both db0001_counters,
    both db0002_programs,
    both db0003_expressions,
    both db0004_no_expressions,
    each db0005_write_positions,
    both db0006_upgrades,
    each db0007_reopened_backfills,
    each db0008_partitions,
);

/// Makes the table of the migrations that ran.
pub(crate) const TABLE: &str = "CREATE TABLE IF NOT EXISTS __diesel_schema_migrations (\
     version VARCHAR(50) PRIMARY KEY NOT NULL, run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)";

/// The version of this program, as a refused older one is told it.
pub(crate) const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Any number; the same for every Muster, so that of several gateways that start at once one migrates.
pub(crate) const ADVISORY_LOCK: i64 = 0x4d75_7374_6572;

/// Between two looks whether another gateway's migration has ended, and between two lines of the log that it has not.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(250);
pub(crate) const TELL_AGAIN: Duration = Duration::from_secs(10);

#[derive(QueryableByName)]
pub(crate) struct Count {
    #[diesel(sql_type = BigInt)]
    pub(crate) count: i64,
}

#[derive(QueryableByName)]
struct AppliedMigration {
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = Nullable<Text>)]
    program: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    oldest_program: Option<String>,
}

impl AppliedMigration {
    /// May this program run beside the one that brought it?
    fn suits_this_program(&self) -> bool {
        self.oldest_program.as_deref().is_some_and(|oldest| !is_older(PROGRAM, oldest))
    }
}

/// Is a program older than another, by their versions?
pub(crate) fn is_older(program: &str, other: &str) -> bool {
    in_order(program) < in_order(other)
}

/// These domains, after what this crate keeps itself.
pub(crate) fn with_own(domains: &[Migrations]) -> Vec<Migrations> {
    std::iter::once(OWN).chain(domains.iter().copied()).collect()
}

/// What is wrong with a database that has migrations which none of these domains knows and beside which this program
/// cannot run: a newer program made them. Changes nothing, also where there are no tables yet.
pub(crate) fn newer(conn: &mut Conn, domains: &[Migrations]) -> Result<Option<String>> {
    let known: BTreeSet<&str> = domains.iter().flat_map(|domain| domain.all).map(MigrationTexts::version).collect();
    let unknown = applied(conn)?.into_iter().filter(|one| !known.contains(one.version.as_str()));
    let unknown: Vec<AppliedMigration> = unknown.filter(|one| !one.suits_this_program()).collect();
    let Some(last) = unknown.iter().map(|one| one.version.as_str()).max() else { return Ok(None) };
    let programs = |one: &AppliedMigration| one.oldest_program.clone().or_else(|| one.program.clone());
    let needed = unknown.iter().filter_map(programs).max_by_key(|program| in_order(program));
    let (by, wanted) = match needed {
        Some(needed) if needed != PROGRAM => (format!("Muster {needed}"), format!("Muster {needed}")),
        _ => ("a newer Muster".to_owned(), "the program that made them".to_owned()),
    };
    Ok(Some(format!(
        "its tables were made by {by} ({last}), and this is Muster {PROGRAM}, which does not know them: start \
         {wanted}, or a newer one"
    )))
}

/// Has no migration run in this database?
pub(crate) fn is_empty(conn: &mut Conn) -> Result<bool> {
    Ok(applied(conn)?.is_empty())
}

/// The versions of the migrations that ran, each with the program that ran it where that is noted.
pub(crate) fn applied_versions(conn: &mut Conn) -> Result<Vec<(String, Option<String>)>> {
    Ok(applied(conn)?.into_iter().map(|one| (one.version, one.program)).collect())
}

/// The migrations that ran in the database; none where it has no tables.
fn applied(conn: &mut Conn) -> Result<Vec<AppliedMigration>> {
    if !has_table(conn, "__diesel_schema_migrations")? {
        return Ok(Vec::new());
    }
    let columns = match conn {
        Conn::Sqlite(_) => {
            "SELECT count(*) AS count FROM pragma_table_info('__diesel_schema_migrations') \
             WHERE name IN ('program', 'oldest_program')"
        }
        Conn::Postgres(_) => {
            "SELECT count(*) AS count FROM pg_attribute \
             WHERE attrelid = to_regclass('__diesel_schema_migrations') AND NOT attisdropped \
             AND attname IN ('program', 'oldest_program')"
        }
    };
    let text = match sql_query(columns).get_result::<Count>(conn)?.count {
        0 => "SELECT version, NULL AS program, NULL AS oldest_program FROM __diesel_schema_migrations",
        1 => "SELECT version, program, NULL AS oldest_program FROM __diesel_schema_migrations",
        _ => "SELECT version, program, oldest_program FROM __diesel_schema_migrations",
    };
    Ok(sql_query(text).load(conn)?)
}

/// The numbers of a version such as `1.10.2`, so that it comes after `1.9.0`.
fn in_order(program: &str) -> Vec<u64> {
    program.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

/// Has every migration of these domains run?
pub(crate) fn is_current(conn: &mut Conn, domains: &[Migrations]) -> Result<bool> {
    let applied: BTreeSet<String> = applied(conn)?.into_iter().map(|one| one.version).collect();
    Ok(domains.iter().flat_map(|domain| domain.all).all(|one| applied.contains(one.version())))
}

/// The migrations of a domain that have not run, in their order.
pub(crate) fn pending(conn: &mut Conn, domain: &Migrations) -> Result<Vec<&'static MigrationTexts>> {
    let ran: BTreeSet<String> = applied(conn)?.into_iter().map(|one| one.version).collect();
    Ok(domain.all.iter().filter(|one| !ran.contains(one.version())).collect())
}

/// Runs a migration within a transaction, and notes its version.
pub(crate) fn run_one(conn: &mut Conn, migration: &MigrationTexts) -> Result<()> {
    let text = match conn {
        Conn::Sqlite(_) => on_sqlite(migration.sqlite),
        Conn::Postgres(_) => in_transaction(migration.postgres),
    };
    let name = migration.name;
    conn.batch_execute(&text).map_err(|error| Error::Fault(format!("migration: {name}: {error}")))?;
    note_version(conn, migration)
}

/// Notes that a migration ran.
pub(crate) fn note_version(conn: &mut Conn, migration: &MigrationTexts) -> Result<()> {
    let version = migration.version();
    Ok(conn.batch_execute(&format!("INSERT INTO __diesel_schema_migrations (version) VALUES ('{version}')"))?)
}

/// Notes which program ran a migration, and which may run beside it.
pub(crate) fn note_program(conn: &mut Conn, migration: &MigrationTexts) -> Result<()> {
    // All three are texts of this program.
    let (version, oldest) = (migration.version(), migration.oldest_program());
    let text = "UPDATE __diesel_schema_migrations SET program =";
    Ok(conn.batch_execute(&format!("{text} '{PROGRAM}', oldest_program = '{oldest}' WHERE version = '{version}'"))?)
}

/// Is there a table of this name? It is a word of this program.
pub(crate) fn has_table(conn: &mut Conn, name: &str) -> Result<bool> {
    let text = match conn {
        Conn::Sqlite(_) => {
            format!("SELECT count(*) AS count FROM sqlite_master WHERE type = 'table' AND name = '{name}'")
        }
        Conn::Postgres(_) => format!("SELECT count(*) AS count FROM pg_class WHERE oid = to_regclass('{name}')"),
    };
    Ok(sql_query(text).get_result::<Count>(conn)?.count > 0)
}

/// A version that two domains share would be skipped in silence the second time: refuse to start instead.
pub(crate) fn check(domains: &[Migrations]) -> Result<()> {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for Migrations { domain, all, .. } in domains {
        for version in all.iter().map(MigrationTexts::version) {
            if !version.starts_with(domain) {
                return Err(Error::Fault(format!("migration {version} does not start with {domain}")));
            }
            if let Some(other) = owners.insert(version, domain) {
                return Err(Error::Fault(format!("migration {version} is of {other} and of {domain}")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
