//! Who may report for integrations.

use api::Caller;
use base::secret::Secret;
use outbox::Tx;

use super::row::AuthType;

/// New credentials, which are shown once.
pub enum Credentials {
    /// Of an API key.
    Key {
        /// Its public part.
        key: String,
        /// What is sent with it; nobody can read it again.
        secret: Secret<String>,
    },
    /// Of an inbound address.
    Token(Secret<String>),
}

/// Somebody who may report alerts at a tenant, and do nothing else.
pub struct Reporter {
    /// `KEY-<uuid>` or `INB-<uuid>`.
    pub id: String,
    /// With what.
    pub credentials: Credentials,
}

/// Who keeps the credentials of reporters.
pub trait Reporters: Send + Sync {
    /// A new reporter of a tenant, of this name.
    ///
    /// # Errors
    /// 403 when the caller may not let anybody report; 409 when the tenant has as many as it may have.
    fn admit(&self, tx: &mut Tx<'_>, tenant: &str, name: &str, by: AuthType, caller: &Caller) -> db::Result<Reporter>;

    /// Ends a reporter; one that is gone already is no error.
    fn dismiss(&self, tx: &mut Tx<'_>, tenant: &str, id: &str) -> db::Result<()>;
}
