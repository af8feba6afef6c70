//! Who lets integrations report alerts: `access`, which keeps keys and inbound addresses.

use std::{collections::HashSet, sync::Arc};

use access::{Authenticator, reporting};
use api::Caller;
use db::{Bell, Conn, Listener, Result};
use integrations::{AuthType, Credentials, Reporter, Reporters};
use outbox::Tx;

/// Rings when the credentials of a reporter have ended.
static ENDED: Bell = Bell::new();

/// The keys and addresses that `access` keeps.
pub struct Keys {
    /// What was remembered of them is forgotten at the commit: before it, somebody may still be told that they are
    /// good.
    _forgets: Listener,
}

impl Keys {
    /// With the one who remembers callers.
    pub fn new(authenticator: Arc<Authenticator>) -> Self {
        Self { _forgets: ENDED.listen(move || authenticator.forget_callers()) }
    }
}

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

    fn live(&self, conn: &mut Conn, tenants: &[&str], ids: &[&str]) -> Result<HashSet<String>> {
        reporting::live(conn, tenants, ids)
    }

    fn dismiss(&self, tx: &mut Tx<'_>, tenant: &str, id: &str) -> Result<()> {
        ENDED.ring_at_commit();
        reporting::end(tx, tenant, id)
    }
}
