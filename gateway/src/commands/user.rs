//! `muster user`.

use access::console;

use super::print;
use crate::cli::User;

/// Where the service is when nobody says otherwise.
const HERE: &str = "http://127.0.0.1:8080";

/// Makes users in the database, and links that sign them in.
pub fn user(arguments: User) -> anyhow::Result<()> {
    match arguments {
        User::Create { storage, tenant, role, login } => {
            let id = console::create_user(&storage.existing()?, &tenant, &login, role)?;
            print(&id)
        }
        User::SignIn { storage, browsers, tenant, login } => {
            let code = console::sign_in_code(&storage.existing()?, tenant.as_ref(), &login)?;
            let origin = browsers.public_url.as_deref().unwrap_or(HERE);
            print(access::sign_in_url(origin, &code).expose())
        }
    }
}
