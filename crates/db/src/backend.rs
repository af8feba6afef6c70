//! One connection type over both backends, and how one is opened.

use std::{
    fs::OpenOptions,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use diesel::{
    Connection, RunQueryDsl,
    connection::{CacheSize, SimpleConnection},
    pg::PgConnection,
    sql_types::Text,
    sqlite::SqliteConnection,
};

use crate::{
    Error, Result,
    owner::give_to_owner_of_folder,
    url::{Backend, DatabaseUrl},
};

/// A connection to either backend. Queries are written once, in diesel's own language, against [`Sql`].
#[derive(diesel::MultiConnection)]
pub enum Conn {
    /// Postgres.
    Postgres(PgConnection),
    /// SQLite.
    Sqlite(SqliteConnection),
}

/// The backend of [`Conn`], for the type parameters of diesel.
pub type Sql = <Conn as Connection>::Backend;

/// Every SQLite connection starts with these. `FULL` because with `NORMAL` a power cut loses acknowledged writes.
const SQLITE_PRAGMAS: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON; PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 67108864;";

/// No statement holds a connection for ever. The streaming of a list sends many short `FETCH`es. Where a connection is
/// not a session, each transaction begins with such limits ([`crate::transaction`]).
const POSTGRES_SETTINGS: &str =
    "SET statement_timeout = '60s'; SET lock_timeout = '10s'; SET timezone = 'UTC'; SET client_min_messages = warning;";

/// Opens connections for the pool.
pub(crate) struct Manager {
    url: DatabaseUrl,
    /// What else a new connection begins with.
    besides: Option<&'static str>,
    /// What is checked of a new connection besides.
    check: Option<Check>,
}

/// A check of a new connection: an error when it leads to a server that is not meant.
pub(crate) type Check = Box<dyn Fn(&mut Conn) -> Result<()> + Send + Sync>;

/// A connection of the pool.
pub(crate) struct CheckedConnection {
    conn: Conn,
    /// When it was last seen to work; [`None`] since something failed.
    worked: Option<Instant>,
}

impl CheckedConnection {
    /// Does something with the connection, and remembers whether it worked.
    pub(crate) fn run<T>(&mut self, f: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        self.worked = None;
        let result = f(&mut self.conn);
        self.worked = result.is_ok().then(Instant::now);
        result
    }
}

/// For how long a connection that worked is used without a question whether it still does: to ask takes as long as a
/// point read. One that broke meanwhile fails for one caller, and is asked then.
const TRUSTED: Duration = Duration::from_secs(1);

impl Manager {
    pub(crate) fn new(url: DatabaseUrl) -> Self {
        Self { url, besides: None, check: None }
    }

    /// For connections that read lists from end to end: they keep few pages of the file, since there are many of them.
    pub(crate) fn of_lists(url: DatabaseUrl) -> Self {
        let besides = (url.backend() == Backend::Sqlite).then_some("PRAGMA cache_size = -1000");
        Self { url, besides, check: None }
    }

    /// For connections each of which is checked: the URL may name several servers.
    pub(crate) fn checked(url: DatabaseUrl, check: Check) -> Self {
        Self { url, besides: None, check: Some(check) }
    }
}

/// Opens one connection, by the scheme of the URL.
pub(crate) fn connect(url: &DatabaseUrl) -> Result<Conn> {
    match url {
        DatabaseUrl::Sqlite(path) => {
            let path = path.to_str().ok_or_else(|| Error::Unavailable("path is not UTF-8".to_owned()))?;
            let mut conn = SqliteConnection::establish(path)?;
            conn.batch_execute(SQLITE_PRAGMAS)?;
            Ok(Conn::Sqlite(conn))
        }
        DatabaseUrl::Postgres(_) => {
            let mut conn = PgConnection::establish(&url.for_libpq())?;
            if url.keeps_sessions() {
                conn.batch_execute(POSTGRES_SETTINGS)?;
            } else {
                conn.set_prepared_statement_cache_size(CacheSize::Disabled);
            }
            Ok(Conn::Postgres(conn))
        }
    }
}

/// What belongs to a SQLite database, as endings of the name of its file: the file, its log, and the index of that.
pub const SQLITE_ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

/// The file beside another whose name has this ending more.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Makes a missing SQLite file, for its owner alone: what SQLite makes itself, others may read. One that is there, and
/// that others may read, is closed to them. Its companions (`-wal`, `-shm`) get the mode that it has.
pub(crate) fn make_private(url: &DatabaseUrl) -> Result<()> {
    let DatabaseUrl::Sqlite(path) = url else { return Ok(()) };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(Error::Unavailable(format!("{}: {error}", path.display())))
        }
        Err(_) => {
            #[cfg(unix)]
            close_to_others(path);
            Ok(())
        }
        Ok(file) => {
            let given = give_to_owner_of_folder(&file, path);
            given.map_err(|error| Error::Unavailable(format!("{}: {error}", path.display())))
        }
    }
}

