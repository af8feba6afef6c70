//! An event of PagerDuty's Events API, version 2 or 1: trigger, acknowledge, resolve.

use base::{
    fold, hex,
    problem::{FieldError, Problem},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{
    Event, Fields, graded, identifier, instants::time, is_acknowledgement, json_in, machine, name, severity_of_labels,
    state_of, tag, tags, text,
};
use crate::alerts::{report::Report, rules::Action};

/// By which of the routes of its sender an event came.
const ROUTE: &str = "pagerduty";

const ACTIONS: &str = "must be one of: trigger, acknowledge, resolve";

/// The token of the inbound address that an event names as its `routing_key`: of several, the first that has one.
pub fn routing_key(body: &Value) -> Option<&str> {
    if let Value::Array(all) = body {
        return all.iter().find_map(routing_key);
    }
    let fields = Fields::of(body.as_object()?);
    let key = PagerDutyEvent::read(|name| fields.get(name)).routing_key?.as_str()?;
    Some(key.trim()).filter(|key| !key.is_empty())
}

/// Is this an event of version 2? A plain report may have an action, too.
pub fn is_event(body: &Value) -> bool {
    let Some(fields) = body.as_object().map(Fields::of) else { return false };
    let has = |name: &str| fields.get(name).is_some();
    has("routing_key") || (has("event_action") && has("payload"))
}

/// An event, or several, as version 2 has them, if they are of version 1.
pub fn of_any_version(body: Value) -> Value {
    match body {
        Value::Array(all) => all.into_iter().map(of_any_version).collect(),
        body if !is_event(&body) && (body["service_key"].is_string() || body["event_type"].is_string()) => {
            of_version_1(&body)
        }
        body => body,
    }
}

fn of_version_1(body: &Value) -> Value {
    let details = &body["details"];
    let machine = ["host", "hostname", "source", "machine"].map(|field| text(details.get(field)));
    let links = body["contexts"].as_array().into_iter().flatten().filter(|context| context["href"].is_string());
    json!({
        "routing_key": body["service_key"], "event_action": body["event_type"], "dedup_key": body["incident_key"],
        "client": body["client"], "client_url": body["client_url"], "links": links.collect::<Vec<_>>(),
        "payload": {
            "summary": body["description"], "custom_details": details,
            "source": machine.into_iter().find(|name| !name.is_empty()),
        },
    })
}

/// What an event wants, by its action.
#[derive(Clone, Copy, PartialEq)]
enum EventAction {
    Trigger,
    Acknowledge,
    Resolve,
}

impl EventAction {
    /// A word for well is over, and all else is a problem; a warning where it says neither.
    fn of(action: &str) -> (Self, Option<String>) {
        match state_of(action) {
            _ if is_acknowledgement(action) => (Self::Acknowledge, None),
            Some("Ok") => (Self::Resolve, None),
            None if action.is_empty() => {
                (Self::Trigger, Some("event_action is missing: it counts as trigger".to_owned()))
            }
            None if !action.eq_ignore_ascii_case("triggered") => {
                (Self::Trigger, Some(format!("{action:.100} is not an event_action: it counts as trigger")))
            }
            _ => (Self::Trigger, None),
        }
    }
}

/// Reads an event. One without a `dedup_key` has one that is made of its machine, its component and its class or
/// summary.
///
/// # Errors
/// 400 when nothing names the problem.
pub fn read(body: &Value) -> Result<Event, Problem> {
    let Some(given) = body.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let given = Fields::of(given);
    let event = PagerDutyEvent::read(|name| given.get(name));
    let (wanted, unclear) = EventAction::of(&name([event.event_action]));
    let triggers = wanted == EventAction::Trigger;
    let in_text = event.payload.and_then(Value::as_str).and_then(json_in);
    let payload = in_text.as_ref().or(event.payload);
    let inside = payload.and_then(Value::as_object).map(Fields::of);
    // Scripts forget the payload, and write what belongs into it beside the action.
    let value = |field: &str| inside.as_ref().and_then(|inside| inside.get(field)).or_else(|| given.get(field));
    let field = |field: &str| name([value(field)]);
    let subject = name([value("summary"), payload]);
    let key = identifier([event.dedup_key]);
    let device = machine([value("source")]);
    let source = device.first_name().to_owned();
    let class = field("class");
    // What else names the problem serves as its subject.
    let otherwise = [class.clone(), field("component"), source.clone(), key.clone()];
    if subject.is_empty() && otherwise.iter().all(String::is_empty) {
        let missing = if triggers { "payload.summary" } else { "dedup_key" };
        let unclear = unclear.is_some().then(|| FieldError::new("event_action", ACTIONS));
        return Err(Problem::fields(unclear.into_iter().chain([FieldError::new(missing, "is required")]).collect()));
    }
    let key = if key.is_empty() {
        let measured = if class.is_empty() { &subject } else { &class };
        made_key(&[fold(&source).trim_end_matches('.'), &field("component"), measured])
    } else {
        key
    };
    let details = value("custom_details");
    let (state, unknown) = match (triggers, field("severity").as_str()) {
        (false, _) => ("Ok", None),
        (true, "") => (severity_of_labels([details]).unwrap_or("Critical"), None),
        (true, severity) => graded(severity),
    };
    // Before the details, of which there may be more than are kept.
    let named = ["group", "class"].map(|attribute| (attribute, field(attribute)));
    let named = named.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| tag(name, value));
    let attributes = named.chain(tags(details)).collect();
    let client = name([event.client]);
    let unnamed = triggers && subject.is_empty();
    let subject = if unnamed {
        let about = otherwise.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        format!("{about} is {state}")
    } else {
        subject
    };
    let (time, unread) = time([value("timestamp").filter(|_| triggers)]);
    let made = unnamed.then(|| "payload.summary is missing: the subject was made".to_owned());
    let report = Box::new(Report {
        state,
        warnings: [made, unclear, unknown, unread].into_iter().flatten().collect(),
        time,
        subject,
        description: text(details),
        metric: class,
        component: field("component"),
        app: if client.is_empty() { super::PAGERDUTY.to_owned() } else { client },
        device,
        tags: attributes,
        route: if triggers { ROUTE } else { "" },
        key: Some(key.clone()),
        ext_alert_id: key,
        url: link(&event),
        ..Report::default()
    });
    Ok(match wanted {
        EventAction::Acknowledge => {
            Event::Act { of: report, action: Action::Acknowledge, note: String::new(), report: None }
        }
        _ => Event::Report(report),
    })
}

