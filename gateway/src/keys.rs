//! The key that seals the secrets of integrations: in the environment, or in a file that the first start makes.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, anyhow, bail};
use base::secret::Secret;
use db::{Backend, Db, create_private, write_private};
use integrations::vault::{Vault, id_of};

use crate::command_line::{SecretsKey, Storage};

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

    /// Refuses keys other than the one that the gateways of a database seal with. Changes nothing, and finds nothing
    /// wrong where there is no key yet, or where no gateway has started since that is noted.
    pub fn check_against_database(&self, storage: &Storage) -> anyhow::Result<()> {
        let options = db::Options { connections: 1, ..db::Options::default() };
        let Ok(db) = Db::open(&storage.url(), options) else { return Ok(()) };
        let Ok(Some(noted)) = integrations::sealing_key(&db) else { return Ok(()) };
        let vault = match self.source(storage) {
            Source::Environment(keys) => Vault::of(keys.expose()),
            Source::File(path) => Vault::of(&fs::read_to_string(path).unwrap_or_default()),
        };
        if vault.is_ok_and(|vault| vault.has(noted)) || (db.backend() == Backend::Sqlite && !has_secrets(&db)?) {
            return Ok(());
        }
        Err(self.other_key_error(storage, &db, noted)?)
    }

    /// The vault; makes a key where there is none, unless the database holds secrets already, or a gateway noted
    /// another key.
    pub fn vault(&self, storage: &Storage, db: &Db) -> anyhow::Result<Arc<Vault>> {
        let (vault, made) = self.read_or_make(storage, db)?;
        if integrations::sealing_key(db)?.is_none_or(|noted| vault.has(noted)) {
            integrations::check_secrets(db, &vault).with_context(|| {
                format!(
                    "the secrets in the database do not open: put back the secrets.key of before, or its {VARIABLE}"
                )
            })?;
        }
        let Some(noted) = integrations::claim_sealing_key(db, &vault)? else { return Ok(vault) };
        // A file has no other gateway, and where nothing is sealed no former key is missed.
        if db.backend() == Backend::Sqlite && !has_secrets(db)? {
            integrations::note_sealing_key(db, &vault)?;
            return Ok(vault);
        }
        if let Some(path) = made {
            fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
        }
        Err(self.other_key_error(storage, db, noted)?)
    }

    /// As [`Self::vault`], for a rotation: where no secret is stored, it may also begin without the key that was noted.
    pub fn vault_to_rotate(&self, storage: &Storage, db: &Db) -> anyhow::Result<Arc<Vault>> {
        if has_secrets(db)? {
            return self.vault(storage, db);
        }
        Ok(self.read_or_make_new(storage)?.0)
    }

    fn read_or_make(&self, storage: &Storage, db: &Db) -> anyhow::Result<(Arc<Vault>, Option<PathBuf>)> {
        if let Source::File(path) = self.source(storage)
            && !path.exists()
        {
            if has_secrets(db)? {
                bail!(
                    "{} is missing, and the database holds secrets that it opens: put it back, or name it with \
                     --secrets-key-file or {VARIABLE}",
                    path.display()
                );
            }
            if db.backend() == Backend::Postgres
                && let Some(noted) = integrations::sealing_key(db)?
            {
                return Err(self.other_key_error(storage, db, noted)?);
            }
        }
        self.read_or_make_new(storage)
    }

    /// The vault, and the file that was made for it.
    fn read_or_make_new(&self, storage: &Storage) -> anyhow::Result<(Arc<Vault>, Option<PathBuf>)> {
        match self.source(storage) {
            Source::Environment(keys) => {
                Ok((Arc::new(Vault::new(move || Some(keys.clone())).context(VARIABLE)?), None))
            }
            Source::File(path) => {
                let made = if path.exists() { false } else { make(&path)? };
                if fs::metadata(&path).is_ok_and(|found| !db::is_private(&found)) {
                    tracing::warn!(file = %path.display(), "others may read the key that seals secrets: chmod 600");
                }
                let file = path.clone();
                let vault = Vault::new(move || fs::read_to_string(&file).ok().map(Secret::new));
                let vault = vault.with_context(|| format!("reading {}", path.display()))?;
                Ok((Arc::new(vault), made.then_some(path)))
            }
        }
    }

    /// What is wrong where the database was sealed by a gateway with another key, and what to do.
    fn other_key_error(&self, storage: &Storage, db: &Db, noted: i64) -> anyhow::Result<anyhow::Error> {
        let own = match self.source(storage) {
            Source::Environment(_) => VARIABLE.to_owned(),
            Source::File(path) => path.display().to_string(),
        };
        let lost = if has_secrets(db)? {
            ""
        } else {
            ". If nobody has that key any more: `muster secrets rotate` takes another one, since no secret is stored"
        };
        Ok(anyhow!(
            "the gateways of this database seal secrets under the key {}, which {own} does not have: copy the \
             secrets.key of a gateway that runs there, name it with --secrets-key-file, or give all gateways the same \
             {VARIABLE}{lost}",
            id_of(noted)
        ))
    }
}

/// Does the database hold anything that is sealed?
fn has_secrets(db: &Db) -> anyhow::Result<bool> {
    Ok(integrations::any_secrets(db)? || paging::any_secrets(db)?)
}

/// Makes a key, and says whether it did; of several gateways that start at once on one directory the first does.
fn make(path: &Path) -> anyhow::Result<bool> {
    let key = Vault::new_key()?;
    let made = create_private(path, &format!("{}\n", key.expose()));
    let made = made.with_context(|| format!("writing {}", path.display()))?;
    tracing::info!(file = %path.display(), "made the key that seals secrets: keep a copy apart from the database");
    Ok(made)
}

/// Puts other keys in place of those of a file, all at once.
pub fn replace(path: &Path, keys: &Secret<String>) -> anyhow::Result<()> {
    write_private(path, keys.expose()).with_context(|| format!("writing {}", path.display()))
}
