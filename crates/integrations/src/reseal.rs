//! All secrets sealed under the key in use, after a rotation of keys.

use std::{sync::Arc, time::Duration};

use db::{Db, Lock, Result, keep_number, kept_number};
use outbox::Background;

use crate::{event::store as events, installed::store as installed, vault::Vault};

/// The number that the database keeps: the fingerprint of the key that its secrets are sealed under.
const SEALING_KEY: &str = "sealing_key";

/// How many secrets are stored, and how many were sealed anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResealCounts {
    /// How many rows hold secrets.
    pub rows: usize,
    /// How many of them were sealed anew.
    pub anew: usize,
}

/// Seals what is sealed under a former key anew, tenant by tenant, while gateways run.
///
/// # Errors
/// A secret does not open: its key is not among those given.
pub fn reseal(db: &Db, vault: &Arc<Vault>) -> Result<ResealCounts> {
    let mut sealed = ResealCounts::default();
    for tenant in db.read_here(installed::tenants)? {
        let vault = Arc::clone(vault);
        let part = db.write_here(move |conn| {
            installed::lock_tenant(conn, &tenant)?;
            let mut part = ResealCounts::default();
            for mut row in installed::all(conn, &tenant)? {
                part.rows += 1;
                if row.reseal(&vault)? {
                    part.anew += 1;
                    installed::update(conn, &row)?;
                }
            }
            for mut row in events::all(conn, &tenant)? {
                part.rows += usize::from(!row.secrets.is_empty());
                if row.reseal(&vault)? {
                    part.anew += 1;
                    events::update(conn, &row)?;
                }
            }
            Ok(part)
        })?;
        sealed.rows += part.rows;
        sealed.anew += part.anew;
    }
    Ok(sealed)
}

/// Do the keys open what is stored? One secret of each tenant is tried.
///
/// # Errors
/// The key of a secret is missing.
pub fn check(db: &Db, vault: &Vault) -> Result<()> {
    for tenant in db.read_here(installed::tenants)? {
        if let Some(row) = db.read_here(|conn| installed::first(conn, &tenant))? {
            row.open_signing(vault)?;
        }
    }
    Ok(())
}

/// Are there any secrets at all?
pub fn any_secrets(db: &Db) -> Result<bool> {
    Ok(!db.read_here(installed::tenants)?.is_empty())
}

/// The fingerprint of the key that the secrets of the database are sealed under; `None` before the first start that
/// noted it.
pub fn sealing_key(db: &Db) -> Result<Option<i64>> {
    db.read_here(|conn| kept_number(conn, SEALING_KEY))
}

/// Notes the key in use as the one of this database, unless another one is noted; gives the fingerprint of that one
/// when it is none of these keys. Gateways that start at once have one of them note its key.
pub fn claim_sealing_key(db: &Db, vault: &Vault) -> Result<Option<i64>> {
    let noted = match sealing_key(db)? {
        Some(noted) => noted,
        None => {
            let own = vault.fingerprint();
            db.write_here(move |conn| {
                Lock::only("sealing_key").take(conn)?;
                let noted = kept_number(conn, SEALING_KEY)?;
                if noted.is_none() {
                    keep_number(conn, SEALING_KEY, own)?;
                }
                Ok(noted.unwrap_or(own))
            })?
        }
    };
    Ok((!vault.has(noted)).then_some(noted))
}

/// How often a gateway looks whether it has the key of the database.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// What is told while it does not.
const NO_KEY: &str = "This gateway does not have the key under which the secrets of the database are sealed: copy the \
    secrets.key of the gateway where it was rotated.";

/// Starts the thread that keeps a gateway from being ready while it does not have the key of the database: it could
/// neither page nor deliver anything.
///
/// # Errors
/// When there is no further thread.
pub fn start_key_watch(db: Db, vault: Arc<Vault>) -> std::io::Result<Background> {
    Background::repeat("sealing-key", LOOK_EVERY, "looking for the key that seals secrets", move || {
        let is_there = sealing_key(&db)?.is_none_or(|noted| vault.finds(noted));
        if !is_there && db.hindrance().is_none() {
            tracing::error!("not ready: {NO_KEY}");
        }
        db.hinder((!is_there).then_some(NO_KEY));
        Ok(false)
    })
}

/// Notes the key in use as the one of this database.
pub fn note_sealing_key(db: &Db, vault: &Vault) -> Result<()> {
    let own = vault.fingerprint();
    db.write_here(move |conn| keep_number(conn, SEALING_KEY, own))
}
