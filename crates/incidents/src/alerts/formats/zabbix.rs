//! The webhook of Zabbix: an object of its macros.
//!
//! A webhook of Zabbix sends what its script puts together, and scripts name their parameters after the macros:
//! `{EVENT.SEVERITY}` is `event_severity`, `EVENT.SEVERITY` or `eventSeverity`. All of these are read as one.

use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use serde_json::{Map, Value};

use super::{
    Event, Fields, graded, identifier,
    instants::{time, unknown_time},
    name, or, severity_of, state_of, tag, tags, text,
};
use crate::alerts::{
    report::{self, DeviceNames, Report},
    rules::Action,
    wire::Tag,
};

/// Reads an event. One without an id is identified by its machine and its name.
///
/// # Errors
/// 400 when nothing names the problem.
pub fn read(body: &Value) -> Result<Event, Problem> {
    let Some(given) = body.as_object() else { return Err(Problem::field("body", "must be a JSON object")) };
    let filled = given.iter().filter(|(_, value)| !value.as_str().is_some_and(is_empty_macro));
    let filled: Map<String, Value> = filled.map(|(name, value)| (name.clone(), value.clone())).collect();
    let macros = Fields::of(&filled);
    let event = ZabbixEvent::read(|name| macros.get(name));
    let named = name(or(event.event_name, &macros, &["triggername", "alertsubject", "subject"]));
    // The recovery of a problem has the id of the problem; a trigger has one problem at a time.
    let key = identifier(or(event.event_id, &macros, &["triggerid"]));
    let is_over = is_over(&macros, &event);
    if named.is_empty() && key.is_empty() {
        return Err(Problem::fields(
            ["event_name", "event_id"].map(|name| FieldError::new(name, "is required")).into(),
        ));
    }
    // One that is known needs no name to be over.
    let unnamed = named.is_empty() && !is_over;
    let subject = if unnamed { format!("Problem {key}") } else { named };
    let made = unnamed.then(|| "event_name is missing: the subject was made".to_owned());
    let unknown = key.is_empty().then(|| "event_id is missing: the host and the name are the problem".to_owned());
    let report = |(state, ungraded), (time, unread)| {
        let warnings = [made.clone(), unknown.clone(), ungraded, unread].into_iter().flatten().collect();
        Report { time, warnings, ..report(&macros, &event, state, &subject, &key) }
    };
    // What somebody wrote about the problem, whatever they did with it besides.
    let note = name([macros.get("eventupdatemessage")]);
    if is_over {
        let time = when(&macros, macros.get("eventrecoverytimestamp"), "eventrecovery");
        return Ok(Event::Report(Box::new(Report { note, ..report(("Ok", None), time) })));
    }
    let problem = || report(severity(&macros, &event), when(&macros, event.event_timestamp, "event"));
    let update = text(event.event_update_action).to_ascii_lowercase();
    if update.contains("acknowledged") {
        let is_taken_back = update.contains("unacknowledged");
        let action = if is_taken_back { Action::Unacknowledge } else { Action::Acknowledge };
        let changed = (is_taken_back || update.contains("severity")).then(|| Box::new(problem()));
        // What the problem is besides is not read of an acknowledgement.
        let of = Box::new(report(("Critical", None), (None, None)));
        return Ok(Event::Act { of, action, note, report: changed });
    }
    Ok(Event::Report(Box::new(Report { note, ..problem() })))
}

/// A word, or a number under the name of the word or of the number.
fn severity(macros: &Fields<'_>, event: &ZabbixEvent<'_>) -> (&'static str, Option<String>) {
    let word = name(or(event.event_severity, macros, &["triggerseverity", "severity"]));
    let number = || numbered(&name(["eventnseverity", "triggernseverity"].map(|field| macros.get(field))));
    let known = numbered(&word).or_else(|| severity_of(&word)).or_else(number);
    known.map_or_else(|| graded(&word), |state| (state, None))
}

fn report(macros: &Fields<'_>, event: &ZabbixEvent<'_>, state: &'static str, subject: &str, key: &str) -> Report {
    Report {
        state,
        subject: subject.to_owned(),
        description: name(or(event.alert_message, macros, &["message", "eventopdata", "triggerdescription"])),
        app: super::ZABBIX.to_owned(),
        // The technical name is what an inventory knows; the visible one may be any text.
        device: DeviceNames::of_text(&name(or(event.host_host, macros, &["hostname", "hostdns", "hostip"]))),
        tags: event_tags(macros, event),
        // The id of the event is that of the instance, too: a recovery that has it is over whatever its time says,
        // since the dates of Zabbix do not say their zone.
        event: key.to_owned(),
        key: report::key(key),
        ext_alert_id: key.to_owned(),
        url: name(["triggerurl", "eventurl", "url"].map(|field| macros.get(field))),
        ..Report::default()
    }
}

