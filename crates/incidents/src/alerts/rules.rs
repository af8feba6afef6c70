//! What becomes of a problem. Pure.

mod windows;

use base::{fold, hex, problem::Problem, timestamp::Timestamp};
use db::Json;
use ports::KnownResource;
use sha2::{Digest as _, Sha256};

use super::{
    alert::MONITORING,
    report::Report,
    row::{Alert, Document, KEPT, Known, PERSON, WINDOW},
    wire::{Device, Note, Person, Suppression},
};

pub use windows::{expected, handed_over, outlasted, prolonged};

// What may have happened to an alert last.
const CREATED: &str = "Created";
const REPEATED: &str = "Repeated";
const CHANGED: &str = "Changed";
const ACKNOWLEDGED: &str = "Acknowledged";
const SUPPRESSED: &str = "Suppressed";
const UNSUPPRESSED: &str = "Unsuppressed";
const INCIDENT: &str = "Incident";
const CLOSED: &str = "Closed";

/// 404: no alert has this id, in any tenant that the caller sees.
pub fn no_alert() -> Problem {
    Problem::not_found("The alert was not found.")
}

/// When a report was so: whole seconds, so that one that says no time and one that does can be compared, and never in
/// the future, or a clock that is ahead would keep everybody else's reports out.
pub fn time(report: &Report, now: Timestamp) -> i64 {
    let at = report.time.map_or(now.millis(), Timestamp::millis).min(now.millis());
    at - at.rem_euclid(1_000)
}

/// The names of the problem that a report is about, the best first: by the resource that was found, and by the resource
/// as it was named, for an alert from before the inventory knew it.
pub fn problems(report: &Report, resource: Option<&KnownResource>) -> Vec<String> {
    if let Some(identity) = &report.identity {
        return vec![problem_of_sender(identity)];
    }
    let given = report.device.device.as_ref().map(|device| {
        let Device { id, ext_resource_id, host_name, ip_address, mac_address, name, .. } = device;
        let names = [id, ext_resource_id, host_name, ip_address, mac_address, name];
        fold(names.into_iter().find(|name| !name.is_empty()).map_or("", String::as_str))
    });
    let known = resource.map(|resource| problem_of(report, &resource.id));
    let named = problem(report, "named", &given.unwrap_or_default());
    known.into_iter().chain([named]).collect()
}

/// The name of the problem that a sender identifies by itself.
pub fn problem_of_sender(identity: &str) -> String {
    name(&["sender", identity])
}

/// The name of the problem that a report would be about if its resource were the one with this id.
pub fn problem_of(report: &Report, resource: &str) -> String {
    problem(report, "resource", resource)
}

fn problem(report: &Report, how: &str, which: &str) -> String {
    let (kind, what) = if report.metric.is_empty() { ("subject", &report.subject) } else { ("metric", &report.metric) };
    name(&[how, which, kind, &fold(what), &fold(&report.component)])
}

fn name(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex(&hash.finalize()[..16])
}

/// What a report does to its problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is a new problem, or an old one again.
    Open,
    /// It is as it was.
    Repeat,
    /// It is better or worse.
    Change,
    /// It is over.
    Close,
    /// It is about a time before what is known: it counts, and changes nothing else.
    Late,
    /// It was well, and is; what was before this is over.
    Settle,
    /// It is about a time before what is known, and there is nothing to count.
    Ignore,
}

/// What a report does. `open` has the state and the time of the last report of the alert that is open.
pub fn step(known: Option<&Known>, open: Option<(&str, i64)>, state: &str, time: i64) -> Step {
    let over = state == "Ok";
    match (open, known) {
        (Some((_, last)), _) if over => {
            if time >= last {
                Step::Close
            } else {
                Step::Ignore
            }
        }
        (Some((_, last)), _) if time < last => Step::Late,
        (Some((current, _)), _) if current == state => Step::Repeat,
        (Some(_), _) => Step::Change,
        (None, _) if over => Step::Settle,
        (None, Some(known)) if time < known.settled_ms => {
            if known.alert_id.is_empty() {
                Step::Ignore
            } else {
                Step::Late
            }
        }
        (None, _) => Step::Open,
    }
}

/// A new alert.
pub fn opened(report: &Report, tenant: &str, problem: &str, id: String, now: Timestamp) -> Alert {
    let given_type = if report.alert_type.is_empty() { MONITORING.to_owned() } else { report.alert_type.clone() };
    let time = time(report, now);
    let document = Document {
        metric: report.metric.clone(),
        alert_type: given_type.clone(),
        given_type,
        old_state: report.old_state.to_owned(),
        last_event: CREATED.to_owned(),
        ..Document::default()
    };
    let mut alert = Alert {
        tenant_id: tenant.to_owned(),
        id,
        version: 1,
        problem: problem.to_owned(),
        current_state: report.state.to_owned(),
        metric_key: fold(&report.metric),
        repeats: 1,
        first_ms: time,
        last_ms: time,
        created_ms: now.millis(),
        updated_ms: now.millis(),
        type_key: fold(&document.alert_type),
        document: Json(document),
        ..Alert::default()
    };
    describe(&mut alert, report);
    alert
}

