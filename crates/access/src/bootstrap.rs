//! The first tenants and the first key, on an empty database.

use anyhow::ensure;
use api::{Role, clock};
use base::{problem::Problem, secret::Secret};
use db::Db;

use crate::{api_keys, api_keys::store::NewKey, secrets, tenants};

const PARTNER: &str = "Partner One";
const CLIENT: &str = "Client One";
const ADMIN: &str = "Administrator";

/// On an empty database makes the partner `msp_1`, its client `client_1`, and an admin API key at `msp_1` with the user
/// that it acts as. A database that has tenants is left as it is, and the answer is `None`.
///
/// The key and secret are the given ones, or new random ones; the answer repeats them, for the one place where the
/// person who starts the service finds them. A given key has 8 to 128 letters and digits, a given secret 16 to 256;
/// anything else is an error and nothing is made. For commands and start-up: it waits for the database on the thread
/// that calls.
pub fn bootstrap(db: &Db, key: Option<(String, Secret<String>)>) -> anyhow::Result<Option<(String, Secret<String>)>> {
    if db.read_here(tenants::store::any)? {
        return Ok(None);
    }
    if let Some((key, secret)) = &key {
        check_first_key(key, secret)?;
    }
    let (key, secret) = match key {
        Some(given) => given,
        None => (secrets::random()?.into_inner(), secrets::random()?),
    };
    let new = NewKey { name: ADMIN.to_owned(), role: Role::Admin, key: key.clone(), secret: secret.clone() };
    let now = clock::now();
    let made = db.write_here(move |conn| {
        let partner = tenants::store::next_partner(conn)?;
        // Another gateway may have begun at the same moment; whoever waited for the number sees what the first made.
        if tenants::store::any(conn)? {
            return Err(Problem::conflict("The database has tenants.").into());
        }
        tenants::store::insert_partner(conn, &partner, PARTNER, now)?;
        tenants::store::insert_client(conn, &partner, CLIENT, now)?;
        api_keys::store::insert(conn, &partner, &new, None, now)?;
        Ok(())
    });
    match made {
        Ok(()) => Ok(Some((key, secret))),
        Err(_) if db.read_here(tenants::store::any)? => Ok(None),
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
