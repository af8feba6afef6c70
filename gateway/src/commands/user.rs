//! `muster user`.

use access::console;

use super::print;
use crate::command_line::User;

/// Makes users in the database, and links that sign them in.
pub fn user(arguments: User) -> anyhow::Result<()> {
    match arguments {
        User::Create { storage, tenant, role, login } => {
            let id = console::create_user(&storage.existing()?, &tenant, &login, role)?;
            print(&id)
        }
        User::SignIn { storage, public_url, tenant, login } => {
            let code = console::sign_in_code(&storage.existing()?, tenant.as_ref(), &login)?;
            let origin = public_url.unwrap_or_else(|| storage.noted_origin());
            print(access::sign_in_url(&origin, &code).expose())
        }
    }
}
