//! Alerts over HTTP.

use actix_web::{HttpResponse, get, post, web};
use api::{Answer, Body, OptionalBody, RequestContext, answer, spec::PageOf};
use base::{Fields, Query, problem::Problem, timestamp::Timestamp};
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    acts,
    alert::Alert,
    filter,
    formats::alertmanager::{self as notification, AlertmanagerNotification},
    intake::{self, Place, Read},
    report::{self, AlertInput, Report},
    rules::Deed,
    store, wire,
    wire::AlertResult,
};
use crate::Neighbours;

/// The most alerts of one request.
const MOST: usize = 1_000;

/// What a search may be sorted by.
const SORTS: [&str; 4] = ["createdDate", "updatedDate", "alertTime", "id"];

/// Takes in what was read; the array of what became of each.
pub(super) async fn take_in(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    reports: Vec<Read>,
) -> api::Result<HttpResponse> {
    let place = Place { home: context.tenant.id.to_string(), scope: context.scope() };
    let neighbours = neighbours.into_inner();
    context.write(move |tx, _| Answer::ok(&intake::take_in(tx, &neighbours, &place, &reports)?)).await
}

/// Report an alert
///
/// Reports of the same problem (the same resource, metric and component) are one alert, which counts them; `Ok` closes
/// it. A device that the inventory does not know is no reason to refuse a report: the alert names it as it was named.
#[utoipa::path(
    tag = "alerts",
    operation_id = "reportAlert",
    request_body(content = AlertInput, example = json!({
        "currentState": "Critical", "subject": "Load is 31", "metric": "system.load", "component": "cpu",
        "device": {"hostName": "web-01"}, "alertTime": "2026-11-20T20:37:00+0000", "app": "monitord"
    })),
    responses((status = 200, description = "What became of it", body = AlertResult)),
    security(("bearer" = ["operator"]))
)]
#[post("/alert")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    let report = Report::read(&body.0)?;
    let place = Place { home: context.tenant.id.to_string(), scope: context.scope() };
    let neighbours = neighbours.into_inner();
    context
        .write(move |tx, _| {
            let results = intake::take_in(tx, &neighbours, &place, &[Ok(report)])?;
            Answer::ok(results.first().ok_or_else(Problem::internal)?)
        })
        .await
}

/// Report many alerts
///
/// At most 1,000, each of which is taken in or refused by itself: the answer has a result for each, in their order.
#[utoipa::path(
    tag = "alerts",
    operation_id = "reportAlerts",
    request_body(content = Vec<AlertInput>, example = json!([
        {"currentState": "Critical", "subject": "Load is 31", "metric": "system.load", "device": {"hostName": "web-01"}},
        {"currentState": "Ok", "subject": "Disk is fine", "metric": "disk.used", "component": "/", "device": {"hostName": "db-01"}}
    ])),
    responses((status = 200, description = "What became of each", body = Vec<AlertResult>)),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts")]
pub async fn create_many(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    take_in(context, neighbours, report::read_all(&body.0, MOST)?).await
}

/// Report alerts by a Prometheus Alertmanager
///
/// Takes the body of its webhook, version 4, and that of Grafana, version 1. The fingerprint identifies a problem; labels are kept as tags; `severity`
/// says the state, and what is resolved is `Ok`.
#[utoipa::path(
    tag = "alerts",
    operation_id = "reportAlertmanagerAlerts",
    request_body(content = AlertmanagerNotification),
    responses((status = 200, description = "What became of each alert", body = Vec<AlertResult>)),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/alertmanager")]
pub async fn alertmanager(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    take_in(context, neighbours, notification::read(&body.0)?).await
}

/// Search alerts
///
/// Newest first. `queryString` variables: `id` (or `uniqueId`), `extAlertId`, `resourceId`, `hostName`, `state` (or
/// `currentState`), `status`, `alertType`, `component`, `metric`, `monitorName`, `app`, `serviceName`, `subject`,
/// `startDate` and `endDate` (when it was taken in), `startUpdationDate`, `endUpdationDate`, `startAlertTime`,
/// `endAlertTime`, `incidentId`, `maintenanceId`. `hostName` and `subject` contain the value, unless `isEquals:true`.
#[utoipa::path(
    tag = "alerts",
    operation_id = "searchAlerts",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`createdDate` (default), `updatedDate`, `alertTime` or `id`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "state:Critical+status:New"),
    ),
    responses((status = 200, description = "A page of alerts", body = PageOf<wire::Alert<'static>>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alerts/search")]
pub async fn search(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&SORTS, "createdDate", true);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let condition = filter::condition(&context.scope(), &text, context.now)?;
    let asked = walk.clone();
    let found = context.db.read(move |conn| store::page(conn, &condition, sort.name, sort.descending, &asked)).await?;
    let alerts = found.rows.iter().cloned().map(Alert::of).collect::<Result<Vec<_>, _>>()?;
    let page = walk.answer(found.with(alerts.iter().map(|alert| alert.shown(context.now)).collect()));
    answer::ok(&page.ordered(sort.name, sort.descending))
}

/// Get an alert
#[utoipa::path(
    tag = "alerts",
    operation_id = "getAlert",
    params(("alertId" = String, Path, description = "`ALT-<uuid>`", example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The alert", body = wire::Alert<'static>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alerts/{alertId}")]
pub async fn get(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (scope, id) = (context.scope(), path.into_inner().1);
    let alert = Alert::of(context.db.point(move |conn| store::existing(conn, &scope, &id)).await?)?;
    let (shown, version) = (alert.shown(context.now), alert.row.version);
    // Until then it is suppressed: what ends by itself ends without another version.
    if alert.row.suppressed_until_ms.is_some() {
        answer::tagged(&shown, version)
    } else {
        answer::entity(&context, &shown, version)
    }
}

/// What goes with an action.
#[derive(ToSchema)]
#[schema(as = AlertActionInput, example = json!({"note": "Looking into it"}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct ActionInput {
    /// At most 4,000 characters.
    note: Option<String>,
}

