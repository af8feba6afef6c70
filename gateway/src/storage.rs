//! From options to what they stand for.

use std::{
    fs::{self, File},
    time::Duration,
};

use anyhow::{Context as _, bail};
use db::{DatabaseUrl, Db, FileLock, Options};

use crate::{command_line::Storage, domains};

/// The ending of the lock that keeps a SQLite file in its place.
const IN_PLACE: &str = ".in-place.lock";

impl Storage {
    /// Which database the options name.
    pub fn url(&self) -> DatabaseUrl {
        let default = || DatabaseUrl::Sqlite(self.data_dir.join("muster.sqlite"));
        self.database_url.clone().unwrap_or_else(default)
    }

    /// Opens the database, which may be empty, and brings its tables up to date.
    pub fn open(&self) -> anyhow::Result<Db> {
        self.keep_in_place()?;
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
        const ADVICE: &str = "stop it first. Several gateways share a Postgres, not a file";
        self.lock(".lock", FileLock::Alone, patience, ("`muster serve` runs", ADVICE))
    }

    /// Sees to it that a SQLite file stays in its place until this process ends: what is written to one that `restore`
    /// puts another in the place of is lost.
    pub fn keep_in_place(&self) -> anyhow::Result<()> {
        let others = ("`muster restore` is at work", "wait for its end");
        std::mem::forget(self.lock(IN_PLACE, FileLock::Shared, Duration::ZERO, others)?);
        Ok(())
    }

    /// Sees to it that no service and no other command works on a SQLite file until the answer is dropped.
    pub fn replace_alone(&self) -> anyhow::Result<[Option<File>; 2]> {
        let service = self.serve_alone(Duration::ZERO)?;
        let others = ("command works", "wait for its end");
        Ok([service, self.lock(IN_PLACE, FileLock::Alone, Duration::ZERO, others)?])
    }

    /// Locks the file beside a SQLite file that has this ending; says who else has it, and what to do.
    fn lock(
        &self,
        ending: &str,
        how: FileLock,
        patience: Duration,
        (others, advice): (&str, &str),
    ) -> anyhow::Result<Option<File>> {
        let DatabaseUrl::Sqlite(path) = self.url() else { return Ok(None) };
        self.make_data_dir()?;
        let database = fs::canonicalize(&path).unwrap_or(path);
        let path = db::beside(&database, ending);
        let file = db::lock_file(&path, how, patience).with_context(|| format!("locking {}", path.display()))?;
        file.map(Some).with_context(|| format!("another {others} on {}: {advice}", database.display()))
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
