//! Inbound addresses over HTTP: monitors report to an address that holds their token ("Inbound addresses" in
//! `docs/interface.md`), in their own formats, and are answered as they expect.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{self, Bytes},
};
use api::{
    Answer, RequestContext,
    inbound::{self, AnyQuery},
    post,
};
use base::{
    parse_nearly_json,
    problem::{Kind, Problem},
};
use db::Conn;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    actions::{self, ActionRequest},
    formats::{
        self, Event, ParsedEvent, alertmanager, form,
        opsgenie::{self, OpsgenieAlert, OpsgenieAnswer},
        pagerduty::{self, PagerDutyAnswer, PagerDutyEvent, PagerDutyFirstAnswer},
        plain::{self, PlainReport},
        zabbix,
    },
    http::origin,
    intake::{self, Origin},
    row::Alert,
    rules::{self, Action},
    store,
    wire::AlertResult,
};
use crate::neighbours::Neighbours;

/// A request to an inbound address: parameters that nobody reads mean nothing.
pub(super) type Context = RequestContext<AnyQuery>;

/// The largest body that names the token itself: it is read before anybody knows whose it is.
const UNKNOWN: usize = 512 << 10;

/// Carries out what a sender wants of some problems, and answers what `answer` makes of the results once that is
/// durable.
async fn carry_out<T: Serialize>(
    context: Context,
    neighbours: web::Data<Neighbours>,
    mut events: Vec<ParsedEvent>,
    repairs: &[&'static str],
    answer: impl FnOnce(Vec<AlertResult>) -> T + Send + 'static,
) -> api::Result<HttpResponse> {
    events.iter_mut().flatten().for_each(|event| event.note_repairs(repairs));
    context
        .write(move |tx, scope| {
            let origin = origin(scope);
            let mut reports = Vec::new();
            let mut actions = Vec::new();
            for (place, event) in events.into_iter().enumerate() {
                match event {
                    Ok(Event::Report(report)) => reports.push(Ok(*report)),
                    Ok(Event::Act { of, action, note, report }) => {
                        let has_result = report.is_some();
                        reports.extend(report.map(|report| Ok(*report)));
                        actions.push((place, has_result, of, action, note));
                    }
                    Err(errors) => reports.push(Err(errors)),
                }
            }
            let mut results = match reports.is_empty() {
                true => Vec::new(),
                false => intake::take_in(tx, &neighbours, &origin, &reports)?,
            };
            for (place, has_result, of, action, note) in actions {
                let alerts = intake::alerts_of(tx.conn, &neighbours, &origin, &of)?;
                for alert in &alerts {
                    act(tx, &neighbours, alert, action, note.clone())?;
                }
                if !has_result {
                    let open = alerts.iter().find(|alert| alert.closed_ms.is_none());
                    let result = intake::result_of_action(tx, open, &of)?;
                    results.insert(place.min(results.len()), result);
                }
            }
            Answer::ok(&answer(results))
        })
        .await
}

/// The alerts that are open under a key of a sender, at any tenant, in the order of those.
pub(super) fn open_under_key(conn: &mut Conn, origin: &Origin, key: &str) -> db::Result<Vec<Alert>> {
    store::open_alerts(conn, &origin.scope, &rules::problems_of_key(&origin.sender, key))
}

/// Does something with an alert, as the user of the address. What its state does not allow is done already, or is
/// nothing to do; the note that came with it is a note of the alert then, unless it says that already.
pub(super) fn act(
    tx: &mut outbox::Tx<'_>,
    neighbours: &Neighbours,
    alert: &Alert,
    action: Action,
    note: String,
) -> db::Result<()> {
    let scope = [alert.tenant_id.clone()];
    let user = tx.author().to_owned();
    let said = note.clone();
    let request = ActionRequest { scope: &scope, id: &alert.id, expected_version: None, user, action, note };
    match request.carry_out(tx, &*neighbours.people) {
        Err(db::Error::Problem(problem)) if problem.kind == Kind::Conflict => {
            let mut alert = store::existing(tx.conn, &scope, &alert.id)?;
            if said.is_empty() || alert.has_note(&said) {
                return Ok(());
            }
            actions::add_note(tx, &*neighbours.people, &mut alert, &said)
        }
        done => done.map(drop),
    }
}

/// What was sent, which need only be nearly JSON or a form, and what of it was repaired. Any content type is taken,
/// since webhooks seldom set one, and what zlib or gzip compressed; an empty body is an empty object.
pub(super) async fn body(request: &HttpRequest, payload: web::Payload) -> api::Result<(Value, Vec<&'static str>)> {
    bounded_body(request, payload, api::body::LIMIT).await
}

async fn bounded_body(
    request: &HttpRequest,
    payload: web::Payload,
    most: usize,
) -> api::Result<(Value, Vec<&'static str>)> {
    let (bytes, _) = api::body::read_inflated(request, payload.into_inner(), most).await?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok((Value::Object(Map::new()), Vec::new()));
    }
    if let Some(fields) = form::fields(&bytes) {
        return match fields.get("payload") {
            // As for the incoming webhooks of chat programs.
            Some(Value::String(text)) if fields.len() == 1 => parsed(Bytes::from(text.clone()), form::REPAIR).await,
            _ => Ok((Value::Object(fields), vec![form::REPAIR])),
        };
    }
    match api::body::parse_by(bytes, parse_nearly_json).await? {
        (Value::String(text), _) if text.trim_start().starts_with(['{', '[']) => {
            parsed(Bytes::from(text), "a text in the body was read as the JSON that it is").await
        }
        read => Ok(read),
    }
}

