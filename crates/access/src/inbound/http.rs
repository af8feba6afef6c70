//! Inbound addresses: make, list, revoke.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, Result, answer, delete, get, post};

use super::{
    store,
    wire::{CreatedInboundAddress, InboundAddress, InboundId, NewInboundAddress},
};
use crate::{Authenticator, api_keys::rules::check_lets_report, secrets};

/// Make an inbound address
///
/// For a monitor that cannot set a header: the address itself lets it report alerts at this tenant, and do nothing
/// else. The answer is the only time that token and address are shown.
#[utoipa::path(
    operation_id = "createInboundAddress",
    request_body = NewInboundAddress,
    responses(
        (status = 200, description = "The address, with its token", body = CreatedInboundAddress),
        (status = 403, description = "The caller is restricted to certain operations, and may not report itself"),
        (status = 409, description = "Another one of the tenant has this name, or there are 1,000"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/inbound")]
pub(crate) async fn create_inbound_address(
    context: RequestContext,
    Body(NewInboundAddress { name }): Body<NewInboundAddress>,
) -> Result<HttpResponse> {
    check_lets_report(&context.caller)?;
    let token = secrets::random()?;
    let base = api::session::origin(context.request());
    context
        .write(move |tx, scope| {
            let row = store::insert(tx.conn, &scope.tenant.id, &name, &token, scope.author(), tx.now)?;
            secrets::record_change(tx, None, Some(&row))?;
            Answer::once(&CreatedInboundAddress::new(&row, token, &base), &InboundAddress::from(&row))
        })
        .await
}

/// List inbound addresses
///
/// Those of the tenant of the path, oldest first, without their tokens; not those of a partner's clients.
#[utoipa::path(
    operation_id = "listInboundAddresses",
    responses((status = 200, description = "The addresses, at most 1,000", body = Vec<InboundAddress>)),
    security(("bearer" = ["admin"])),
)]
#[get("/inbound")]
pub(crate) async fn list_inbound_addresses(context: RequestContext) -> Result<HttpResponse> {
    let tenant = context.tenant.id.clone();
    let rows = context.db.read(move |conn| store::all(conn, &tenant)).await?;
    answer::ok(&rows.iter().map(InboundAddress::from).collect::<Vec<_>>())
}

/// Revoke an inbound address
///
/// What is sent to it is refused: at once on the gateway that answers, within a second on others. Alerts that were
/// reported through it stay.
#[utoipa::path(
    operation_id = "deleteInboundAddress",
    params(InboundId),
    responses((status = 200, description = "An empty object", body = Object, example = json!({}))),
    security(("bearer" = ["admin"])),
)]
#[delete("/inbound/{inboundId}")]
pub(crate) async fn delete_inbound_address(
    context: RequestContext,
    PathIds(id): PathIds<InboundId>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let done = context.write(move |tx, scope| {
        let row = store::remove(tx.conn, &scope.tenant.id, &id)?;
        secrets::record_change(tx, Some(&row), None)?;
        Ok(Answer::empty())
    });
    let answer = done.await?;
    authenticator.forget_callers();
    Ok(answer)
}
