//! Who may do what: the types, and the trait that the `access` crate implements.

use std::{collections::BTreeMap, fmt, future::Future, pin::Pin, sync::Arc};

use actix_web::HttpRequest;
use api_derive::Request;
use base::{
    problem::Problem,
    secret::Secret,
    tenant::{Level, TenantId},
    timestamp::Timestamp,
};
use utoipa::ToSchema;

use crate::session;

/// What an API key or a user may do.
// Each role may do all that those before it may, but for `Integrator` and what it alone decides: where data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Request, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = KeyRole, rename_all = "lowercase")]
pub enum Role {
    /// Reads.
    Viewer,
    /// Also jobs, maintenance, rosters, knowledge base, incidents and inventory writes.
    Operator,
    /// Also integrations: it decides where data goes.
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

/// The weakest role for each operation that is not public, by its operationId.
pub type Roles = BTreeMap<String, Role>;

/// An authenticated caller: an API key or a session, acting as a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The public part of the key, or the id of the session.
    pub key_id: String,
    /// The user that it acts as; author of what it writes.
    pub user_id: String,
    /// The tenant that it belongs to.
    pub home: TenantId,
    /// What it may do.
    pub role: Role,
    /// What it is restricted to: operationIds, ascending; `None` for all that its role may.
    pub operations: Option<Arc<[String]>>,
    /// When it ends by itself.
    pub expires: Option<Timestamp>,
    /// Of a session that began by the link of a page: what it is limited to.
    pub limit: Option<Arc<SessionLimit>>,
}

/// The limit of a session that began by the link of a page: it reads one tenant, and calls its operations on one alert
/// or incident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLimit {
    /// The tenant that it reads.
    pub tenant: TenantId,
    /// The alert or the incident that it answers.
    pub subject: Subject,
}

/// The alert or the incident of a page, by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An alert.
    Alert(String),
    /// An incident.
    Incident(String),
}

impl Subject {
    /// The name of the parameter of a path that names it, and its id.
    pub fn parameter(&self) -> (&'static str, &str) {
        match self {
            Self::Alert(id) => ("alertId", id),
            Self::Incident(id) => ("incidentId", id),
        }
    }
}

impl Caller {
    /// The id of its session; `None` when it came with a key.
    pub fn session(&self) -> Option<&str> {
        Some(self.key_id.as_str()).filter(|id| id.starts_with(session::PREFIX))
    }

    /// Is this operation among those that the caller is restricted to? Its role is asked for besides.
    pub fn may(&self, operation: &str) -> bool {
        let found = |operations: &Arc<[String]>| operations.binary_search_by(|one| one.as_str().cmp(operation)).is_ok();
        self.operations.as_ref().is_none_or(found)
    }

    /// May it see the records of this tenant?
    pub fn sees(&self, tenant: &Tenant) -> bool {
        tenant.visible_to(&self.home) && self.limit.as_ref().is_none_or(|limit| limit.tenant == tenant.id)
    }
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

    /// The tenants whose people may stand in the records of [`Tenant::scope`], and whose shared records they may name:
    /// those of the scope, and the partner.
    pub fn scope_and_partner(&self) -> Vec<String> {
        let mut tenants = self.scope();
        if self.partner != self.id {
            tenants.push(self.partner.to_string());
        }
        tenants
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

    /// Who has this API key and secret (HTTP Basic).
    fn basic<'a>(&'a self, key: &'a str, secret: Secret<String>) -> Answer<'a, Identity>;

    /// Whose session this is, by what the cookie holds: one that has no key.
    fn session<'a>(&'a self, token: &'a str) -> Answer<'a, Identity>;

    /// Who sends to the inbound address with this token ("Inbound addresses"): a caller that may report, and no more.
    fn inbound<'a>(&'a self, token: &'a str) -> Answer<'a, Identity>;

    /// To be told of every [`Identity::Unknown`]: a bearer token, or the `key` of key and secret. Answers the 429 that
    /// takes the place of the 401 when there were too many of them.
    fn refused(&self, request: &HttpRequest, key: Option<&str>) -> Option<Problem>;

    /// A tenant; `None` when there is none.
    fn tenant<'a>(&'a self, id: &'a TenantId) -> Answer<'a, Option<Arc<Tenant>>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_caller_may_do_its_own_operations() {
        let caller = |operations: Option<&[&str]>| Caller {
            key_id: String::new(),
            user_id: String::new(),
            home: TenantId::client(1),
            role: Role::Operator,
            operations: operations.map(|names| names.iter().map(ToString::to_string).collect()),
            expires: None,
            limit: None,
        };
        let narrow = caller(Some(&["appendJobRunLog", "claimJobRuns"]));
        assert!(narrow.may("claimJobRuns") && narrow.may("appendJobRunLog"));
        assert!(!narrow.may("runJob") && !narrow.may("claim") && !narrow.may(""));
        assert!(caller(None).may("runJob") && !caller(Some(&[])).may("runJob"));
    }
}
