//! The simplest report there is: what, and how bad.

use base::problem::{FieldError, Problem};
use serde_json::Value;

use super::{Event, identity, instant, long, name, or, state_of, tags};
use crate::alerts::report::{Named, Report};

/// Reads a report of `sender`: two fields are enough, under any of the names that scripts give them.
///
/// # Errors
/// 400 that lists what is missing, or a state that is no word of any monitor.
pub fn read(body: &Value, sender: &str) -> Result<Event, Problem> {
    let Some(body) = body.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let given = PlainReport::read(|name| body.get(name));
    let mut errors = Vec::new();
    let subject = name(or(given.subject, body, &["message", "title", "summary", "text"]));
    if subject.is_empty() {
        errors.push(FieldError::new("subject", "is required"));
    }
    let word = name(or(given.state, body, &["currentState", "severity", "level", "status", "priority"]));
    let state = if word.is_empty() { Some("Critical") } else { state_of(&word) };
    if state.is_none() {
        let message = "must be Critical, Warning, Info or Ok, or a word of a monitor for one of them";
        errors.push(FieldError::new("state", message));
    }
    let Some(state) = state.filter(|_| errors.is_empty()) else { return Err(Problem::fields(errors)) };
    let devices = &["hostName", "hostname", "device", "resource", "source", "entity", "instance"];
    let device = name(or(given.host, body, devices));
    let component = name(or(given.component, body, &["service", "check"]));
    let key = name(or(given.key, body, &["dedupKey", "dedup_key", "alias", "fingerprint", "id"]));
    let own = if key.is_empty() { [device.as_str(), &component, &subject].join("\n") } else { key.clone() };
    Ok(Event::Report(Box::new(Report {
        state,
        time: or(given.time, body, &["alertTime", "timestamp", "date"]).find_map(instant),
        subject,
        description: long(or(given.description, body, &["details", "body"])),
        metric: name([body.get("metric")]),
        app: name([body.get("app")]),
        component,
        device: Named::of_text(&device),
        tags: tags(given.tags.or_else(|| body.get("labels"))),
        identity: Some(identity(sender, &own)),
        ext_alert_id: key,
        url: name(or(given.url, body, &["link"])),
        ..Report::default()
    })))
}

given! {
    /// A report in its simplest form.
    #[schema(example = json!({"subject": "Backup of web-01 failed", "state": "critical", "host": "web-01", "key": "backup-web-01"}))]
    pub struct PlainReport {
        /// One line; also taken as `message`, `title`, `summary` or `text`.
        #[schema(required = true)]
        subject: String,
        /// `Critical` (default), `Warning`, `Info` or `Ok`, or another monitor's word for it; also taken as `severity`,
        /// `level`, `status` or `priority`.
        state: Option<String>,
        /// The machine, by host name, address or id.
        host: Option<String>,
        /// What identifies the problem, so that its `Ok` finds it; without it host, component and subject do.
        key: Option<String>,
        /// Which part of the machine.
        component: Option<String>,
        /// What there is to say beside the subject.
        description: Option<String>,
        /// When that was observed; default now.
        time: Option<String>,
        /// Where to find out more.
        url: Option<String>,
        /// Attributes, as an object of texts.
        tags: Option<Object>,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(body: Value) -> Report {
        match read(&body, "s").unwrap() {
            Event::Report(report) => *report,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn two_fields_are_enough() {
        let first = report(json!({"message": "Backup failed", "level": "error"}));
        let over = report(json!({"subject": "Backup failed", "state": "ok"}));
        assert_eq!((first.state, over.state), ("Critical", "Ok"));
        assert_eq!(first.identity, over.identity);
        assert_eq!(report(json!({"subject": "s"})).state, "Critical");
    }

    #[test]
    fn what_is_wrong_is_listed() {
        let errors = read(&json!({"state": "mauve"}), "s").unwrap_err().errors;
        assert_eq!(errors.iter().map(|error| error.field_name.as_str()).collect::<Vec<_>>(), ["subject", "state"]);
        assert!(read(&json!("text"), "s").is_err());
    }

    #[test]
    fn a_key_tells_problems_apart() {
        let one = report(json!({"subject": "s", "key": "1", "host": "a"}));
        let other = report(json!({"subject": "s", "key": "2", "host": "a"}));
        assert_ne!(one.identity, other.identity);
        assert_eq!(one.device.device.unwrap().host_name, "a");
    }
}
