//! A connection of one's own, for commands that work on whole tables.

use crate::{Conn, DatabaseUrl, Error, Result, backend, sessions, tls};

/// A connection beside those of a [`Db`](crate::Db), to a database that may be one on which no service runs.
pub struct OwnConnection {
    /// The connection.
    pub conn: Conn,
    /// The way to a Postgres that is reached over TLS; closed last.
    _tunnel: Option<tls::Tunnel>,
}

/// Connects. A SQLite file has to be there.
///
/// # Errors
/// When the database does not answer, or is behind a pooler in transaction mode: settings and locks of a session are
/// what such commands work with.
pub fn connect(url: &DatabaseUrl) -> Result<OwnConnection> {
    let (url, tunnel) = tls::through(url)?;
    if !sessions::are_kept(&mut backend::connect(&url.without_sessions())?, &url)? {
        return Err(Error::Unavailable(
            "the URL leads to a connection pooler in transaction mode, where sessions are not kept: name the Postgres \
             itself"
                .to_owned(),
        ));
    }
    Ok(OwnConnection { conn: backend::connect(&url)?, _tunnel: tunnel })
}
