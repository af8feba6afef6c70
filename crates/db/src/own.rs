//! A connection of one's own, for commands that work on whole tables.

use crate::{Conn, DatabaseUrl, Result, backend, tls};

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
/// When the database does not answer.
pub fn connect(url: &DatabaseUrl) -> Result<OwnConnection> {
    let (url, tunnel) = tls::through(url)?;
    Ok(OwnConnection { conn: backend::connect(&url)?, _tunnel: tunnel })
}
