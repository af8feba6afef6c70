//! What happened with an alert in fact: from its report to pages, to attempts, to what people did.

use actix_web::{HttpResponse, web};
use api::{PathIds, RequestContext, answer, get};
use base::{problem::Problem, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    store::{self, Row},
    wire::{AlertId, Page},
};
use crate::{Neighbours, escalation};

/// What happened with an alert.
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertTimeline {
    /// `ALT-<uuid>`.
    pub alert_id: String,
    /// Where its escalation stands: `waiting` (for the alert of its site or group), `running`, `acknowledged`, `suppressed`,
    /// `closed`, `ended` or `noPolicy`; left out when there is none.
    #[schema(example = "running")]
    pub escalation: Option<String>,
    /// When its next step is due.
    #[schema(value_type = Option<String>, example = "2026-11-20T20:42:00+0000")]
    pub next_step_date: Option<Timestamp>,
    /// What happened, in its order.
    pub events: Vec<Event>,
}

/// Something that happened.
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TimelineEvent)]
pub struct Event {
    /// When.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub time: Timestamp,
    /// How long after the alert was taken in, in milliseconds.
    #[schema(example = 1200)]
    pub after_ms: i64,
    /// `reported`, `routed`, `waits`, `page`, `gap`, `attempt`, `acknowledged`, `unacknowledged`, `suppressed`,
    /// `unsuppressed`, `closed`.
    #[schema(example = "page")]
    pub what: &'static str,
    /// A sentence.
    pub text: String,
    /// The page that it is about.
    pub page: Option<Page>,
    /// Who did it, by id.
    pub user: Option<String>,
}

/// Get the timeline of an alert
///
/// What really happened: the report, the route, each page with its attempts, and what people did, with the time that
/// passed since the alert was taken in; of the pages the first 1,000.
#[utoipa::path(
    operation_id = "getAlertTimeline",
    params(AlertId),
    responses((status = 200, description = "What happened", body = AlertTimeline)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alerts/{alertId}/timeline")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<AlertId>,
) -> api::Result<HttpResponse> {
    let timeline = context.read(move |conn, scope| {
        let unknown = || Problem::not_found("The alert was not found.");
        let alert = neighbours.alerts.find(conn, &scope.scope(), &id, neighbours.now())?.ok_or_else(unknown)?;
        let text = |name: &str| alert[name].as_str().unwrap_or_default().to_owned();
        let (tenant, id) = (text("clientUniqueId"), text("id"));
        let escalation = escalation::store::find(conn, &tenant, &id)?;
        let pages = store::of_alert(conn, &tenant, &id)?;
        Ok(made(&alert, id, escalation.as_ref(), &pages))
    });
    answer::ok(&timeline.await?)
}

pub fn made(alert: &Value, id: String, escalation: Option<&escalation::store::Row>, pages: &[Row]) -> AlertTimeline {
    let time = |path: &str| alert.pointer(path).and_then(Value::as_str).and_then(Timestamp::parse);
    let begun = time("/createdDate").unwrap_or(Timestamp::from_millis(0));
    let event = |time: Timestamp, what: &'static str, text: String| Event {
        time,
        after_ms: (time.millis() - begun.millis()).max(0),
        what,
        text,
        page: None,
        user: None,
    };
    let mut events = vec![event(begun, "reported", alert["subject"].as_str().unwrap_or_default().to_owned())];
    for (what, path) in [
        ("acknowledged", "previousAcknowledgement"),
        ("acknowledged", "acknowledgement"),
        ("unacknowledged", "unacknowledgement"),
        ("suppressed", "suppression"),
        ("unsuppressed", "unsuppression"),
        ("closed", "closure"),
    ] {
        let Some(at) = time(&format!("/{path}/time")) else { continue };
        let said = alert.pointer(&format!("/{path}/note")).and_then(Value::as_str).unwrap_or_default();
        let by = alert.pointer(&format!("/{path}/by/id")).and_then(Value::as_str).map(ToOwned::to_owned);
        events.push(Event { user: by, ..event(at, what, said.to_owned()) });
    }
    if let Some(row) = escalation.filter(|row| !row.policy_id.is_empty()) {
        let own = row.policy_tenant == row.tenant_id;
        let text =
            if own { format!("goes to the policy {}", row.policy_name) } else { "goes to its partner".to_owned() };
        events.push(event(Timestamp::from_millis(row.created_ms), "routed", text));
    }
    if let Some(row) = escalation.filter(|row| !row.waits_for.is_empty()) {
        let text = format!("its site or group is down: waits for {}", row.waits_for);
        events.push(event(Timestamp::from_millis(row.created_ms), "waits", text));
    }
    for row in pages {
        let (what, text) = match row.status.as_str() {
            store::GAP => ("gap", row.why.clone()),
            status => ("page", format!("step {}: {status}", row.step + 1)),
        };
        let decided = Timestamp::from_millis(row.created_ms);
        events.push(Event { page: Some(Page::from(row)), ..event(decided, what, text) });
        for attempt in &row.log.0 {
            let Some(at) = Timestamp::parse(&attempt.time) else { continue };
            let outcome = match (attempt.status, attempt.error.as_str()) {
                (Some(status), "") => format!("{}: answered {status} after {} ms", row.id, attempt.duration_ms),
                (_, error) => format!("{}: {error}", row.id),
            };
            events.push(event(at, "attempt", outcome));
        }
    }
    events.sort_by_key(|event| event.time);
    AlertTimeline {
        alert_id: id,
        escalation: escalation.map(|row| match row.waits_until_ms {
            Some(_) if row.stage == escalation::rules::Stage::Running.word() => "waiting".to_owned(),
            _ => row.stage.clone(),
        }),
        next_step_date: escalation.and_then(|row| row.next_ms).map(Timestamp::from_millis),
        events,
    }
}
