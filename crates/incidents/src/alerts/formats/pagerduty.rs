//! An event of PagerDuty's Events API, version 2: trigger, acknowledge, resolve.

use base::problem::{FieldError, Problem};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{Event, cut, identity, instant, long, name, state_of, tags, text};
use crate::alerts::{
    report::{LONGEST_NAME, Named, Report},
    wire::Tag,
};

/// The token of the inbound address that an event names as its `routing_key`.
pub fn routing_key(body: &Value) -> Option<&str> {
    PagerDutyEvent::read(|name| body.get(name))
        .routing_key
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|key| !key.is_empty())
}

/// Reads an event of `sender`; also its `dedup_key`. One that is triggered without a key gets `new_key`.
///
/// # Errors
/// 400 that lists what is missing.
pub fn read(body: &Value, sender: &str, new_key: impl FnOnce() -> String) -> Result<(Event, String), Problem> {
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
    if triggers && subject.is_empty() {
        errors.push(FieldError::new("payload.summary", "is required"));
    }
    let key = name([event.dedup_key]);
    if key.is_empty() && !triggers {
        errors.push(FieldError::new("dedup_key", "is required"));
    }
    if !errors.is_empty() {
        return Err(Problem::fields(errors));
    }
    let key = if key.is_empty() { new_key() } else { key };
    let of_sender = identity(sender, &key);
    if action == "acknowledge" {
        return Ok((Event::Acknowledge { identity: of_sender, note: String::new(), report: None }, key));
    }
    // A severity that nobody here knows is the worst: somebody meant something by it.
    let state = if triggers { state_of(&field("severity")).unwrap_or("Critical") } else { "Ok" };
    let mut attributes = tags(payload.get("custom_details"));
    for attribute in ["group", "class"] {
        let value = field(attribute);
        if !value.is_empty() {
            attributes.push(Tag { name: attribute.to_owned(), value });
        }
    }
    let client = name([event.client]);
    let report = Report {
        state,
        time: if triggers { instant(payload.get("timestamp")) } else { None },
        subject: if subject.is_empty() { format!("{key} is {state}") } else { subject },
        description: long([payload.get("custom_details")]),
        metric: field("class"),
        component: field("component"),
        app: if client.is_empty() { super::PAGERDUTY.to_owned() } else { client },
        device: Named::of_text(&field("source")),
        tags: attributes,
        identity: Some(of_sender),
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
    cut(first.unwrap_or_else(|| name([event.client_url])), LONGEST_NAME)
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
    pub status: &'static str,
    /// In words.
    pub message: &'static str,
    /// What identifies the problem from now on.
    pub dedup_key: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_one(body: Value) -> Result<(Event, String), Vec<String>> {
        read(&body, "s", || "made".to_owned())
            .map_err(|problem| problem.errors.into_iter().map(|error| error.field_name).collect())
    }

    #[test]
    fn a_trigger_is_a_report_of_its_source() {
        let body = json!({"event_action": "trigger", "payload": {
            "summary": "PING OK - Packet loss = 0%", "source": "web-01", "severity": "error",
            "timestamp": "2015-07-17T08:42:58.315+0000", "component": "postgres", "group": "prod", "class": "deploy",
            "custom_details": {"load avg": 0.75}
        }, "client": "Sensu", "links": [{"href": "https://example.com/", "text": "look"}]});
        let (Event::Report(report), key) = read_one(body).unwrap() else { panic!("a report") };
        assert_eq!((key.as_str(), report.identity.as_deref()), ("made", Some("s\nmade")));
        assert_eq!((report.state, report.app.as_str(), report.component.as_str()), ("Critical", "Sensu", "postgres"));
        assert_eq!(report.time.unwrap().to_string(), "2015-07-17T08:42:58+0000");
        assert_eq!(report.device.device.unwrap().host_name, "web-01");
        assert_eq!((report.url.as_str(), report.tags.len()), ("https://example.com/", 3));
    }

    #[test]
    fn a_key_is_all_that_the_others_need() {
        let (event, _) = read_one(json!({"event_action": "acknowledge", "dedup_key": "k"})).unwrap();
        assert_eq!(event, Event::Acknowledge { identity: "s\nk".into(), note: String::new(), report: None });
        let (Event::Report(report), _) = read_one(json!({"event_action": "resolve", "dedup_key": "k"})).unwrap() else {
            panic!("a report")
        };
        assert_eq!((report.state, report.subject.as_str()), ("Ok", "k is Ok"));
    }

    #[test]
    fn what_is_missing_is_listed() {
        assert_eq!(read_one(json!({})).unwrap_err(), ["event_action", "dedup_key"]);
        assert_eq!(read_one(json!({"event_action": "trigger"})).unwrap_err(), ["payload.summary"]);
        assert_eq!(read_one(json!([])).unwrap_err(), ["body"]);
    }
}
