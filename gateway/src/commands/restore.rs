//! `muster restore`.

use anyhow::bail;
use db::DatabaseUrl;

use super::print;
use crate::command_line::Restore;

/// Puts a backup in the place of the database.
pub fn restore(arguments: &Restore) -> anyhow::Result<()> {
    let Restore { storage, backup_to, at } = arguments;
    let DatabaseUrl::Sqlite(database) = storage.url() else {
        bail!("Postgres has programs of its own for that: pg_restore, or those that keep its log");
    };
    let _lock = storage.replace_alone()?;
    let folder = ::backups::Folder::at(backup_to);
    let restored = ::backups::restore(&folder, *at, &database, &crate::domains::migrations(), api::clock::now())?;
    print(&restored.text(&database))
}
