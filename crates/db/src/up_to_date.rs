//! How the tables are brought up to date: by whom of several gateways, and in which transactions.

use std::{thread, time::Instant};

use diesel::{RunQueryDsl, connection::SimpleConnection as _, sql_query};

use crate::{
    Conn, Db, Error, Result, at_once, backend, contract, foreign,
    migrate::{ADVISORY_LOCK, Count, LOOK_AGAIN, Migrations, TELL_AGAIN, check, is_current, is_empty, newer, with_own},
    running,
    transaction::transaction,
};

/// The lock of migrations beside writers is one of a session.
const NEEDS_SESSION: &str = "migrations of a database in use need a session, which a connection pooler in transaction \
     mode does not keep: run `muster migrate` with the URL of the Postgres itself first";

impl Db {
    /// Brings the tables of every domain up to date; says which migrations it ran.
    ///
    /// An empty database, and a SQLite file, get all of it in one transaction. On a Postgres that gateways may write
    /// to, each migration is a transaction of its own that waits little for its locks ([`running`]). Several gateways
    /// may start at once: on Postgres the first takes a lock, and the others wait for it and say so. The lock ends with
    /// its connection, however this ends.
    ///
    /// # Errors
    /// [`Error::Unavailable`] for a database that a newer program has migrated so that this one cannot run beside it,
    /// for one in which another program has tables of the same names,
    /// for a migration beside which a gateway that runs cannot, and for one beside writers through a pooler that keeps
    /// no sessions.
    pub fn migrate(&self, domains: &[Migrations]) -> Result<Vec<String>> {
        let ran = self.run_migrations(domains)?;
        self.make_all_partitions(domains.iter().flat_map(|domain| domain.partitioned))?;
        Ok(ran)
    }

    fn run_migrations(&self, domains: &[Migrations]) -> Result<Vec<String>> {
        let all = with_own(domains);
        check(&all)?;
        contract::check(&all)?;
        let mut conn = backend::connect(&self.0.url)?;
        let mut waiting = Waiting::default();
        let mut ran = Vec::new();
        loop {
            if let Some(newer) = newer(&mut conn, &all)? {
                return Err(Error::Unavailable(newer));
            }
            // Each is asked before the next: a gateway that starts at the same time may fill it in between.
            let tables = foreign::tables(&mut conn)?;
            let is_fresh = is_empty(&mut conn)?;
            if is_fresh && let Some(fault) = foreign::fault(&tables, &all) {
                return Err(Error::Unavailable(fault));
            }
            if is_current(&mut conn, &all)? {
                return Ok(ran);
            }
            let done = match conn {
                Conn::Sqlite(_) => transaction(&mut conn, "BEGIN IMMEDIATE", |conn| at_once::run(conn, &all).map(Some)),
                Conn::Postgres(_) if !is_fresh && !self.0.url.keeps_sessions() => {
                    return Err(Error::Unavailable(NEEDS_SESSION.to_owned()));
                }
                Conn::Postgres(_) if !is_fresh => {
                    running::run_each(&mut conn, &all, &mut ran).map(|is_done| is_done.then(Vec::new))
                }
                Conn::Postgres(_) => transaction(&mut conn, "BEGIN", |conn| {
                    if lock(conn)? { at_once::run(conn, &all).map(Some) } else { Ok(None) }
                }),
            };
            match done? {
                Some(done) => return Ok([ran, done].concat()),
                None => waiting.go_on(&mut conn)?,
            }
        }
    }
}

/// Takes the lock of migrations until the transaction ends, unless somebody else has it. A migration takes as long as
/// it takes.
fn lock(conn: &mut Conn) -> Result<bool> {
    conn.batch_execute("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0")?;
    let text =
        format!("SELECT count(*) AS count FROM (SELECT 1 WHERE pg_try_advisory_xact_lock({ADVISORY_LOCK})) AS got");
    Ok(sql_query(text).get_result::<Count>(conn)?.count > 0)
}

/// Waits for the migration of another gateway.
#[derive(Default)]
struct Waiting {
    told: Option<Instant>,
}

impl Waiting {
    fn go_on(&mut self, conn: &mut Conn) -> Result<()> {
        if self.told.is_none_or(|told| told.elapsed() >= TELL_AGAIN) {
            self.told = Some(Instant::now());
            let holder = format!(
                "SELECT coalesce(max(pid), 0)::bigint AS count FROM pg_locks WHERE locktype = 'advisory' AND granted \
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
                 AND (classid::bigint << 32) + objid::bigint = {ADVISORY_LOCK} AND objsubid = 1"
            );
            let process = sql_query(holder).get_result::<Count>(conn)?.count;
            tracing::info!(process, "waiting for another gateway's migration; the server process runs it");
        }
        thread::sleep(LOOK_AGAIN);
        Ok(())
    }
}
