//! What other monitors send ("Inbound addresses" in `docs/interface.md`): one file a format, a body in, reports out. No
//! database, no clock.
//!
//! None of these senders is asked to write what Muster would like to read: each format is taken as its own
//! documentation prints it, and what a sender leaves out is left out of the report. Texts that are too long to be
//! stored are cut then rather than refused, since an alert that is not taken in wakes nobody; what identifies a problem
//! counts to its end.

/// Declares what an object of a sender holds, once for its reader and for the document: each field is what is given
/// under its name, or under the name that follows it, and its type is what the document says of it. A reader takes more
/// than that.
macro_rules! given {
    ($(#[$about:meta])* pub struct $name:ident {
        $($(#[$of:meta])* $field:ident $(as $wire:literal)?: $documented:ty,)*
    }) => {
        #[derive(Clone, Copy, ::utoipa::ToSchema)]
        $(#[$about])*
        pub struct $name<'v> {
            $($(#[$of])* #[schema(value_type = $documented $(,
                rename = $wire)?)] $field: Option<&'v ::serde_json::Value>,)*
        }

        impl<'v> $name<'v> {
            /// By the value that is given under a name.
            fn read(get: impl Fn(&str) -> Option<&'v ::serde_json::Value>) -> Self {
                Self { $($field: get([$($wire,)? stringify!($field)][0]),)* }
            }
        }
    };
}

pub mod alertmanager;
pub mod form;
mod instants;
pub mod opsgenie;
pub mod pagerduty;
pub mod plain;
pub mod zabbix;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use base::{
    parse_nearly_json,
    problem::{FieldError, Problem},
};
use serde_json::{Map, Value};

use super::{
    report::{DeviceNames, LONGEST_NAME, LONGEST_TEXT, Report, cut},
    rules::{Action, rank},
    wire::{Device, Tag},
};

/// What a sender wants of one problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It is so, or over.
    Report(Box<Report>),
    /// Somebody does something with its alerts.
    Act {
        /// Names the problem.
        of: Box<Report>,
        /// What is done.
        action: Action,
        /// What they say.
        note: String,
        /// What has changed of the problem at the same time.
        report: Option<Box<Report>>,
    },
}

/// An event, or the errors in it.
pub type ParsedEvent = Result<Event, Vec<FieldError>>;

impl Event {
    /// Says what was repaired of the text that it was read from.
    pub fn note_repairs(&mut self, repairs: &[&'static str]) {
        let report = match self {
            Self::Report(report) => report,
            Self::Act { of, report, .. } => report.as_mut().unwrap_or(of),
        };
        report.repairs.extend(repairs.iter().map(|repair| (*repair).to_owned()));
    }

    /// The key of its problem.
    pub fn key(&self) -> &str {
        let (Self::Report(report) | Self::Act { of: report, .. }) = self;
        report.key.as_deref().unwrap_or_default()
    }
}

/// The most events of one body.
const MOST: usize = 10_000;

/// The longest JSON that stands in a text.
const LONGEST_JSON: usize = 512 << 10;

/// Reads the event of a body, or those of an array, each alone.
///
/// # Errors
/// 400 for one that names no problem, or for too many.
pub fn read_each(body: &Value, read: impl Fn(&Value) -> Result<Event, Problem>) -> Result<Vec<ParsedEvent>, Problem> {
    match body {
        Value::Array(all) if all.len() > MOST => {
            Err(Problem::field("body", format!("must have at most {MOST} elements")))
        }
        Value::Array(all) => Ok(all.iter().map(|one| read(one).map_err(|problem| problem.errors)).collect()),
        one => Ok(vec![Ok(read(one)?)]),
    }
}

/// The `app` of what these monitors report, where they name none themselves.
pub const ALERTMANAGER: &str = "Alertmanager";
/// The same.
pub const GRAFANA: &str = "Grafana";
/// The same.
pub const OPSGENIE: &str = "Opsgenie alert";
/// The same.
pub const PAGERDUTY: &str = "PagerDuty event";
/// The same.
pub const ZABBIX: &str = "Zabbix";
/// All of them.
pub const APPS: [&str; 5] = [ALERTMANAGER, GRAFANA, OPSGENIE, PAGERDUTY, ZABBIX];

/// The formats that an inbound address takes below it, by the last piece of the path.
pub const NAMES: [&str; 5] = ["alertmanager", "grafana", "pagerduty", "opsgenie", "zabbix"];

/// The state that a word of a monitor stands for, `None` for a word that nobody here knows.
///
/// The words are those of syslog, Prometheus, Zabbix, Nagios, Grafana, PagerDuty and Opsgenie, in any letter case.
pub fn state_of(word: &str) -> Option<&'static str> {
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "critical" | "crit" | "error" | "err" | "major" | "high" | "disaster" | "fatal" | "emergency" | "emerg"
        | "alert" | "alerting" | "page" | "down" | "firing" | "problem" | "trigger" | "p1" | "p2" => "Critical",
        "warning" | "warn" | "minor" | "medium" | "moderate" | "average" | "degraded" | "unknown" | "p3" | "p4" => {
            "Warning"
        }
        "info" | "information" | "informational" | "notice" | "none" | "low" | "debug" | "not classified" | "p5" => {
            "Info"
        }
        "ok" | "resolved" | "resolve" | "recovery" | "recovered" | "up" | "normal" | "closed" | "close" | "cleared"
        | "clear" | "healthy" => "Ok",
        _ => return None,
    })
}

