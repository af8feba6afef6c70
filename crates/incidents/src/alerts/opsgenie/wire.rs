//! The answers of Opsgenie's alert API.

use base::timestamp::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::alerts::{
    row::Alert,
    wire::{Note, Person},
};

/// An answer: its data, beside what all answers of that API have.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OpsgenieData)]
pub struct Data {
    /// The requested data.
    #[schema(value_type = Object)]
    pub data: Value,
    /// Seconds.
    pub took: f64,
    /// The id of this request.
    pub request_id: String,
}

impl Data {
    /// Of an answer.
    pub fn of(data: Value) -> Self {
        Self { data, took: 0.0, request_id: api::request_id::current() }
    }
}

/// An answer that is a list, beside what all answers of that API have.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OpsgenieList)]
pub struct Listing {
    /// The requested data.
    #[schema(value_type = Vec<Object>)]
    pub data: Vec<Value>,
    /// Seconds.
    pub took: f64,
    /// The id of this request.
    pub request_id: String,
}

impl Listing {
    /// Of an answer.
    pub fn of(data: Vec<Value>) -> Self {
        Self { data, took: 0.0, request_id: api::request_id::current() }
    }
}

/// An alert.
pub fn alert(alert: &Alert, now: Timestamp) -> Value {
    let document = &alert.document;
    let (labels, details): (Vec<_>, Vec<_>) = document.tags.iter().partition(|tag| tag.value.is_empty());
    let details: Map<String, Value> = details.iter().map(|tag| (tag.name.clone(), json!(tag.value))).collect();
    let alias = if document.ext_alert_id.is_empty() { &alert.id } else { &document.ext_alert_id };
    let entity = document.device.as_ref().map(|device| &device.host_name);
    let mut shown = json!({
        "id": alert.id,
        "tinyId": alert.id,
        "alias": alias,
        "message": document.subject,
        "status": if alert.closed_ms.is_some() { "closed" } else { "open" },
        "acknowledged": alert.acknowledged,
        "isSeen": alert.acknowledged,
        "snoozed": alert.is_suppressed(now),
        "tags": labels.iter().map(|tag| &tag.name).collect::<Vec<_>>(),
        "details": details,
        "count": alert.repeats,
        "createdAt": time(alert.created_ms),
        "updatedAt": time(alert.updated_ms),
        "lastOccurredAt": time(alert.last_ms),
        "source": document.app,
        "owner": document.acknowledgement.as_ref().map(owner).unwrap_or_default(),
        "priority": priority(&alert.current_state),
        "description": document.description,
        "entity": entity.map_or("", String::as_str),
        "responders": [],
        "teams": [],
        "actions": [],
        "integration": {"id": alert.sender, "name": "", "type": "API"},
        "report": {"acknowledgedBy": document.acknowledgement.as_ref().map(owner).unwrap_or_default()},
    });
    if let (Some(until), true) = (alert.suppressed_until_ms, alert.is_suppressed(now)) {
        shown["snoozedUntil"] = json!(time(until));
    }
    shown
}

/// The status of a request.
pub fn request(alert: Option<&Alert>, now: Timestamp) -> Value {
    json!({
        "success": true,
        "isSuccess": true,
        "action": "Create",
        "status": "Processed",
        "processedAt": time(now.millis()),
        "integrationId": alert.map_or("", |alert| &alert.sender),
        "alertId": alert.map_or("", |alert| &alert.id),
        "alias": alert.map_or("", |alert| &alert.document.ext_alert_id),
    })
}

/// The notes of an alert.
pub fn notes(alert: &Alert) -> Vec<Value> {
    let note =
        |note: &Note| json!({"note": note.note, "owner": owner(note), "createdAt": when(note), "offset": when(note)});
    alert.document.notes.iter().map(note).collect()
}

/// The log of an alert, newest first.
pub fn logs(alert: &Alert) -> Vec<Value> {
    let document = &alert.document;
    let done = [
        ("Alert acknowledged", document.acknowledgement.as_ref().or(document.previous_acknowledgement.as_ref())),
        ("Alert unacknowledged", document.unacknowledgement.as_ref()),
        ("Alert closed", document.closure.as_ref()),
    ];
    let created = json!({"log": "Alert created", "type": "system", "owner": "System",
        "createdAt": time(alert.created_ms),
        "offset": time(alert.created_ms)});
    let said = document.notes.iter().map(|note| ("Note added", note));
    let entry = |(what, note): (&str, &Note)| {
        let log = if note.note.is_empty() { what.to_owned() } else { format!("{what}: {}", note.note) };
        json!({"log": log, "type": "alert", "owner": owner(note), "createdAt": when(note), "offset": when(note)})
    };
    let done = done.into_iter().filter_map(|(what, note)| Some((what, note?)));
    let mut logs: Vec<Value> = std::iter::once(created).chain(done.chain(said).map(entry)).collect();
    logs.sort_by(|one, other| other["createdAt"].as_str().cmp(&one["createdAt"].as_str()));
    logs
}

fn owner(note: &Note) -> String {
    let Some(Person { id, login_name, email, .. }) = &note.by else { return "System".to_owned() };
    email.clone().or_else(|| Some(login_name.clone()).filter(|name| !name.is_empty())).unwrap_or_else(|| id.clone())
}

fn priority(state: &str) -> &'static str {
    match state {
        "Critical" => "P1",
        "Warning" => "P3",
        _ => "P5",
    }
}

/// As that API writes times; clients in Go read no other offset than `Z` or one with a colon.
fn time(millis: i64) -> String {
    Timestamp::from_millis(millis).to_string().replace("+0000", "Z")
}

fn when(note: &Note) -> String {
    note.time.replace("+0000", "Z")
}
