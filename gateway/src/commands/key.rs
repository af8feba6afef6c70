//! `muster key`.

use access::console;
use base::secret::Secret;

use super::print;
use crate::cli::Key;

/// Makes, lists, rotates and revokes API keys in the database; gateways that run on it feel it within two seconds.
pub fn key(arguments: Key) -> anyhow::Result<()> {
    match arguments {
        Key::Create { storage, tenant, name, role } => {
            let (key, secret) = console::create_key(&storage.existing()?, &tenant, &name, role)?;
            tell(&key, &secret)
        }
        Key::List { storage } => {
            let db = storage.existing()?;
            print("TENANT\tROLE\tID\tKEY\tCREATED\tROTATED\tNAME")?;
            console::each_key(&db, |key| {
                let console::Key { id, tenant, role, name, key, created, updated } = key;
                let rotated = if updated == created { "-".to_owned() } else { updated.to_string() };
                print(&format!("{tenant}\t{role}\t{id}\t{key}\t{created}\t{rotated}\t{name}"))
            })
        }
        Key::Rotate { storage, revoke_previous, key } => {
            let (key, secret) = console::rotate_key(&storage.existing()?, &key, revoke_previous)?;
            tell(&key, &secret)
        }
        Key::Revoke { storage, key } => {
            let key = console::revoke_key(&storage.existing()?, &key)?;
            print(&format!("revoked {}, {} of {}", key.id, key.role, key.tenant))
        }
    }
}

/// The one time that a secret is printed, in the form of `credentials.env`.
fn tell(key: &console::Key, secret: &Secret<String>) -> anyhow::Result<()> {
    print(&format!("# {}, {} of {}", key.id, key.role, key.tenant))?;
    print(&format!("MUSTER_KEY={}\nMUSTER_SECRET={}", key.key, secret.expose()))
}
