//! Changes of alerts, as pure functions.

mod identity;
mod steps;
mod windows;

use base::{fold, problem::Problem, timestamp::Timestamp};
use db::Json;
use ports::ResourceSummary;

use super::{
    alert::MONITORING,
    report::{LONGEST_NAME, LONGEST_TEXT, LONGEST_URL, MOST_TAGS, Report, cut},
    row::{Alert, Document, KEPT, PERSON, WINDOW},
    wire::{Device, Note, Person, Suppression, Tag},
};

pub use identity::{instance, legacy_problem_of, problem_of, problems, problems_of_key};
pub use steps::{Step, is_of_other_instance, rank, sent, step, time, worst};
pub use windows::{end_window, extend_window, hand_over_to_window, suppress_by_window};

// The values of `lastEvent`.
const CREATED: &str = "Created";
const REPEATED: &str = "Repeated";
const CHANGED: &str = "Changed";
const ACKNOWLEDGED: &str = "Acknowledged";
const UNACKNOWLEDGED: &str = "Unacknowledged";
const SUPPRESSED: &str = "Suppressed";
const UNSUPPRESSED: &str = "Unsuppressed";
const INCIDENT: &str = "Incident";
const EDITED: &str = "Edited";
const CLOSED: &str = "Closed";

/// The most notes of an alert; older ones go.
const MOST_NOTES: usize = 100;

/// 404: no alert has this id, in any tenant that the caller sees.
pub fn no_alert() -> Problem {
    Problem::not_found("The alert was not found.")
}

/// A new alert.
pub fn open_alert(report: &Report, tenant: &str, sender: &str, problem: &str, id: String, now: Timestamp) -> Alert {
    let alert_type = if report.alert_type.is_empty() { MONITORING } else { &report.alert_type };
    let time = time(report, now);
    let metric = cut(&report.metric, LONGEST_NAME);
    let document = Document {
        alert_type: alert_type.to_owned(),
        given_type: alert_type.to_owned(),
        old_state: report.old_state.to_owned(),
        last_event: CREATED.to_owned(),
        start_ms: report.start.or(report.time).map(|start| sent(start, now)),
        ..Document::default()
    };
    let mut alert = Alert {
        tenant_id: tenant.to_owned(),
        id,
        version: 1,
        problem: problem.to_owned(),
        current_state: report.state.to_owned(),
        metric_key: fold(metric),
        repeats: 1,
        first_ms: time,
        last_ms: time,
        created_ms: now.millis(),
        updated_ms: now.millis(),
        type_key: fold(&document.alert_type),
        document: Json(document),
        sender: sender.to_owned(),
        ..Alert::default()
    };
    metric.clone_into(&mut alert.document.metric);
    describe(&mut alert, report, now);
    alert
}

/// Takes over the texts of a report; texts that it leaves out stay. Long texts are cut.
fn describe(alert: &mut Alert, report: &Report, now: Timestamp) {
    let document = &mut *alert.document;
    let take = |to: &mut String, key: Option<&mut String>, text: &str, most: usize| {
        let text = cut(text, most);
        if text.is_empty() || to == text {
            return;
        }
        text.clone_into(to);
        if let Some(key) = key {
            *key = fold(text);
        }
    };
    let name = LONGEST_NAME;
    take(&mut document.subject, Some(&mut alert.subject_key), &report.subject, name);
    take(&mut document.description, None, &report.description, LONGEST_TEXT);
    take(&mut document.service_name, Some(&mut alert.service_key), &report.service_name, name);
    take(&mut document.monitor_name, Some(&mut alert.monitor_key), &report.monitor_name, name);
    take(&mut document.app, Some(&mut alert.app_key), &report.app, name);
    take(&mut document.component, Some(&mut alert.component_key), &report.component, name);
    take(&mut document.ext_alert_id, Some(&mut alert.ext_key), &report.ext_alert_id, name);
    take(&mut document.group_key, None, &report.group_key, LONGEST_TEXT);
    take(&mut document.url, None, &report.url, LONGEST_URL);
    if !report.tags.is_empty() {
        document.tags = report.tags.iter().take(MOST_TAGS).cloned().collect();
    }
    if !report.event.is_empty() {
        document.event = instance(&report.event).into_owned();
    }
    if let Some(start) = report.start {
        document.start_ms = Some(sent(start, now));
    }
    document.sent_ms = document.sent_ms.max(report.time.map(|time| sent(time, now)));
    if !report.route.is_empty() {
        document.routes.insert(report.route.to_owned(), report.state.to_owned());
    }
    document.warnings = report.notices();
    add_note_of_report(alert, report, now);
}

/// Adds the note of a report, once: monitors repeat what they say.
fn add_note_of_report(alert: &mut Alert, report: &Report, now: Timestamp) {
    let note = cut(&report.note, LONGEST_TEXT);
    if !alert.document.notes.iter().any(|known| known.note == note) {
        add_note(alert, None, note, now);
    }
}