/// What a text that was found in a body says, which counts like another body.
async fn parsed(text: Bytes, repair: &'static str) -> api::Result<(Value, Vec<&'static str>)> {
    let (value, mut repairs) = api::body::parse_by(text, parse_nearly_json).await?;
    repairs.push(repair);
    Ok((value, repairs))
}

pub(super) fn accepted(mut response: HttpResponse) -> HttpResponse {
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// Report by an inbound address
///
/// Two fields are enough: the subject and the state. The address identifies its tenant and is the credential. An array
/// of reports is taken, too, each alone.
#[utoipa::path(
    operation_id = "reportInbound",
    params(("token" = String, Path, description = "The token of the address")),
    request_body(content = PlainReport<'_>),
    responses(
        (status = 200, description = "The result", body = AlertResult),
        (status = 202, description = "The result of each report of an array", body = Vec<AlertResult>),
        (status = 401, description = "The token is unknown or revoked"),
        (status = 409, description = "There is no room for another open alert"),
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
    let at: Context = inbound::admit(&request, &path).await?;
    let (body, repairs) = body(&request, payload).await?;
    if alertmanager::is_notification(&body) {
        return notification(at, neighbours, body, "", &repairs).await.map(accepted);
    }
    let events = formats::read_each(&body, plain::read)?;
    if body.is_array() {
        return carry_out(at, neighbours, events, &repairs, |results| results).await.map(accepted);
    }
    carry_out(at, neighbours, events, &repairs, |mut results| results.pop()).await
}

/// What PagerDuty or Opsgenie would answer to an event.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is only described")]
enum MonitorAnswer {
    PagerDuty(PagerDutyAnswer),
    Opsgenie(OpsgenieAnswer),
}

/// Report by an inbound address, in a monitor's format
///
/// `alertmanager` and `grafana` take a notification with any number of alerts and answer an array; `pagerduty`,
/// `opsgenie` and `zabbix` take one event, or an array of them.
#[utoipa::path(
    operation_id = "reportInboundFormat",
    params(
        ("token" = String, Path, description = "The token of the address"),
        ("format" = String, Path, description = "`alertmanager`, `grafana`, `pagerduty`, `opsgenie` or `zabbix`",
            example = "grafana"),
    ),
    request_body(content = Object, description = "As the monitor sends it"),
    responses(
        (status = 200, description = "The result, or the result of each alert", body = Vec<AlertResult>),
        (status = 202, description = "An event of PagerDuty or Opsgenie was processed", body = MonitorAnswer),
        (status = 401, description = "The token is unknown or revoked"),
        (status = 409, description = "There is no room for another open alert"),
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
    let at: Context = inbound::admit(&request, &token).await?;
    if !formats::NAMES.contains(&format.as_str()) {
        let known = formats::NAMES.join(", ");
        return Err(Problem::not_found(format!("The format was not found. An inbound address takes: {known}.")).into());
    }
    let (body, repairs) = body(&request, payload).await?;
    if alertmanager::is_notification(&body) {
        return notification(at, neighbours, body, &format, &repairs).await;
    }
    match format.as_str() {
        "pagerduty" => pagerduty_event(at, neighbours, body, &repairs).await,
        "opsgenie" => opsgenie_event(at, neighbours, &body, &repairs).await,
        "zabbix" => {
            let events = plain::read_format(&body, zabbix::read)?;
            carry_out(at, neighbours, events, &repairs, |results| results).await
        }
        _ => notification(at, neighbours, body, &format, &repairs).await,
    }
}

/// Takes in a notification of an Alertmanager or of Grafana.
async fn notification(
    context: Context,
    neighbours: web::Data<Neighbours>,
    body: Value,
    sender: &str,
    repairs: &[&'static str],
) -> api::Result<HttpResponse> {
    let events = alertmanager::read_leniently(body, sender, api::clock::now())?;
    carry_out(context, neighbours, events, repairs, |results| results).await
}

async fn pagerduty_event(
    context: Context,
    neighbours: web::Data<Neighbours>,
    body: Value,
    repairs: &[&'static str],
) -> api::Result<HttpResponse> {
    let events = plain::read_format(&pagerduty::of_any_version(body), pagerduty::read)?;
    let answer = PagerDutyAnswer { status: "success", message: "Event processed", dedup_key: first_key(&events) };
    carry_out(context, neighbours, events, repairs, |_| answer).await.map(accepted)
}

/// The key of the first event that was understood.
fn first_key(events: &[ParsedEvent]) -> String {
    events.iter().flatten().next().map_or("", Event::key).to_owned()
}

/// The context of a request whose body names the token.
async fn admit_key(request: &HttpRequest, token: Option<&str>, field: &str) -> api::Result<Context> {
    let token = token.ok_or_else(|| Problem::field(field, "is required"))?;
    inbound::admit(request, token).await
}

/// Send a PagerDuty event
///
/// For clients of PagerDuty's Events API, version 2: `routing_key` is the token of an inbound address, `source`
/// names the machine. A trigger opens an alert or counts as another report of it, `acknowledge` acknowledges it,
/// `resolve` closes it.
#[utoipa::path(
    operation_id = "sendPagerDutyEvent",
    request_body(content = PagerDutyEvent<'_>),
    responses(
        (status = 202, description = "The event was processed", body = PagerDutyAnswer),
        (status = 401, description = "The routing key is not a token of an inbound address"),
        (status = 409, description = "There is no room for another open alert"),
    ),
    security(()),
)]
#[post("/v2/enqueue")]
pub async fn enqueue(
    request: HttpRequest,
    payload: web::Payload,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (body, repairs) = bounded_body(&request, payload, UNKNOWN).await?;
    let body = pagerduty::of_any_version(body);
    let at = admit_key(&request, pagerduty::routing_key(&body), "routing_key").await?;
    pagerduty_event(at, neighbours, body, &repairs).await
}

/// Send a PagerDuty event, version 1
///
/// For clients of PagerDuty's Events API, version 1: `service_key` is the token of an inbound address.
#[utoipa::path(
    operation_id = "sendPagerDutyEventVersion1",
    request_body(content = Object, example = json!({
        "service_key": "<token>", "event_type": "trigger", "incident_key": "disk-web-01",
        "description": "Disk is 98 % full",
        "client": "monitord", "details": {"host": "web-01", "severity": "critical"}
    })),
    responses(
        (status = 200, description = "The event was processed", body = PagerDutyFirstAnswer),
        (status = 401, description = "The service key is not a token of an inbound address"),
        (status = 409, description = "There is no room for another open alert"),
    ),
    security(()),
)]
#[post("/generic/2010-04-15/create_event.json")]
pub async fn create_event(
    request: HttpRequest,
    payload: web::Payload,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let (body, repairs) = bounded_body(&request, payload, UNKNOWN).await?;
    let body = pagerduty::of_any_version(body);
    let at = admit_key(&request, pagerduty::routing_key(&body), "service_key").await?;
    let events = plain::read_format(&body, pagerduty::read)?;
    let incident_key = first_key(&events);
    let answer = PagerDutyFirstAnswer { status: "success", message: "Event processed", incident_key };
    carry_out(at, neighbours, events, &repairs, |_| answer).await
}

/// Send a PagerDuty change event
///
/// The event is accepted, so that the sender sees no error, but opens no alert: a change is not a problem.
#[utoipa::path(
    operation_id = "sendPagerDutyChangeEvent",
    request_body(content = Object, example = json!({
        "routing_key": "<token>", "payload": {"summary": "Build 7 is deployed", "source": "ci",
            "timestamp": "2026-11-20T20:37:00Z"}
    })),
    responses(
        (status = 202, description = "The event was taken", body = Object,
            example = json!({"status": "success", "message": "Change event processed"})),
        (status = 401, description = "The routing key is not a token of an inbound address"),
    ),
    security(()),
)]
#[post("/v2/change/enqueue")]
pub async fn enqueue_change(request: HttpRequest, payload: web::Payload) -> api::Result<HttpResponse> {
    let (body, _) = bounded_body(&request, payload, UNKNOWN).await?;
    admit_key(&request, pagerduty::routing_key(&body), "routing_key").await?;
    api::answer::ok(&serde_json::json!({"status": "success", "message": "Change event processed"})).map(accepted)
}

