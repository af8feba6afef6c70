//! Each domain brings its own migrations; they share one table, so each version starts with the domain's name.

use std::collections::BTreeMap;

use diesel::{
    connection::SimpleConnection,
    migration::{Migration, MigrationSource},
    pg::Pg,
    sqlite::Sqlite,
};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness};

use crate::{Conn, Db, Error, Result, backend};

/// The migrations of one domain, for both backends; made by [`migrations!`](crate::migrations).
#[derive(Clone, Copy)]
pub struct Migrations {
    /// The domain; every version starts with it.
    pub domain: &'static str,
    /// For SQLite.
    pub sqlite: fn() -> EmbeddedMigrations,
    /// For Postgres.
    pub postgres: fn() -> EmbeddedMigrations,
}

/// Embeds the folders `migrations/sqlite` and `migrations/postgres` of the crate that names itself:
/// `db::migrations!("inventory")`.
#[macro_export]
macro_rules! migrations {
    ($domain:literal) => {{
        use ::diesel_migrations::{EmbeddedMigrations, embed_migrations};
        const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
        const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");
        $crate::Migrations { domain: $domain, sqlite: || SQLITE, postgres: || POSTGRES }
    }};
}

/// What this crate itself keeps: the counters.
const OWN: Migrations = crate::migrations!("db");

/// Any number; the same for every Muster, so that of several gateways that start at once one migrates.
const ADVISORY_LOCK: i64 = 0x4d75_7374_6572;

impl Db {
    /// Brings the tables of every domain up to date; says which migrations it ran.
    ///
    /// Several gateways may start at once: on Postgres the first takes a lock and the others wait for it.
    pub fn migrate(&self, domains: &[Migrations]) -> Result<Vec<String>> {
        let all: Vec<Migrations> = std::iter::once(OWN).chain(domains.iter().copied()).collect();
        check(&all)?;
        let mut conn = backend::connect(&self.0.url)?;
        let mut done = Vec::new();
        match &mut conn {
            Conn::Sqlite(sqlite) => {
                for domain in all {
                    done.extend(run(sqlite, (domain.sqlite)())?);
                }
            }
            Conn::Postgres(postgres) => {
                postgres.batch_execute(&format!(
                    "SET lock_timeout = 0; SET statement_timeout = 0; SELECT pg_advisory_lock({ADVISORY_LOCK})"
                ))?;
                for domain in all {
                    done.extend(run(postgres, (domain.postgres)())?);
                }
                postgres.batch_execute(&format!("SELECT pg_advisory_unlock({ADVISORY_LOCK})"))?;
            }
        }
        Ok(done)
    }
}

fn run<C, DB>(conn: &mut C, source: EmbeddedMigrations) -> Result<Vec<String>>
where
    C: MigrationHarness<DB>,
    DB: diesel::backend::Backend,
    EmbeddedMigrations: MigrationSource<DB>,
{
    let versions = conn.run_pending_migrations(source).map_err(|error| Error::Fault(format!("migration: {error}")))?;
    Ok(versions.iter().map(ToString::to_string).collect())
}

/// A version that two domains share would be skipped in silence the second time: refuse to start instead.
fn check(domains: &[Migrations]) -> Result<()> {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for domain in domains {
        let sqlite = versions::<Sqlite>((domain.sqlite)())?;
        let postgres = versions::<Pg>((domain.postgres)())?;
        if sqlite != postgres {
            return Err(Error::Fault(format!("{}: the backends have different migrations", domain.domain)));
        }
        for version in sqlite {
            if !version.starts_with(domain.domain) {
                return Err(Error::Fault(format!("migration {version} does not start with {}", domain.domain)));
            }
            if let Some(other) = owners.insert(version.clone(), domain.domain) {
                return Err(Error::Fault(format!("migration {version} is of {other} and of {}", domain.domain)));
            }
        }
    }
    Ok(())
}

fn versions<DB: diesel::backend::Backend>(source: EmbeddedMigrations) -> Result<Vec<String>>
where
    EmbeddedMigrations: MigrationSource<DB>,
{
    let migrations: Vec<Box<dyn Migration<DB>>> =
        source.migrations().map_err(|error| Error::Fault(format!("migration: {error}")))?;
    let mut versions: Vec<String> = migrations.iter().map(|m| m.name().version().to_string()).collect();
    versions.sort();
    Ok(versions)
}