/// What an older version made, or a copy brought along. Anyone who may not change the mode is told.
#[cfg(unix)]
fn close_to_others(path: &Path) {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    for ending in SQLITE_ENDINGS {
        let file = beside(path, ending);
        let Ok(found) = fs::metadata(&file) else { continue };
        let mode = found.permissions().mode() & 0o777;
        if !found.is_file() || mode & 0o077 == 0 {
            continue;
        }
        let closed = fs::set_permissions(&file, fs::Permissions::from_mode(mode & 0o700));
        let file = Path::new(&file).display();
        match closed {
            Ok(()) => tracing::warn!(%file, "others could read the database: closed to all but its owner"),
            Err(error) => tracing::warn!(%file, %error, "others may read the database"),
        }
    }
}

impl r2d2::ManageConnection for Manager {
    type Connection = CheckedConnection;
    type Error = Error;

    fn connect(&self) -> Result<CheckedConnection> {
        let mut conn = connect(&self.url)?;
        self.besides.map_or(Ok(()), |besides| conn.batch_execute(besides))?;
        self.check.as_ref().map_or(Ok(()), |check| check(&mut conn))?;
        Ok(CheckedConnection { conn, worked: Some(Instant::now()) })
    }

    fn is_valid(&self, pooled: &mut CheckedConnection) -> Result<()> {
        if pooled.worked.is_some_and(|when| when.elapsed() < TRUSTED) {
            return Ok(());
        }
        pooled.run(|conn| Ok(conn.batch_execute("SELECT 1")?))
    }

    fn has_broken(&self, pooled: &mut CheckedConnection) -> bool {
        use diesel::connection::TransactionManager as _;
        <Conn as Connection>::TransactionManager::is_broken_transaction_manager(&mut pooled.conn)
            || std::thread::panicking()
    }
}

#[derive(diesel::QueryableByName)]
struct Setting {
    #[diesel(sql_type = Text)]
    value: String,
}

/// Refuses a database that would lose an acknowledged write.
pub(crate) fn check_durability(conn: &mut Conn) -> Result<()> {
    let (query, wanted): (&str, &[&str]) = match conn {
        Conn::Sqlite(_) => ("SELECT CAST(synchronous AS TEXT) AS value FROM pragma_synchronous", &["2", "3"]),
        Conn::Postgres(_) => {
            ("SELECT current_setting('synchronous_commit') AS value", &["on", "local", "remote_write", "remote_apply"])
        }
    };
    let setting: Setting = diesel::sql_query(query).get_result(conn)?;
    if wanted.contains(&setting.value.as_str()) {
        return Ok(());
    }
    Err(Error::Unavailable(format!(
        "the database would lose acknowledged writes: its synchronous setting is {}, wanted one of {wanted:?}",
        setting.value
    )))
}

/// How long a graceful stop waits for a write under way.
pub(crate) const STOP: Duration = Duration::from_secs(10);
