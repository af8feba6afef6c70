//! The requests and answers for heartbeats.

use api::Request;
use base::{Fields, duration, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The longest name, and the longest name of a device.
const LONGEST: usize = 200;
/// The longest interval, and the longest grace, in milliseconds.
const LONGEST_TIME: i64 = 400 * 86_400_000;
/// The grace of one that says none, in milliseconds.
const DEFAULT_GRACE: i64 = 60_000;
/// The states that silence may be reported as.
pub const SEVERITIES: [&str; 3] = [CRITICAL, "Warning", "Info"];
/// The default state of silence.
pub const CRITICAL: &str = "Critical";

api::path_id! {
    /// `HB-<uuid>`
    pub HeartbeatId = "heartbeatId", "HB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", normal_id
}

/// An id as it is stored, whatever the letter case it came in.
fn normal_id(text: &str) -> String {
    base::text::spelled(text, "HB-")
}

/// A heartbeat to be made.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "HeartbeatInput", example = json!({"name": "nightly backup", "interval": "1d", "grace": "30m"}))]
#[request(update(
    name = HeartbeatUpdate,
    doc = "What is to be changed of a heartbeat; what is left out stays as it is.",
    example = json!({"interval": "12h"})
))]
pub struct NewHeartbeat {
    /// Its name, unique in the tenant whatever the letter case.
    #[request(line, chars = LONGEST)]
    pub name: String,
    /// How often a ping is expected: a number with `s`, `m`, `h` or `d`, from `1s` to `400d`.
    #[request(name = "interval", with = interval, schema = String, pattern = duration::PATTERN)]
    pub interval_ms: i64,
    /// How much later than that a ping may come; default `1m`.
    #[request(name = "grace", with = grace, schema = String, pattern = duration::PATTERN, default = DEFAULT_GRACE)]
    pub grace_ms: i64,
    /// The state that silence is reported as: `Critical` (default), `Warning` or `Info`.
    #[request(words = SEVERITIES, default = CRITICAL)]
    pub severity: &'static str,
    /// The machine that the alert is about: its id, host name, address or `extResourceId`; empty for none.
    #[request(chars = LONGEST, parse = trimmed, default)]
    pub device: String,
}

fn interval(fields: &mut Fields<'_>, name: &str) -> Option<i64> {
    time(fields, name, 1_000, "a time from 1s to 400d, such as 5m")
}

fn grace(fields: &mut Fields<'_>, name: &str) -> Option<i64> {
    time(fields, name, 0, "a time from 0s to 400d, such as 1m")
}

fn time(fields: &mut Fields<'_>, name: &str, shortest: i64, form: &str) -> Option<i64> {
    let text = match fields.value(name)? {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => String::new(),
    };
    let millis = duration::parse(&text).filter(|millis| (shortest..=LONGEST_TIME).contains(millis));
    if millis.is_none() {
        fields.error(name, format!("must be {form}"));
    }
    millis
}

fn trimmed(text: String) -> Result<String, String> {
    Ok(text.trim().to_owned())
}

/// A heartbeat, without its address.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "HB-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "clientUniqueId": "client_1", "name": "nightly backup",
    "interval": "1d", "grace": "30m", "severity": "Critical", "state": "Up", "lastPing": "2026-11-20T02:00:04+0000",
    "dueDate": "2026-11-21T02:30:04+0000", "createdBy": "USR0000000001",
    "createdDate": "2026-11-19T20:37:00+0000", "updatedDate": "2026-11-19T20:37:00+0000"
}))]
pub struct Heartbeat {
    /// `HB-<uuid>`.
    pub id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// Its name.
    pub name: String,
    /// How often a ping is expected.
    pub interval: String,
    /// How much later than that a ping may come.
    pub grace: String,
    /// The state that silence is reported as: `Critical`, `Warning` or `Info`.
    #[schema(pattern = "^(Critical|Warning|Info)$")]
    pub severity: String,
    /// The machine that the alert is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub device: String,
    /// `New` before its first ping, `Up`, or `Missing`.
    #[schema(pattern = "^(New|Up|Missing)$")]
    pub state: &'static str,
    /// When it was pinged last; stored once a second at most.
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

/// A heartbeat with its address: the only time that it is shown.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatedHeartbeat {
    /// The heartbeat.
    #[serde(flatten)]
    pub heartbeat: Heartbeat,
    /// The URL to ping, by `POST` or `GET`, without another credential. Only in the first answer under
    /// an `Idempotency-Key`.
    #[schema(required = false, example = "https://muster.example/api/v2/heartbeats/<token>")]
    pub url: String,
}

/// The answer to a ping.
#[derive(Serialize, ToSchema)]
#[schema(as = Pinged, example = json!({"status": "OK"}))]
pub struct PingAnswer {
    /// Always `OK`.
    #[schema(pattern = "^OK$")]
    pub status: &'static str,
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::json;

    use super::*;

    fn wrong(body: Value) -> Vec<String> {
        NewHeartbeat::parse(&body).unwrap_err().errors.into_iter().map(|error| error.field_name).collect()
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let read = NewHeartbeat::parse(&json!({"name": " n ", "interval": "5m", "severity": "warning"})).unwrap();
        assert_eq!((read.name.as_str(), read.interval_ms, read.grace_ms), ("n", 300_000, 60_000));
        assert_eq!(read.severity, "Warning");
        assert_eq!(NewHeartbeat::parse(&json!({"name": "n", "interval": 30})).unwrap().interval_ms, 30_000);
        assert_eq!(HeartbeatUpdate::parse(&json!({})).unwrap(), HeartbeatUpdate::default());
    }

    #[test]
    fn every_wrong_field_is_listed() {
        assert_eq!(wrong(json!({})), ["name", "interval"]);
        let body = json!({"name": "n", "interval": "soon", "grace": "500d", "severity": "Ok", "device": 1});
        assert_eq!(wrong(body), ["interval", "grace", "severity", "device"]);
        assert_eq!(wrong(json!({"name": "n", "interval": "10ms"})), ["interval"]);
    }
}
