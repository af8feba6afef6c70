//! Inbound addresses: how a sender that can set neither header nor token request is let in ("Inbound addresses" in
//! `docs/interface.md`).
//!
//! Their operations are public to the guard, since the credential stands where the sender can put it: in the path, in a
//! header of its own, or in the body. Each of them calls [`admit`] before anything else is done for the request. What they
//! hold (bodies, answers) is of the share of the address that they come from.

use actix_web::HttpRequest;
use base::problem::{Kind, Problem};

use crate::{Error, FromQuery, Guard, RequestContext, Result, access::Identity};

/// What an inbound address is known by in a path; what follows is its token.
pub const PREFIX: &str = "/api/v2/inbound/";

/// The context of a request to the inbound address with this token: its own caller, at the tenant that it belongs to.
///
/// # Errors
/// 401 for an unknown or revoked token, 403 for a suspended tenant, 429 for too many requests or too many wrong tokens; then
/// those of `Q` for the parameters of the URL.
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
