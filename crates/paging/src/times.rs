//! Lengths of time, and times of day.

use std::ops::RangeInclusive;

use base::{Fields, duration, timestamp::Timestamp};
use serde_json::Value;

/// How soon one looks again at what belongs to a suspended tenant.
pub const HELD_MS: i64 = 15_000;

/// Reads a length of time such as `5m`, in milliseconds.
pub fn read(fields: &mut Fields<'_>, name: &str, range: RangeInclusive<i64>) -> Option<i64> {
    let text = match fields.value(name)? {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => String::new(),
    };
    let millis = duration::parse(&text).filter(|millis| range.contains(millis));
    if millis.is_none() {
        let first = duration::text(*range.start());
        let last = duration::text(*range.end());
        fields.error(name, format!("must be a time from {first} to {last}, such as 5m"));
    }
    millis
}

/// The minute of the day that it is at an instant in a zone.
pub fn minute_of_day(at: Timestamp, zone: &str) -> Option<i64> {
    Some(calendar::Zone::find(zone)?.time_of_day(at).seconds() / 60)
}
