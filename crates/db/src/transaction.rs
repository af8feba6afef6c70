//! Transactions in plain SQL, for both backends, and what they begin with.

use std::borrow::Cow;

use diesel::connection::SimpleConnection as _;

use crate::{Backend, Conn, Error, Inner, Result, after_commit, bell};

/// How a write begins on Postgres. A gateway that stands still inside a transaction (stopped, or cut off) keeps its
/// locks from the others for no longer than they wait for one.
const BEGIN_WRITE: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '8s'";

/// How a read of several statements begins on Postgres.
pub(crate) const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The limits of a session, where a transaction has to bring its own.
const LIMITS: &str =
    "; SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '10s'; SET LOCAL timezone = 'UTC'";

impl Inner {
    /// The statements that a write of this Postgres begins with.
    pub(crate) fn begin_write(&self) -> Cow<'static, str> {
        self.with_limits(BEGIN_WRITE)
    }

    /// The statements that a read of several statements begins with.
    pub(crate) fn begin_snapshot(&self) -> Cow<'static, str> {
        match self.url.backend() {
            Backend::Sqlite => "BEGIN".into(),
            Backend::Postgres => self.with_limits(BEGIN_SNAPSHOT),
        }
    }

    fn with_limits(&self, begin: &'static str) -> Cow<'static, str> {
        if self.url.keeps_sessions() { begin.into() } else { format!("{begin}{LIMITS}").into() }
    }
}

/// A transaction in plain SQL, so that the same code serves both backends. A panic inside rolls back too: the
/// connection must come back to the pool clean.
pub(crate) fn transaction<T>(conn: &mut Conn, begin: &str, f: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
    conn.batch_execute(begin)?;
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(conn)));
    match caught {
        Ok(Ok(value)) => {
            if let Err(error) = conn.batch_execute("COMMIT") {
                roll_back(conn);
                return Err(error.into());
            }
            bell::settle(true);
            after_commit::settle(true);
            Ok(value)
        }
        Ok(Err(error)) => {
            roll_back(conn);
            Err(error)
        }
        Err(panic) => {
            roll_back(conn);
            std::panic::resume_unwind(panic)
        }
    }
}

/// A rollback that fails leaves nothing to do: the connection is found broken when it is next used.
fn roll_back(conn: &mut Conn) {
    bell::settle(false);
    after_commit::settle(false);
    if let Err(error) = conn.batch_execute("ROLLBACK") {
        tracing::warn!(error = %Error::from(error), "rollback");
    }
}

impl Backend {
    /// The backend of a connection.
    pub fn of(conn: &Conn) -> Self {
        match conn {
            Conn::Sqlite(_) => Self::Sqlite,
            Conn::Postgres(_) => Self::Postgres,
        }
    }
}