/// What goes with a suppression.
#[derive(ToSchema)]
#[schema(as = AlertSuppressionInput, example = json!({"until": "2036-11-21T06:00:00+0000", "note": "Known, fixed tonight"}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct SuppressionInput {
    /// In the future; without it, as long as the alert is open.
    until: Option<String>,
    /// At most 4,000 characters.
    note: Option<String>,
}

fn note_of(fields: &mut Fields<'_>) -> String {
    fields.text("note").map(|note| note.trim().to_owned()).unwrap_or_default()
}

fn note(body: &Value) -> Result<String, Problem> {
    let mut fields = Fields::of(body);
    let note = note_of(&mut fields);
    fields.finish().map(|()| note)
}

/// Reads `until` and `note`.
fn suppression(body: &Value, now: Timestamp) -> Result<(Option<Timestamp>, String), Problem> {
    let mut fields = Fields::of(body);
    let (until, note) = (fields.timestamp("until"), note_of(&mut fields));
    if until.is_some_and(|until| until <= now) {
        fields.error("until", "must be in the future");
    }
    fields.finish().map(|()| (until, note))
}

async fn act(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    deed: Deed,
    note: String,
) -> api::Result<HttpResponse> {
    let (scope, wanted, user, id) =
        (context.scope(), context.if_match()?, context.caller.user_id.clone(), path.into_inner().1);
    context
        .write(move |tx, _| {
            let act = acts::Act { scope: &scope, id: &id, wanted, user, deed, note };
            let alert = act.carry_out(tx, &*neighbours.people)?;
            Answer::entity(&alert.shown(tx.now), alert.row.version)
        })
        .await
}

/// Acknowledge an alert
///
/// Says that somebody works on it: the user that the caller acts as.
#[utoipa::path(
    tag = "alerts",
    operation_id = "acknowledgeAlert",
    params(("alertId" = String, Path, description = "`ALT-<uuid>`", example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = Option<ActionInput>),
    responses(
        (status = 200, description = "The alert after it", body = wire::Alert<'static>),
        (status = 409, description = "It is closed, or acknowledged already"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/acknowledge")]
pub async fn acknowledge(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: OptionalBody,
) -> api::Result<HttpResponse> {
    let note = note(&body.0)?;
    act(context, neighbours, path, Deed::Acknowledge, note).await
}

/// Suppress an alert
///
/// Nobody needs to hear of it until `until`, or for as long as it is open. Done again, it moves the end.
#[utoipa::path(
    tag = "alerts",
    operation_id = "suppressAlert",
    params(("alertId" = String, Path, description = "`ALT-<uuid>`", example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = Option<SuppressionInput>),
    responses(
        (status = 200, description = "The alert after it", body = wire::Alert<'static>),
        (status = 409, description = "It is closed, or a maintenance window suppresses it"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/suppress")]
pub async fn suppress(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: OptionalBody,
) -> api::Result<HttpResponse> {
    let (until, note) = suppression(&body.0, context.now)?;
    act(context, neighbours, path, Deed::Suppress(until), note).await
}

/// Unsuppress an alert
///
/// People need to hear of it after all. One that a maintenance window suppresses is an ordinary alert from then on.
#[utoipa::path(
    tag = "alerts",
    operation_id = "unsuppressAlert",
    params(("alertId" = String, Path, description = "`ALT-<uuid>`", example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = Option<ActionInput>),
    responses(
        (status = 200, description = "The alert after it", body = wire::Alert<'static>),
        (status = 409, description = "It is closed, or not suppressed"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/unsuppress")]
pub async fn unsuppress(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: OptionalBody,
) -> api::Result<HttpResponse> {
    let note = note(&body.0)?;
    act(context, neighbours, path, Deed::Unsuppress, note).await
}

/// Close an alert
///
/// Its state stays as it was. When the problem is reported again, that is a new alert.
#[utoipa::path(
    tag = "alerts",
    operation_id = "closeAlert",
    params(("alertId" = String, Path, description = "`ALT-<uuid>`", example = "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = Option<ActionInput>),
    responses(
        (status = 200, description = "The alert after it", body = wire::Alert<'static>),
        (status = 409, description = "It is closed already"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/close")]
pub async fn close(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: OptionalBody,
) -> api::Result<HttpResponse> {
    let note = note(&body.0)?;
    act(context, neighbours, path, Deed::Close, note).await
}
