//! The key that seals the secrets of integrations: in the environment, or in a file that the first start makes.

use std::{
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use base::secret::Secret;
use db::Db;
use integrations::vault::Vault;

use crate::{
    cli::{SecretsKey, Storage},
    private::write_private,
};

/// The environment variable that holds the key itself; several keys with commas, the one in use first.
pub const VARIABLE: &str = "MUSTER_SECRETS_KEY";

/// Where the keys come from.
pub enum Source {
    /// [`VARIABLE`].
    Environment(Secret<String>),
    /// A file.
    File(PathBuf),
}

impl SecretsKey {
    /// Where the keys come from.
    pub fn source(&self, storage: &Storage) -> Source {
        match std::env::var(VARIABLE) {
            Ok(keys) if !keys.trim().is_empty() => Source::Environment(Secret::new(keys)),
            _ => {
                let default = || storage.data_dir.join("secrets.key");
                Source::File(self.secrets_key_file.clone().unwrap_or_else(default))
            }
        }
    }

    /// Refuses keys that cannot be read; those of a file only where it is there.
    pub fn check(&self, storage: &Storage) -> anyhow::Result<()> {
        match self.source(storage) {
            Source::Environment(keys) => Vault::of(keys.expose()).context(VARIABLE).map(drop),
            Source::File(path) if path.exists() => {
                let reading = || format!("reading {}", path.display());
                let keys = Secret::new(fs::read_to_string(&path).with_context(reading)?);
                Vault::of(keys.expose()).with_context(reading).map(drop)
            }
            Source::File(_) => Ok(()),
        }
    }

    /// The vault; makes a key where there is none, unless the database holds secrets already.
    pub fn vault(&self, storage: &Storage, db: &Db) -> anyhow::Result<Arc<Vault>> {
        let vault = match self.source(storage) {
            Source::Environment(keys) => Vault::new(move || Some(keys.clone())).context(VARIABLE)?,
            Source::File(path) => {
                if !path.exists() {
                    if integrations::any_secrets(db)? || paging::any_secrets(db)? {
                        bail!(
                            "{} is missing, and the database holds secrets that it opens: put it back, or name it with \
                             --secrets-key-file or {VARIABLE}",
                            path.display()
                        );
                    }
                    make(&path)?;
                }
                let place = path.clone();
                let vault = Vault::new(move || fs::read_to_string(&place).ok().map(Secret::new));
                vault.with_context(|| format!("reading {}", path.display()))?
            }
        };
        integrations::check_secrets(db, &vault).context("the secrets in the database")?;
        Ok(Arc::new(vault))
    }
}

/// Makes a key; of several gateways that start at once on one directory the first does.
fn make(path: &Path) -> anyhow::Result<()> {
    let key = Vault::new_key()?;
    let new = beside(path);
    write_private(&new, &format!("{}\n", key.expose())).with_context(|| format!("writing {}", new.display()))?;
    // A link fails where a file is already, and never shows half of one.
    let made = fs::hard_link(&new, path);
    let _ = fs::remove_file(&new);
    match made {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("writing {}", path.display()))
        }
        _ => {
            sync_folder(path);
            tracing::info!(file = %path.display(), "made the key that seals secrets: keep a copy apart from the database");
            Ok(())
        }
    }
}

/// Puts other keys in place of those of a file, all at once.
pub fn replace(path: &Path, keys: &Secret<String>) -> anyhow::Result<()> {
    let new = beside(path);
    write_private(&new, keys.expose()).with_context(|| format!("writing {}", new.display()))?;
    fs::rename(&new, path).with_context(|| format!("writing {}", path.display()))?;
    sync_folder(path);
    Ok(())
}

fn beside(path: &Path) -> PathBuf {
    path.with_extension(format!("{}.new", std::process::id()))
}

/// The new name is to survive a power cut; where that is not possible it is as durable as the file system makes it.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
