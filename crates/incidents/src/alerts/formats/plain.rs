//! The simplest report there is: what, and how bad.

use base::problem::{FieldError, Problem};
use serde_json::{Value, json};

use super::{
    Event, Fields, ParsedEvent, identifier, instants::time, is_acknowledgement, machine, name, or, pagerduty,
    read_each, severity_of, severity_of_labels, state_of, tags, unknown_state,
};
use crate::alerts::{
    report::{LONGEST_NAME, LegacyIdentity, Report, cut, key},
    rules::Action,
};

/// Words that say that there is a problem, and not how bad it is.
const PROBLEMS: [&str; 10] =
    ["firing", "problem", "trigger", "triggered", "alerting", "alert", "open", "opened", "active", "new"];

/// The names of the subject, beside its own.
const SUBJECTS: [&str; 6] = ["message", "title", "summary", "text", "description", "metric"];

/// Reads a report: two fields are enough, under any of the names that scripts give them. An event of PagerDuty is one,
/// too.
///
/// # Errors
/// 400 that lists what is missing.
pub fn read(body: &Value) -> Result<Event, Problem> {
    read_report(body, true)
}

/// Reads the event of a body in another format, or those of an array, each alone. What is none of its events may be a
/// plain report. Who sends them expects no errors of each: an array of which nothing is understood is refused.
///
/// # Errors
/// 400 when nothing names a problem, or for too many.
pub fn read_format(
    body: &Value,
    read_in_format: impl Fn(&Value) -> Result<Event, Problem>,
) -> Result<Vec<ParsedEvent>, Problem> {
    let either = |one: &Value| read_in_format(one).or_else(|problem| read(one).map_err(|_| problem));
    let events = read_each(body, either)?;
    if events.iter().any(Result::is_ok) {
        return Ok(events);
    }
    let errors = events.into_iter().find_map(Result::err);
    Err(errors.map_or_else(|| Problem::field("body", "must be a JSON object"), Problem::fields))
}

/// Has an object the subject of a report?
pub fn has_subject(body: &Value) -> bool {
    let fields = body.as_object().map(Fields::of);
    fields.is_some_and(|fields| !name(or(fields.get("subject"), &fields, &SUBJECTS)).is_empty())
}

fn read_report(body: &Value, names_unknown: bool) -> Result<Event, Problem> {
    if pagerduty::is_event(body)
        && let Ok(event) = pagerduty::read(body)
    {
        return Ok(event);
    }
    let Some(body) = body.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let body = &Fields::of(body);
    let given = PlainReport::read(|name| body.get(name));
    let subject = name(or(given.subject, body, &SUBJECTS));
    let labels = or(given.tags, body, &["labels"]).flatten().next();
    let action = body.text("event_action");
    let word = name(or(given.state, body, &["currentState", "status", "event_action"]));
    let state = state(
        &word,
        &name([body.get("severity"), body.get("level")]),
        &name([body.get("priority")]),
        severity_of_labels([labels]),
    );
    if subject.is_empty() {
        let mut errors = vec![FieldError::new("subject", "is required")];
        if state.is_err() {
            errors.push(FieldError::new("state", "must be Critical, Warning, Info or Ok, or a word of a monitor"));
        }
        return Err(Problem::fields(errors));
    }
    let devices = &["hostName", "device", "resource", "source", "entity", "instance"];
    let device = machine(or(given.host, body, devices));
    let component = name(or(given.component, body, &["service", "check"]));
    let own = identifier(or(given.key, body, &["dedupKey", "alias", "fingerprint", "id"]));
    let named = name(or(given.host, body, devices));
    let former = [&named, &component, &subject].map(|text| cut(text, LONGEST_NAME)).join("\n");
    let is_lost = |value: Option<&Value>| value.is_some_and(|value| !matches!(value, Value::Null | Value::String(_)));
    let unnamed = device.device.is_none() && or(given.host, body, devices).any(is_lost);
    let is_acknowledged = [&word, &action].into_iter().any(|word| is_acknowledgement(word));
    let (time, unread) = time(or(given.time, body, &["alertTime", "timestamp", "date"]));
    let mut report = Report {
        state: state.clone().unwrap_or("Critical"),
        time,
        subject,
        description: name(or(given.description, body, &["details", "body"])),
        metric: body.text("metric"),
        app: body.text("app"),
        component,
        device,
        tags: tags(labels),
        event: identifier([body.get("eventId")]),
        key: key(&own),
        former: if own.is_empty() { LegacyIdentity::Text(former) } else { LegacyIdentity::Key },
        ext_alert_id: own,
        url: name(or(given.url, body, &["link"])),
        ..Report::default()
    };
    let warnings = [
        state.err().filter(|_| !is_acknowledged),
        unread,
        unnamed.then(|| "the machine was not understood: it is a text, or an object such as {\"hostName\"}".to_owned()),
        body.ignored().filter(|_| names_unknown),
    ];
    report.warnings = warnings.into_iter().flatten().collect();
    let report = Box::new(report);
    // An acknowledgement does not say how bad it is.
    if is_acknowledged && report.state != "Ok" {
        let note = report.description.clone();
        return Ok(Event::Act { of: report, action: Action::Acknowledge, note, report: None });
    }
    Ok(Event::Report(report))
}

