//! What a handler knows before it starts: who asks, for which tenant, when, and where the data is.

use std::{
    future::{Ready, ready},
    sync::Arc,
};

use actix_web::{FromRequest, HttpMessage as _, HttpRequest, dev::Payload, http::header};
use base::{
    problem::{Kind, Problem},
    query::Query,
    timestamp::Timestamp,
};
use db::Db;
use futures_util::future::LocalBoxFuture;

use crate::{
    Caller, Error, Result, Tenant,
    access::Roles,
    clock,
    guard::{Guard, WasHead},
};

/// The context of one request, under a tenant, after [`guard`](crate::guard) let it pass.
#[derive(Clone)]
pub struct At {
    /// Who asks.
    pub caller: Arc<Caller>,
    /// The tenant of the path.
    pub tenant: Arc<Tenant>,
    /// When the request was taken up.
    pub now: Timestamp,
    /// The database.
    pub db: Db,
    request: HttpRequest,
}

impl At {
    /// For a caller that is known by other means than the guard's ([`inbound`](crate::inbound)).
    pub(crate) fn of(request: &HttpRequest, caller: Arc<Caller>, tenant: Arc<Tenant>) -> Result<Self> {
        let db = request.app_data::<Db>().ok_or_else(|| db::Error::Fault("a server without database".to_owned()))?;
        Ok(Self { caller, tenant, now: clock::now(), db: db.clone(), request: request.clone() })
    }

    /// The query parameters, to be read strictly.
    pub fn query(&self) -> Result<Query> {
        Ok(Query::parse(self.request.query_string())?)
    }

    /// For operations without query parameters: any is refused.
    pub fn no_query(&self) -> Result<()> {
        Ok(self.query()?.finish()?)
    }

    /// The tenants whose records this request may read.
    pub fn scope(&self) -> Vec<String> {
        self.tenant.scope()
    }

    /// The tenants whose people may stand in the records of [`At::scope`], and whose shared records they may name: those
    /// of the scope, and the partner.
    pub fn scope_and_partner(&self) -> Vec<String> {
        let mut tenants = self.scope();
        if self.tenant.partner != self.tenant.id {
            tenants.push(self.tenant.partner.to_string());
        }
        tenants
    }

    /// The version that the caller's `If-Match` names; `None` when there is none or it is `*`.
    pub fn if_match(&self) -> Result<Option<i64>> {
        let mut values = self.request.headers().get_all(header::IF_MATCH);
        let Some(value) = values.next() else { return Ok(None) };
        let text = value.to_str().unwrap_or("").trim();
        if values.next().is_some() || text.contains(',') {
            return Err(Problem::invalid("If-Match takes one entity tag; a list is not supported.").into());
        }
        if text == "*" {
            return Ok(None);
        }
        let quoted = text.strip_prefix("W/").unwrap_or(text).strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        if quoted.is_none_or(|tag| tag.contains('"')) {
            return Err(Problem::invalid("If-Match takes an entity tag in its quotes, such as \"3\", or *.").into());
        }
        // A tag that this service never gave out matches nothing, nor does a weak one.
        let version = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).and_then(|tag| tag.parse().ok());
        Ok(Some(version.unwrap_or(-1)))
    }

    /// Does the caller's `If-None-Match` name this version already?
    pub fn has_version(&self, version: i64) -> bool {
        let tag = format!("\"{version}\"");
        self.request
            .headers()
            .get_all(header::IF_NONE_MATCH)
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|given| given.trim().trim_start_matches("W/") == tag || given.trim() == "*")
    }

    /// The operations of this server that need a caller, with the weakest role for each.
    pub fn operations(&self) -> Result<&Roles> {
        let guard = self.request.app_data::<Guard>().map(Guard::roles);
        Ok(guard.ok_or_else(|| db::Error::Fault("a server without guard".to_owned()))?)
    }

    /// Was the head of the answer asked for alone?
    pub fn is_head(&self) -> bool {
        self.request.extensions().get::<WasHead>().is_some()
    }

    /// The request itself, for the few that need a header.
    pub fn request(&self) -> &HttpRequest {
        &self.request
    }
}

/// The context of a request outside the path of any tenant: at the tenant that its caller belongs to.
pub struct AtHome(pub At);

impl FromRequest for AtHome {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let caller = request.extensions().get::<Arc<Caller>>().cloned();
            let (Some(caller), Some(guard)) = (caller, request.app_data::<Guard>()) else {
                return Err(db::Error::Fault("a handler without caller or guard".to_owned()).into());
            };
            let tenant = guard.access().tenant(&caller.home).await?;
            let tenant = tenant.ok_or_else(|| Problem::not_found("The tenant was not found."))?;
            Ok(Self(At::of(&request, caller, tenant)?))
        })
    }
}

/// Compares the version that the caller saw with the one that is stored.
pub fn check_version(wanted: Option<i64>, stored: i64) -> Result<(), Problem> {
    match wanted {
        Some(version) if version != stored => Err(Problem::new(
            Kind::PreconditionFailed,
            "The record has changed since you read it: its ETag is another one. Read it again.",
        )),
        _ => Ok(()),
    }
}

impl FromRequest for At {
    type Error = Error;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let extensions = request.extensions();
        let found = (extensions.get::<Arc<Caller>>(), extensions.get::<Arc<Tenant>>(), request.app_data::<Db>());
        ready(match found {
            (Some(caller), Some(tenant), Some(db)) => Ok(Self {
                caller: Arc::clone(caller),
                tenant: Arc::clone(tenant),
                now: clock::now(),
                db: db.clone(),
                request: request.clone(),
            }),
            _ => Err(db::Error::Fault("a handler without caller, tenant or database".to_owned()).into()),
        })
    }
}
