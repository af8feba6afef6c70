//! `muster key`.

use access::console;
use base::{secret::Secret, timestamp::Timestamp};
use cli::current_name;

use super::print;
use crate::{command_line::Key, domains};

/// Makes, lists, rotates and revokes API keys in the database; gateways that run on it feel it within two seconds.
pub fn key(arguments: Key) -> anyhow::Result<()> {
    match arguments {
        Key::Create { storage, tenant, name, role, operations } => {
            let roles = api::spec::roles(&api::spec::operations(&domains::all())).map_err(anyhow::Error::msg)?;
            let operations = operations.iter().map(|name| current_name(name).to_owned()).collect();
            let new = console::NewTenantKey { tenant: &tenant, name: &name, role, operations };
            let (key, secret) = console::create_key(&storage.existing()?, new, &roles)?;
            print_credentials(&key, &secret)
        }
        Key::List { storage } => {
            let db = storage.existing()?;
            print("TENANT\tROLE\tID\tKEY\tCREATED\tROTATED\tUSED\tENDS\tOPERATIONS\tNAME")?;
            console::each_key(&db, |key| {
                let console::Key { id, tenant, role, operations, name, key, created, updated, used, expires } = key;
                let time_or_dash =
                    |time: Option<Timestamp>| time.map_or_else(|| "-".to_owned(), |time| time.to_string());
                let used = time_or_dash(used);
                let ends = time_or_dash(expires);
                let operations = operations.map_or_else(|| "-".to_owned(), |names| names.join(","));
                let rotated = if updated == created { "-".to_owned() } else { updated.to_string() };
                let key = format!("{tenant}\t{role}\t{id}\t{key}\t{created}\t{rotated}");
                print(&format!("{key}\t{used}\t{ends}\t{operations}\t{name}"))
            })
        }
        Key::Rotate { storage, revoke_previous, key } => {
            let (key, secret) = console::rotate_key(&storage.existing()?, &key, revoke_previous)?;
            print_credentials(&key, &secret)
        }
        Key::Revoke { storage, key } => {
            let key = console::revoke_key(&storage.existing()?, &key)?;
            print(&format!("revoked {}, {} of {}", key.id, key.role, key.tenant))
        }
    }
}

/// The one time that a secret is printed, in the form of `credentials.env`.
fn print_credentials(key: &console::Key, secret: &Secret<String>) -> anyhow::Result<()> {
    print(&format!("# {}, {} of {}", key.id, key.role, key.tenant))?;
    print(&format!("MUSTER_KEY={}\nMUSTER_SECRET={}", key.key, secret.expose()))
}