/// The state that a severity or a priority of a problem stands for: whatever is reported as a problem is one, so that a
/// word that means "well" is the lowest.
fn severity_of(word: &str) -> Option<&'static str> {
    state_of(word).map(|state| if state == "Ok" { "Info" } else { state })
}

/// The state of a problem by its word for how bad it is. A word that nobody here knows is the worst, since somebody
/// meant something by it, and a warning names it.
fn graded(word: &str) -> (&'static str, Option<String>) {
    let unknown = || Some(unknown_state(word)).filter(|_| !word.is_empty());
    severity_of(word).map_or_else(|| ("Critical", unknown()), |state| (state, None))
}

/// The warning about a word that is not a state.
fn unknown_state(word: &str) -> String {
    format!("{word:.100} is not a state that is known here: it counts as Critical")
}

/// The worst severity that labels name: fields `severity`, `priority` or `level` of objects, and texts such as
/// `severity:critical`.
fn severity_of_labels<'v>(labels: impl IntoIterator<Item = Option<&'v Value>>) -> Option<&'static str> {
    let is_severity =
        |name: &str| ["severity", "priority", "level"].iter().any(|known| name.eq_ignore_ascii_case(known));
    let words = labels.into_iter().flatten().flat_map(pairs).filter(|(name, _)| is_severity(name));
    words.filter_map(|(_, word)| severity_of(&word)).max_by_key(|state| rank(state))
}

/// The text of a value: of numbers and booleans too, since templates write either.
fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        _ => String::new(),
    }
}

/// Does this word say that somebody works on a problem?
fn is_acknowledgement(word: &str) -> bool {
    let words = ["acknowledge", "acknowledged", "acknowledgement", "ack", "acked"];
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The fields of an object, in whose names neither letter case nor marks count: `event_severity`, `eventSeverity` and
/// `EVENT.SEVERITY` are one. Of several that are one, that in small letters counts, or else the first, if it has a
/// value.
struct Fields<'v> {
    fields: BTreeMap<String, (&'v str, &'v Value)>,
    /// Those that somebody asked for.
    known: RefCell<BTreeSet<String>>,
}

impl<'v> Fields<'v> {
    fn of(object: &'v Map<String, Value>) -> Self {
        let is_empty = |value: &Value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
        let mut fields: BTreeMap<String, (&'v str, &'v Value)> = BTreeMap::new();
        for (name, value) in object {
            let key = folded(name);
            let counts = |(_, known): &(&str, &Value)| is_empty(known) || (*name == key && !is_empty(value));
            if fields.get(&key).is_none_or(counts) {
                fields.insert(key, (name, value));
            }
        }
        Self { fields, known: RefCell::default() }
    }

    fn get(&self, name: &str) -> Option<&'v Value> {
        let name = folded(name);
        let value = self.fields.get(&name).map(|(_, value)| *value);
        self.known.borrow_mut().insert(name);
        value
    }

    fn text(&self, name: &str) -> String {
        text(self.get(name))
    }

    /// Those that nobody has asked for, as a warning.
    fn ignored(&self) -> Option<String> {
        let known = self.known.borrow();
        let unknown = self.fields.iter().filter(|(key, _)| !known.contains(*key)).map(|(_, (name, _))| cut(name, 64));
        let unknown: Vec<&str> = unknown.take(20).collect();
        (!unknown.is_empty()).then(|| format!("unknown fields were ignored: {}", unknown.join(", ")))
    }
}

