//! `muster backup`.

use std::path::Path;

use anyhow::{Context as _, bail};
use db::Backend;

use super::print;
use crate::command_line::Backup;

/// Copies the database while the service runs. Postgres has programs of its own for that: it is said which.
pub fn backup(arguments: &Backup) -> anyhow::Result<()> {
    let Backup { storage, destination } = arguments;
    let url = storage.url();
    if url.backend() == Backend::Postgres {
        let file = quoted(&show(destination));
        let url = quoted(&url.without_password());
        print(&format!("pg_dump --format=custom --file={file} {url}"))?;
        bail!("Postgres has a program of its own for backups, which works while the service runs: type the above");
    }
    if destination.exists() {
        bail!(
            "{} is there already, and a backup overwrites nothing: name a new file, or remove this one",
            show(destination)
        );
    }
    let begun = api::clock::now();
    let length = db::back_up(&url, destination).with_context(|| format!("backing up {}", url.without_password()))?;
    ::backups::note(&storage.data_dir, destination, begun);
    print(&format!("{}: {length} bytes, checked", show(destination)))
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

/// As a shell takes it for one word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
