//! A check that the connection to Postgres keeps its session; some connection poolers do not.

use diesel::{QueryableByName, RunQueryDsl as _, sql_query, sql_types::Integer};

use crate::{Conn, Error, Result, backend, read, url::DatabaseUrl};

/// Refuses a way to Postgres that keeps no session: a pooler that gives each transaction another connection of its own,
/// on which neither the limits on statements hold nor what was prepared is found. There the connection of one client
/// serves another one, while the first is still connected.
pub(crate) fn check(conn: &mut Conn, url: &DatabaseUrl) -> Result<()> {
    if matches!(conn, Conn::Sqlite(_)) {
        return Ok(());
    }
    let pid = |conn: &mut Conn| {
        let session: Session = sql_query("SELECT pg_backend_pid() AS pid").get_result(conn)?;
        Ok::<_, Error>(session.pid)
    };
    let alone = |conn: &mut Conn| read::transaction(conn, "BEGIN", pid);
    let own = alone(conn)?;
    let mut other = backend::connect(url)?;
    let is_pooled = read::transaction(&mut other, "BEGIN", |other| Ok(pid(other)? == own || alone(conn)? != own))?;
    if is_pooled {
        return Err(Error::Unavailable(
            "the URL leads to a connection pooler in transaction mode (pgbouncer: pool_mode=transaction), \
             where sessions are not kept: set pool_mode=session there, or name the Postgres itself; this service pools \
             its connections (--connections)"
                .to_owned(),
        ));
    }
    Ok(())
}

#[derive(QueryableByName)]
struct Session {
    #[diesel(sql_type = Integer)]
    pid: i32,
}
