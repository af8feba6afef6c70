//! From options to what they stand for.

use std::{
    fs::{self, File, OpenOptions},
    path::PathBuf,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use db::{DatabaseUrl, Db, Options, give_to_owner_of_folder};
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};

use crate::{command_line::Storage, domains};

/// Between two looks whether another service has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

impl Storage {
    /// Which database the options name.
    pub fn url(&self) -> DatabaseUrl {
        let default = || DatabaseUrl::Sqlite(self.data_dir.join("muster.sqlite"));
        self.database_url.clone().unwrap_or_else(default)
    }

    /// Opens the database, which may be empty, and brings its tables up to date.
    pub fn open(&self) -> anyhow::Result<Db> {
        self.make_data_dir()?;
        let url = self.url();
        let options = Options { connections: self.connections, ..Options::default() };
        let db = Db::open(&url, options).with_context(|| format!("opening {}", url.without_password()))?;
        let ran = db.migrate(&domains::migrations()).context("migrating the database")?;
        if !ran.is_empty() {
            tracing::info!(migrations = ran.join(" "), "tables are up to date");
        }
        Ok(db)
    }

    /// Sees to it that one service runs on a SQLite file, until the answer is dropped or the process ends, however it
    /// ends: each would take itself for the only one that delivers, schedules and escalates. Commands work beside it.
    /// One that is about to end is waited for, as long as `patience` says.
    pub fn serve_alone(&self, patience: Duration) -> anyhow::Result<Option<File>> {
        let DatabaseUrl::Sqlite(path) = self.url() else { return Ok(None) };
        self.make_data_dir()?;
        let database = fs::canonicalize(&path).unwrap_or(path);
        let mut lock_file = database.clone().into_os_string();
        lock_file.push(".lock");
        let lock_file = PathBuf::from(lock_file);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&lock_file).with_context(|| format!("opening {}", lock_file.display()))?;
        give_to_owner_of_folder(&file, &lock_file).with_context(|| format!("opening {}", lock_file.display()))?;
        let begun = Instant::now();
        let mut locked = flock(&file, FlockOperation::NonBlockingLockExclusive);
        while locked == Err(Errno::WOULDBLOCK) && begun.elapsed() < patience {
            sleep(LOOK_AGAIN);
            locked = flock(&file, FlockOperation::NonBlockingLockExclusive);
        }
        match locked {
            Ok(()) => Ok(Some(file)),
            Err(Errno::WOULDBLOCK) => bail!(
                "another `muster serve` runs on {}: stop it first. Several gateways share a Postgres, not a file",
                database.display()
            ),
            Err(error) => Err(error).with_context(|| format!("locking {}", lock_file.display())),
        }
    }

    /// Opens a database that is there already. What looks into one, or changes what is in it, makes none: a directory
    /// that is misspelled would be an empty database.
    pub fn existing(&self) -> anyhow::Result<Db> {
        if let DatabaseUrl::Sqlite(path) = self.url()
            && !self.exists()?
        {
            bail!("there is no database {}: `muster serve` makes it, at its first start", path.display());
        }
        self.open()
    }

    /// Is the file of a SQLite database there? That of a Postgres is not asked for. What cannot be read, or is in the
    /// place of a directory, is not taken for missing.
    pub fn exists(&self) -> anyhow::Result<bool> {
        let DatabaseUrl::Sqlite(path) = self.url() else { return Ok(true) };
        self.check_data_dir()?;
        path.try_exists().with_context(|| format!("the database {} cannot be read", path.display()))
    }

    fn check_data_dir(&self) -> anyhow::Result<()> {
        if self.data_dir.is_file() {
            bail!("{} is a file: --data-dir names the directory that muster.sqlite is in", self.data_dir.display());
        }
        Ok(())
    }

    /// The data directory is its owner's alone.
    fn make_data_dir(&self) -> anyhow::Result<()> {
        self.check_data_dir()?;
        if self.data_dir.is_dir() {
            return Ok(());
        }
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.data_dir).with_context(|| format!("creating {}", self.data_dir.display()))
    }
}
