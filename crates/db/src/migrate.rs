//! Each domain brings its own migrations; they share one table, so each version starts with the domain's name.

use std::collections::{BTreeMap, BTreeSet};

use diesel::{
    QueryableByName, RunQueryDsl,
    connection::SimpleConnection,
    migration::{Migration, MigrationSource},
    pg::Pg,
    sql_query,
    sql_types::{BigInt, Nullable, Text},
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

/// The version of this program, as a refused older one is told it.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Any number; the same for every Muster, so that of several gateways that start at once one migrates.
const ADVISORY_LOCK: i64 = 0x4d75_7374_6572;

impl Db {
    /// Brings the tables of every domain up to date; says which migrations it ran.
    ///
    /// Several gateways may start at once: on Postgres the first takes a lock and the others wait for it.
    ///
    /// # Errors
    /// [`Error::Unavailable`] for a database that a newer program has migrated: this one does not know what its tables
    /// mean any more, and would break what it writes.
    pub fn migrate(&self, domains: &[Migrations]) -> Result<Vec<String>> {
        let all = with_own(domains);
        check(&all)?;
        let mut conn = backend::connect(&self.0.url)?;
        let mut done = Vec::new();
        if let Conn::Postgres(postgres) = &mut conn {
            postgres.batch_execute(&format!(
                "SET lock_timeout = 0; SET statement_timeout = 0; SELECT pg_advisory_lock({ADVISORY_LOCK})"
            ))?;
        }
        if let Some(newer) = newer(&mut conn, &all)? {
            return Err(Error::Unavailable(newer));
        }
        match &mut conn {
            Conn::Sqlite(sqlite) => {
                for domain in all {
                    done.extend(run(sqlite, (domain.sqlite)())?);
                }
            }
            Conn::Postgres(postgres) => {
                for domain in all {
                    done.extend(run(postgres, (domain.postgres)())?);
                }
            }
        }
        for version in &done {
            let text = match &conn {
                Conn::Sqlite(_) => "UPDATE __diesel_schema_migrations SET program = ? WHERE version = ?",
                Conn::Postgres(_) => "UPDATE __diesel_schema_migrations SET program = $1 WHERE version = $2",
            };
            sql_query(text).bind::<Text, _>(PROGRAM).bind::<Text, _>(version).execute(&mut conn)?;
        }
        if let Conn::Postgres(postgres) = &mut conn {
            postgres.batch_execute(&format!("SELECT pg_advisory_unlock({ADVISORY_LOCK})"))?;
        }
        Ok(done)
    }
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct Applied {
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = Nullable<Text>)]
    program: Option<String>,
}

/// These domains, after what this crate keeps itself.
pub(crate) fn with_own(domains: &[Migrations]) -> Vec<Migrations> {
    std::iter::once(OWN).chain(domains.iter().copied()).collect()
}

/// What is wrong with a database that has migrations which none of these domains knows: a newer program made them.
/// Changes nothing, also where there are no tables yet.
pub(crate) fn newer(conn: &mut Conn, domains: &[Migrations]) -> Result<Option<String>> {
    let mut known = BTreeSet::new();
    for domain in domains {
        known.extend(versions::<Sqlite>((domain.sqlite)())?);
    }
    let unknown: Vec<Applied> = applied(conn)?.into_iter().filter(|one| !known.contains(&one.version)).collect();
    let Some(last) = unknown.iter().map(|one| one.version.as_str()).max() else { return Ok(None) };
    let needed = unknown.iter().filter_map(|one| one.program.as_deref()).max_by_key(|program| in_order(program));
    let newer = match needed {
        Some(needed) if needed != PROGRAM => format!("Muster {needed}"),
        _ => "a newer Muster".to_owned(),
    };
    Ok(Some(format!(
        "its tables were made by {newer} ({last}), and this is Muster {PROGRAM}, which does not know them: start {newer} \
         or a later one"
    )))
}

/// The migrations that ran in the database; none where it has no tables.
fn applied(conn: &mut Conn) -> Result<Vec<Applied>> {
    let (tables, columns) = match conn {
        Conn::Sqlite(_) => (
            "SELECT count(*) AS count FROM sqlite_master WHERE name = '__diesel_schema_migrations'",
            "SELECT count(*) AS count FROM pragma_table_info('__diesel_schema_migrations') WHERE name = 'program'",
        ),
        Conn::Postgres(_) => (
            "SELECT count(*) AS count FROM pg_class WHERE oid = to_regclass('__diesel_schema_migrations')",
            "SELECT count(*) AS count FROM pg_attribute \
             WHERE attrelid = to_regclass('__diesel_schema_migrations') AND attname = 'program' AND NOT attisdropped",
        ),
    };
    if sql_query(tables).get_result::<Count>(conn)?.count == 0 {
        return Ok(Vec::new());
    }
    let text = match sql_query(columns).get_result::<Count>(conn)?.count {
        0 => "SELECT version, NULL AS program FROM __diesel_schema_migrations",
        _ => "SELECT version, program FROM __diesel_schema_migrations",
    };
    Ok(sql_query(text).load(conn)?)
}

/// The numbers of a version such as `1.10.2`, so that it comes after `1.9.0`.
fn in_order(program: &str) -> Vec<u64> {
    program.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

/// Runs what is pending of one domain.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DatabaseUrl, Options};

    #[test]
    fn an_older_program_leaves_a_newer_database_alone() {
        let directory = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(directory.path().join("test.sqlite"));
        let db = Db::open(&url, Options::default()).unwrap();
        let mut conn = backend::connect(&url).unwrap();
        assert_eq!(newer(&mut conn, &[OWN]).unwrap(), None, "an empty database is nobody's");
        assert!(!db.migrate(&[]).unwrap().is_empty());
        assert!(db.migrate(&[]).unwrap().is_empty());
        assert_eq!(newer(&mut conn, &[OWN]).unwrap(), None);

        let arrive = |conn: &mut Conn, version: &str, program: &str| {
            let text = "INSERT INTO __diesel_schema_migrations (version, program) VALUES (?, nullif(?, ''))";
            sql_query(text).bind::<Text, _>(version).bind::<Text, _>(program).execute(conn).unwrap();
        };
        arrive(&mut conn, "things0002", "");
        let told = db.migrate(&[]).unwrap_err().to_string();
        assert!(told.contains("a newer Muster (things0002)") && told.contains(PROGRAM), "{told}");
        arrive(&mut conn, "things0003", "9.9.0");
        arrive(&mut conn, "things0004", "9.10.0");
        let told = db.migrate(&[]).unwrap_err().to_string();
        assert!(told.contains("Muster 9.10.0 (things0004)"), "{told}");
        assert!(matches!(db.migrate(&[]), Err(Error::Unavailable(_))));
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(in_order("1.10.0") > in_order("1.9.9") && in_order("0.2.0-rc1") >= in_order("0.2.0"));
    }
}
