//! Inbound addresses over HTTP: monitors report to an address that holds their token ("Inbound addresses" in
//! `docs/interface.md`), in their own formats, and are answered as they expect.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web,
};
use api::{Answer, FromQuery, RequestContext, inbound, post};
use base::{
    problem::{Kind, Problem},
    query::Query,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    formats::{
        self, Event, alertmanager,
        opsgenie::{self, OpsgenieAlert, OpsgenieAnswer, OpsgenieNote},
        pagerduty::{self, PagerDutyAnswer, PagerDutyEvent},
        plain::{self, PlainReport},
        zabbix,
    },
    http::{origin, take_in},
    intake::{self, Origin},
    rules::{self, Action},
    store,
    wire::{self, AlertResult},
};
use crate::neighbours::Neighbours;

api::texts! {
    /// How an alert is named.
    IdentifierType = api::spec::one_of(&IDENTIFIER_TYPES);
}

/// The largest body of one event; a notification of an Alertmanager may be larger.
const EVENT: usize = 512 << 10;

/// Carries out what a sender wants of one problem, and answers `answer` once that is durable.
async fn carry_out<Q, T: Serialize>(
    context: RequestContext<Q>,
    neighbours: web::Data<Neighbours>,
    event: Event,
    answer: impl FnOnce(Option<AlertResult>) -> T + Send + 'static,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let origin = origin(scope);
            let (report, acknowledgement) = match event {
                Event::Report(report) => (Some(report), None),
                Event::Acknowledge { identity, note, report } => (report, Some((identity, note))),
            };
            let results = match report {
                Some(report) => intake::take_in(tx, &neighbours, &origin, &[Ok(*report)])?,
                None => Vec::new(),
            };
            if let Some((identity, note)) = acknowledgement {
                acknowledge(tx, &neighbours, &origin, &identity, scope.author(), note)?;
            }
            Answer::ok(&answer(results.into_iter().next()))
        })
        .await
}

/// Acknowledges the alert that is open under an identity, as `user`. Without one, or with one that somebody works on
/// already, nothing is left to do.
fn acknowledge(
    tx: &mut outbox::Tx<'_>,
    neighbours: &Neighbours,
    origin: &Origin,
    identity: &str,
    user: &str,
    note: String,
) -> db::Result<()> {
    let problem = [rules::problem_of_sender(identity)];
    let Some(known) = store::open_among(tx.conn, &origin.scope, &problem)?.pop() else { return Ok(()) };
    store::lock_tenants(tx.conn, std::slice::from_ref(&known.tenant_id))?;
    let row = store::existing(tx.conn, std::slice::from_ref(&known.tenant_id), &known.alert_id)?;
    if row.acknowledged || row.closed_ms.is_some() {
        return Ok(());
    }
    let around = neighbours.people.around(tx.conn, &row.tenant_id)?;
    let person = neighbours.people.users(tx.conn, &around, &[user.to_owned()])?.pop();
    let by = person.map_or_else(|| wire::Person { id: user.to_owned(), ..Default::default() }, wire::Person::of);
    let mut alert = row;
    let before = alert.event_payload(tx.now)?;
    rules::act(&mut alert, Action::Acknowledge, by, note, tx.now)?;
    intake::record_change(tx, &alert, Some(before))?;
    store::replace(tx.conn, &alert.tenant_id, std::slice::from_ref(&alert))
}

/// The JSON body of an event; any content type is taken, since webhooks seldom set one.
async fn body(request: &HttpRequest, payload: web::Payload, most: usize) -> api::Result<Value> {
    let bytes = api::body::read(request, payload.into_inner(), most).await?;
    Ok(base::body::parse_json(&bytes)?)
}

fn accepted(mut response: HttpResponse) -> HttpResponse {
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// Report by an inbound address
///
/// Two fields are enough: what, and how bad. The address identifies its tenant and is the credential.
#[utoipa::path(
    operation_id = "reportInbound",
    params(("token" = String, Path, description = "The token of the address")),
    request_body(content = PlainReport<'_>),
    responses(
        (status = 200, description = "What became of it", body = AlertResult),
        (status = 401, description = "The token is unknown or revoked"),
        (status = 403, description = "The tenant is suspended"),
    ),
    security(()),
)]
#[post("/api/v2/inbound/{token}")]
pub async fn report_plain(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<String>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let at: RequestContext = inbound::admit(&request, &path).await?;
    let event = plain::read(&body(&request, payload, EVENT).await?, &at.caller.key_id)?;
    carry_out(at, neighbours, event, |result| result).await
}

