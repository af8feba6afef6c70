//! The simplest report there is: what, and how bad.

use base::problem::{FieldError, Problem};
use serde_json::{Value, json};

use super::{Event, instant, machine, name, or, severity_of, severity_of_labels, state_of, tags};
use crate::alerts::report::{LONGEST_NAME, LegacyIdentity, ParsedReport, Report, cut, key};

/// The most reports of one request.
const MOST: usize = 10_000;

/// Words that say that there is a problem, and not how bad it is.
const PROBLEMS: [&str; 10] =
    ["firing", "problem", "trigger", "triggered", "alerting", "alert", "open", "opened", "active", "new"];

/// Reads a report: two fields are enough, under any of the names that scripts give them.
///
/// # Errors
/// 400 that lists what is missing.
pub fn read(body: &Value) -> Result<Event, Problem> {
    let Some(body) = body.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let given = PlainReport::read(|name| body.get(name));
    let subject = name(or(given.subject, body, &["message", "title", "summary", "text", "description", "metric"]));
    let labels = given.tags.or_else(|| body.get("labels"));
    let state = state(
        &name(or(given.state, body, &["currentState", "status", "event_action"])),
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
    let devices = &["hostName", "hostname", "device", "resource", "source", "entity", "instance"];
    let device = machine(or(given.host, body, devices));
    let component = name(or(given.component, body, &["service", "check"]));
    let own = name(or(given.key, body, &["dedupKey", "dedup_key", "alias", "fingerprint", "id"]));
    let named = name(or(given.host, body, devices));
    let former = [&named, &component, &subject].map(|text| cut(text, LONGEST_NAME)).join("\n");
    let is_lost = |value: Option<&Value>| value.is_some_and(|value| !matches!(value, Value::Null | Value::String(_)));
    let unnamed = device.device.is_none() && or(given.host, body, devices).any(is_lost);
    let warnings = [
        state.as_ref().err().cloned(),
        unnamed.then(|| "the machine was not understood: it is a text, or an object such as {\"hostName\"}".to_owned()),
    ];
    Ok(Event::Report(Box::new(Report {
        state: state.unwrap_or("Critical"),
        warnings: warnings.into_iter().flatten().collect(),
        time: or(given.time, body, &["alertTime", "timestamp", "date"]).find_map(instant),
        subject,
        description: name(or(given.description, body, &["details", "body"])),
        metric: name([body.get("metric")]),
        app: name([body.get("app")]),
        component,
        device,
        tags: tags(labels),
        event: name([body.get("eventId"), body.get("event_id")]),
        key: key(&own),
        former: if own.is_empty() { LegacyIdentity::Text(former) } else { LegacyIdentity::Key },
        ext_alert_id: own,
        url: name(or(given.url, body, &["link"])),
        ..Report::default()
    })))
}

/// Reads an array of reports, each alone.
///
/// # Errors
/// 400 for too many.
pub fn read_all(bodies: &[Value]) -> Result<Vec<ParsedReport>, Problem> {
    if bodies.len() > MOST {
        return Err(Problem::field("body", format!("must have at most {MOST} reports")));
    }
    let report = |body: &Value| match read(body) {
        Ok(Event::Report(report)) => Ok(*report),
        Ok(Event::Act { .. }) => Err(Vec::new()),
        Err(problem) => Err(problem.errors),
    };
    Ok(bodies.iter().map(report).collect())
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
    read(&body)
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
        Some(word) if !is_any_problem => {
            Err(format!("{word:.100} is not a state that is known here: it counts as Critical"))
        }
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
        /// Attributes, as an object of texts; an array of `name` and `value` is taken, too.
        tags: Option<Object>,
    }
}

#[cfg(test)]
mod tests;
