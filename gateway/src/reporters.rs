//! Who lets integrations report alerts: `access`, which keeps keys and inbound addresses.

use std::sync::Arc;

use access::{Authenticator, reporting};
use api::Caller;
use db::Result;
use integrations::{AuthType, Credentials, Reporter, Reporters};
use outbox::Tx;

/// The keys and addresses that `access` keeps.
pub struct Keys(pub Arc<Authenticator>);

impl Reporters for Keys {
    fn admit(&self, tx: &mut Tx<'_>, tenant: &str, name: &str, by: AuthType, caller: &Caller) -> Result<Reporter> {
        reporting::check(caller)?;
        let author = &caller.user_id;
        if by == AuthType::Webhook {
            let (id, token) = reporting::by_address(tx, tenant, name, author)?;
            return Ok(Reporter { id, credentials: Credentials::Token(token) });
        }
        let (id, key, secret) = reporting::by_key(tx, tenant, name, author)?;
        Ok(Reporter { id, credentials: Credentials::Key { key, secret } })
    }

    fn dismiss(&self, tx: &mut Tx<'_>, tenant: &str, id: &str) -> Result<()> {
        reporting::end(tx, tenant, id)?;
        self.0.forget_callers();
        Ok(())
    }
}
