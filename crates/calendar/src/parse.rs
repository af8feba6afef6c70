//! Schedules as JSON: read from a body with every problem named by its path, and written as documented.
//!
//! Lenient in: enum values and names in any letter case, integers as strings, empty strings as absence. Strict out:
//! the documented spelling. What [`MaintenanceSchedule::to_json`] and its like write is also how schedules are stored, and
//! reads back as the same schedule. The OpenAPI schemas of these shapes belong to the domains that serve them.

mod job;
mod maintenance;
mod range;
mod repetition;

use base::{
    Fields, Problem, Timestamp,
    body::{Field, Limits},
};
use serde_json::Value;

pub use job::{JobPattern, JobSchedule};
pub use maintenance::MaintenanceSchedule;
pub use range::range;
pub use repetition::{Frequency, Repetition};

use crate::{
    pattern::{MonthDays, Months, WeekIndex, Weekday, Weekdays},
    zones::Zone,
};

/// The instants that a schedule may name, in milliseconds: the years 1970 to 9998. A year 9999 is a placeholder for
/// `never`, which has a word of its own.
const INSTANTS: std::ops::Range<i64> = 0..253_370_764_800_000;

/// Reads the name of a time zone. Absence is noted.
pub fn zone(fields: &mut Fields<'_>, name: &str) -> Option<Zone> {
    if fields.require(name) { Zone::read(fields, name, &Limits::NONE) } else { None }
}

/// The same where absence is no error.
fn optional_zone(fields: &mut Fields<'_>, name: &str) -> Option<Zone> {
    if is_blank(fields, name) { None } else { zone(fields, name) }
}

/// Reads a schedule that was stored.
fn stored<T>(value: &Value, read: impl FnOnce(&mut Fields<'_>) -> Option<T>) -> Result<T, Problem> {
    let mut fields = Fields::of(value);
    let schedule = read(&mut fields);
    fields.check()?;
    schedule.ok_or_else(|| Problem::internal())
}

/// Whether an optional field has no value: absent, `null`, or a string of blanks, which the interface allows for it.
fn is_blank(fields: &Fields<'_>, name: &str) -> bool {
    fields.value(name).is_none_or(|value| value.as_str().is_some_and(|text| text.trim().is_empty()))
}

fn required_one_of(fields: &mut Fields<'_>, name: &str, allowed: &[&'static str]) -> Option<&'static str> {
    fields.require(name);
    fields.one_of(name, allowed)
}

/// An instant that a schedule may name.
fn instant(fields: &mut Fields<'_>, name: &str) -> Option<Timestamp> {
    fields.require(name);
    let instant = fields.timestamp(name)?;
    if !INSTANTS.contains(&instant.millis()) {
        fields.error(name, "must lie in the years 1970 to 9998");
        return None;
    }
    Some(instant)
}

/// Notes that an end is not after its start.
fn check_order(fields: &mut Fields<'_>, start: (&str, Option<Timestamp>), end: (&str, Option<Timestamp>)) {
    if start.1.zip(end.1).is_some_and(|(start, end)| end <= start) {
        fields.error(end.0, format!("must be after {}", start.0));
    }
}

/// A list of values separated by commas; empty when the field has no value, or a wrong one, which is noted.
fn list<T, C: FromIterator<T> + Default>(
    fields: &mut Fields<'_>,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
    message: impl FnOnce() -> String,
) -> C {
    let text = match fields.value(name) {
        _ if is_blank(fields, name) => return C::default(),
        Some(Value::String(text)) => text.clone(),
        // A single day or month may come as a number.
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let values: Option<C> = text.split(',').map(|part| parse(part.trim())).collect();
    values.unwrap_or_else(|| {
        fields.error(name, message());
        C::default()
    })
}

fn weekdays(fields: &mut Fields<'_>) -> Weekdays {
    let message = || format!("must be weekdays separated by commas, each one of: {}", Weekday::NAMES.join(", "));
    list(fields, "weekDays", Weekday::find, message)
}

fn month_days(fields: &mut Fields<'_>) -> MonthDays {
    let parse = |text: &str| text.parse().ok().filter(|day| (1..=31).contains(day));
    list(fields, "dayOfMonth", parse, || "must be days of the month from 1 to 31, separated by commas".to_owned())
}

fn months(fields: &mut Fields<'_>) -> Months {
    let parse = |text: &str| {
        let by_name =
            (1..).zip(Months::NAMES).find(|(_, name)| name.eq_ignore_ascii_case(text)).map(|(month, _)| month);
        by_name.or_else(|| text.parse().ok().filter(|month| (1..=12).contains(month)))
    };
    let message = || format!("must be months separated by commas, each one of: {}", Months::NAMES.join(", "));
    list(fields, "months", parse, message)
}

/// `weekIndex` and `dayOfWeek`, both required.
fn nth_weekday(fields: &mut Fields<'_>) -> Option<(WeekIndex, Weekday)> {
    let index = required_one_of(fields, "weekIndex", &WeekIndex::NAMES).and_then(WeekIndex::find);
    let weekday = required_one_of(fields, "dayOfWeek", &Weekday::NAMES).and_then(Weekday::find);
    index.zip(weekday)
}

fn joined<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

fn weekday_names(days: Weekdays) -> String {
    joined(days.iter().map(Weekday::name))
}

fn month_names(months: Months) -> String {
    joined(months.iter().filter_map(|month| Months::NAMES.get(usize::from(month) - 1)))
}

/// An object with the members that have a value, in order.
fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let present = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect())
}
