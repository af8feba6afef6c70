//! Notes of incidents: a list that is only ever added to.

use actix_web::{HttpResponse, get, post, web};
use api::{Answer, Body, RequestContext, answer, spec::PageOf};
use base::Query;

use super::{
    document,
    documented::IncidentNoteInput,
    http::{normal_id, take_up},
    shown,
    store::{self, Row},
    wire::{self, Note},
};
use crate::Neighbours;

/// Add a note to an incident
///
/// To closed ones as well. It counts as a change of the incident.
#[utoipa::path(
    tag = "incidents",
    operation_id = "addIncidentNote",
    params(("incidentId" = String, Path, description = "`INC` and digits", example = "INC0000000001")),
    request_body(content = IncidentNoteInput, example = json!({"content": "The provider is working on it."})),
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
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let content = wire::read_note(&body.0)?;
    let (scope, tenants, wanted, id) =
        (context.scope(), context.scope_and_partner(), context.if_match()?, path.into_inner().1);
    let (author, now_ms) = (context.caller.user_id.clone(), context.now.millis());
    context
        .write(move |tx, _| {
            let old = take_up(tx, &scope, &id, wanted)?;
            let before = document::of(tx.conn, &neighbours, &old)?;
            let row = Row {
                version: old.version + 1,
                notes: old.notes + 1,
                updated_by: author.clone(),
                updated_ms: now_ms,
                ..old
            };
            let note = store::Note {
                tenant_id: row.tenant_id.clone(),
                incident_id: row.id.clone(),
                number: row.notes,
                content,
                created_by: author,
                created_ms: now_ms,
            };
            store::update(tx.conn, &row)?;
            store::add_note(tx.conn, &note)?;
            let after = document::of(tx.conn, &neighbours, &row)?;
            document::note(tx, &row, Some(before), after);
            let shown = shown::notes(tx.conn, &neighbours, &tenants, std::slice::from_ref(&note))?;
            Answer::ok(shown.first().ok_or_else(super::rules::no_incident)?)
        })
        .await
}

/// List the notes of an incident
///
/// A page of them, the latest first.
#[utoipa::path(
    tag = "incidents",
    operation_id = "listIncidentNotes",
    params(
        ("incidentId" = String, Path, description = "`INC` and digits", example = "INC0000000001"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`createdDate`", example = "createdDate"),
    ),
    responses((status = 200, description = "A page of notes", body = PageOf<Note>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/{incidentId}/notes")]
pub async fn list(
    context: RequestContext<Query>,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&["createdDate"], "createdDate", true);
    let walk = query.walk(context.request().path(), sort);
    query.finish()?;
    let (scope, tenants, id) = (context.scope(), context.scope_and_partner(), normal_id(&path.into_inner().1));
    let paged = walk.clone();
    let found = context
        .db
        .read(move |conn| {
            let row = store::existing(conn, &scope, &id)?;
            let found = store::notes(conn, &row, sort, &paged)?;
            Ok(found.with(shown::notes(conn, &neighbours, &tenants, &found.rows)?))
        })
        .await?;
    answer::ok(&walk.answer(found).ordered(sort.name, sort.descending))
}