/// A name without its marks, in small letters.
fn folded(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A field, or else these of its object.
fn or<'v>(
    field: Option<&'v Value>,
    body: &Fields<'v>,
    others: &[&str],
) -> impl Iterator<Item = Option<&'v Value>> + use<'v> {
    let all: Vec<_> = std::iter::once(field).chain(others.iter().map(|other| body.get(other))).collect();
    all.into_iter()
}

/// An object or a list that stands in a text as JSON.
fn json_in(text: &str) -> Option<Value> {
    let read = if text.len() > LONGEST_JSON { None } else { parse_nearly_json(text.as_bytes()).ok() };
    read.map(|(value, _)| value).filter(|value| value.is_object() || value.is_array())
}

/// The first of these fields that has a text.
fn name<'v>(fields: impl IntoIterator<Item = Option<&'v Value>>) -> String {
    fields.into_iter().map(text).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The first of these fields that identifies something: a text, or the JSON text of a list or an object, so that
/// different problems do not become one.
fn identifier<'v>(fields: impl IntoIterator<Item = Option<&'v Value>>) -> String {
    let identity = |value: &Value| match value {
        Value::Array(list) if list.is_empty() => String::new(),
        Value::Object(object) if object.is_empty() => String::new(),
        Value::Array(_) | Value::Object(_) => {
            let mut sorted = value.clone();
            sorted.sort_all_objects();
            sorted.to_string()
        }
        value => text(Some(value)),
    };
    fields.into_iter().flatten().map(identity).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The first of these fields that names a machine: as a text, or as the object that a [`Report`] has.
fn machine<'v>(fields: impl IntoIterator<Item = Option<&'v Value>>) -> DeviceNames {
    let named = |value: &Value| match value {
        Value::Object(object) => {
            let object = Fields::of(object);
            let field = |names: &[&str]| name(names.iter().map(|name| object.get(name)));
            DeviceNames::of(Device {
                id: field(&["id", "uniqueId", "resourceUUID"]),
                ext_resource_id: field(&["extResourceId"]),
                host_name: field(&["hostName", "host", "dnsName"]),
                ip_address: field(&["ipAddress", "ip"]),
                mac_address: field(&["macAddress", "mac"]),
                name: field(&["name", "resourceName", "aliasName"]),
                ..Device::default()
            })
        }
        value => DeviceNames::of_text(&text(Some(value))),
    };
    fields.into_iter().flatten().map(named).find(|machine| machine.device.is_some()).unwrap_or_default()
}

/// An attribute, as long as it may be.
fn tag(name: &str, value: &str) -> Tag {
    Tag { name: cut(name, LONGEST_NAME).to_owned(), value: cut(value, LONGEST_TEXT).to_owned() }
}

/// Attributes from an object of texts, from an array of objects (`name` and `value`) or of texts (`env:prod`), or from
/// a text of these with commas between them.
fn tags(attributes: Option<&Value>) -> Vec<Tag> {
    attributes.into_iter().flat_map(pairs).map(|(name, value)| tag(&name, &value)).collect()
}

/// Names and values of attributes.
fn pairs(attributes: &Value) -> Vec<(String, String)> {
    let written = |value: &Value| match value {
        Value::Object(_) | Value::Array(_) => value.to_string(),
        value => text(Some(value)),
    };
    let all: Vec<(String, String)> = match attributes {
        Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), written(value))).collect(),
        Value::Array(list) => list.iter().map(pair).collect(),
        Value::String(text) => text.split(',').map(pair_of_text).collect(),
        _ => Vec::new(),
    };
    all.into_iter().filter(|(name, _)| !name.is_empty()).collect()
}

/// Name and value of an attribute in an array.
fn pair(attribute: &Value) -> (String, String) {
    if attribute.is_object() {
        return (name([attribute.get("name"), attribute.get("key")]), text(attribute.get("value")));
    }
    pair_of_text(&text(Some(attribute)))
}

/// Name and value of an attribute that is a text.
fn pair_of_text(attribute: &str) -> (String, String) {
    let (name, value) = attribute.split_once([':', '=']).unwrap_or((attribute, ""));
    (name.trim().to_owned(), value.trim().to_owned())
}

#[cfg(test)]
mod tests;
