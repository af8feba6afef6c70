//! Migrations of a Postgres that gateways write to meanwhile.
//!
//! Each migration is a transaction of its own. One that has to wait for a lock lets all later statements wait behind
//! it; so it waits half a second at most, is undone, and is tried again a little later, which is less than what makes a
//! request fail. What takes something away does not run while somebody needs that ([`contract`]).

use std::{
    thread,
    time::{Duration, Instant},
};

use diesel::{RunQueryDsl, connection::SimpleConnection as _, sql_query};

use crate::{
    Conn, Error, Result, at_once, contract,
    migrate::{
        self, ADVISORY_LOCK, Count, LOOK_AGAIN, MigrationTexts, Migrations, TELL_AGAIN, note_program, note_version,
    },
    migration_text::statements,
    partitions,
    transaction::transaction,
};

/// Each so manieth attempt to get a lock waits longer: Postgres calls off an autovacuum for those alone who have waited
/// for `deadlock_timeout`.
const LONG: u32 = 8;
const LONG_TIMEOUT: &str = "SELECT set_config('lock_timeout', least(setting::int + 200, 3000)::text, false) \
     FROM pg_settings WHERE name = 'deadlock_timeout'";

/// How the transaction of a migration begins.
const BEGIN: &str = "BEGIN";

/// The domain whose tables the others' notes are in.
const OWN: &str = "db";

/// Runs what is pending, and adds the versions to `ran`; does nothing and answers `false` while another gateway does.
pub(crate) fn run_each(conn: &mut Conn, domains: &[Migrations], ran: &mut Vec<String>) -> Result<bool> {
    let text = format!("SELECT count(*) AS count FROM (SELECT 1 WHERE pg_try_advisory_lock({ADVISORY_LOCK})) AS got");
    if sql_query(text).get_result::<Count>(conn)?.count == 0 {
        return Ok(false);
    }
    let done = run_pending(conn, domains, ran);
    conn.batch_execute(&format!("SELECT pg_advisory_unlock({ADVISORY_LOCK})"))?;
    done.map(|()| true)
}

fn run_pending(conn: &mut Conn, domains: &[Migrations], ran: &mut Vec<String>) -> Result<()> {
    // What the notes of each migration are in comes first, at once.
    if let Some(own) = domains.iter().find(|domain| domain.domain == OWN)
        && !migrate::pending(conn, own)?.is_empty()
    {
        ran.extend(retry_on_lock(conn, OWN, "500ms", |conn| {
            transaction(conn, BEGIN, |conn| at_once::run(conn, &[*own]))
        })?);
    }
    let mut pending: Vec<&MigrationTexts> = Vec::new();
    for domain in domains {
        pending.extend(migrate::pending(conn, domain)?);
    }
    // Nothing runs when one of them may not, so that the version before finds the database as it was.
    for migration in &pending {
        refuse_obstacle(conn, migration, domains)?;
    }
    for migration in pending {
        refuse_obstacle(conn, migration, domains)?;
        if migration.is_stepwise() {
            run_stepwise(conn, migration)?;
        } else if migration.is_concurrent() {
            tracing::info!(migration = migration.name, "runs beside writers, after the transactions that are open now");
            retry_on_lock(conn, migration.name, "0", |conn| run_beside_writers(conn, migration))?;
        } else {
            retry_on_lock(conn, migration.name, "500ms", |conn| transaction(conn, BEGIN, |conn| run(conn, migration)))?;
        }
        tracing::info!(migration = migration.name, "ran");
        ran.push(migration.version().to_owned());
    }
    Ok(())
}

/// A migration that takes something away is refused while somebody needs that.
fn refuse_obstacle(conn: &mut Conn, migration: &MigrationTexts, domains: &[Migrations]) -> Result<()> {
    contract::obstacle(conn, migration, domains)?.map_or(Ok(()), |obstacle| Err(Error::Unavailable(obstacle)))
}

fn run(conn: &mut Conn, migration: &MigrationTexts) -> Result<()> {
    migrate::run_one(conn, migration)?;
    contract::close_backfills(conn, migration)?;
    note_program(conn, migration)
}

/// Statement by statement, since an index is not made beside writers within a transaction. One that was cut off begins
/// with its first statement again.
fn run_beside_writers(conn: &mut Conn, migration: &MigrationTexts) -> Result<()> {
    for statement in statements(migration.postgres) {
        if !partitions::change_index(conn, &statement)? {
            conn.batch_execute(&statement)?;
        }
    }
    note_run(conn, migration)
}

/// Statement by statement, each of which waits little for its locks and may be carried out again.
fn run_stepwise(conn: &mut Conn, migration: &MigrationTexts) -> Result<()> {
    for statement in statements(migration.postgres) {
        retry_on_lock(conn, migration.name, "500ms", |conn| Ok(conn.batch_execute(&statement)?))?;
    }
    note_run(conn, migration)
}

fn note_run(conn: &mut Conn, migration: &MigrationTexts) -> Result<()> {
    transaction(conn, BEGIN, |conn| {
        note_version(conn, migration)?;
        contract::close_backfills(conn, migration)?;
        note_program(conn, migration)
    })
}

/// Does this until it does not end because of locks that others hold.
fn retry_on_lock<T>(
    conn: &mut Conn,
    name: &str,
    lock_timeout: &str,
    mut work: impl FnMut(&mut Conn) -> Result<T>,
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
