//! What is sent to Opsgenie's alert API, version 2.

use base::{problem::Problem, timestamp::Timestamp};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Event, Fields, graded, identifier, instants::instant, machine, name, severity_of_labels, tag, tags, text};
use crate::alerts::{
    report::{LONGEST_NAME, LegacyIdentity, Report, cut, key},
    wire::Tag,
};

/// By which of the routes of its sender an alert came.
pub const ROUTE: &str = "opsgenie";

/// Reads a new alert. One without `alias` is identified by its message and entity; what else names it serves as its
/// message.
///
/// # Errors
/// 400 when nothing names it.
pub fn create(body: &Value) -> Result<Event, Problem> {
    let Some(given) = body.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let given = &Fields::of(given);
    let alert = OpsgenieAlert::read(|name| given.get(name));
    let made = name([alert.message]).is_empty().then(|| "message is missing: the subject was made".to_owned());
    let subject = name([alert.message, alert.description, alert.alias, alert.entity]);
    if subject.is_empty() {
        return Err(Problem::field("message", "is required"));
    }
    let entity = name([alert.entity]);
    let alias = identifier([alert.alias]);
    let priority = name([alert.priority]);
    let mut attributes = tags(alert.details);
    attributes.extend(labels(alert.tags));
    let (state, unknown) = match priority.is_empty() {
        true => (severity_of_labels([alert.details, alert.tags]).unwrap_or("Warning"), None),
        false => graded(&priority),
    };
    let description = name([alert.description]);
    let note = name([given.get("note")]);
    // A note is the description where there is no other.
    let (description, note) = if description.is_empty() { (note, description) } else { (description, note) };
    let former = format!("{}\n{}", cut(&entity, LONGEST_NAME), cut(&subject, LONGEST_NAME));
    Ok(Event::Report(Box::new(Report {
        state,
        former: if alias.is_empty() { LegacyIdentity::Text(former) } else { LegacyIdentity::Key },
        warnings: made.into_iter().chain(unknown).collect(),
        subject,
        description,
        note,
        app: super::OPSGENIE.to_owned(),
        device: machine([alert.entity]),
        tags: attributes,
        route: ROUTE,
        key: key(&alias),
        ext_alert_id: alias,
        url: url(&alert),
        ..Report::default()
    })))
}

/// Labels, which are tags without a value: of a list, or of a text with commas between them.
pub fn labels(labels: Option<&Value>) -> Vec<Tag> {
    let names: Vec<String> = match labels {
        Some(Value::Array(list)) => list.iter().map(|label| text(Some(label))).collect(),
        Some(Value::String(list)) => list.split(',').map(|label| label.trim().to_owned()).collect(),
        _ => Vec::new(),
    };
    names.iter().filter(|name| !name.is_empty()).map(|name| tag(name, "")).collect()
}

/// Attributes of an object.
pub fn details(details: Option<&Value>) -> Vec<Tag> {
    tags(details)
}

/// The state that a priority stands for; one that nobody here knows is the worst.
pub fn state_of_priority(priority: Option<&Value>) -> &'static str {
    graded(&text(priority)).0
}

/// The text of a field.
pub fn field(body: &Value, field: &str) -> String {
    text(body.get(field))
}

/// The time of a field.
pub fn time(field: Option<&Value>) -> Option<Timestamp> {
    instant(field)
}

/// The alert with this key is over, as far as this route to it goes.
pub fn closed(alias: &str, note: String) -> Report {
    Report { state: "Ok", note, key: key(alias), ext_alert_id: alias.to_owned(), ..Report::default() }
}

/// The note of a body.
pub fn note(body: &Value) -> String {
    name([OpsgenieNote::read(|name| body.get(name)).note])
}

/// The source, where that is an address.
fn url(alert: &OpsgenieAlert<'_>) -> String {
    Some(name([alert.source])).filter(|source| source.contains("://")).unwrap_or_default()
}

given! {
    /// An alert, as Opsgenie takes it.
    #[schema(example = json!({
        "message": "Disk is 98 % full", "alias": "disk-web-01", "entity": "web-01", "priority": "P1",
        "description": "/var has 200 MB left", "tags": ["disk"], "details": {"mount": "/var"}
    }))]
    pub struct OpsgenieAlert {
        /// The subject.
        #[schema(required = true)]
        message: String,
        /// What identifies the problem; without it `entity` and `message` do.
        alias: Option<String>,
        /// What there is to say beside the message.
        description: Option<String>,
        /// The machine.
        entity: Option<String>,
        /// `P1` and `P2` are `Critical`, `P3` and `P4` `Warning`, `P5` is `Info`; without it a severity in `details` or
        /// `tags` counts, and else `P3`.
        priority: Option<String>,
        /// Where it comes from; an address is the alert's `url`.
        source: Option<String>,
        /// Kept as tags without a value.
        tags: Option<Vec<String>>,
        /// Kept as tags.
        details: Option<Object>,
    }
}

given! {
    /// What goes with an acknowledgement or a close.
    #[schema(example = json!({"note": "Looking into it"}))]
    pub struct OpsgenieNote {
        /// A note about it.
        note: Option<String>,
    }
}

/// The answer to a request.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "result": "Request will be processed", "took": 0.0, "requestId": "b7e1c9d04f6a4f0f9a3a1c5f0a8d2e11"
}))]
pub struct OpsgenieAnswer {
    /// The outcome in words. The request is processed already.
    pub result: &'static str,
    /// Seconds.
    pub took: f64,
    /// By which `GET /v2/alerts/requests/{requestId}` tells what became of it: the alert's own, where there is one.
    pub request_id: String,
}

impl OpsgenieAnswer {
    /// To a request about an alert.
    pub fn about(alert: Option<&str>) -> Self {
        let request_id = alert.and_then(|id| id.strip_prefix("ALT-")).map(ToOwned::to_owned);
        let request_id = request_id.unwrap_or_else(api::request_id::current);
        Self { result: "Request will be processed", took: 0.0, request_id }
    }
}

#[cfg(test)]
mod tests;