/// Zabbix leaves a macro that an operation does not have as it is written, and says of one without a value that it is
/// unknown.
fn is_empty_macro(text: &str) -> bool {
    let text = text.trim();
    text == "*UNKNOWN*" || (text.starts_with('{') && text.ends_with('}') && is_name(&text[1..text.len() - 1]))
}

/// `EVENT.UPDATE.ACTION`, `$SOME.MACRO`, `#NAME`, `ITEM.VALUE1`: JSON objects are in braces as well.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._$#?".contains(letter))
}

/// A problem has the value 1 and its recovery 0, or words for them.
fn is_over(macros: &Fields<'_>, event: &ZabbixEvent<'_>) -> bool {
    let others = &["triggervalue", "eventstatus", "triggerstatus", "status"];
    let value = name(or(event.event_value, macros, others));
    let recovered = text(macros.get("eventrecoveryid"));
    value == "0" || state_of(&value) == Some("Ok") || !(recovered.is_empty() || recovered == "0")
}

/// 0, not classified, to 5, disaster.
fn numbered(number: &str) -> Option<&'static str> {
    match number {
        "0" | "1" => Some("Info"),
        "2" | "3" => Some("Warning"),
        "4" | "5" => Some("Critical"),
        _ => None,
    }
}

/// `2026.11.20` and `20:37:00`, or seconds since 1970. The date and time of Zabbix do not say their zone: they are read
/// as GMT, unless that is still to come.
fn when(macros: &Fields<'_>, timestamp: Option<&Value>, which: &str) -> (Option<Timestamp>, Option<String>) {
    let (at, unread) = time([timestamp]);
    let field = |name: &str| text(macros.get(&format!("{which}{name}")));
    let (date, clock) = (field("date"), field("time"));
    if at.is_some() || date.is_empty() {
        return (at, unread);
    }
    let at = Timestamp::parse(&format!("{}T{clock}Z", date.replace('.', "-")));
    let unread = at.is_none().then(|| unknown_time(&format!("{date} {clock}")));
    (at, unread)
}

/// `[{"tag":"a","value":"b"}]`, as an array or written as a text; or `a:b, c:d`.
fn event_tags(macros: &Fields<'_>, event: &ZabbixEvent<'_>) -> Vec<Tag> {
    let given = macros.get("eventtagsjson").or(event.event_tags);
    let parsed = given.and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    let Some(Value::Array(list)) = parsed.as_ref().or(given) else { return tags(parsed.as_ref().or(given)) };
    let named = |given: &Value| {
        let name = text(given.get("tag"));
        (!name.is_empty()).then(|| tag(&name, &text(given.get("value"))))
    };
    list.iter().filter_map(named).collect()
}

given! {
    /// An event, as Zabbix sends it.
    #[schema(example = json!({
        "event_id": "1047", "event_name": "High CPU utilization", "event_severity": "Disaster", "event_value": "1",
        "event_date": "2026.11.20", "event_time": "20:37:00", "host_host": "web-01", "event_tags": "scope:performance"
    }))]
    pub struct ZabbixEvent {
        /// `{EVENT.ID}`, or else `trigger_id`: what identifies the problem.
        #[schema(required = true)]
        event_id: String,
        /// `{EVENT.NAME}`: the subject.
        #[schema(required = true)]
        event_name: String,
        /// `{EVENT.SEVERITY}`; `event_nseverity` is taken as well.
        event_severity: Option<String>,
        /// `{EVENT.VALUE}`: 1 for a problem, 0 when it is over.
        event_value: Option<String>,
        /// `{EVENT.TIMESTAMP}`, or `event_date` and `event_time`, which are read as GMT.
        event_timestamp: Option<String>,
        /// `{HOST.HOST}`: the machine; `host_name`, `host_dns` and `host_ip` are taken as well.
        host_host: Option<String>,
        /// `{EVENT.TAGSJSON}` or `{EVENT.TAGS}`.
        event_tags: Option<String>,
        /// `{EVENT.UPDATE.ACTION}`: `acknowledged` acknowledges the alert, `unacknowledged` takes that back. Of any
        /// update `{EVENT.UPDATE.MESSAGE}` is a note of the alert.
        event_update_action: Option<String>,
        /// `{ALERT.MESSAGE}`: the description.
        alert_message: Option<String>,
    }
}

#[cfg(test)]
mod tests;
