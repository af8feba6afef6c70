//! A copy of a SQLite database, as of one instant, while others write.

use std::{
    fs::{self, File},
    io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use diesel::{
    Connection as _, OptionalExtension as _, QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
    sqlite::SqliteConnection,
};
use tempfile::NamedTempFile;

use crate::{Conn, DatabaseUrl, Error, Migrations, Result, backend, migrate, moved};

#[derive(QueryableByName)]
pub(crate) struct IntegrityCheck {
    #[diesel(sql_type = Text)]
    pub(crate) quick_check: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Tables that every version of the program has made: without one of them a file is not its database.
const TABLES: &str = "SELECT count(*) AS number FROM sqlite_master WHERE type = 'table' \
    AND name IN ('__diesel_schema_migrations', 'counters', 'tenants')";

/// The first migration of all.
const FIRST_MIGRATION: &str = "SELECT count(*) AS number FROM __diesel_schema_migrations WHERE version = 'db0001'";

/// When the first tenant was created, which nothing changes afterwards.
const FIRST_TENANT: &str = "SELECT created_ms AS number FROM tenants ORDER BY created_ms LIMIT 1";

/// Tells databases apart: copies of one database have its origin, in whatever version they were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin(i64);

/// Copies the SQLite database of `source` into the new file `destination`, which only its owner reads; answers its
/// length in bytes. Writers are not held up. A file that is there already is left as it is.
///
/// The copy holds all that was committed when the backup began. It is checked and on the disk when this returns, and
/// gets its name only then.
pub fn back_up(source: &DatabaseUrl, destination: &Path) -> Result<u64> {
    let DatabaseUrl::Sqlite(path) = source else {
        return Err(Error::Fault("a backup of SQLite was asked of Postgres".to_owned()));
    };
    let failed = |error: io::Error| Error::Unavailable(format!("{}: {error}", destination.display()));
    if destination.exists() {
        return Err(failed(io::ErrorKind::AlreadyExists.into()));
    }
    if !path.is_file() {
        return Err(Error::Unavailable(format!("there is no database {}", path.display())));
    }
    let directory = match destination.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let copy = NamedTempFile::with_prefix_in(".muster-backup-", &directory).map_err(failed)?;
    let name = copy.path().to_str().ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?.to_owned();
    // An empty file is taken for none by SQLite, and this one has the right mode from the beginning.
    sql_query("VACUUM INTO ?").bind::<Text, _>(&name).execute(&mut backend::connect(source)?)?;
    check_file(copy.path()).map_err(|wrong| Error::Fault(format!("the copy is not good: {wrong}")))?;
    let length = File::open(copy.path()).and_then(|file| file.sync_all().and_then(|()| file.metadata()));
    let length = length.map_err(failed)?.len();
    copy.persist_noclobber(destination).map_err(|error| failed(error.error))?;
    File::open(&directory).and_then(|directory| directory.sync_all()).map_err(failed)?;
    Ok(length)
}

/// Opens a copy and checks it, so that a faulty disk shows today and not on the day the copy is needed. Changes
/// nothing, and makes no file beside it.
///
/// # Errors
/// What is wrong with it: it cannot be read, is empty or damaged, or is not a database of this program.
pub fn check_file(copy: &Path) -> std::result::Result<(), String> {
    check_identity(copy)?;
    let mut conn = open_copy(copy).map_err(|error| error.to_string())?;
    let rows: Vec<IntegrityCheck> =
        sql_query("PRAGMA quick_check(1)").load(&mut conn).map_err(|error| error.to_string())?;
    match rows.as_slice() {
        [IntegrityCheck { quick_check }] if quick_check == "ok" => Ok(()),
        _ => Err("it is damaged".to_owned()),
    }
}

/// As [`check_file`], and that a service with these domains would start on it.
///
/// # Errors
/// Also when a newer program made its tables, or its data has moved elsewhere.
pub fn check_restorable(copy: &Path, domains: &[Migrations]) -> std::result::Result<(), String> {
    check_file(copy)?;
    let mut conn = Conn::Sqlite(open_copy(copy).map_err(|error| error.to_string())?);
    let domains = migrate::with_own(domains);
    let moved = moved::fault(&mut conn).map_err(|error| error.to_string())?;
    let newer = migrate::newer(&mut conn, &domains).map_err(|error| error.to_string())?;
    moved.or(newer).map_or(Ok(()), Err)
}

/// Is it a database of this program, as far as its first pages tell?
pub(crate) fn check_identity(copy: &Path) -> std::result::Result<(), String> {
    let length = fs::metadata(copy).map_err(|error| error.to_string())?.len();
    if length == 0 {
        return Err("it is empty".to_owned());
    }
    let mut conn = open_copy(copy).map_err(|error| error.to_string())?;
    let mut count = |text: &str| {
        let found = sql_query(text).get_result::<Number>(&mut conn);
        found.map(|found| found.number).map_err(|error| error.to_string())
    };
    if count(TABLES)? != 3 || count(FIRST_MIGRATION)? != 1 {
        return Err("it is not a database of Muster".to_owned());
    }
    Ok(())
}

/// Which database this is, which others may write; `None` where it is Postgres, is missing, or has no tenant yet.
///
/// # Errors
/// When it cannot be read.
pub fn database_origin(database: &DatabaseUrl) -> Result<Option<Origin>> {
    match database {
        DatabaseUrl::Sqlite(path) if path.is_file() => {
            let first = sql_query(FIRST_TENANT).get_result::<Number>(&mut backend::connect(database)?);
            Ok(first.optional()?.map(|first| Origin(first.number)))
        }
        _ => Ok(None),
    }
}

/// Which database a file is a copy of, which nobody writes. `None` where that cannot be told: it is missing, damaged,
/// has no tenant, or is not a database of this program. What is only in a log beside the file is not looked at.
pub fn copy_origin(file: &Path) -> Option<Origin> {
    if !file.is_file() {
        return None;
    }
    let first = sql_query(FIRST_TENANT).get_result::<Number>(&mut open_copy(file).ok()?);
    Some(Origin(first.ok()?.number))
}

/// Who else has a file open that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    /// Nobody writes it: SQLite neither locks it nor makes a file beside it.
    Alone,
    /// A service may write it.
    BesideWriters,
}

/// Opens a file that nobody writes, for reading.
fn open_copy(file: &Path) -> diesel::ConnectionResult<SqliteConnection> {
    open_read_only(file, Access::Alone)
}

/// Opens a file for reading.
pub(crate) fn open_read_only(file: &Path, access: Access) -> diesel::ConnectionResult<SqliteConnection> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    let letters = file.as_os_str().as_bytes().iter();
    let path: String =
        letters.map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }).collect();
    let immutable = if matches!(access, Access::Alone) { "&immutable=1" } else { "" };
    SqliteConnection::establish(&format!("file:{path}?mode=ro{immutable}"))
}

#[cfg(test)]
mod tests;
