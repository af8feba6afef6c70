//! Notes of incidents: a list that is only ever added to.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PageQuery, PathIds, RequestContext, Resource as _, get, post, spec::PageOf};

use super::{
    document,
    row::{self, Row},
    store, view,
    wire::{IncidentId, NewNote, Note},
};
use crate::neighbours::Neighbours;

api::list! {
    /// The list of notes.
    pub Notes by store::NOTE_SORTS: SORT = "createdDate", DESCENDING = true
}

/// Add a note to an incident
///
/// To a closed incident as well. A note counts as a change of the incident.
#[utoipa::path(
    operation_id = "addIncidentNote",
    params(IncidentId),
    request_body(content = NewNote, example = json!({"content": "The provider is working on it."})),
    responses(
        (status = 200, description = "The note", body = Note),
        (status = 412, description = "The incident has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/{incidentId}/notes")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<IncidentId>,
    Body(NewNote { content }): Body<NewNote>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = Row::locked(tx, scope, &id)?;
            let before = document::load(tx.conn, &neighbours, &old)?;
            let row = Row {
                version: old.version + 1,
                notes: old.notes + 1,
                updated_by: scope.author().to_owned(),
                updated_ms: scope.now.millis(),
                ..old
            };
            let note = row::Note {
                tenant_id: row.tenant_id.clone(),
                incident_id: row.id.clone(),
                number: row.notes,
                content,
                created_by: row.updated_by.clone(),
                created_ms: row.updated_ms,
            };
            store::update(tx.conn, &row)?;
            store::add_note(tx.conn, &note)?;
            let after = document::load(tx.conn, &neighbours, &row)?;
            document::record_change(tx, &row, Some(before), after);
            let shown = view::notes(tx.conn, &neighbours, &scope.scope_and_partner(), std::slice::from_ref(&note))?;
            Answer::ok(shown.first().ok_or_else(Row::not_found)?)
        })
        .await
}

/// List the notes of an incident
///
/// A page of them, the latest first.
#[utoipa::path(
    operation_id = "listIncidentNotes",
    params(IncidentId, PageQuery<Notes>),
    responses((status = 200, description = "A page of notes", body = PageOf<Note>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/{incidentId}/notes")]
pub async fn list(
    context: RequestContext<PageQuery<Notes>>,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<IncidentId>,
) -> api::Result<HttpResponse> {
    let page = context.page(move |conn, scope, sort, walk| {
        let row = Row::existing(conn, &scope.scope(), &id)?;
        let found = store::notes(conn, &row, sort, walk)?;
        Ok(found.with(view::notes(conn, &neighbours, &scope.scope_and_partner(), &found.rows)?))
    });
    page.await
}
