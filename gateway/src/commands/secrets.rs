//! `muster secrets`.

use std::{fs, sync::Arc};

use anyhow::Context as _;
use base::secret::Secret;
use db::Db;
use integrations::{ResealCounts, vault::Vault};
use ports::Seals;

use super::print;
use crate::{
    command_line::{Secrets, SecretsKey, Storage},
    keys::{self, Source, VARIABLE},
};

/// Rotates the key that seals secrets.
pub fn secrets(arguments: Secrets) -> anyhow::Result<()> {
    match arguments {
        Secrets::Rotate { storage, keys } => rotate(&storage, &keys),
    }
}

/// Takes a new key into use, and seals all secrets under it. The former one stays in the file, behind the new one, for
/// a gateway that was just sealing something; the next rotation drops it.
fn rotate(storage: &Storage, keys: &SecretsKey) -> anyhow::Result<()> {
    let db = storage.existing()?;
    // There is a file, with a key that opens what is stored, before anything changes.
    let vault = keys.vault_to_rotate(storage, &db)?;
    let path = match keys.source(storage) {
        Source::Environment(_) => {
            let sealed = reseal(&db, &vault)?;
            integrations::note_sealing_key(&db, &vault)?;
            print(&format!("{} of {} rows sealed anew under the first key of {VARIABLE}", sealed.anew, sealed.rows))?;
            return print(&format!("the keys behind the first one can be taken out of {VARIABLE}"));
        }
        Source::File(path) => path,
    };
    let former = Secret::new(fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?);
    let all = Secret::new(format!("{}\n{}", Vault::new_key()?.expose(), former.expose()));
    keys::replace(&path, &all)?;
    let vault = Arc::new(Vault::of(all.expose())?);
    let sealed = reseal(&db, &vault)?;
    integrations::note_sealing_key(&db, &vault)?;
    let kept: Vec<&str> = all.expose().lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect();
    keys::replace(&path, &Secret::new(format!("{}\n", kept.join("\n"))))?;
    print(&format!("{} of {} rows sealed anew; {} has the new key", sealed.anew, sealed.rows, path.display()))
}

/// Seals the secrets of every domain anew.
fn reseal(db: &Db, vault: &Arc<Vault>) -> anyhow::Result<ResealCounts> {
    let mut sealed = integrations::reseal(db, vault)?;
    let (rows, anew) = paging::reseal(db, &(Arc::clone(vault) as Arc<dyn Seals>))?;
    sealed.rows += rows;
    sealed.anew += anew;
    Ok(sealed)
}
