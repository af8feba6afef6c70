//! Reads, by kind of work, and writes on either backend.
//!
//! A read of one row from SQLite is cheaper than the hop to another thread, so [`Db::point`] runs it in place, on a
//! connection that the worker thread keeps. Anything that may take longer ([`Db::read`], [`Db::write`]) leaves the
//! worker thread. On Postgres everything leaves it: the answer is a network away. Large reads ([`Db::read_many`]) go to
//! a replica where there is one.

use std::{
    cell::RefCell,
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use tokio::task::spawn_blocking;

use crate::{
    CallerKey, Conn, Db, Error, Extent, Freshness, Place, Result, WritePosition, backend,
    replica::{self, UnrecordedWrites},
    requester::of_requester,
    transaction::transaction,
    url::DatabaseUrl,
};

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

    /// As [`Db::read`], for what has many rows to look at: a page of a list, a search, a timeline. It is read from the
    /// replica, where there is one.
    pub async fn read_many<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Clone + Send + 'static,
        T: Send + 'static,
    {
        self.read_from_either(Extent::Page, |place| at(place, f.clone())).await
    }

    /// As [`Db::read_many`], by a connection that is there for lists: what looks at as many rows as a list takes none
    /// from short calls.
    pub async fn read_list<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Clone + Send + 'static,
        T: Send + 'static,
    {
        self.read_from_either(Extent::List, |place| at(place, f.clone())).await
    }

    /// As [`Db::read_list`], of what is written next, and so never from a replica.
    pub async fn read_list_to_write<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        at(self.place_on_primary(Extent::List).await?, f).await
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
        let f = in_trace(f);
        match &self.0.writer {
            Some(writer) => writer.write(tenant, long, f).await,
            None => {
                let begin = self.0.begin_write();
                let Some(replica) = self.0.replica.get() else {
                    return self.off_thread(move |conn| transaction(conn, &begin, f)).await;
                };
                let unnoted = Arc::clone(&replica.unnoted);
                let caller = of_requester(|requester| match requester.freshness() {
                    Freshness::OwnWrites(caller) => Some(caller),
                    Freshness::Any | Freshness::Latest => None,
                });
                let write = move |conn: &mut Conn| write_and_note(conn, &begin, caller.as_ref(), &unnoted, f);
                let (value, position) = self.off_thread(write).await?;
                of_requester(|requester| position.map(|position| requester.on_write(position)));
                Ok(value)
            }
        }
    }

    /// As [`Db::write`], on the thread that calls: for commands (`migrate`, `import`), never inside a request.
    pub fn write_here<T, F>(&self, f: F) -> Result<T>
    where
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let f = in_trace(f);
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
        on_other_thread(move || {
            let _turn = turn;
            let inner = &call.db().0;
            inner.connection(&inner.pool)?.run(f)
        })
        .await
    }
}

/// A write on another thread belongs to the trace of this one.
fn in_trace<T>(
    f: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
) -> impl FnOnce(&mut Conn) -> Result<T> + Send + 'static {
    let context = traces::current();
    move |conn| {
        let _entered = traces::enter(context);
        f(conn)
    }
}

/// Reads at a place, away from the worker thread.
async fn at<T, F>(place: Place, f: F) -> Result<T>
where
    F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    on_other_thread(move || place.read_here(f)).await
}

/// Runs a call away from the worker thread.
async fn on_other_thread<T, F>(f: F) -> Result<T>
where
    F: FnOnce() -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    spawn_blocking(f).await.map_err(|error| Error::Fault(format!("a database call panicked: {error}")))?
}

/// A write, and where it stands, which is noted for the reads of the caller. The write is done when the note fails.
fn write_and_note<T>(
    conn: &mut Conn,
    begin: &str,
    caller: Option<&CallerKey>,
    unnoted: &UnrecordedWrites,
    f: impl FnOnce(&mut Conn) -> Result<T>,
) -> Result<(T, Option<WritePosition>)> {
    let value = transaction(conn, begin, f)?;
    let Some(caller) = caller else { return Ok((value, None)) };
    let noted = replica::note(conn, caller);
    let noted = noted.inspect_err(|error| {
        unnoted.add();
        tracing::warn!(%error, "the position of a write is not noted: every caller sees what is committed");
    });
    Ok((value, noted.ok()))
}
