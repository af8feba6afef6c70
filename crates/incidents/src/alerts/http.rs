//! Alerts over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, OptionalBody, PageQuery, PathIds, RequestContext, RequestScope, answer, get, post, spec::PageOf,
};
use base::problem::{FieldErrors, Problem};

use super::{
    actions::ActionRequest,
    filter,
    formats::alertmanager::{self as notification, AlertmanagerNotification},
    intake::{self, Origin},
    report::{self, AlertInput, ParsedReport, Report},
    rules::Action,
    store,
    wire::{self, ActionInput, AlertId, AlertResult, SuppressionInput},
};
use crate::neighbours::Neighbours;

/// The most alerts of one request.
const MOST: usize = 1_000;

api::list! {
    /// The search.
    pub AlertList by store::SORTS: SORT = "createdDate", DESCENDING = true, FILTER = "state:Critical+status:New"
}

/// Reports to the tenant of the path may name the resources of its scope.
pub(super) fn origin(scope: &RequestScope) -> Origin {
    // Inbound addresses are known by their ids; API keys are one sender.
    let sender = if scope.caller.key_id.starts_with("INB-") { scope.caller.key_id.clone() } else { String::new() };
    Origin { home: scope.tenant_id().to_owned(), scope: scope.scope(), sender }
}

/// Takes in the reports; answers the array of their results.
pub(super) async fn take_in<Q>(
    context: RequestContext<Q>,
    neighbours: web::Data<Neighbours>,
    reports: Vec<ParsedReport>,
) -> api::Result<HttpResponse> {
    context.write(move |tx, scope| Answer::ok(&intake::take_in(tx, &neighbours, &origin(scope), &reports)?)).await
}

