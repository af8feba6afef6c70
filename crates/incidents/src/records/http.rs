//! Incidents over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, OptionalBody, PageQuery, PathIds, RequestContext, RequestScope, Resource as _, answer, get, post,
    spec::PageOf,
};
use base::problem::FieldErrors;
use db::{Conn, Result};
use outbox::Tx;

use super::{
    document, filter,
    references::{self, IncidentContext},
    row::{ALERT, CLOSED, Link, Note, RESOURCE, Row},
    rules::{self, ResolvedReferences},
    store, tickets, view,
    wire::{Incident, IncidentClosing, IncidentId, IncidentInput, NewIncident},
};
use crate::neighbours::Neighbours;

api::list! {
    /// The search.
    pub Incidents by store::SORTS: SORT = "createdDate", DESCENDING = true, FILTER = "status:New,Open+priority:Urgent"
}

/// Create an incident
///
/// Only the subject is required. An incident with `alerts` of the tenant is linked to them both ways, and takes its
/// subject and resources from them where the body has none. Without `assigneeGroup` it goes to the owner of their
/// machine; without `assignee` and `roster`, to the first person that the machine's escalation policy notifies. An
/// alert has one incident at most (409). With a `roster` and without an `assignee` it goes to the person on call
/// through that roster now, or to nobody when nobody is on call. The requester is the caller, unless the body names
/// another.
#[utoipa::path(
    operation_id = "createIncident",
    request_body(content = IncidentInput, example = json!({
        "subject": "Checkout answers 502", "priority": "High",
        "roster": {"id": "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"},
        "resources": [{"hostName": "web-02"}], "dueDate": "2026-11-21T20:37:00+0000"
    })),
    responses(
        (status = 200, description = "The new incident", body = Incident),
        (status = 409, description = "An alert has an incident already"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    Body((new, mut wrong)): Body<(NewIncident, FieldErrors)>,
) -> api::Result<HttpResponse> {
    let NewIncident(input) = new;
    context
        .write(move |tx, scope| {
            let tenant = scope.tenant_id();
            let now = scope.now;
            let incident_context = IncidentContext { tenant, partner: scope.tenant.partner.as_str(), old: None };
            let mut references = references::find(tx.conn, &neighbours, incident_context, &input, &mut wrong, now)?;
            tickets::find(tx, tenant, &input.alerts, &mut references, wrong)?;
            references::fill_from_owners(tx.conn, &neighbours, tenant, &input, &mut references, now)?;
            let number = store::next_number(tx.conn, tenant)?;
            let row = rules::new_row(tenant, &input, &references, number, scope.author(), now);
            store::insert(tx.conn, &row, &links(&row, &references))?;
            add_note(tx.conn, &row, &input)?;
            tickets::link_alerts(tx, tenant, &references, &row.id)?;
            let after = document::load(tx.conn, &neighbours, &row)?;
            document::record_change(tx, &row, None, after);
            incident_answer(tx, scope, &neighbours, &row)
        })
        .await
}

fn incident_answer(tx: &mut Tx<'_>, scope: &RequestScope, neighbours: &Neighbours, row: &Row) -> Result<Answer> {
    Answer::entity(&view::one(tx.conn, neighbours, &scope.scope_and_partner(), row)?, row.version)
}

/// The links of an incident to its resources and alerts.
fn links(row: &Row, references: &ResolvedReferences) -> Vec<Link> {
    let link = |kind: &str, id: &str| Link {
        tenant_id: row.tenant_id.clone(),
        kind: kind.to_owned(),
        named_id: id.to_owned(),
        incident_id: row.id.clone(),
    };
    let machines = references.resources.iter().flatten().map(|machine| link(RESOURCE, &machine.id));
    machines.chain(references.alerts.iter().map(|alert| link(ALERT, &alert.id))).collect()
}

/// Stores the note of a change. The row has counted it already, so its number is the row's count.
fn add_note(conn: &mut Conn, row: &Row, input: &IncidentInput) -> Result<()> {
    let Some(content) = &input.note else { return Ok(()) };
    let note = Note {
        tenant_id: row.tenant_id.clone(),
        incident_id: row.id.clone(),
        number: row.notes,
        content: content.clone(),
        created_by: row.updated_by.clone(),
        created_ms: row.updated_ms,
    };
    store::add_note(conn, &note)
}

/// Search incidents
///
/// A page of incidents; at partner level, of its clients too, unless `allList` is `false`. The variables of
/// `queryString` are `id` (or `uniqueId`), `subject` (it contains the value, whatever the letter case), `isEquals`
/// (`true`: it is the value), `priority`, `status`, `categoryId` (of the category or the sub category), `requesterId`
/// (or `requester`), `assigneeId` (or `assignedTo`), `assigneeGroupId`, `resourceId`, `alertId`, `hasAlerts`,
/// `startCreationDate`, `endCreationDate`, `startUpdationDate`, `endUpdationDate` and `allList`.
#[utoipa::path(
    operation_id = "searchIncidents",
    params(PageQuery<Incidents>),
    responses((status = 200, description = "A page of incidents", body = PageOf<Incident>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/search")]
pub async fn search(
    context: RequestContext<PageQuery<Incidents>>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let condition = filter::condition(&context, &context.query.filter)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let found = store::search(conn, condition, sort, walk)?;
        Ok(found.with(view::all(conn, &neighbours, &scope.scope_and_partner(), &found.rows)?))
    });
    page.await
}

/// Get an incident
#[utoipa::path(
    operation_id = "getIncident",
    params(IncidentId),
    responses((status = 200, description = "The incident", body = Incident)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/{incidentId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<IncidentId>,
) -> api::Result<HttpResponse> {
    let (shown, version) = context
        .read(move |conn, scope| {
            let row = Row::existing(conn, &scope.scope(), &id)?;
            Ok((view::one(conn, &neighbours, &scope.scope_and_partner(), &row)?, row.version))
        })
        .await?;
    // The answer shows names that change without a new version of the incident.
    answer::tagged(&shown, version)
}

/// Update an incident
///
/// Fields left out stay as they are; an empty id, or an empty `dueDate`, clears the field. A `note` is added with the
/// change. A closed incident can only be changed by a `status` that opens it again (409). Send the `ETag` that you read
/// as `If-Match` to make sure that nobody else changed the incident meanwhile.
#[utoipa::path(
    operation_id = "updateIncident",
    params(IncidentId),
    request_body(content = IncidentInput, example = json!({"status": "Open", "assignee": {"id": "USR0000000007"}})),
    responses(
        (status = 200, description = "The incident after the change", body = Incident),
        (status = 409, description = "The incident is closed"),
        (status = 412, description = "The incident has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/{incidentId}")]
pub async fn update(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<IncidentId>,
    Body((input, wrong)): Body<(IncidentInput, FieldErrors)>,
) -> api::Result<HttpResponse> {
    change_incident(&context, neighbours, id, input, wrong).await
}

/// Close an incident
///
/// The status becomes `Closed`; a `note` may say why. Closing an incident that is already closed is a 409.
#[utoipa::path(
    operation_id = "closeIncident",
    params(IncidentId),
    request_body(content = IncidentClosing, example = json!({"note": "The disk was replaced."})),
    responses(
        (status = 200, description = "The closed incident", body = Incident),
        (status = 409, description = "The incident is closed already"),
        (status = 412, description = "The incident has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/{incidentId}/close")]
pub async fn close(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<IncidentId>,
    OptionalBody((closing, wrong)): OptionalBody<(IncidentClosing, FieldErrors)>,
) -> api::Result<HttpResponse> {
    let input = IncidentInput { note: closing.note, status: Some(CLOSED), ..IncidentInput::default() };
    change_incident(&context, neighbours, id, input, wrong).await
}

async fn change_incident(
    context: &RequestContext,
    neighbours: web::Data<Neighbours>,
    id: IncidentId,
    input: IncidentInput,
    wrong: FieldErrors,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = Row::locked(tx, scope, &id)?;
            let row = change_locked(tx, scope, &neighbours, &old, &input, wrong)?;
            incident_answer(tx, scope, &neighbours, &row)
        })
        .await
}

/// Changes an incident that is locked; answers what it is then.
pub fn change_locked(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    neighbours: &Neighbours,
    old: &Row,
    input: &IncidentInput,
    mut wrong: FieldErrors,
) -> Result<Row> {
    let before = document::load(tx.conn, neighbours, old)?;
    let partner = scope.tenant.partner.as_str();
    let incident_context = IncidentContext { tenant: &old.tenant_id, partner, old: Some(old) };
    let references = references::find(tx.conn, neighbours, incident_context, input, &mut wrong, tx.now)?;
    wrong.check()?;
    let row = rules::apply_change(old, input, &references, tx.author(), tx.now)?;
    store::update(tx.conn, &row)?;
    if references.resources.is_some() {
        store::link(tx.conn, &row, RESOURCE, &links(&row, &references))?;
    }
    add_note(tx.conn, &row, input)?;
    let after = document::load(tx.conn, neighbours, &row)?;
    document::record_change(tx, &row, Some(before), after);
    Ok(row)
}
