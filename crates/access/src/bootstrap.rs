//! The first tenants and the first key, on an empty database.

use std::{fs, path::Path};

use anyhow::{Context as _, ensure};
use api::{Role, clock};
use base::{problem::Problem, secret::Secret, tenant::TenantId};
use db::Db;

use crate::{api_keys, api_keys::store::NewKey, secrets, tenants};

const PARTNER: &str = "Partner One";
const CLIENT: &str = "Client One";
const ADMIN: &str = "Administrator";

/// How the lines of a file of credentials begin.
const KEY: &str = "MUSTER_KEY=";
const SECRET: &str = "MUSTER_SECRET=";

/// The first key, as [`unused_first_key`] finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstKey {
    /// `KEY-<uuid>`.
    pub id: String,
    /// Its public part.
    pub key: String,
}

/// Has the database no tenant yet? Then [`bootstrap`] is what it needs.
pub fn is_empty(db: &Db) -> anyhow::Result<bool> {
    Ok(!db.read_here(tenants::store::any)?)
}

/// The key and the secret that a file of credentials has, for [`bootstrap`], and whether it was made here: with new
/// ones, where there was none. One that is there is never written over: its key may be in use elsewhere.
pub fn credentials_in(path: &Path) -> anyhow::Result<((String, Secret<String>), bool)> {
    let (key, secret) = (secrets::random()?.into_inner(), secrets::random()?);
    let text = format!("{KEY}{key}\n{SECRET}{}\n", secret.expose());
    let made = db::create_private(path, &text).with_context(|| format!("writing {}", path.display()))?;
    if made {
        return Ok(((key, secret), true));
    }
    let wrong = || format!("{} is there, and has no key that could be the first one: move it away", path.display());
    let text = Secret::new(fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?);
    let (key, secret) = value_in(text.expose(), KEY).zip(value_in(text.expose(), SECRET)).with_context(wrong)?;
    let secret = Secret::new(secret);
    check_first_key(&key, &secret).with_context(wrong)?;
    Ok(((key, secret), false))
}

/// The key that a file of credentials names.
pub fn key_in(path: &Path) -> Option<String> {
    value_in(&fs::read_to_string(path).ok()?, KEY)
}

fn value_in(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
}

/// Has the database this key, and is it live?
pub fn is_live(db: &Db, key: &str) -> anyhow::Result<bool> {
    Ok(db.read_here(|conn| api_keys::store::live(conn, key))?.is_some())
}

/// The first key, while it is live and as far as the database knows was never used.
pub fn unused_first_key(db: &Db) -> anyhow::Result<Option<FirstKey>> {
    let found = db.read_here(|conn| api_keys::store::unused_of(conn, &TenantId::partner(1), ADMIN))?;
    Ok(found.map(|row| FirstKey { id: row.id, key: row.key }))
}

/// On an empty database makes the partner `msp_1`, its client `client_1`, and an admin API key at `msp_1` with the user
/// that it acts as; says whether it did. A database that has tenants is left as it is.
///
/// A key has 8 to 128 letters and digits, a secret 16 to 256; anything else is an error and nothing is made. For
/// commands and start-up: it waits for the database on the thread that calls.
pub fn bootstrap(db: &Db, (key, secret): (String, Secret<String>)) -> anyhow::Result<bool> {
    check_first_key(&key, &secret)?;
    if !is_empty(db)? {
        return Ok(false);
    }
    let new = NewKey::of(ADMIN.to_owned(), Role::Admin, key, secret);
    let now = clock::now();
    let made = db.write_here(move |conn| {
        let partner = tenants::store::next_partner(conn)?;
        // Two gateways may start at once: the second waited for the number, and sees what the first created.
        if tenants::store::any(conn)? {
            return Err(Problem::conflict("The database has tenants.").into());
        }
        tenants::store::insert_partner(conn, &partner, PARTNER, now)?;
        tenants::store::insert_client(conn, &partner, CLIENT, now)?;
        api_keys::store::insert(conn, &partner, &new, None, now)?;
        Ok(())
    });
    match made {
        Ok(()) => Ok(true),
        Err(_) if !is_empty(db)? => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Refuses what could not be the first key.
pub fn check_first_key(key: &str, secret: &Secret<String>) -> anyhow::Result<()> {
    ensure!(secrets::is_key(key), "the first key must have 8 to 128 letters and digits, nothing else");
    ensure!(
        secrets::is_secret(secret.expose()),
        "the secret of the first key must have 16 to 256 letters and digits, nothing else"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_that_are_there_are_taken_and_never_written_over() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("credentials.env");
        let ((key, secret), made) = credentials_in(&file).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let ((again, same), made_again) = credentials_in(&file).unwrap();
        assert!(made && !made_again);
        assert_eq!((&again, same.expose(), key_in(&file)), (&key, secret.expose(), Some(key.clone())));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        for wrong in ["", "MUSTER_KEY=abcdefgh12\n", "MUSTER_KEY=a\nMUSTER_SECRET=b\n"] {
            fs::write(&file, wrong).unwrap();
            assert!(credentials_in(&file).is_err(), "{wrong}");
            assert_eq!(fs::read_to_string(&file).unwrap(), wrong);
        }
    }
}
