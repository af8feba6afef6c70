//! Notes of people on alerts.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, post};

use super::{
    actions, store,
    wire::{self, AlertId, NoteInput},
};
use crate::neighbours::Neighbours;

/// Add a note to an alert
///
/// To a closed alert as well. `notes` of the alert has the latest 100; each is in its timeline, with who wrote it and
/// when.
#[utoipa::path(
    operation_id = "addAlertNote",
    params(AlertId),
    request_body(content = NoteInput),
    responses(
        (status = 200, description = "The alert after the change", body = wire::Alert<'static>),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/notes")]
pub async fn add(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
    Body(NoteInput { text }): Body<NoteInput>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let tenants = scope.scope();
            let seen = store::existing(tx.conn, &tenants, &id)?;
            store::lock_tenants(tx.conn, std::slice::from_ref(&seen.tenant_id))?;
            let mut alert = store::existing(tx.conn, &tenants, &id)?;
            scope.check_version(alert.version)?;
            actions::add_note(tx, &*neighbours.people, &mut alert, &text)?;
            Answer::entity(&alert.to_wire(tx.now), alert.version)
        })
        .await
}