/// Adds a note, unless it says nothing; the oldest goes where there are too many.
fn add_note(alert: &mut Alert, by: Option<Person>, note: &str, now: Timestamp) {
    if note.is_empty() {
        return;
    }
    let notes = &mut alert.document.notes;
    let surplus = (notes.len() + 1).saturating_sub(MOST_NOTES);
    notes.drain(..surplus);
    notes.push(Note { by, time: now.to_string(), note: cut(note, LONGEST_TEXT).to_owned() });
}

/// Sets the resource of an alert; a known one is not replaced by an unknown one.
pub fn set_resource(alert: &mut Alert, report: &Report, resource: Option<&ResourceSummary>) {
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
        None => report.device.device.clone().map(shortened),
    };
    alert.resource_id = resource.map(|found| found.id.clone());
    alert.host_key = device.as_ref().map(|device| fold(&device.host_name)).unwrap_or_default();
    alert.document.device = device;
}

/// A device whose names are cut where they are too long to be stored.
fn shortened(mut device: Device) -> Device {
    let Device { id, host_name, name, ip_address, mac_address, ext_resource_id, resource_type } = &mut device;
    for text in [id, host_name, name, ip_address, mac_address, ext_resource_id, resource_type] {
        text.truncate(cut(text, LONGEST_NAME).len());
    }
    device
}

/// Applies a further report to an open alert; `changed` is its new state, if it changes.
pub fn apply_report(alert: &mut Alert, report: &Report, changed: Option<&'static str>, now: Timestamp) {
    describe(alert, report, now);
    if let Some(state) = changed {
        alert.document.old_state = std::mem::replace(&mut alert.current_state, state.to_owned());
    }
    alert.repeats += 1;
    alert.last_ms = time(report, now);
    alert.first_ms = alert.first_ms.min(alert.last_ms);
    alert.record_event(if changed.is_some() { CHANGED } else { REPEATED }, now);
}

/// Did an alert that somebody works on just get worse?
pub fn is_raised(alert: &Alert) -> bool {
    let document = &alert.document;
    alert.acknowledged && document.last_event == CHANGED && rank(&alert.current_state) > rank(&document.old_state)
}

/// Sets what one of the routes of an open alert says of it; true when its state, the worst of them, changes.
pub fn set_state(alert: &mut Alert, said: &'static str, route: &'static str, now: Timestamp) -> bool {
    let state = worst(alert, said, route);
    alert.document.routes.insert(route.to_owned(), said.to_owned());
    let changes = alert.current_state != state;
    if changes {
        alert.document.old_state = std::mem::replace(&mut alert.current_state, state.to_owned());
        alert.record_event(CHANGED, now);
    }
    changes
}

/// Clears the acknowledgement of an alert that got worse, so that people are notified again.
pub fn reopen_alert(alert: &mut Alert, from: &str, to: &str, now: Timestamp) {
    let note = format!("raised from {from} to {to}");
    clear_acknowledgement(alert, Note { by: None, time: now.to_string(), note });
}

/// Takes back an acknowledgement that was given at an instant or before; false when there is none.
pub fn expire_acknowledgement(alert: &mut Alert, given: Timestamp, now: Timestamp) -> bool {
    let known = alert.document.acknowledgement.as_ref().filter(|_| alert.acknowledged && alert.closed_ms.is_none());
    let time = known.map(|known| Timestamp::parse(&known.time).unwrap_or(given));
    let Some(time) = time.filter(|time| *time <= given) else { return false };
    let note = format!("acknowledged since {time}, and not closed in time");
    clear_acknowledgement(alert, Note { by: None, time: now.to_string(), note });
    alert.record_event(UNACKNOWLEDGED, now);
    true
}

fn clear_acknowledgement(alert: &mut Alert, note: Note) {
    alert.acknowledged = false;
    alert.document.previous_acknowledgement = alert.document.acknowledgement.take();
    alert.document.unacknowledgement = Some(note);
}

/// Counts a report of a better state that is older than an earlier report of its sender.
pub fn count_report(alert: &mut Alert, report: &Report, now: Timestamp) {
    alert.repeats += 1;
    alert.first_ms = alert.first_ms.min(time(report, now));
    add_note_of_report(alert, report, now);
    alert.record_event(REPEATED, now);
}

/// Closes an alert by the report of its recovery, whose texts are the note of the closure, as far as they say something
/// else than those of the problem.
pub fn close_by_recovery(alert: &mut Alert, report: &Report, now: Timestamp) {
    alert.document.old_state = std::mem::replace(&mut alert.current_state, report.state.to_owned());
    alert.last_ms = time(report, now);
    alert.document.warnings.clone_from(&report.repairs);
    let document = &*alert.document;
    let texts = [
        (cut(&report.subject, LONGEST_NAME), &document.subject),
        (cut(&report.description, LONGEST_TEXT), &document.description),
        (report.note.as_str(), &String::new()),
    ];
    let texts = texts.into_iter().filter(|(text, known)| !text.is_empty() && text != known).map(|(text, _)| text);
    let note = texts.collect::<Vec<_>>().join(": ");
    end(alert, None, cut(&note, LONGEST_TEXT).to_owned(), now);
}

