//! Reads, by kind of work, and writes on either backend.
//!
//! A read of one row from SQLite is cheaper than the hop to another thread, so [`Db::point`] runs it in place, on a
//! connection that the worker thread keeps. Anything that may take longer ([`Db::read`], [`Db::write`]) leaves the
//! worker thread. On Postgres everything leaves it: the answer is a network away.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{HashMap, hash_map::Entry},
};

use diesel::connection::SimpleConnection;
use tokio::task::spawn_blocking;

use crate::{Backend, Conn, Db, Error, Inner, Result, backend, bell, numbers::Call, requester::Turn, url::DatabaseUrl};

/// How a write begins on Postgres. A gateway that stands still inside a transaction (stopped, or cut off) keeps its
/// locks from the others for no longer than they wait for one.
const BEGIN_WRITE: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '8s'";

/// How a read of several statements begins on Postgres.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The limits of a session, where a transaction has to bring its own.
const LIMITS: &str =
    "; SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '10s'; SET LOCAL timezone = 'UTC'";

/// Whose turn it is when nobody's tenant writes.
const SERVICE: &str = "";

thread_local! {
    /// The connection of this thread to each open SQLite database, by the number of the database.
    static CONNECTIONS: RefCell<HashMap<u64, Conn>> = RefCell::new(HashMap::new());
}

impl Db {
    /// Reads a few rows by key: one statement, no snapshot.
    pub async fn point<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        match &self.0.url {
            DatabaseUrl::Sqlite(_) => self.on_this_thread(f),
            DatabaseUrl::Postgres(_) if self.0.url.keeps_sessions() => self.off_thread(f).await,
            DatabaseUrl::Postgres(_) => self.read(f).await,
        }
    }

    /// Reads any number of rows, all as of one instant.
    pub async fn read<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let begin = self.0.begin_snapshot();
        self.off_thread(move |conn| transaction(conn, &begin, f)).await
    }

    /// As [`Db::read`], by a connection that is there for lists: what looks at as many rows as a list takes none from
    /// short calls.
    pub async fn read_list<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let call = self.call()?;
        let turn = self.turn_of_list().await?;
        on_other_thread(call, turn, |db| db.read_list_here(f)).await
    }

    /// As [`Db::read`], on the thread that calls: for commands and for threads that stream.
    pub fn read_here<T>(&self, f: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        let begin = self.0.begin_snapshot();
        self.0.connection(&self.0.pool)?.run(|conn| transaction(conn, &begin, f))
    }

    /// Runs `f` in a transaction. What it wrote is durable when this returns `Ok`, and gone when it returns `Err`. It
    /// is the service itself that writes; for a caller, [`Db::write_for`].
    pub async fn write<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.write_for(SERVICE, f).await
    }

    /// As [`Db::write`], on behalf of a tenant.
    ///
    /// On SQLite, writers that arrive together share one commit, each in its own savepoint. Tenants take turns: one
    /// that writes much waits for itself, and the others for one write of it.
    pub async fn write_for<T, F>(&self, tenant: &str, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.write_as(tenant, false, f).await
    }

    /// As [`Db::write_for`], for a write of many parts that may fail alone ([`savepoint`](crate::savepoint)): on SQLite
    /// it begins a transaction of its own, or their cost would be the square of their number. Others may join its
    /// commit.
    pub async fn write_parts_for<T, F>(&self, tenant: &str, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        self.write_as(tenant, true, f).await
    }

    async fn write_as<T, F>(&self, tenant: &str, long: bool, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        match &self.0.writer {
            Some(writer) => writer.write(tenant, long, f).await,
            None => {
                let begin = self.0.begin_write();
                self.off_thread(move |conn| transaction(conn, &begin, f)).await
            }
        }
    }

    /// As [`Db::write`], on the thread that calls: for commands (`migrate`, `import`), never inside a request.
    pub fn write_here<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        match &self.0.writer {
            Some(writer) => writer.write_here(SERVICE, f),
            None => {
                let begin = self.0.begin_write();
                self.0.connection(&self.0.pool)?.run(|conn| transaction(conn, &begin, f))
            }
        }
    }

    fn on_this_thread<T>(&self, f: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        CONNECTIONS.with(|connections| {
            let read_inside = |_| Error::Fault("a read inside a read".to_owned());
            let mut connections = connections.try_borrow_mut().map_err(read_inside)?;
            match connections.entry(self.0.number) {
                Entry::Occupied(entry) => f(entry.into_mut()),
                Entry::Vacant(entry) => f(entry.insert(backend::connect(&self.0.url)?)),
            }
        })
    }

    async fn off_thread<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let call = self.call()?;
        let turn = self.turn().await?;
        on_other_thread(call, turn, |db| db.0.connection(&db.0.pool)?.run(f)).await
    }
}

/// Runs a call whose turn it is, away from the worker thread.
async fn on_other_thread<T, F>(call: Call, turn: Turn, f: F) -> Result<T>
where
    F: FnOnce(&Db) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    spawn_blocking(move || {
        let _turn = turn;
        f(call.db())
    })
    .await
    .map_err(|error| Error::Fault(format!("a database call panicked: {error}")))?
}

impl Inner {
    /// The statements that a write of this Postgres begins with.
    fn begin_write(&self) -> Cow<'static, str> {
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
