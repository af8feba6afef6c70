//! Inbound addresses: make, list, revoke.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, RequestContext, Result, answer, delete, get, post};
use outbox::{Entity, Tx, Unpublished};

use super::{
    rules,
    store::{self, Row},
    wire::{CreatedInboundAddress, InboundAddress, NewInboundAddress},
};
use crate::{Keeper, api_keys::rules::check_lets_report, secrets};

/// Make an inbound address
///
/// For a monitor that can set no header: whoever has the address may report alerts at this tenant, and do nothing else.
/// The answer is the only time that token and address are shown.
#[utoipa::path(
    tag = "Inbound addresses",
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
pub(crate) async fn create_inbound_address(context: RequestContext, body: Body) -> Result<HttpResponse> {
    let NewInboundAddress { name } = NewInboundAddress::read(&body.0)?;
    check_lets_report(&context.caller)?;
    let token = secrets::random()?;
    let base = api::session::origin(context.request());
    let (tenant, author, now) = (context.tenant.id.clone(), context.caller.user_id.clone(), context.now);
    context
        .write(move |tx, _| {
            let row = store::insert(tx.conn, &tenant, &name, &token, &author, now)?;
            record_change(tx, None, Some(&row))?;
            let shown = InboundAddress::from(row.clone());
            Answer::once(&CreatedInboundAddress::new(row, token, &base), &shown)
        })
        .await
}

/// Records that an address is new, or gone.
pub(crate) fn record_change(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity::audited("InboundAddress", &row.tenant_id, &row.id);
    let shown = |row: Option<&Row>| row.cloned().map(InboundAddress::from);
    let token = Unpublished::secret("token", before.is_some(), after.is_some());
    tx.note_shown_with(entity, shown(before).as_ref(), shown(after).as_ref(), vec![token])
}

/// List inbound addresses
///
/// Those of the tenant of the path, oldest first, without their tokens; not those of a partner's clients.
#[utoipa::path(
    tag = "Inbound addresses",
    operation_id = "listInboundAddresses",
    responses((status = 200, description = "The addresses, at most 1,000", body = Vec<InboundAddress>)),
    security(("bearer" = ["admin"])),
)]
#[get("/inbound")]
pub(crate) async fn list_inbound_addresses(context: RequestContext) -> Result<HttpResponse> {
    let tenant = context.tenant.id.clone();
    let rows = context.db.read(move |conn| store::all(conn, &tenant)).await?;
    answer::ok(&rows.into_iter().map(InboundAddress::from).collect::<Vec<_>>())
}

/// Revoke an inbound address
///
/// What is sent to it is refused: at once on the gateway that answers, within five seconds on others. Alerts that were
/// reported through it stay.
#[utoipa::path(
    tag = "Inbound addresses",
    operation_id = "deleteInboundAddress",
    params(("inboundId" = String, Path, description = "`INB-<uuid>`",
        example = "INB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "An empty object", body = Object, example = json!({}))),
    security(("bearer" = ["admin"])),
)]
#[delete("/inbound/{inboundId}")]
pub(crate) async fn delete_inbound_address(
    context: RequestContext,
    path: web::Path<(String, String)>,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    let (_, id) = path.into_inner();
    if !rules::is_id(&id) {
        return Err(rules::unknown().into());
    }
    let tenant = context.tenant.id.clone();
    let done = context.write(move |tx, _| {
        let row = store::remove(tx.conn, &tenant, &id)?;
        record_change(tx, Some(&row), None)?;
        Ok(Answer::empty())
    });
    let answer = done.await?;
    keeper.forget_callers();
    Ok(answer)
}
