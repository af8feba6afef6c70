//! Backups without a job, and the note of the last one.

use std::{fs, path::Path, sync::atomic::Ordering};

use ::backups::{Folder, Worker};
use anyhow::{Context as _, bail};
use base::timestamp::Timestamp;
use db::{Backend, DatabaseUrl, Db, write_private};

use crate::command_line::{Backups, Storage};

impl Backups {
    /// The directory of backups, which is made; refuses what cannot be backed up so, and a database that is yet to be
    /// made beside backups of one: its directory is mistyped, or that one is to be restored.
    pub fn folder(&self, storage: &Storage) -> anyhow::Result<Option<Folder>> {
        let Some(path) = &self.backup_to else { return Ok(None) };
        if storage.url().backend() == Backend::Postgres {
            bail!("--backup-to copies a SQLite file; Postgres has programs of its own for backups");
        }
        let folder = Folder::open(path).context("--backup-to")?;
        if matches!(storage.url(), DatabaseUrl::Sqlite(database) if !database.exists()) {
            folder.check_owner(None).context("--backup-to")?;
        }
        Ok(Some(folder))
    }

    /// Starts to make backups in a directory, unless it has those of another database, and tells those who watch how
    /// old the last one is.
    pub fn start(&self, folder: Option<Folder>, storage: &Storage, db: &Db) -> anyhow::Result<Option<Worker>> {
        let Some(folder) = folder else { return Ok(None) };
        folder.check_owner(db::database_origin(&storage.url())?).context("--backup-to")?;
        let noting = storage.clone();
        let note = move |copy: &::backups::Copy| noting.note_backup(&copy.path, copy.taken);
        let worker = Worker::start(folder, storage.url(), self.every, api::clock::now, note)?;
        let newest = worker.newest_ms();
        db.add_gauge("backup_age_seconds", "Age of the newest backup that was opened and checked", move || {
            let newest = Some(newest.load(Ordering::Relaxed)).filter(|newest| *newest > 0)?;
            let age = api::clock::now().millis().saturating_sub(newest).max(0);
            Some(std::time::Duration::from_millis(age.unsigned_abs()).as_secs_f64())
        });
        Ok(Some(worker))
    }
}

impl Storage {
    /// Notes a backup for `muster doctor`. A disk that does not take the note stops nothing.
    pub fn note_backup(&self, copy: &Path, taken: Timestamp) {
        let path = self.data_dir.join("last-backup");
        let copy = fs::canonicalize(copy).unwrap_or_else(|_| copy.to_owned());
        if self.data_dir.is_dir()
            && let Err(error) = write_private(&path, &format!("{taken} {}\n", copy.display()))
        {
            tracing::warn!(file = %path.display(), "cannot note the backup: {error}");
        }
    }

    /// When the last backup was made, and its file.
    pub fn noted_backup(&self) -> Option<(Timestamp, String)> {
        let text = fs::read_to_string(self.data_dir.join("last-backup")).ok()?;
        let (taken, path) = text.trim_end().split_once(' ')?;
        Some((Timestamp::parse(taken)?, path.to_owned()))
    }
}
