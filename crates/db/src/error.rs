//! The errors of database calls. The texts of the database stay inside the process.

use base::problem::Problem;
use diesel::result::{DatabaseErrorKind, Error as Diesel};

use crate::moved::{HAS_MOVED, MOVED};

/// The result of every function that touches the database.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Either an answer for the caller ([`Error::Problem`]) or a fault of the database, of which the caller learns the
/// kind only.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A rule of the domain said no; inside [`Db::write`](crate::Db::write) nothing is stored.
    #[error("{0}")]
    Problem(Problem),
    /// A row with this unique value already exists.
    #[error("unique constraint: {0}")]
    Taken(String),
    /// The database is away, full, read-only, busy, or has no free connection.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    /// Anything else: a defect of ours.
    #[error("database: {0}")]
    Fault(String),
}

impl Error {
    /// What a failure is; where another row has a value that has to be unique, a conflict with this detail.
    pub fn or_conflict(error: impl Into<Self>, detail: impl Into<String>) -> Self {
        match error.into() {
            Self::Taken(_) => Problem::conflict(detail).into(),
            other => other,
        }
    }

    /// Is this a database that may answer by itself in a while? Not one that answered with a refusal: a password that
    /// is wrong, or a database that is not there, stays so.
    pub fn may_pass(&self) -> bool {
        const REFUSALS: [&str; 9] = [
            "authentication failed",
            "does not exist",
            "no pg_hba.conf entry",
            "is not permitted to log in",
            "no password supplied",
            "does not speak TLS",
            "TLS: ",
            "it is not a standby:",
            "it is a standby of another database",
        ];
        matches!(self, Self::Unavailable(text) if !REFUSALS.iter().any(|refusal| text.contains(refusal)))
    }

    /// What the caller is told.
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Problem(problem) => problem,
            Self::Taken(_) => Problem::conflict("Another record has this name or identity already."),
            Self::Unavailable(text) if text.contains(HAS_MOVED) => Problem::unavailable(MOVED),
            Self::Unavailable(_) => {
                Problem::unavailable("The database cannot answer right now. Try again in a moment.")
            }
            Self::Fault(_) => Problem::internal(),
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Diesel> for Error {
    fn from(error: Diesel) -> Self {
        match error {
            Diesel::DatabaseError(kind, information) => {
                let text = one_line(information.message());
                match kind {
                    DatabaseErrorKind::UniqueViolation => Self::Taken(text),
                    DatabaseErrorKind::ClosedConnection
                    | DatabaseErrorKind::ReadOnlyTransaction
                    | DatabaseErrorKind::SerializationFailure => Self::Unavailable(text),
                    // What libpq could not send, but for a statement that it takes none of.
                    DatabaseErrorKind::UnableToSendCommand if !text.contains("number of parameters") => {
                        Self::Unavailable(text)
                    }
                    _ if unavailable(&text) => Self::Unavailable(text),
                    _ => Self::Fault(text),
                }
            }
            Diesel::BrokenTransactionManager => Self::Unavailable("broken transaction".to_owned()),
            other => Self::Fault(other.to_string()),
        }
    }
}

impl From<diesel::ConnectionError> for Error {
    fn from(error: diesel::ConnectionError) -> Self {
        Self::Unavailable(one_line(&error.to_string()))
    }
}

impl From<r2d2::Error> for Error {
    fn from(error: r2d2::Error) -> Self {
        Self::Unavailable(one_line(&error.to_string()))
    }
}

/// A text of libpq, which has line breaks and tabs, as a line of a log.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Diesel knows these conditions by text alone; each is the stable English message of SQLite, of libpq, of Postgres
/// (also of one that stops, or whose place another takes), or of pgbouncer.
fn unavailable(text: &str) -> bool {
    const TEXTS: [&str; 24] = [
        HAS_MOVED,
        "database is locked",
        "database or disk is full",
        "disk I/O error",
        "attempt to write a readonly database",
        "unable to open database file",
        "server closed the connection",
        "terminating connection",
        "connection to server",
        "could not connect",
        "No space left on device",
        "canceling statement due to",
        "deadlock detected",
        "could not receive data from server",
        "could not send data to server",
        "no connection to the server",
        "connection has been closed unexpectedly",
        "the database system is",
        "recovery is in progress",
        "during recovery",
        "server conn crashed",
        "server login has been failing",
        "query_wait_timeout",
        "pgbouncer cannot connect to server",
    ];
    TEXTS.iter().any(|known| text.contains(known))
}

/// The pool's own retries are ordinary while a database is away: they are logged, once each, without a panic.
#[derive(Debug)]
pub(crate) struct PoolErrors;

impl r2d2::HandleError<Error> for PoolErrors {
    fn handle_error(&self, error: Error) {
        tracing::warn!(%error, "no database connection");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(kind: DatabaseErrorKind, text: &str) -> u16 {
        let error = Error::from(Diesel::DatabaseError(kind, Box::new(text.to_owned())));
        error.into_problem().kind.status()
    }

    /// What a server says while another one takes over, with the code that diesel does not tell.
    #[test]
    fn a_server_that_goes_is_unavailable_and_no_defect() {
        use DatabaseErrorKind::{ClosedConnection, ReadOnlyTransaction, UnableToSendCommand, Unknown};
        for (kind, text) in [
            (ReadOnlyTransaction, "cannot execute INSERT in a read-only transaction"), // 25006
            (Unknown, "terminating connection due to administrator command"),          // 57P01
            (Unknown, "terminating connection because of crash of another server process"), // 57P02
            (Unknown, "the database system is shutting down"),                         // 57P03
            (Unknown, "the database system is in recovery mode"),                      // 57P03
            (Unknown, "cannot set transaction read-write mode during recovery"),       // 0A000
            // 55000
            (Unknown, "cannot acquire lock mode ExclusiveLock on database objects while recovery is in progress"),
            (ClosedConnection, "connection failure"), // 08006
            (Unknown, "server conn crashed?"),        // 08P01, of pgbouncer
            (Unknown, "query_wait_timeout"),          // 08P01, of pgbouncer
            (UnableToSendCommand, "no connection to the server\n"),
            (Unknown, "could not receive data from server: Connection reset by peer\n"),
        ] {
            assert_eq!(status(kind, text), 503, "{text}");
        }
        assert_eq!(status(Unknown, "column \"x\" does not exist"), 500);
        assert_eq!(status(UnableToSendCommand, "number of parameters must be between 0 and 65535"), 500);
    }
}