/// Reads what the alerting of Grafana before version 9 says of one rule: without a text of its own, and with one that
/// other rules have, too, it is the rule that is meant.
///
/// # Errors
/// 400 that lists what is missing.
pub fn read_rule(mut body: Value) -> Result<Event, Problem> {
    let rule = name([body.get("ruleId"), body.get("ruleName")]);
    if let Some(fields) = body.as_object_mut().filter(|fields| !rule.is_empty() && !fields.contains_key("key")) {
        let place = name([fields.get("orgId")]);
        fields.insert("key".to_owned(), json!(format!("rule {place}/{rule}")));
        for (field, from) in [("metric", "ruleName"), ("url", "ruleUrl")] {
            if let Some(value) = fields.get(from).cloned() {
                fields.entry(field).or_insert(value);
            }
        }
    }
    read_report(&body, false)
}

/// The state of a report by its words for the state, the severity and the priority, and by its labels; a warning where
/// a word says nothing.
///
/// A word that means "well" is the state; without one, the severity is. A priority says how bad a problem is.
fn state(state: &str, severity: &str, priority: &str, of_labels: Option<&'static str>) -> Result<&'static str, String> {
    let word = if state.is_empty() { severity } else { state };
    let is_any_problem = PROBLEMS.iter().any(|known| known.eq_ignore_ascii_case(word));
    if let Some(known) = state_of(word).filter(|_| !is_any_problem) {
        return Ok(known);
    }
    let mut grades = [severity, priority].into_iter().filter_map(severity_of).chain(of_labels);
    if let Some(grade) = grades.next() {
        return Ok(grade);
    }
    match [word, priority].into_iter().find(|word| !word.is_empty()) {
        Some(word) if !is_any_problem => Err(unknown_state(word)),
        _ => Ok("Critical"),
    }
}

given! {
    /// A report in its simplest form.
    #[schema(example = json!({"subject": "Backup of web-01 failed", "state": "critical", "host": "web-01",
        "key": "backup-web-01"}))]
    pub struct PlainReport {
        /// One line; also taken as `message`, `title`, `summary` or `text`.
        #[schema(required = true)]
        subject: String,
        /// `Critical` (default), `Warning`, `Info` or `Ok`, or another monitor's word for it; also taken as `status`.
        /// Without it `severity` or `level` is the state; `priority` says how bad a problem is.
        state: Option<String>,
        /// The machine, by host name, address or id; an object as that of `POST /alert` is taken, too.
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
        /// Attributes, as an object of texts; an array of `name` and `value` is taken, too, as is a text (`a:b, c`).
        tags: Option<Object>,
    }
}

#[cfg(test)]
mod tests;