/// The token of `Authorization: GenieKey TOKEN`.
pub(super) fn genie_key(request: &HttpRequest) -> api::Result<String> {
    let text = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or("");
    let (scheme, token) = text.split_once(' ').unwrap_or_default();
    if scheme.eq_ignore_ascii_case("GenieKey") && !token.trim().is_empty() {
        return Ok(token.trim().to_owned());
    }
    let detail = "The header Authorization: GenieKey TOKEN is needed, with the token of an inbound address.";
    Err(Problem::new(Kind::Unauthenticated, detail).into())
}

async fn opsgenie_event(
    context: Context,
    neighbours: web::Data<Neighbours>,
    body: &Value,
    repairs: &[&'static str],
) -> api::Result<HttpResponse> {
    let events = plain::read_format(body, opsgenie::create)?;
    let answer =
        |results: Vec<AlertResult>| OpsgenieAnswer::about(results.into_iter().find_map(|result| result.id).as_deref());
    carry_out(context, neighbours, events, repairs, answer).await.map(accepted)
}

/// Create an alert as with Opsgenie
///
/// For clients of Opsgenie's alert API: `GenieKey` is the token of an inbound address, `entity` names the machine,
/// `alias` identifies the problem.
#[utoipa::path(
    operation_id = "createOpsgenieAlert",
    request_body(content = OpsgenieAlert<'_>),
    responses(
        (status = 202, description = "The event was processed", body = OpsgenieAnswer),
        (status = 401, description = "The key is not a token of an inbound address"),
        (status = 409, description = "There is no room for another open alert"),
    ),
    security(()),
)]
#[post("/v2/alerts")]
pub async fn opsgenie_create(
    request: HttpRequest,
    payload: web::Payload,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let at: Context = inbound::admit(&request, &genie_key(&request)?).await?;
    let (body, repairs) = body(&request, payload).await?;
    opsgenie_event(at, neighbours, &body, &repairs).await
}
