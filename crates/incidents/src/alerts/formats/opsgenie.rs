//! What is sent to Opsgenie's alert API, version 2.

use base::{problem::Problem, timestamp::Timestamp};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Event, Fields, instant, machine, name, or, severity_of, severity_of_labels, tag, tags, text};
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
    let message = name([alert.message]);
    let subject = name([alert.message, alert.description, alert.alias, alert.entity]);
    if subject.is_empty() {
        return Err(Problem::field("message", "is required"));
    }
    let entity = name([alert.entity]);
    let alias = name([alert.alias]);
    let priority = name([alert.priority]);
    let mut attributes = tags(alert.details);
    attributes.extend(labels(alert.tags));
    let state = match priority.is_empty() {
        true => severity_of_labels([alert.details, alert.tags]).unwrap_or("Warning"),
        false => severity_of(&priority).unwrap_or("Critical"),
    };
    let former = format!("{}\n{}", cut(&entity, LONGEST_NAME), cut(&subject, LONGEST_NAME));
    Ok(Event::Report(Box::new(Report {
        state,
        warnings: message
            .is_empty()
            .then(|| "message is missing: the subject was made".to_owned())
            .into_iter()
            .collect(),
        former: if alias.is_empty() { LegacyIdentity::Text(former) } else { LegacyIdentity::Key },
        subject,
        description: name(or(alert.description, given, &["note"])),
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

/// Labels, which are tags without a value.
pub fn labels(labels: Option<&Value>) -> Vec<Tag> {
    let labels = labels.and_then(Value::as_array).into_iter().flatten().take(20);
    labels.map(|label| tag(&text(Some(label)), "")).filter(|tag| !tag.name.is_empty()).collect()
}

/// Attributes of an object.
pub fn details(details: Option<&Value>) -> Vec<Tag> {
    tags(details)
}

/// The state that a priority stands for; one that nobody here knows is the worst.
pub fn state_of_priority(priority: Option<&Value>) -> &'static str {
    severity_of(&text(priority)).unwrap_or("Critical")
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
    Report {
        state: "Ok",
        subject: format!("{alias} is Ok"),
        description: note,
        key: key(alias),
        ext_alert_id: alias.to_owned(),
        ..Report::default()
    }
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
        /// Kept as tags without a value; at most 20.
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
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_alert_is_a_report_of_its_entity() {
        let body = json!({"message": "An example alert message", "alias": "Life is too short for no alias",
            "description": "Every alert needs a description", "tags": ["OverwriteQuietHours", "Critical"],
            "details": {"key1": "value1"}, "entity": "10.0.0.1", "priority": "P1", "source": "https://mon.example/"});
        let Event::Report(report) = create(&body).unwrap() else { panic!("a report") };
        assert_eq!((report.state, report.ext_alert_id.as_str()), ("Critical", "Life is too short for no alias"));
        assert_eq!(report.device.device.unwrap().ip_address, "10.0.0.1");
        assert_eq!((report.tags.len(), report.url.as_str()), (3, "https://mon.example/"));
        let over = closed(" Life is too short for no alias ", "done".to_owned());
        assert_eq!((over.state, over.key), ("Ok", report.key));
    }

    #[test]
    fn what_names_the_problem_is_required_and_the_rest_is_not() {
        assert_eq!(create(&json!({"priority": "P1"})).unwrap_err().errors[0].field_name, "message");
        let Event::Report(report) = create(&json!({"Alias": "a", "description": "Disk is full"})).unwrap() else {
            panic!("a report")
        };
        assert_eq!(
            (report.subject.as_str(), report.key.as_deref(), report.warnings.len()),
            ("Disk is full", Some("a"), 1)
        );
        let Event::Report(report) = create(&json!({"message": "m"})).unwrap() else { panic!("a report") };
        assert_eq!((report.state, report.key), ("Warning", None));
    }

    #[test]
    fn a_severity_comes_from_the_labels_where_there_is_no_priority() {
        let state = |body: Value| {
            let Event::Report(report) = create(&body).unwrap() else { panic!("a report") };
            report.state
        };
        assert_eq!(state(json!({"message": "m", "details": {"severity": "critical"}})), "Critical");
        assert_eq!(state(json!({"message": "m", "tags": ["severity:info"]})), "Info");
        assert_eq!(state(json!({"message": "m", "priority": "P4", "details": {"severity": "critical"}})), "Warning");
        assert_eq!(state(json!({"message": "m", "priority": "normal"})), "Info");
    }
}
