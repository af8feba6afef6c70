//! An event of PagerDuty's Events API, version 2 or 1: trigger, acknowledge, resolve.

use base::{
    fold, hex,
    problem::{FieldError, Problem},
};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::{Event, instant, machine, name, severity_of, severity_of_labels, tag, tags, text};
use crate::alerts::{report::Report, rules::Action};

/// By which of the routes of its sender an event came.
const ROUTE: &str = "pagerduty";

/// The token of the inbound address that an event names as its `routing_key`.
pub fn routing_key(body: &Value) -> Option<&str> {
    PagerDutyEvent::read(|name| body.get(name))
        .routing_key
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|key| !key.is_empty())
}

/// An event of version 1, as version 2 has it.
pub fn of_version_1(body: &Value) -> Value {
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

/// Reads an event; also its `dedup_key`. One that is triggered without a key has one that is made of its machine, its
/// component and its class or summary.
///
/// # Errors
/// 400 that lists what is missing.
pub fn read(body: &Value) -> Result<(Event, String), Problem> {
    let Some(given) = body.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let event = PagerDutyEvent::read(|name| given.get(name));
    let mut errors = Vec::new();
    let action = name([event.event_action]).to_ascii_lowercase();
    let triggers = action == "trigger";
    if !["trigger", "acknowledge", "resolve"].contains(&action.as_str()) {
        errors.push(FieldError::new("event_action", "must be one of: trigger, acknowledge, resolve"));
    }
    let nothing = Map::new();
    let payload = event.payload.and_then(Value::as_object).unwrap_or(&nothing);
    let field = |field: &str| name([payload.get(field)]);
    let subject = field("summary");
    let key = name([event.dedup_key]);
    let device = machine([payload.get("source")]);
    let source = device.first_name().to_owned();
    // What else names the problem serves as its subject.
    let otherwise = [field("class"), field("component"), source.clone(), key.clone()];
    if triggers && subject.is_empty() && otherwise.iter().all(String::is_empty) {
        errors.push(FieldError::new("payload.summary", "is required"));
    }
    if key.is_empty() && !triggers {
        errors.push(FieldError::new("dedup_key", "is required"));
    }
    if !errors.is_empty() {
        return Err(Problem::fields(errors));
    }
    let class = field("class");
    let key = if key.is_empty() {
        let measured = if class.is_empty() { &subject } else { &class };
        made_key(&[fold(&source).trim_end_matches('.'), &field("component"), measured])
    } else {
        key
    };
    if action == "acknowledge" {
        let key = key.clone();
        let note = String::new();
        return Ok((Event::Act { key: key.clone(), action: Action::Acknowledge, note, report: None }, key));
    }
    let details = payload.get("custom_details");
    let state = match (triggers, field("severity").as_str()) {
        (false, _) => "Ok",
        (true, "") => severity_of_labels([details]).unwrap_or("Critical"),
        // A severity that nobody here knows is the worst: somebody meant something by it.
        (true, severity) => severity_of(severity).unwrap_or("Critical"),
    };
    let mut attributes = tags(details);
    for attribute in ["group", "class"] {
        let value = field(attribute);
        if !value.is_empty() {
            attributes.push(tag(attribute, &value));
        }
    }
    let client = name([event.client]);
    let unnamed = triggers && subject.is_empty();
    let subject = if subject.is_empty() {
        let about = otherwise.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        format!("{} is {state}", if triggers { about } else { key.clone() })
    } else {
        subject
    };
    let report = Report {
        state,
        warnings: unnamed.then(|| "payload.summary is missing: the subject was made".to_owned()).into_iter().collect(),
        time: if triggers { instant(payload.get("timestamp")) } else { None },
        subject,
        description: text(details),
        metric: class,
        component: field("component"),
        app: if client.is_empty() { super::PAGERDUTY.to_owned() } else { client },
        device,
        tags: attributes,
        route: if triggers { ROUTE } else { "" },
        key: Some(key.clone()),
        ext_alert_id: key.clone(),
        url: link(&event),
        ..Report::default()
    };
    Ok((Event::Report(Box::new(report)), key))
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
