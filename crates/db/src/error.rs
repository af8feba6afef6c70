//! The errors of database calls. The texts of the database stay inside the process.

use base::problem::Problem;
use diesel::result::{DatabaseErrorKind, Error as Diesel};

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
        const REFUSALS: [&str; 7] = [
            "authentication failed",
            "does not exist",
            "no pg_hba.conf entry",
            "is not permitted to log in",
            "no password supplied",
            "does not speak TLS",
            "TLS: ",
        ];
        matches!(self, Self::Unavailable(text) if !REFUSALS.iter().any(|refusal| text.contains(refusal)))
    }

    /// What the caller is told.
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Problem(problem) => problem,
            Self::Taken(_) => Problem::conflict("Another record has this name or identity already."),
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

/// Diesel knows these conditions by text alone; each is the stable English message of SQLite or libpq.
fn unavailable(text: &str) -> bool {
    const TEXTS: [&str; 12] = [
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
