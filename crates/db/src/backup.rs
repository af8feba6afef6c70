//! A copy of a SQLite database, as of one instant, while others write.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use diesel::{QueryableByName, RunQueryDsl, sql_query, sql_types::Text};
use tempfile::NamedTempFile;

use crate::{DatabaseUrl, Error, Result, backend};

#[derive(QueryableByName)]
struct IntegrityCheck {
    #[diesel(sql_type = Text)]
    quick_check: String,
}

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
    check_file(copy.path())?;
    let length = File::open(copy.path()).and_then(|file| file.sync_all().and_then(|()| file.metadata()));
    let length = length.map_err(failed)?.len();
    copy.persist_noclobber(destination).map_err(|error| failed(error.error))?;
    File::open(&directory).and_then(|directory| directory.sync_all()).map_err(failed)?;
    Ok(length)
}

/// Opens a copy and checks it, so that a faulty disk shows today and not on the day the copy is needed.
///
/// # Errors
/// When it is damaged, or no database.
pub fn check_file(copy: &Path) -> Result<()> {
    use diesel::{Connection as _, sqlite::SqliteConnection};
    let mut conn = SqliteConnection::establish(&copy.to_string_lossy())?;
    let rows: Vec<IntegrityCheck> = sql_query("PRAGMA quick_check(1)").load(&mut conn)?;
    match rows.as_slice() {
        [IntegrityCheck { quick_check }] if quick_check == "ok" => Ok(()),
        _ => Err(Error::Fault("the copy is damaged".to_owned())),
    }
}