/// Takes over what a report says of the problem; what it does not say stays.
fn describe(alert: &mut Alert, report: &Report) {
    let document = &mut *alert.document;
    let take = |to: &mut String, key: Option<&mut String>, text: &str| {
        if text.is_empty() || to == text {
            return;
        }
        text.clone_into(to);
        if let Some(key) = key {
            *key = fold(text);
        }
    };
    take(&mut document.subject, Some(&mut alert.subject_key), &report.subject);
    take(&mut document.description, None, &report.description);
    take(&mut document.service_name, Some(&mut alert.service_key), &report.service_name);
    take(&mut document.monitor_name, Some(&mut alert.monitor_key), &report.monitor_name);
    take(&mut document.app, Some(&mut alert.app_key), &report.app);
    take(&mut document.component, Some(&mut alert.component_key), &report.component);
    take(&mut document.ext_alert_id, Some(&mut alert.ext_key), &report.ext_alert_id);
    take(&mut document.group_key, None, &report.group_key);
    take(&mut document.url, None, &report.url);
    if !report.tags.is_empty() {
        document.tags.clone_from(&report.tags);
    }
}

/// Says which resource an alert is about; one that was known stays known.
pub fn about(alert: &mut Alert, report: &Report, resource: Option<&KnownResource>) {
    let device = match resource {
        Some(found) => Some(Device {
            id: found.id.clone(),
            host_name: found.host_name.clone(),
            name: found.name.clone(),
            ip_address: found.ip_address.clone(),
            resource_type: found.resource_type.clone(),
            ..Device::default()
        }),
        None if alert.resource_id.is_some() => return,
        None => report.device.device.clone(),
    };
    alert.resource_id = resource.map(|found| found.id.clone());
    alert.host_key = device.as_ref().map(|device| fold(&device.host_name)).unwrap_or_default();
    alert.document.device = device;
}

/// A further report of an alert that is open.
pub fn reported(alert: &mut Alert, report: &Report, now: Timestamp) {
    let changed = alert.current_state != report.state;
    describe(alert, report);
    if changed {
        alert.document.old_state = std::mem::replace(&mut alert.current_state, report.state.to_owned());
    }
    alert.repeats += 1;
    alert.last_ms = time(report, now);
    alert.happened(if changed { CHANGED } else { REPEATED }, now);
}

/// A report that came late: it is counted.
pub fn counted(alert: &mut Alert, report: &Report, now: Timestamp) {
    alert.repeats += 1;
    alert.first_ms = alert.first_ms.min(time(report, now));
    alert.happened(REPEATED, now);
}

/// A report that it is well again.
pub fn healed(alert: &mut Alert, report: &Report, now: Timestamp) {
    alert.document.old_state = std::mem::replace(&mut alert.current_state, report.state.to_owned());
    alert.last_ms = time(report, now);
    end(alert, None, String::new(), now);
}

fn end(alert: &mut Alert, by: Option<Person>, note: String, now: Timestamp) {
    alert.closed_ms = Some(now.millis());
    alert.suppression.clear();
    alert.suppressed_until_ms = None;
    alert.document.closure = Some(Note { by, time: now.to_string(), note });
    alert.happened(CLOSED, now);
}

/// The resource of an alert turned out to be a client's, whose alert it is from now on.
pub fn moved(alert: &mut Alert, tenant: &str, now: Timestamp) {
    end(alert, None, format!("The inventory knows the device now: it goes on as an alert of {tenant}."), now);
}

/// What a person held back is heard of again.
pub fn lapsed(alert: &mut Alert, now: Timestamp) {
    alert.suppression.clear();
    alert.suppressed_until_ms = None;
    alert.document.suppression = None;
    alert.happened(UNSUPPRESSED, now);
}

/// What a person does with an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// They work on it.
    Acknowledge,
    /// Nobody needs to hear of it, until then, or for as long as it is open.
    Suppress(Option<Timestamp>),
    /// They do, after all.
    Unsuppress,
    /// It is over.
    Close,
}

/// An incident was opened for the alert.
pub fn ticketed(alert: &mut Alert, incident: &str, now: Timestamp) {
    alert.incident_id = Some(incident.to_owned());
    alert.happened(INCIDENT, now);
}

/// Does it.
///
/// # Errors
/// 409 when the alert is not in a state for it.
pub fn act(alert: &mut Alert, action: Action, by: Person, note: String, now: Timestamp) -> Result<(), Problem> {
    if alert.closed_ms.is_some() {
        return Err(Problem::conflict("The alert is closed."));
    }
    let done = Note { by: Some(by.clone()), time: now.to_string(), note };
    match action {
        Action::Acknowledge if alert.acknowledged => {
            let who = alert.document.acknowledgement.as_ref().and_then(|known| known.by.as_ref());
            let who = who.map_or("somebody", |person| &person.id);
            return Err(Problem::conflict(format!("The alert was acknowledged already, by {who}.")));
        }
        Action::Acknowledge => {
            alert.acknowledged = true;
            alert.document.acknowledgement = Some(done);
            alert.happened(ACKNOWLEDGED, now);
        }
        Action::Suppress(_) if [WINDOW, KEPT].contains(&alert.suppression.as_str()) => {
            return Err(Problem::conflict("The alert is suppressed by a maintenance window."));
        }
        Action::Suppress(until) => {
            PERSON.clone_into(&mut alert.suppression);
            alert.suppressed_until_ms = until.map(Timestamp::millis);
            alert.document.unsuppression = None;
            alert.document.suppression = Some(Suppression {
                reason: PERSON.to_owned(),
                by: done.by,
                time: done.time,
                until: until.map(|until| until.to_string()),
                note: done.note,
            });
            alert.happened(SUPPRESSED, now);
        }
        Action::Unsuppress if !alert.is_suppressed(now) => {
            return Err(Problem::conflict("The alert is not suppressed."));
        }
        Action::Unsuppress => {
            if alert.suppression != PERSON {
                alert.release();
            }
            lapsed(alert, now);
            alert.document.unsuppression = Some(done);
        }
        Action::Close => end(alert, done.by, done.note, now),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
