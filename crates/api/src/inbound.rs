//! Inbound addresses: how a sender that can set neither header nor token request is let in ("Inbound addresses" in
//! `docs/interface.md`).
//!
//! Their operations are public to the guard, since the credential stands where the sender can put it: in the path, in a
//! header of its own, or in the body. Each of them calls [`admit`] before anything else is done for the request. What
//! they hold (bodies, answers) is of the share of the address that they come from.

use actix_web::HttpRequest;
use base::{
    problem::{Kind, Problem},
    query::Query,
};

use crate::{Error, FromQuery, Guard, RequestContext, Result, access::Identity};

/// What an inbound address is known by in a path; what follows is its token.
pub const PREFIX: &str = "/api/v2/inbound/";

/// Where monitors send, beside [`PREFIX`]. A slash at the end of such a path means nothing: what is refused
/// for it wakes nobody, and the scripts that append it are not ours.
const ADDRESSES: [&str; 5] =
    ["/api/v2/heartbeats/", "/v2/enqueue", "/v2/change/enqueue", "/v2/alerts", "/generic/2010-04-15/"];

/// Where agents report to, below the path of a tenant.
const REPORTS: &str = "/agents/reports";

/// Is this the path of an address of monitors or agents? What of a request there cannot be used means nothing, since a
/// report that is refused wakes nobody.
pub(crate) fn is_address(path: &str) -> bool {
    ADDRESSES.iter().chain([&PREFIX]).any(|address| path.starts_with(address))
        || path.trim_end_matches('/').ends_with(REPORTS)
}

/// Is this the path of an address of monitors or agents, with a slash at the end that means nothing?
pub(crate) fn has_idle_slash(path: &str) -> bool {
    path.ends_with('/') && is_address(path)
}

/// The parameters of the URL of an address of monitors or agents: those that nobody reads mean nothing.
#[derive(Clone, Debug, Default)]
pub struct AnyQuery(Query);

impl FromQuery for AnyQuery {
    fn from_query(query: &str, _: &str) -> Result<Self, Problem> {
        Ok(Self(Query::parse(query).unwrap_or_default()))
    }
}

impl AnyQuery {
    /// A parameter, as it was given.
    pub fn text(&self, name: &str) -> Option<String> {
        self.0.clone().text(name)
    }
}

/// The context of a request to the inbound address with this token: its own caller, at the tenant that it belongs to.
///
/// # Errors
/// 401 for an unknown or revoked token, 403 for a suspended tenant, 429 for too many requests or too many wrong tokens;
/// then those of `Q` for the parameters of the URL.
pub async fn admit<Q: FromQuery>(request: &HttpRequest, token: &str) -> Result<RequestContext<Q>> {
    let guard = request.app_data::<Guard>().ok_or_else(|| db::Error::Fault("a server without guard".to_owned()))?;
    let unknown = || Problem::new(Kind::Unauthenticated, "The token of the inbound address is unknown or revoked.");
    let caller = match guard.access().inbound(token).await? {
        Identity::Caller(caller) => caller,
        Identity::Suspended => {
            return Err(Problem::forbidden("The tenant of this inbound address is suspended.").into());
        }
        Identity::Expired => return Err(unknown().into()),
        Identity::Unknown => {
            let throttled = guard.access().refused(request, None);
            return Err(throttled.map_or_else(|| unknown().into(), Error::from));
        }
    };
    guard.count(request, &caller.key_id)?;
    let tenant = guard.access().tenant(&caller.home).await?.ok_or_else(unknown)?;
    RequestContext::of(request, caller, tenant)
}

/// The error of a request to an address that opens nothing: `problem`, or the 429 once there were too many of them.
pub fn refuse(request: &HttpRequest, problem: Problem) -> Error {
    let throttled = request.app_data::<Guard>().and_then(|guard| guard.access().refused(request, None));
    throttled.unwrap_or(problem).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_at_the_end_mean_nothing_at_the_addresses_of_monitors() {
        let reports = "/api/v2/tenants/client_1/agents/reports/";
        for path in ["/v2/alerts/", "/v2/enqueue/", "/api/v2/inbound/abc/", "/api/v2/inbound/abc/zabbix/", reports] {
            assert!(has_idle_slash(path), "{path}");
        }
        for path in ["/v2/alerts", "/api/v2/tenants/client_1/alerts/", "/", reports.trim_end_matches('/')] {
            assert!(!has_idle_slash(path), "{path}");
        }
    }
}