/// Report by an inbound address, in a monitor's format
///
/// `alertmanager` and `grafana` take a notification with any number of alerts and answer an array; `pagerduty`,
/// `opsgenie` and `zabbix` take one event.
#[utoipa::path(
    operation_id = "reportInboundFormat",
    params(
        ("token" = String, Path, description = "The token of the address"),
        ("format" = String, Path, description = "`alertmanager`, `grafana`, `pagerduty`, `opsgenie` or `zabbix`",
            example = "grafana"),
    ),
    request_body(content = Object, description = "As the monitor sends it"),
    responses(
        (status = 200, description = "What became of it, or of each", body = Vec<AlertResult>),
        (status = 202, description = "An event of PagerDuty or Opsgenie was processed", body = PagerDutyAnswer),
        (status = 401, description = "The token is unknown or revoked"),
        (status = 404, description = "The format is none of these"),
    ),
    security(()),
)]
#[post("/api/v2/inbound/{token}/{format}")]
pub async fn report_in_format(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<(String, String)>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (token, format) = path.into_inner();
    let at: RequestContext = inbound::admit(&request, &token).await?;
    let sender = at.caller.key_id.clone();
    match format.as_str() {
        "alertmanager" | "grafana" => {
            let body = body(&request, payload, api::body::LIMIT).await?;
            take_in(at, neighbours, alertmanager::read(&body)?).await
        }
        "pagerduty" => pagerduty_event(at, neighbours, &body(&request, payload, EVENT).await?).await,
        "opsgenie" => {
            let event = opsgenie::create(&body(&request, payload, EVENT).await?, &sender)?;
            opsgenie_event(at, neighbours, event).await
        }
        "zabbix" => {
            let event = zabbix::read(&body(&request, payload, EVENT).await?, &sender)?;
            carry_out(at, neighbours, event, |result| result.into_iter().collect::<Vec<_>>()).await
        }
        _ => {
            let known = formats::NAMES.join(", ");
            Err(Problem::not_found(format!("The format was not found. An inbound address takes: {known}.")).into())
        }
    }
}

async fn pagerduty_event(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: &Value,
) -> api::Result<HttpResponse> {
    let new_key = || uuid::Uuid::new_v4().simple().to_string();
    let (event, dedup_key) = pagerduty::read(body, &context.caller.key_id, new_key)?;
    let answer = PagerDutyAnswer { status: "success", message: "Event processed", dedup_key };
    carry_out(context, neighbours, event, |_| answer).await.map(accepted)
}

/// Send a PagerDuty event
///
/// For whatever speaks PagerDuty's Events API, version 2: `routing_key` is the token of an inbound address, `source` names
/// the machine. A trigger opens an alert or counts as another report of it, `acknowledge` acknowledges it, `resolve`
/// closes it.
#[utoipa::path(
    operation_id = "sendPagerDutyEvent",
    request_body(content = PagerDutyEvent<'_>),
    responses(
        (status = 202, description = "The event was processed", body = PagerDutyAnswer),
        (status = 401, description = "The routing key is no token of an inbound address"),
    ),
    security(()),
)]
#[post("/v2/enqueue")]
pub async fn enqueue(
    request: HttpRequest,
    payload: web::Payload,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let body = body(&request, payload, EVENT).await?;
    let token = pagerduty::routing_key(&body).ok_or_else(|| Problem::field("routing_key", "is required"))?;
    let at: RequestContext = inbound::admit(&request, token).await?;
    pagerduty_event(at, neighbours, &body).await
}

/// The token of `Authorization: GenieKey TOKEN`.
fn genie_key(request: &HttpRequest) -> api::Result<String> {
    let text = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or("");
    let (scheme, token) = text.split_once(' ').unwrap_or_default();
    if scheme.eq_ignore_ascii_case("GenieKey") && !token.trim().is_empty() {
        return Ok(token.trim().to_owned());
    }
    let detail = "The header Authorization: GenieKey TOKEN is needed, with the token of an inbound address.";
    Err(Problem::new(Kind::Unauthenticated, detail).into())
}

