//! Migrations of a Postgres that gateways write to meanwhile.
//!
//! Each migration is a transaction of its own. One that has to wait for a lock lets all later statements wait behind
//! it; so it waits half a second at most, is undone, and is tried again a little later, which is less than what makes a
//! request fail. What takes something away from older programs does not run while a gateway of such a program does.

use std::{
    thread,
    time::{Duration, Instant},
};

use diesel::{
    Connection as _, RunQueryDsl,
    connection::SimpleConnection,
    migration::Migration,
    pg::{Pg, PgConnection},
    sql_query,
    sql_types::Text,
};
use diesel_migrations::MigrationHarness;

use crate::{
    Error, Result,
    migrate::{self, ADVISORY_LOCK, Count, LOOK_AGAIN, MigrationTexts, Migrations, TELL_AGAIN, is_older, note_program},
    migration_text::statements,
    presence,
};

/// Each so manieth attempt to get a lock waits longer: Postgres calls off an autovacuum for those alone who have waited
/// for `deadlock_timeout`.
const LONG: u32 = 8;
const LONG_TIMEOUT: &str = "SELECT set_config('lock_timeout', least(setting::int + 200, 3000)::text, false) \
     FROM pg_settings WHERE name = 'deadlock_timeout'";

/// The domain whose tables the others' notes are in.
const OWN: &str = "db";

/// Runs what is pending, and adds the versions to `ran`; does nothing and answers `false` while another gateway does.
pub(crate) fn run_each(postgres: &mut PgConnection, domains: &[Migrations], ran: &mut Vec<String>) -> Result<bool> {
    let text = format!("SELECT count(*) AS count FROM (SELECT 1 WHERE pg_try_advisory_lock({ADVISORY_LOCK})) AS got");
    if sql_query(text).get_result::<Count>(postgres)?.count == 0 {
        return Ok(false);
    }
    let done = pending_of_all(postgres, domains, ran);
    postgres.batch_execute(&format!("SELECT pg_advisory_unlock({ADVISORY_LOCK})"))?;
    done.map(|()| true)
}

fn pending_of_all(conn: &mut PgConnection, domains: &[Migrations], ran: &mut Vec<String>) -> Result<()> {
    for domain in domains {
        let pending = conn.pending_migrations(*domain).map_err(|error| Error::Fault(format!("migrations: {error}")))?;
        if domain.domain == OWN && !pending.is_empty() {
            // What the notes of each migration are in comes first, at once.
            ran.extend(patiently(conn, OWN, "500ms", |conn| transaction(conn, |conn| migrate::run(conn, &[*domain])))?);
            continue;
        }
        for migration in pending {
            let version = migration.name().version().to_string();
            let Some(texts) = domain.all.iter().find(|one| one.version() == version) else { continue };
            refuse_beside_older_gateways(conn, texts)?;
            if texts.is_concurrent() {
                tracing::info!(migration = texts.name, "runs beside writers, after the transactions that are open now");
                patiently(conn, texts.name, "0", |conn| run_beside_writers(conn, texts))?;
            } else {
                patiently(conn, texts.name, "500ms", |conn| transaction(conn, |conn| run(conn, &*migration, texts)))?;
            }
            tracing::info!(migration = texts.name, "ran");
            ran.push(version);
        }
    }
    Ok(())
}

/// A migration that takes something away from older programs is refused while a gateway of one runs.
fn refuse_beside_older_gateways(conn: &mut PgConnection, migration: &MigrationTexts) -> Result<()> {
    let (name, oldest) = (migration.name, migration.oldest_program());
    match presence::programs(conn)?.into_iter().find(|program| is_older(program, oldest)) {
        Some(program) => Err(Error::Unavailable(format!(
            "the migration {name} takes away what Muster {program} needs, and a gateway of that version runs on this \
             database: stop it, or upgrade it to Muster {oldest} first"
        ))),
        None => Ok(()),
    }
}

fn run(conn: &mut PgConnection, migration: &dyn Migration<Pg>, texts: &MigrationTexts) -> Result<()> {
    conn.run_migration(migration).map_err(|error| Error::Fault(format!("migration: {error}")))?;
    note_program(conn, texts)
}

/// Statement by statement, since an index is not made beside writers within a transaction. One that was cut off begins
/// with its first statement again.
fn run_beside_writers(conn: &mut PgConnection, texts: &MigrationTexts) -> Result<()> {
    for statement in statements(texts.postgres[0]) {
        conn.batch_execute(&statement)?;
    }
    transaction(conn, |conn| {
        let note = "INSERT INTO __diesel_schema_migrations (version) VALUES ($1)";
        sql_query(note).bind::<Text, _>(texts.version()).execute(conn)?;
        note_program(conn, texts)
    })
}

#[expect(clippy::disallowed_methods, reason = "a migration is a transaction of its own, beside those of writers")]
fn transaction<T>(conn: &mut PgConnection, work: impl FnOnce(&mut PgConnection) -> Result<T>) -> Result<T> {
    conn.transaction(work)
}

/// Does this until it does not end because of locks that others hold.
fn patiently<T>(
    conn: &mut PgConnection,
    name: &str,
    lock_timeout: &str,
    mut work: impl FnMut(&mut PgConnection) -> Result<T>,
) -> Result<T> {
    conn.batch_execute("SET statement_timeout = 0")?;
    let mut told: Option<Instant> = None;
    for attempt in 0_u32.. {
        let is_long = lock_timeout != "0" && attempt % LONG == LONG - 1;
        conn.batch_execute(&if is_long {
            LONG_TIMEOUT.to_owned()
        } else {
            format!("SET lock_timeout = '{lock_timeout}'")
        })?;
        match work(conn) {
            Err(error) if is_about_locks(&error) => {
                if told.is_none_or(|told| told.elapsed() >= TELL_AGAIN) {
                    told = Some(Instant::now());
                    tracing::info!(migration = name, "waiting for writers, to try again: {error}");
                }
                let pause = LOOK_AGAIN * (attempt + 1).min(8);
                thread::sleep(pause + Duration::from_millis(u64::from(std::process::id() % 100)));
            }
            done => return done,
        }
    }
    Err(Error::Fault(format!("the migration {name} was tried too often")))
}

fn is_about_locks(error: &Error) -> bool {
    let text = error.to_string();
    ["due to lock timeout", "deadlock detected"].iter().any(|known| text.contains(known))
}
