//! Reporters: the API keys and inbound addresses that report alerts for integrations.

use std::collections::HashSet;

use api::{Caller, Request};
use base::secret::Secret;
use db::Conn;
use outbox::Tx;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The credentials with which an integration reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, Request)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = InboundAuthType)]
pub enum AuthType {
    /// Key and secret, for a token.
    OAuth2,
    /// The same, sent with each report.
    Basic,
    /// An address that is a secret itself.
    Webhook,
}

/// New credentials, which are shown once.
pub enum Credentials {
    /// Of an API key.
    Key {
        /// Its public part.
        key: String,
        /// The secret part; it cannot be read again.
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

/// The port to the domain that stores the credentials of reporters.
pub trait Reporters: Send + Sync {
    /// A new reporter of a tenant, of this name.
    ///
    /// # Errors
    /// 403 when the caller may not let anybody report; 409 when the tenant has as many as it may have.
    fn admit(&self, tx: &mut Tx<'_>, tenant: &str, name: &str, by: AuthType, caller: &Caller) -> db::Result<Reporter>;

    /// Those of these reporters, which are of these tenants, that have not ended.
    fn live(&self, conn: &mut Conn, tenants: &[&str], ids: &[&str]) -> db::Result<HashSet<String>>;

    /// Ends a reporter; no error if it is gone already.
    fn dismiss(&self, tx: &mut Tx<'_>, tenant: &str, id: &str) -> db::Result<()>;
}
