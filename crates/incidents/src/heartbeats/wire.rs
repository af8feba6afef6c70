//! What clients send and see of heartbeats.

use base::{Fields, duration, problem::Problem, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    rules::{self, DEFAULT_GRACE, GRACE, INTERVAL, SEVERITIES},
    store::Row,
};

/// The longest name, and the longest name of a device.
const LONGEST: usize = 200;

/// What is to be changed of a heartbeat; `None` leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub name: Option<String>,
    pub interval_ms: Option<i64>,
    pub grace_ms: Option<i64>,
    pub severity: Option<&'static str>,
    pub device: Option<String>,
}

impl Change {
    /// Reads the body of a new heartbeat, for which name and interval are required.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn create(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        fields.require("name");
        fields.require("interval");
        let change = Self::read(&mut fields);
        fields.finish()?;
        Ok(Self { grace_ms: change.grace_ms.or(Some(DEFAULT_GRACE)), ..change })
    }

    /// Reads the body of an update.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn update(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let change = Self::read(&mut fields);
        fields.finish().map(|()| change)
    }

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            name: fields.name("name", LONGEST),
            interval_ms: time(fields, "interval", INTERVAL, "a time from 1s to 400d, such as 5m"),
            grace_ms: time(fields, "grace", GRACE, "a time from 0s to 400d, such as 1m"),
            severity: fields.one_of("severity", &SEVERITIES),
            device: fields.text_max("device", LONGEST).map(|text| text.trim().to_owned()),
        }
    }
}

fn time(fields: &mut Fields<'_>, name: &str, range: std::ops::RangeInclusive<i64>, form: &str) -> Option<i64> {
    let text = match fields.value(name)? {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => String::new(),
    };
    let millis = duration::parse(&text).filter(|millis| range.contains(millis));
    if millis.is_none() {
        fields.error(name, format!("must be {form}"));
    }
    millis
}

/// A heartbeat to be made.
#[derive(ToSchema)]
#[schema(as = HeartbeatInput, example = json!({"name": "nightly backup", "interval": "1d", "grace": "30m"}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct HeartbeatInput {
    /// Its name, unique in the tenant whatever the letter case; at most 200 characters.
    name: String,
    /// How often it is to be heard of: a number with `s`, `m`, `h` or `d`, from `1s` to `400d`.
    interval: String,
    /// How much later it may be; default `1m`.
    grace: Option<String>,
    /// What silence is: `Critical` (default), `Warning` or `Info`.
    severity: Option<String>,
    /// The machine that the alert is about: its id, host name, address or `extResourceId`.
    device: Option<String>,
}

/// What is to be changed of a heartbeat; what is left out stays as it is.
#[derive(ToSchema)]
#[schema(example = json!({"interval": "12h"}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct HeartbeatUpdate {
    /// Its name.
    name: Option<String>,
    /// How often it is to be heard of.
    interval: Option<String>,
    /// How much later it may be.
    grace: Option<String>,
    /// What silence is.
    severity: Option<String>,
    /// The machine that the alert is about; empty for none.
    device: Option<String>,
}

/// A heartbeat, without its address.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "HB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "nightly backup", "interval": "1d", "grace": "30m",
    "severity": "Critical", "state": "Up", "lastPing": "2026-11-20T02:00:04+0000",
    "dueDate": "2026-11-21T02:30:04+0000", "createdBy": "USR0000000001",
    "createdDate": "2026-11-19T20:37:00+0000", "updatedDate": "2026-11-19T20:37:00+0000"
}))]
pub struct Heartbeat {
    /// `HB-<uuid>`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How often it is to be heard of.
    pub interval: String,
    /// How much later it may be.
    pub grace: String,
    /// What silence is: `Critical`, `Warning` or `Info`.
    pub severity: String,
    /// The machine that the alert is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub device: String,
    /// `New` before its first ping, `Up`, or `Missing`.
    pub state: &'static str,
    /// When it was heard of last; stored once a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub last_ping: Option<Timestamp>,
    /// When its silence becomes an alert.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub due_date: Option<Timestamp>,
    /// The user that made it.
    pub created_by: String,
    /// When it was made.
    #[schema(value_type = String)]
    pub created_date: Timestamp,
    /// When it was changed last; pings do not count.
    #[schema(value_type = String)]
    pub updated_date: Timestamp,
}

impl From<&Row> for Heartbeat {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            name: row.name.clone(),
            interval: duration::text(row.interval_ms),
            grace: duration::text(row.grace_ms),
            severity: row.severity.clone(),
            device: row.device.clone(),
            state: rules::state(row),
            last_ping: row.last_ms.map(Timestamp::from_millis),
            due_date: row.due_ms.filter(|_| !row.missed).map(Timestamp::from_millis),
            created_by: row.created_by.clone(),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// A heartbeat with its address: the only time that it is shown.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedHeartbeat {
    /// The heartbeat.
    #[serde(flatten)]
    pub heartbeat: Heartbeat,
    /// What is to be pinged, by `POST` or `GET`, without another credential.
    #[schema(example = "https://muster.example/api/v2/heartbeats/<token>")]
    pub url: String,
}

/// What a ping is answered with.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"status": "OK"}))]
pub struct Pinged {
    /// Always `OK`.
    pub status: &'static str,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong(body: Value) -> Vec<String> {
        Change::create(&body).unwrap_err().errors.into_iter().map(|error| error.field_name).collect()
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let read = Change::create(&json!({"name": " n ", "interval": "5m", "severity": "warning"})).unwrap();
        assert_eq!((read.name.as_deref(), read.interval_ms, read.grace_ms), (Some("n"), Some(300_000), Some(60_000)));
        assert_eq!(read.severity, Some("Warning"));
        assert_eq!(Change::create(&json!({"name": "n", "interval": 30})).unwrap().interval_ms, Some(30_000));
        assert_eq!(Change::update(&json!({})).unwrap(), Change::default());
    }

    #[test]
    fn every_wrong_field_is_listed() {
        assert_eq!(wrong(json!({})), ["name", "interval"]);
        let body = json!({"name": "n", "interval": "soon", "grace": "500d", "severity": "Ok", "device": 1});
        assert_eq!(wrong(body), ["interval", "grace", "severity", "device"]);
        assert_eq!(wrong(json!({"name": "n", "interval": "10ms"})), ["interval"]);
    }
}
