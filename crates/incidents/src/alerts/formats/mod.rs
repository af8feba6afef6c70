//! What other monitors send ("Inbound addresses" in `docs/interface.md`): one file a format, a body in, reports out. No
//! database, no clock.
//!
//! None of these senders is asked to write what Muster would like to read: each format is taken as its own documentation
//! prints it, and what a sender leaves out is left out of the report. Lengths are cut rather than refused, since an alert
//! that is not taken in wakes nobody.

/// Declares what an object of a sender holds, once for its reader and for the document: each field is what is given under its
/// name, or under the name that follows it, and its type is what the document says of it. A reader takes more than that.
macro_rules! given {
    ($(#[$about:meta])* pub struct $name:ident {
        $($(#[$of:meta])* $field:ident $(as $wire:literal)?: $documented:ty,)*
    }) => {
        #[derive(Clone, Copy, ::utoipa::ToSchema)]
        $(#[$about])*
        pub struct $name<'v> {
            $($(#[$of])* #[schema(value_type = $documented $(, rename = $wire)?)] $field: Option<&'v ::serde_json::Value>,)*
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
pub mod opsgenie;
pub mod pagerduty;
pub mod plain;
pub mod zabbix;

use base::timestamp::Timestamp;
use serde_json::{Map, Value};

use super::{
    report::{LONGEST_NAME, Report},
    wire::Tag,
};

/// The most text of a description.
const LONGEST_TEXT: usize = 4_000;
/// The most tags of a report; further ones are left out.
const MOST_TAGS: usize = 200;

/// What a sender wants of one problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It is so, or over.
    Report(Box<Report>),
    /// Somebody works on the problem with this identity.
    Acknowledge {
        /// As in [`Report::identity`].
        identity: String,
        /// What they say.
        note: String,
        /// What has changed of the problem at the same time.
        report: Option<Box<Report>>,
    },
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

/// An identity of a problem, apart from what other senders call theirs.
pub fn identity(sender: &str, key: &str) -> String {
    format!("{sender}\n{key}")
}

/// The text of a value: of numbers and booleans too, since templates write either.
fn text(value: Option<&Value>) -> String {
    let text = match value {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        _ => String::new(),
    };
    cut(text, LONGEST_TEXT)
}

/// A field, or else these of its object.
fn or<'v>(
    field: Option<&'v Value>,
    body: &'v Map<String, Value>,
    others: &'static [&'static str],
) -> impl Iterator<Item = Option<&'v Value>> {
    std::iter::once(field).chain(others.iter().map(|other| body.get(*other)))
}

/// The first of these fields that has a text, at most as long as a name.
fn name<'v>(fields: impl IntoIterator<Item = Option<&'v Value>>) -> String {
    cut(long(fields), LONGEST_NAME)
}

/// The first of these fields that has a text, at most as long as a description.
fn long<'v>(fields: impl IntoIterator<Item = Option<&'v Value>>) -> String {
    fields.into_iter().map(text).find(|text| !text.is_empty()).unwrap_or_default()
}

/// A template may write any amount of text, and its length is no reason to lose an alert.
fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

/// Attributes from an object of texts.
fn tags(object: Option<&Value>) -> Vec<Tag> {
    let named = |(name, value): (&String, &Value)| {
        let value = if value.is_object() || value.is_array() { value.to_string() } else { text(Some(value)) };
        Tag { name: cut(name.clone(), LONGEST_NAME), value: cut(value, LONGEST_NAME) }
    };
    object.and_then(Value::as_object).into_iter().flatten().take(MOST_TAGS).map(named).collect()
}

/// RFC 3339 with a fraction that is dropped, or seconds or milliseconds since 1970; the year 1 stands for nothing.
fn instant(value: Option<&Value>) -> Option<Timestamp> {
    let text = text(value);
    if let Ok(number) = text.parse::<f64>() {
        // Seconds since 1970 reach this number in the year 5138.
        let millis = if number < 100_000_000_000.0 { number * 1_000.0 } else { number };
        // Saturates: a number beyond all calendars is no time.
        return Some(Timestamp::from_millis(millis as i64)).filter(|at| at.millis() > 0);
    }
    let plain = match text.split_once('.') {
        None => text,
        Some((seconds, rest)) => seconds.to_owned() + rest.trim_start_matches(|digit: char| digit.is_ascii_digit()),
    };
    Timestamp::parse(&plain).filter(|at| at.millis() > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_have_fractions_and_the_year_one_is_none() {
        let at = |value: Value| instant(Some(&value)).map(|at| at.to_string());
        assert_eq!(at(json!("2018-08-03T09:52:26.739266876+02:00")).as_deref(), Some("2018-08-03T07:52:26+0000"));
        assert_eq!(at(json!("2018-08-03T09:52:26Z")).as_deref(), Some("2018-08-03T09:52:26+0000"));
        assert_eq!(at(json!(1_533_289_946)).as_deref(), Some("2018-08-03T09:52:26+0000"));
        assert_eq!(at(json!("1533289946000")).as_deref(), Some("2018-08-03T09:52:26+0000"));
        for none in [json!("0001-01-01T00:00:00Z"), json!(""), json!("soon"), json!(null), json!(-5), json!("NaN")] {
            assert_eq!(at(none.clone()), None, "{none}");
        }
    }

    #[test]
    fn words_of_every_monitor_have_a_state() {
        for (word, state) in [("Disaster", "Critical"), ("Average", "Warning"), ("P5", "Info"), ("RESOLVED", "Ok")] {
            assert_eq!(state_of(word), Some(state), "{word}");
        }
        assert_eq!(state_of("mauve"), None);
    }

    #[test]
    fn texts_are_cut_and_tags_are_bounded() {
        assert_eq!(cut("äöü".into(), 2), "äö");
        let many: Map<String, Value> = (0..500).map(|n| (format!("k{n}"), json!(n))).collect();
        assert_eq!(tags(Some(&Value::Object(many))).len(), MOST_TAGS);
        assert_eq!(tags(Some(&json!({"a": {"b": 1}})))[0].value, "{\"b\":1}");
    }
}