/// The first of the links, or else where the sender is.
fn link(event: &PagerDutyEvent<'_>) -> String {
    let links = event.links.and_then(Value::as_array).into_iter().flatten();
    let first = links.map(|link| text(link.get("href"))).find(|link| !link.is_empty());
    first.unwrap_or_else(|| name([event.client_url]))
}

/// The same key for the same parts.
fn made_key(parts: &[&str]) -> String {
    hex(&Sha256::digest(parts.join("\n"))[..16])
}

given! {
    /// An event, as PagerDuty takes it.
    #[schema(example = json!({
        "routing_key": "<token>", "event_action": "trigger", "dedup_key": "disk-web-01",
        "payload": {"summary": "Disk is 98 % full", "source": "web-01", "severity": "critical", "component": "/var"}
    }))]
    pub struct PagerDutyEvent {
        /// The token of an inbound address.
        #[schema(min_length = 1, pattern = r"\S", required = true)]
        routing_key: String,
        /// `trigger`, `acknowledge` or `resolve`.
        #[schema(required = true)]
        event_action: String,
        /// What identifies the problem; made when a trigger has none.
        dedup_key: Option<String>,
        /// `summary`, `source` (the machine), `severity`, `timestamp`, `component`, `group`, `class`, `custom_details`.
        payload: Option<Object>,
        /// The monitoring program.
        client: Option<String>,
        /// Where it is.
        client_url: Option<String>,
        /// `{"href","text"}`; the first is the alert's `url`.
        links: Option<Vec<Object>>,
    }
}

/// The answer to an event.
#[derive(serde::Serialize, ToSchema)]
#[schema(example = json!({"status": "success", "message": "Event processed", "dedup_key": "disk-web-01"}))]
pub struct PagerDutyAnswer {
    /// Always `success`.
    #[schema(pattern = "^success$")]
    pub status: &'static str,
    /// In words.
    pub message: &'static str,
    /// What identifies the problem from now on.
    pub dedup_key: String,
}

/// The answer to an event of version 1.
#[derive(serde::Serialize, ToSchema)]
#[schema(example = json!({"status": "success", "message": "Event processed", "incident_key": "disk-web-01"}))]
pub struct PagerDutyFirstAnswer {
    /// Always `success`.
    #[schema(pattern = "^success$")]
    pub status: &'static str,
    /// In words.
    pub message: &'static str,
    /// What identifies the problem from now on.
    pub incident_key: String,
}

#[cfg(test)]
mod tests;
