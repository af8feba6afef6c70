//! Whether the connections to Postgres keep their sessions; some connection poolers give each transaction another one.

use diesel::{QueryableByName, RunQueryDsl as _, sql_query, sql_types::Integer};

use crate::{Conn, Error, Result, backend, transaction::transaction, url::DatabaseUrl};

/// How often is tried. Where others use the pooler at the same time, one attempt may miss what it does.
const ATTEMPTS: usize = 16;

/// Does a connection to this database keep its session? In a pooler in transaction mode it does not: the session of one
/// client serves another one while the first is still connected. Neither settings nor prepared statements last there.
pub(crate) fn are_kept(conn: &mut Conn, url: &DatabaseUrl) -> Result<bool> {
    if matches!(conn, Conn::Sqlite(_)) {
        return Ok(true);
    }
    let pid = |conn: &mut Conn| {
        let session: Session = sql_query("SELECT pg_backend_pid() AS pid").get_result(conn)?;
        Ok::<_, Error>(session.pid)
    };
    let alone = |conn: &mut Conn| transaction(conn, "BEGIN", pid);
    let mut other = backend::connect(&url.without_sessions())?;
    for _ in 0..ATTEMPTS {
        let own = alone(conn)?;
        if transaction(&mut other, "BEGIN", |other| Ok(pid(other)? == own || alone(conn)? != own))? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[derive(QueryableByName)]
struct Session {
    #[diesel(sql_type = Integer)]
    pid: i32,
}
