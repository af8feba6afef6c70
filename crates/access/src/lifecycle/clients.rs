//! Clients: suspend, resume, terminate.

use actix_web::{HttpResponse, web};
use api::{PathIds, RequestContext, Result, post};

use crate::{
    Authenticator, api_keys, sessions,
    tenants::{
        http::change,
        rules,
        wire::{ClientId, TenantFacts},
    },
};

/// Suspend a client
///
/// From now on its callers are answered 403 on every operation and get no tokens: at once on the gateway that answers,
/// within a second on others. Sessions of its people end for good. Its data stays, its partner's callers see it as
/// before. Suspending a suspended client changes nothing.
#[utoipa::path(
    operation_id = "suspendClient",
    params(ClientId),
    responses(
        (status = 200, description = "The client after the change", body = TenantFacts),
        (status = 412, description = "The client has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/clients/{clientId}/suspend")]
pub(crate) async fn suspend_client(
    context: RequestContext,
    PathIds(id): PathIds<ClientId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    change(&context, &id, &authenticator, |tx, row, now| {
        sessions::redeem::end_of_tenant(tx, &row.id, now)?;
        Ok(rules::suspended(row, true, now)?)
    })
    .await
}

/// Resume a client
///
/// Ends its suspension: its keys work again, and its tokens that have not expired. Resuming a client that is not
/// suspended changes nothing.
#[utoipa::path(
    operation_id = "resumeClient",
    params(ClientId),
    responses(
        (status = 200, description = "The client after the change", body = TenantFacts),
        (status = 412, description = "The client has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/clients/{clientId}/resume")]
pub(crate) async fn resume_client(
    context: RequestContext,
    PathIds(id): PathIds<ClientId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    change(&context, &id, &authenticator, |_, row, now| Ok(rules::suspended(row, false, now)?)).await
}

/// Terminate a client
///
/// Shuts it for good: it is suspended, cannot be resumed, and all of its API keys are revoked, so that nothing is done
/// in its name any more. Its data stays, and its partner's callers see it as before. Terminating a terminated client
/// changes nothing.
#[utoipa::path(
    operation_id = "terminateClient",
    params(ClientId),
    responses(
        (status = 200, description = "The client after the change", body = TenantFacts),
        (status = 412, description = "The client has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/clients/{clientId}/terminate")]
pub(crate) async fn terminate_client(
    context: RequestContext,
    PathIds(id): PathIds<ClientId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    change(&context, &id, &authenticator, |tx, row, now| {
        api_keys::http::revoke_all(tx, &row.id, now)?;
        sessions::redeem::end_of_tenant(tx, &row.id, now)?;
        Ok(rules::terminated(row, now))
    })
    .await
}
