//! Backups without a job.

use std::path::Path;

use ::backups::{Folder, Worker};
use anyhow::{Context as _, bail};
use db::{Backend, DatabaseUrl, Db};

use crate::command_line::{Backups, Storage};

impl Backups {
    /// The directory of backups, which is made; refuses what cannot be backed up so, and a database that is yet to be
    /// made beside backups of one: its directory is mistyped, or that one is to be restored.
    pub fn folder(&self, storage: &Storage) -> anyhow::Result<Option<Folder>> {
        let Some(path) = &self.backup_to else { return Ok(None) };
        if storage.url().backend() == Backend::Postgres {
            bail!("--backup-to copies a SQLite file; Postgres has programs of its own for backups");
        }
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if real(path) == real(&storage.data_dir) {
            bail!("--backup-to is the data directory: name another directory, best of another disk");
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
        let data_dir = storage.data_dir.clone();
        let note = move |copy: &::backups::Copy| ::backups::note(&data_dir, &copy.path, copy.taken);
        let worker = Worker::start(folder, storage.url(), self.every, api::clock::now, note)?;
        worker.add_metrics(db);
        Ok(Some(worker))
    }
}