async fn opsgenie_event<Q>(
    context: RequestContext<Q>,
    neighbours: web::Data<Neighbours>,
    event: Event,
) -> api::Result<HttpResponse> {
    let request_id = api::request_id::current();
    let answer = OpsgenieAnswer { result: "Request will be processed", took: 0.0, request_id };
    carry_out(context, neighbours, event, |_| answer).await.map(accepted)
}

/// Create an alert as with Opsgenie
///
/// For whatever speaks Opsgenie's alert API: `GenieKey` is the token of an inbound address, `entity` names the machine,
/// `alias` identifies the problem.
#[utoipa::path(
    operation_id = "createOpsgenieAlert",
    request_body(content = OpsgenieAlert<'_>),
    responses(
        (status = 202, description = "The event was processed", body = OpsgenieAnswer),
        (status = 401, description = "The key is no token of an inbound address"),
    ),
    security(()),
)]
#[post("/v2/alerts")]
pub async fn opsgenie_create(
    request: HttpRequest,
    payload: web::Payload,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let at: RequestContext = inbound::admit(&request, &genie_key(&request)?).await?;
    let event = opsgenie::create(&body(&request, payload, EVENT).await?, &at.caller.key_id)?;
    opsgenie_event(at, neighbours, event).await
}

/// The words of `identifierType`.
const IDENTIFIER_TYPES: [&str; 3] = ["id", "alias", "tiny"];

/// How an alert is named: by its alias, also with `identifierType` `id`, which is what that API takes without one.
struct ByAlias;

impl FromQuery for ByAlias {
    fn from_query(query: &str, _: &str) -> Result<Self, Problem> {
        let mut query = Query::parse(query)?;
        query.one_of("identifierType", &IDENTIFIER_TYPES, "id");
        query.finish()?;
        Ok(Self)
    }
}

/// An alert by its alias, and what is said of it.
async fn about(
    request: &HttpRequest,
    payload: web::Payload,
    alias: String,
) -> api::Result<(RequestContext<ByAlias>, String, Value)> {
    let at = inbound::admit(request, &genie_key(request)?).await?;
    let bytes = api::body::read(request, payload.into_inner(), EVENT).await?;
    let body = match bytes.iter().all(u8::is_ascii_whitespace) {
        true => Value::Object(serde_json::Map::new()),
        false => base::body::parse_json(&bytes)?,
    };
    Ok((at, alias, body))
}

/// Acknowledge an alert as with Opsgenie
///
/// By its alias. One that is not open, or acknowledged already, stays as it is.
#[utoipa::path(
    operation_id = "acknowledgeOpsgenieAlert",
    params(
        ("alias" = String, Path, description = "The alias of the alert", example = "disk-web-01"),
        ("identifierType" = inline(Option<IdentifierType>), Query, description = "`alias`; `id` and `tiny` are read as aliases too"),
    ),
    request_body(content = Option<OpsgenieNote<'_>>),
    responses(
        (status = 202, description = "The event was processed", body = OpsgenieAnswer),
        (status = 401, description = "The key is no token of an inbound address"),
    ),
    security(()),
)]
#[post("/v2/alerts/{alias}/acknowledge")]
pub async fn opsgenie_acknowledge(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<String>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (at, alias, body) = about(&request, payload, path.into_inner()).await?;
    let event = opsgenie::acknowledge(&body, &at.caller.key_id, &alias);
    opsgenie_event(at, neighbours, event).await
}

/// Close an alert as with Opsgenie
///
/// By its alias. One that is not open stays as it is.
#[utoipa::path(
    operation_id = "closeOpsgenieAlert",
    params(
        ("alias" = String, Path, description = "The alias of the alert", example = "disk-web-01"),
        ("identifierType" = inline(Option<IdentifierType>), Query, description = "`alias`; `id` and `tiny` are read as aliases too"),
    ),
    request_body(content = Option<OpsgenieNote<'_>>),
    responses(
        (status = 202, description = "The event was processed", body = OpsgenieAnswer),
        (status = 401, description = "The key is no token of an inbound address"),
    ),
    security(()),
)]
#[post("/v2/alerts/{alias}/close")]
pub async fn opsgenie_close(
    request: HttpRequest,
    payload: web::Payload,
    path: web::Path<String>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (at, alias, body) = about(&request, payload, path.into_inner()).await?;
    let event = opsgenie::close(&body, &at.caller.key_id, &alias);
    opsgenie_event(at, neighbours, event).await
}
