//! Incidents over HTTP.

use actix_web::{HttpResponse, get, post, web};
use api::{Answer, Body, OptionalBody, RequestContext, answer, context::check_version, spec::PageOf};
use base::{Query, problem::Wrong};
use db::{Conn, Result};
use outbox::Tx;

use super::{
    document,
    documented::{IncidentClosing, IncidentInput},
    named::{self, Place},
    rules::{self, Filter, Named},
    shown,
    store::{self, Link, Note},
    wire::{Incident, Input},
};
use crate::{Neighbours, alerts::tickets};

/// Create an incident
///
/// Only the subject is required. Opened for `alerts` of the tenant, it names them and they name it; what it does not say
/// itself, subject and resources, is theirs then; without an `assigneeGroup` it has the owner of their machine, and without `assignee` and `roster`
/// it goes to whom the machine's escalation policy tells first. An alert has one incident (409). With a `roster` and without an `assignee` it goes to whoever is on call through that
/// roster now, and to nobody when nobody is. The requester is the caller, unless the body names another.
#[utoipa::path(
    tag = "incidents",
    operation_id = "createIncident",
    request_body(content = IncidentInput, example = json!({
        "subject": "Checkout answers 502", "priority": "High", "roster": {"id": "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"},
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
    body: Body,
) -> api::Result<HttpResponse> {
    let (input, mut wrong) = Input::read_new(&body.0);
    let (tenant, tenants, author) =
        (context.tenant.clone(), context.scope_and_partner(), context.caller.user_id.clone());
    let now = context.now;
    context
        .write(move |tx, _| {
            let (id, partner) = (tenant.id.as_str(), tenant.partner.as_str());
            let place = Place { tenant: id, partner, category: "" };
            let mut named = named::find(tx.conn, &neighbours, place, &input, &mut wrong, now)?;
            tickets::find(tx, id, &input.alerts, &mut named, wrong)?;
            named::fill(tx.conn, &neighbours, id, &input, &mut named, now)?;
            let number = db::next_id(tx.conn, "incidents")?;
            let row = rules::created(id, &input, &named, number, &author, now);
            store::insert(tx.conn, &row, &links(&row, &named))?;
            add_note(tx.conn, &row, &input)?;
            tickets::opened(tx, id, &named, &row.id)?;
            let after = document::of(tx.conn, &neighbours, &row)?;
            document::note(tx, &row, None, after);
            Answer::entity(&shown::one(tx.conn, &neighbours, &tenants, &row)?, row.version)
        })
        .await
}

/// What an incident names from now on.
fn links(row: &store::Row, named: &Named) -> Vec<Link> {
    let link = |kind: &str, id: &str| Link {
        tenant_id: row.tenant_id.clone(),
        kind: kind.to_owned(),
        named_id: id.to_owned(),
        incident_id: row.id.clone(),
    };
    let machines = named.resources.iter().flatten().map(|machine| link(store::RESOURCE, &machine.id));
    machines.chain(named.alerts.iter().map(|alert| link(store::ALERT, &alert.id))).collect()
}

/// The note that came with a change, under the number that the change counted.
fn add_note(conn: &mut Conn, row: &store::Row, input: &Input) -> Result<()> {
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
/// `queryString` are `id`, `subject` (it contains the value, whatever the letter case), `isEquals` (`true`: it is the
/// value), `priority`, `status`, `categoryId` (of the category or the sub category), `requesterId`, `assigneeId`,
/// `assigneeGroupId`, `resourceId`, `alertId`, `startCreationDate`, `endCreationDate` and `allList`.
#[utoipa::path(
    tag = "incidents",
    operation_id = "searchIncidents",
    params(
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`createdDate` (default), `updatedDate`, `dueDate`, `priority`, `status`, `subject` or `id`", example = "createdDate"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "status:New,Open+priority:Urgent"),
    ),
    responses((status = 200, description = "A page of incidents", body = PageOf<Incident>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/search")]
pub async fn search(context: RequestContext<Query>, neighbours: web::Data<Neighbours>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "createdDate", true);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let filter = Filter::parse(&text)?;
    let scope = if filter.all == Some(false) { vec![context.tenant.id.to_string()] } else { context.scope() };
    let (tenants, paged) = (context.scope_and_partner(), walk.clone());
    let found = context
        .db
        .read(move |conn| {
            let found = store::search(conn, &scope, &filter, sort, &paged)?;
            Ok(found.with(shown::all(conn, &neighbours, &tenants, &found.rows)?))
        })
        .await?;
    answer::ok(&walk.answer(found).ordered(sort.name, sort.descending))
}

/// Get an incident
#[utoipa::path(
    tag = "incidents",
    operation_id = "getIncident",
    params(("incidentId" = String, Path, description = "`INC` and digits", example = "INC0000000001")),
    responses((status = 200, description = "The incident", body = Incident)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/{incidentId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (scope, tenants, id) = (context.scope(), context.scope_and_partner(), normal_id(&path.into_inner().1));
    let (shown, version) = context
        .db
        .read(move |conn| {
            let row = store::existing(conn, &scope, &id)?;
            Ok((shown::one(conn, &neighbours, &tenants, &row)?, row.version))
        })
        .await?;
    // It shows names that change without it.
    answer::tagged(&shown, version)
}

/// Update an incident
///
/// Fields left out stay as they are; an empty id, or an empty `dueDate`, takes away what was there. A `note` is added
/// with the change. A closed incident is only changed by a `status` that opens it again (409). `If-Match` with the
/// `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    tag = "incidents",
    operation_id = "updateIncident",
    params(("incidentId" = String, Path, description = "`INC` and digits", example = "INC0000000001")),
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
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let input = Input::read(&body.0);
    changed(&context, neighbours, path.into_inner().1, input).await
}

/// Close an incident
///
/// Its status becomes `Closed`; a `note` may say why. One that is closed already is a 409.
#[utoipa::path(
    tag = "incidents",
    operation_id = "closeIncident",
    params(("incidentId" = String, Path, description = "`INC` and digits", example = "INC0000000001")),
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
    path: web::Path<(String, String)>,
    body: OptionalBody,
) -> api::Result<HttpResponse> {
    let input = Input::read_closing(&body.0);
    changed(&context, neighbours, path.into_inner().1, input).await
}

async fn changed(
    context: &RequestContext,
    neighbours: web::Data<Neighbours>,
    id: String,
    (input, mut wrong): (Input, Wrong),
) -> api::Result<HttpResponse> {
    let (scope, tenants, wanted) = (context.scope(), context.scope_and_partner(), context.if_match()?);
    let (partner, author, now) = (context.tenant.partner.to_string(), context.caller.user_id.clone(), context.now);
    context
        .write(move |tx, _| {
            let old = take_up(tx, &scope, &id, wanted)?;
            let before = document::of(tx.conn, &neighbours, &old)?;
            let place = Place { tenant: &old.tenant_id, partner: &partner, category: &old.category_id };
            let named = named::find(tx.conn, &neighbours, place, &input, &mut wrong, now)?;
            wrong.check()?;
            let row = rules::changed(&old, &input, &named, &author, now)?;
            store::update(tx.conn, &row)?;
            if named.resources.is_some() {
                store::link(tx.conn, &row, store::RESOURCE, &links(&row, &named))?;
            }
            add_note(tx.conn, &row, &input)?;
            let after = document::of(tx.conn, &neighbours, &row)?;
            document::note(tx, &row, Some(before), after);
            Answer::entity(&shown::one(tx.conn, &neighbours, &tenants, &row)?, row.version)
        })
        .await
}

/// The incident that is to be changed, which nobody else changes until the end of the transaction.
pub fn take_up(tx: &mut Tx<'_>, scope: &[String], id: &str, wanted: Option<i64>) -> Result<store::Row> {
    let id = normal_id(id);
    db::lock(tx.conn, &format!("incident:{id}"))?;
    let row = store::existing(tx.conn, scope, &id)?;
    check_version(wanted, row.version)?;
    Ok(row)
}

/// An id as it is stored, whatever the letter case it came in.
pub fn normal_id(text: &str) -> String {
    text.trim().to_ascii_uppercase()
}
