//! The first tenants and the first key, on an empty database.

use anyhow::ensure;
use api::{Role, clock};
use base::{problem::Problem, secret::Secret, tenant::TenantId};
use db::Db;

use crate::{api_keys, api_keys::store::NewKey, secrets, tenants};

const PARTNER: &str = "Partner One";
const CLIENT: &str = "Client One";
const ADMIN: &str = "Administrator";

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

/// A new random key and secret for [`bootstrap`].
pub fn new_credentials() -> anyhow::Result<(String, Secret<String>)> {
    Ok((secrets::random()?.into_inner(), secrets::random()?))
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
