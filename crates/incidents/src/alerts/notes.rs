//! Notes of people on alerts.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PathIds, RequestContext, post};

use super::{
    intake, rules,
    rules::Edit,
    store,
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
            let before = alert.event_payload(tx.now)?;
            let around = neighbours.people.own_and_partner(tx.conn, &alert.tenant_id)?;
            let user = tx.author().to_owned();
            let known = neighbours.people.users(tx.conn, &around, std::slice::from_ref(&user))?.pop();
            let by = known.map_or_else(|| wire::Person { id: user, ..wire::Person::default() }, wire::Person::of);
            rules::apply_edit(&mut alert, Edit::default(), by, text, tx.now);
            intake::record_change(tx, &alert, Some(before))?;
            store::replace(tx.conn, &alert.tenant_id, std::slice::from_ref(&alert))?;
            Answer::entity(&alert.to_wire(tx.now), alert.version)
        })
        .await
}
