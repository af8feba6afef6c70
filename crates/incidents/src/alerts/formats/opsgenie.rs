//! Opsgenie's alert API, version 2: create, acknowledge, close.

use base::problem::Problem;
use serde_json::Value;
use utoipa::ToSchema;

use super::{Event, identity, long, name, or, state_of, tags, text};
use crate::alerts::{
    report::{Named, Report},
    wire::Tag,
};

/// Reads a new alert of `sender`. One without `alias` is identified by its message and entity.
///
/// # Errors
/// 400 when it has no message.
pub fn create(body: &Value, sender: &str) -> Result<Event, Problem> {
    let Some(given) = body.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let alert = OpsgenieAlert::read(|name| given.get(name));
    let subject = name([alert.message]);
    if subject.is_empty() {
        return Err(Problem::field("message", "is required"));
    }
    let entity = name([alert.entity]);
    let alias = name([alert.alias]);
    let key = if alias.is_empty() { format!("{entity}\n{subject}") } else { alias.clone() };
    let priority = name([alert.priority]);
    let mut attributes = tags(alert.details);
    let labels = alert.tags.and_then(Value::as_array).into_iter().flatten().take(20);
    attributes.extend(labels.map(|label| Tag { name: text(Some(label)), value: String::new() }));
    Ok(Event::Report(Box::new(Report {
        state: if priority.is_empty() { "Warning" } else { state_of(&priority).unwrap_or("Critical") },
        subject,
        description: long(or(alert.description, given, &["note"])),
        app: super::OPSGENIE.to_owned(),
        device: Named::of_text(&entity),
        tags: attributes,
        identity: Some(identity(sender, &key)),
        ext_alert_id: alias,
        url: url(&alert),
        ..Report::default()
    })))
}

/// Somebody works on the alert with this alias.
pub fn acknowledge(body: &Value, sender: &str, alias: &str) -> Event {
    Event::Acknowledge { identity: identity(sender, alias), note: note(body), report: None }
}

/// The alert with this alias is over.
pub fn close(body: &Value, sender: &str, alias: &str) -> Event {
    Event::Report(Box::new(Report {
        state: "Ok",
        subject: format!("{alias} is Ok"),
        description: note(body),
        identity: Some(identity(sender, alias)),
        ext_alert_id: alias.to_owned(),
        ..Report::default()
    }))
}

fn note(body: &Value) -> String {
    long([OpsgenieNote::read(|name| body.get(name)).note])
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
        /// `P1` and `P2` are `Critical`, `P3` (default) and `P4` `Warning`, `P5` is `Info`.
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
    /// The id of this request.
    pub request_id: String,
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
        let Event::Report(report) = create(&body, "s").unwrap() else { panic!("a report") };
        assert_eq!((report.state, report.ext_alert_id.as_str()), ("Critical", "Life is too short for no alias"));
        assert_eq!(report.device.device.unwrap().ip_address, "10.0.0.1");
        assert_eq!((report.tags.len(), report.url.as_str()), (3, "https://mon.example/"));
        let Event::Report(over) = close(&json!({"note": "done"}), "s", "Life is too short for no alias") else {
            panic!("a report")
        };
        assert_eq!((over.state, over.identity), ("Ok", report.identity));
    }

    #[test]
    fn a_message_is_required_and_the_rest_is_not() {
        assert_eq!(create(&json!({"alias": "a"}), "s").unwrap_err().errors[0].field_name, "message");
        let Event::Report(report) = create(&json!({"message": "m"}), "s").unwrap() else { panic!("a report") };
        assert_eq!((report.state, report.identity.as_deref()), ("Warning", Some("s\n\nm")));
    }
}