/// Report an alert
///
/// Reports of the same problem (the same resource, metric and component) are one alert, which counts them; `Ok` closes
/// it. A report about a device that the inventory does not know is not refused: the alert names it as the report did.
#[utoipa::path(
    operation_id = "reportAlert",
    request_body(content = AlertInput, example = json!({
        "currentState": "Critical", "subject": "Load is 31", "metric": "system.load", "component": "cpu",
        "device": {"hostName": "web-01"}, "alertTime": "2026-11-20T20:37:00+0000", "app": "monitord"
    })),
    responses(
        (status = 200, description = "The result", body = AlertResult),
        (status = 409, description = "There is no room for another open alert"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alert")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    let report = Report::read(&body.0)?;
    context
        .write(move |tx, scope| {
            let results = intake::take_in(tx, &neighbours, &origin(scope), &[Ok(report)])?;
            Answer::ok(results.first().ok_or_else(|| Problem::internal())?)
        })
        .await
}

/// Report many alerts
///
/// At most 1,000, each accepted or refused by itself: the answer has a result for each, in the same order.
#[utoipa::path(
    operation_id = "reportAlerts",
    request_body(content = Vec<AlertInput>, example = json!([
        {"currentState": "Critical", "subject": "Load is 31", "metric": "system.load",
            "device": {"hostName": "web-01"}},
        {"currentState": "Ok", "subject": "Disk is fine", "metric": "disk.used", "component": "/",
            "device": {"hostName": "db-01"}}
    ])),
    responses(
        (status = 200, description = "The result of each report", body = Vec<AlertResult>),
        (status = 409, description = "There is no room for another open alert"),
    ),
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
/// Takes the body of its webhook, version 4, and that of Grafana, version 1. The fingerprint identifies a problem;
/// labels are kept as tags; `severity` gives the state, and a resolved alert is `Ok`.
#[utoipa::path(
    operation_id = "reportAlertmanagerAlerts",
    request_body(content = AlertmanagerNotification<'_>),
    responses(
        (status = 200, description = "The result for each alert", body = Vec<AlertResult>),
        (status = 409, description = "There is no room for another open alert"),
    ),
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
/// `states`, `currentState`), `status`, `alertType`, `component`, `metric`, `monitorName`, `app`, `serviceName`,
/// `subject`, `startDate`, `endDate` and `duration` in days (when it was taken in, or changed last with
/// `alertTimeBase:updated`), `clientIds`, `startUpdationDate`, `endUpdationDate`, `startAlertTime`, `endAlertTime`,
/// `incidentId`, `maintenanceId`. `hostName` and `subject` contain the value, unless `isEquals:true`.
#[utoipa::path(
    operation_id = "searchAlerts",
    params(PageQuery<AlertList>),
    responses((status = 200, description = "A page of alerts", body = PageOf<wire::Alert<'static>>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alerts/search")]
pub async fn search(context: RequestContext<PageQuery<AlertList>>) -> api::Result<HttpResponse> {
    let PageQuery { sort, walk, filter, .. } = context.query.clone();
    let condition = filter::search(&context.scope(), &filter, context.now)?.condition;
    let asked = walk.clone();
    let mut found = context.read_many(move |conn, _| store::page(conn, &condition, sort, &asked)).await?;
    let alerts = std::mem::take(&mut found.rows);
    let page = walk.answer(found.with(alerts.iter().map(|alert| alert.to_wire(context.now)).collect()));
    answer::ok(&page.ordered(sort.name, sort.descending))
}

/// Get an alert
#[utoipa::path(
    operation_id = "getAlert",
    params(AlertId),
    responses(
        (status = 200, description = "The alert", body = wire::Alert<'static>),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[get("/alerts/{alertId}")]
pub async fn get(context: RequestContext, PathIds(id): PathIds<AlertId>) -> api::Result<HttpResponse> {
    let scope = context.scope();
    let alert = context.db.point(move |conn| store::existing(conn, &scope, &id)).await?;
    let shown = alert.to_wire(context.now);
    let version = alert.version;
    // Until then it is suppressed: what ends by itself ends without another version.
    if alert.suppressed_until_ms.is_some() {
        answer::tagged(&shown, version)
    } else {
        answer::entity(&context, &shown, version)
    }
}

async fn act(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    id: AlertId,
    action: Action,
    note: String,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let user = tx.author().to_owned();
            let expected_version = scope.if_match()?;
            let request = ActionRequest { scope: &scope.scope(), id: &id, expected_version, user, action, note };
            let alert = request.carry_out(tx, &*neighbours.people)?;
            Answer::entity(&alert.to_wire(tx.now), alert.version)
        })
        .await
}

/// Acknowledge an alert
///
/// Records that the user of the caller is working on the alert.
#[utoipa::path(
    operation_id = "acknowledgeAlert",
    params(AlertId),
    request_body(content = Option<ActionInput>),
    responses(
        (status = 200, description = "The alert after the change", body = wire::Alert<'static>),
        (status = 409, description = "It is closed, or acknowledged already"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/acknowledge")]
pub async fn acknowledge(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
    OptionalBody(input): OptionalBody<ActionInput>,
) -> api::Result<HttpResponse> {
    act(context, neighbours, id, Action::Acknowledge, input.note).await
}

/// Take back an acknowledgement
///
/// Nobody works on the alert after all: people are notified again, and its escalation continues.
#[utoipa::path(
    operation_id = "unacknowledgeAlert",
    params(AlertId),
    request_body(content = Option<ActionInput>),
    responses(
        (status = 200, description = "The alert after the change", body = wire::Alert<'static>),
        (status = 409, description = "It is closed, or not acknowledged"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/unacknowledge")]
pub async fn unacknowledge(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
    OptionalBody(input): OptionalBody<ActionInput>,
) -> api::Result<HttpResponse> {
    act(context, neighbours, id, Action::Unacknowledge, input.note).await
}

/// Suppress an alert
///
/// Nobody is notified of it until `until`, or as long as it is open. Suppressing it again changes the end.
#[utoipa::path(
    operation_id = "suppressAlert",
    params(AlertId),
    request_body(content = Option<SuppressionInput>),
    responses(
        (status = 200, description = "The alert after the change", body = wire::Alert<'static>),
        (status = 409, description = "It is closed, or a maintenance window suppresses it"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/suppress")]
pub async fn suppress(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
    OptionalBody((input, mut wrong)): OptionalBody<(SuppressionInput, FieldErrors)>,
) -> api::Result<HttpResponse> {
    if input.until.is_some_and(|until| until <= context.now) {
        wrong.add("until", "must be in the future");
    }
    wrong.check()?;
    act(context, neighbours, id, Action::Suppress(input.until), input.note).await
}

/// Unsuppress an alert
///
/// People are notified of the alert again. An alert that a maintenance window suppressed becomes an ordinary alert.
#[utoipa::path(
    operation_id = "unsuppressAlert",
    params(AlertId),
    request_body(content = Option<ActionInput>),
    responses(
        (status = 200, description = "The alert after the change", body = wire::Alert<'static>),
        (status = 409, description = "It is closed, or not suppressed"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/unsuppress")]
pub async fn unsuppress(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
    OptionalBody(input): OptionalBody<ActionInput>,
) -> api::Result<HttpResponse> {
    act(context, neighbours, id, Action::Unsuppress, input.note).await
}

/// Close an alert
///
/// Its state stays as it was. When the problem is reported again, a new alert is made.
#[utoipa::path(
    operation_id = "closeAlert",
    params(AlertId),
    request_body(content = Option<ActionInput>),
    responses(
        (status = 200, description = "The alert after the change", body = wire::Alert<'static>),
        (status = 409, description = "It is closed already"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/alerts/{alertId}/actions/close")]
pub async fn close(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
    OptionalBody(input): OptionalBody<ActionInput>,
) -> api::Result<HttpResponse> {
    act(context, neighbours, id, Action::Close, input.note).await
}