fn end(alert: &mut Alert, by: Option<Person>, note: String, now: Timestamp) {
    alert.closed_ms = Some(now.millis());
    alert.suppression.clear();
    alert.suppressed_until_ms = None;
    alert.document.closure = Some(Note { by, time: now.to_string(), note });
    alert.record_event(CLOSED, now);
}

/// Closes an alert whose resource turned out to be a client's, where it goes on as another alert.
pub fn close_as_moved(alert: &mut Alert, tenant: &str, now: Timestamp) {
    end(alert, None, format!("The inventory knows the device now: it goes on as an alert of {tenant}."), now);
}

/// Ends the suppression of an alert.
pub fn end_suppression(alert: &mut Alert, now: Timestamp) {
    alert.suppression.clear();
    alert.suppressed_until_ms = None;
    alert.document.suppression = None;
    alert.record_event(UNSUPPRESSED, now);
}

/// An action of a person on an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// They work on it.
    Acknowledge,
    /// They do not, after all.
    Unacknowledge,
    /// Nobody needs to hear of it, until then, or for as long as it is open.
    Suppress(Option<Timestamp>),
    /// They do, after all.
    Unsuppress,
    /// It is over.
    Close,
}

/// A change of the texts and tags of an alert.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// Another subject.
    pub subject: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Tags that it has from now on; a tag with the same name and a value of its own gives way.
    pub add: Vec<Tag>,
    /// Tags that it has no longer, by name.
    pub remove: Vec<String>,
}

/// Changes texts and tags of an alert, and adds a note.
pub fn apply_edit(alert: &mut Alert, mut edit: Edit, by: Person, note: &str, now: Timestamp) {
    edit.add.truncate(MOST_TAGS);
    let document = &mut *alert.document;
    if let Some(subject) = edit.subject {
        cut(&subject, LONGEST_NAME).clone_into(&mut document.subject);
        alert.subject_key = fold(&document.subject);
    }
    if let Some(description) = edit.description {
        cut(&description, LONGEST_TEXT).clone_into(&mut document.description);
    }
    document.tags.retain(|tag| {
        let is_replaced = |new: &Tag| new.name == tag.name && (tag.value == new.value || !new.value.is_empty());
        !edit.remove.contains(&tag.name) && !edit.add.iter().any(is_replaced)
    });
    document.tags.extend(edit.add);
    document.tags.truncate(MOST_TAGS);
    add_note(alert, Some(by), note, now);
    alert.record_event(EDITED, now);
}

/// Links an alert to the incident that was opened for it.
pub fn link_incident(alert: &mut Alert, incident: &str, now: Timestamp) {
    alert.incident_id = Some(incident.to_owned());
    alert.record_event(INCIDENT, now);
}

/// Carries out an action.
///
/// # Errors
/// 409 when the alert is not in a state for it.
pub fn act(alert: &mut Alert, action: Action, by: Person, note: String, now: Timestamp) -> Result<(), Problem> {
    if alert.closed_ms.is_some() {
        return Err(Problem::conflict("The alert is closed."));
    }
    let note = cut(&note, LONGEST_TEXT).to_owned();
    let done = Note { by: Some(by.clone()), time: now.to_string(), note };
    match action {
        Action::Acknowledge if alert.acknowledged => {
            let who = alert.document.acknowledgement.as_ref().and_then(|known| known.by.as_ref());
            let who = who.map_or("somebody", |person| &person.id);
            return Err(Problem::conflict(format!("The alert was acknowledged already, by {who}.")));
        }
        Action::Acknowledge => {
            alert.acknowledged = true;
            if alert.acknowledged_ms.is_none() {
                alert.acknowledged_ms = Some(now.millis());
                alert.acknowledged_by = Some(by.id.clone());
            }
            alert.document.acknowledgement = Some(done);
            alert.document.unacknowledgement = None;
            alert.document.previous_acknowledgement = None;
            alert.record_event(ACKNOWLEDGED, now);
        }
        Action::Unacknowledge if !alert.acknowledged => {
            return Err(Problem::conflict("The alert is not acknowledged."));
        }
        Action::Unacknowledge => {
            clear_acknowledgement(alert, done);
            alert.record_event(UNACKNOWLEDGED, now);
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
            alert.record_event(SUPPRESSED, now);
        }
        Action::Unsuppress if !alert.is_suppressed(now) => {
            return Err(Problem::conflict("The alert is not suppressed."));
        }
        Action::Unsuppress => {
            if alert.suppression != PERSON {
                alert.release();
            }
            end_suppression(alert, now);
            alert.document.unsuppression = Some(done);
        }
        Action::Close => end(alert, done.by, done.note, now),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
