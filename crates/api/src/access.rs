//! Who may do what: the types, and the trait that the `access` crate implements.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use actix_web::HttpRequest;
use base::{
    problem::Problem,
    secret::Secret,
    tenant::{Level, TenantId},
};

/// What an API key may do. Each role may do all that those before it may, but for [`Role::Integrator`] and what it
/// alone decides: where data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Also jobs, maintenance, rosters, knowledge base, incidents and inventory writes.
    Operator,
    /// Also integrations.
    Integrator,
    /// Also tenants, users, keys and the audit log.
    Admin,
}

impl Role {
    /// All roles, weakest first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Operator, Self::Integrator, Self::Admin];

    /// The word used on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Integrator => "integrator",
            Self::Admin => "admin",
        }
    }

    /// Reads the word used on the wire.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An authenticated caller: an API key, acting as a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The key's public id.
    pub key_id: String,
    /// The user that the key acts as; author of what it writes.
    pub user_id: String,
    /// The tenant that the key belongs to.
    pub home: TenantId,
    /// What it may do.
    pub role: Role,
}

/// A tenant, as every domain sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// `msp_N` or `client_N`.
    pub id: TenantId,
    /// Its name.
    pub name: String,
    /// The partner it belongs to; itself for a partner.
    pub partner: TenantId,
    /// The clients of a partner; empty for a client.
    pub clients: Vec<TenantId>,
}

impl Tenant {
    /// The tenants whose records this one's lists show: itself, and a partner's clients.
    pub fn scope(&self) -> Vec<String> {
        std::iter::once(&self.id).chain(&self.clients).map(|id| id.as_str().to_owned()).collect()
    }

    /// May a caller of `home` see this tenant?
    pub fn visible_to(&self, home: &TenantId) -> bool {
        self.id == *home || (home.level() == Level::Partner && self.partner == *home)
    }
}

/// Who sent a token, or key and secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// This caller.
    Caller(Arc<Caller>),
    /// A caller of a suspended tenant: it may do nothing for now.
    Suspended,
    /// Somebody whose token has expired: no guess, but no caller any more.
    Expired,
    /// Nobody: the token is unknown or revoked, or key or secret are wrong.
    Unknown,
}

/// A boxed future, on the thread of its request.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = db::Result<T>> + 'a>>;

/// What the HTTP side asks of the crate that keeps tenants and keys.
pub trait Access: Send + Sync {
    /// Who has this bearer token.
    fn bearer<'a>(&'a self, token: &'a str) -> Answer<'a, Identity>;

    /// Who has this API key and secret (HTTP Basic, for agents).
    fn basic<'a>(&'a self, key: &'a str, secret: Secret<String>) -> Answer<'a, Identity>;

    /// To be told of every [`Identity::Unknown`]: a bearer token, or the `key` of key and secret. Answers the 429 that
    /// takes the place of the 401 when there were too many of them.
    fn refused(&self, request: &HttpRequest, key: Option<&str>) -> Option<Problem>;

    /// A tenant; `None` when there is none.
    fn tenant<'a>(&'a self, id: &'a TenantId) -> Answer<'a, Option<Arc<Tenant>>>;
}
