//! Whether anything was committed since, for what the price of a question to the database is too much.

use std::{
    fs::File,
    mem::ManuallyDrop,
    path::{Path, PathBuf},
};

/// The head of the index of a write-ahead log, which SQLite writes anew with each commit: its counter of changes, how long
/// the log is, and a checksum of it (SQLite's "WAL-mode file format", section 2.1). A commit of any process changes it before
/// whoever committed hears of it.
const HEAD: usize = 48;

/// What a reader of the database sees at a moment. As long as the version is the same, so is every answer that depends on
/// nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataVersion {
    /// Of which database of this process.
    database: u64,
    head: [u8; HEAD],
}

/// Tells the version of a SQLite database to the thread that has a connection to it, without a lock and without a
/// statement.
///
/// The file is read and never closed: to close it would let go of the locks that every connection of this process holds on
/// it. While the connection is open, SQLite neither removes the file nor makes another.
pub(crate) struct Versions(Option<ManuallyDrop<File>>);

impl Versions {
    /// Of a database to which this thread has just opened a connection.
    pub(crate) fn of(database: &Path) -> Self {
        let mut path = database.as_os_str().to_owned();
        path.push("-shm");
        Self(File::open(PathBuf::from(path)).ok().map(ManuallyDrop::new))
    }

    /// The version now; [`None`] when it cannot be told.
    pub(crate) fn now(&self, database: u64) -> Option<DataVersion> {
        Some(DataVersion { database, head: self.head()? })
    }

    /// How many pages the log has, those among them that are copied into the file already; [`None`] when it cannot be told.
    pub(crate) fn log_pages(&self) -> Option<u32> {
        let head = self.head()?;
        Some(u32::from_ne_bytes([head[16], head[17], head[18], head[19]]))
    }

    fn head(&self) -> Option<[u8; HEAD]> {
        let mut head = [0; HEAD];
        read(self.0.as_deref()?, &mut head)?;
        // Not in use yet, or being made anew after a crash.
        (head[12] == 1).then_some(head)
    }
}

#[cfg(unix)]
fn read(file: &File, head: &mut [u8]) -> Option<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, head, 0).ok()
}

#[cfg(not(unix))]
fn read(_: &File, _: &mut [u8]) -> Option<()> {
    None
}

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection as _;

    use crate::{Db, Options, backend, url::DatabaseUrl};

    #[test]
    fn a_commit_of_anybody_changes_it_and_nothing_else_does() {
        let directory = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::parse(&format!("sqlite:{}", directory.path().join("v.db").display())).unwrap();
        let db = Db::open(&url, Options::default()).unwrap();
        db.write_here(|conn| Ok(conn.batch_execute("CREATE TABLE t (a)")?)).unwrap();
        let first = db.data_version().unwrap();
        db.read_here(|conn| Ok(conn.batch_execute("SELECT * FROM t")?)).unwrap();
        let failed: crate::Result<()> = db.write_here(|conn| {
            conn.batch_execute("INSERT INTO t VALUES (1)")?;
            Err(crate::Error::Fault("undone".to_owned()))
        });
        assert!(failed.is_err());
        assert_eq!(db.data_version(), Some(first));
        let mut seen = vec![first];
        let mut changed = |who: &str| {
            let now = db.data_version().unwrap();
            assert!(!seen.contains(&now), "{who}");
            seen.push(now);
        };
        db.write_here(|conn| Ok(conn.batch_execute("INSERT INTO t VALUES (1)")?)).unwrap();
        changed("the writer");
        // As another process does, and with a log that begins again.
        let mut other = backend::connect(&url).unwrap();
        for _ in 0..3 {
            other.batch_execute("INSERT INTO t VALUES (1)").unwrap();
            changed("another");
            other.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
            other.batch_execute("UPDATE t SET a = 1").unwrap();
            changed("another, at the start of a log");
        }
    }
}
