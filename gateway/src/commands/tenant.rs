//! `muster tenant`.

use access::console;

use super::print;
use crate::command_line::{NewTenant, Tenant};

/// Makes and lists tenants in the database; gateways that run on it see them within two seconds.
pub fn tenant(arguments: Tenant) -> anyhow::Result<()> {
    match arguments {
        Tenant::Create { storage, what, of } => {
            let made = match (what, of) {
                (NewTenant { client: Some(name), .. }, Some(partner)) => {
                    console::create_client(&storage.existing()?, &partner, &name)?
                }
                // A partner may be there before the service first starts.
                (NewTenant { partner: Some(name), .. }, _) => console::create_partner(&storage.open()?, &name)?,
                // The command line asks for one of the two.
                _ => anyhow::bail!("give --partner NAME, or --client NAME --of PARTNER"),
            };
            print(&made.id)
        }
        Tenant::List { storage } => {
            let db = storage.existing()?;
            print("TENANT\tPARTNER\tSTATE\tNAME")?;
            console::each_tenant(&db, |tenant| {
                let state = if tenant.suspended { "suspended" } else { "active" };
                print(&format!("{}\t{}\t{state}\t{}", tenant.id, tenant.partner, tenant.name))
            })
        }
    }
}
