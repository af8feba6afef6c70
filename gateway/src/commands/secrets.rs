//! `muster secrets`.

use std::{fs, sync::Arc};

use anyhow::{Context as _, ensure};
use base::secret::Secret;
use db::Db;
use integrations::{
    ResealCounts,
    vault::{Vault, with_another, with_second_first},
};
use ports::Seals;

use super::print;
use crate::{
    command_line::{Secrets, SecretsKey, Storage},
    keys::{self, Source, VARIABLE},
};

/// Rotates the key that seals secrets.
pub fn secrets(arguments: Secrets) -> anyhow::Result<()> {
    match arguments {
        Secrets::Rotate { storage, keys, prepare, finish } => rotate(&storage, &keys, prepare, finish),
    }
}

/// Takes a new key into use, and seals all secrets under it. The former one stays in the file, behind the new one, for
/// a gateway that was just sealing something; the next rotation drops it. Gateways on other machines read files of
/// their own, which have to have the key before it is used.
fn rotate(storage: &Storage, keys: &SecretsKey, prepare: bool, finish: bool) -> anyhow::Result<()> {
    let db = storage.existing()?;
    // There is a file, with a key that opens what is stored, before anything changes.
    let vault = keys.vault_to_rotate(storage, &db)?;
    let path = match keys.source(storage) {
        Source::Environment(_) => {
            let sealed = reseal(&db, &vault)?;
            integrations::note_sealing_key(&db, &vault)?;
            let counts =
                format!("{} of {} rows sealed anew under the first key of {VARIABLE}", sealed.anew, sealed.rows);
            return print(&format!("{counts}\nthe keys behind the first one can be taken out of {VARIABLE}"));
        }
        Source::File(path) => path,
    };
    let former = Secret::new(fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?);
    if prepare {
        keys::replace(&path, &with_another(former.expose())?)?;
        let file = path.display();
        return print(&format!("{file} has a new key: copy it to all gateways, then run this with --finish"));
    }
    let all = if finish {
        with_second_first(former.expose()).context("there is no second key: run this with --prepare first")?
    } else {
        let others = Vec::from_iter(outbox::hosts_of_other_gateways(&db)?).join(", ");
        ensure!(others.is_empty(), "gateways on {others} would not have the key: use --prepare, then --finish");
        Secret::new(format!("{}\n{}", Vault::new_key()?.expose(), former.expose()))
    };
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
