//! Whatever JSON arrives, it is read or refused; whatever was written reads back the same.

use base::{
    Fields,
    body::{Field as _, Limits},
};
use calendar::{JobSchedule, MaintenanceSchedule, Zone};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

use crate::generate::{at, on_days, stamp};

const NAMES: [&str; 22] = [
    "type",
    "startDate",
    "endDate",
    "startTime",
    "endTime",
    "pattern",
    "endPattern",
    "repeatFrequency",
    "repeatType",
    "weekDays",
    "weekIndex",
    "dayOfWeek",
    "dayOfMonth",
    "months",
    "occurrences",
    "OCCURRENCES",
    "DATE",
    "timezone",
    "schedule",
    "endBy",
    "dayFrequency",
    "frequency",
];

const WORDS: [&str; 34] = [
    "one-time",
    "recurring",
    "daily",
    "weekly",
    "monthly",
    "yearly",
    "DAY_OF_WEEK",
    "DAY_OF_MONTH",
    "NEVER",
    "OCCURRENCES",
    "DATE",
    "First",
    "last",
    "Sunday",
    "monday,Friday",
    "1,31",
    "January,may",
    "everyday",
    "every weekday",
    "recurrence",
    "run once",
    "GMT",
    "Europe/Paris",
    "Europe/London",
    "2026-03-29T01:00:00+0000",
    "2026-10-25T01:30:00Z",
    "1970-01-01T00:00:00+0000",
    "9998-12-31T23:59:59+0000",
    "00:00:00",
    "02:30:00",
    "23:59:59",
    "",
    "5",
    ",",
];

fn leaves() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => select(&WORDS[..]).prop_map(Value::from),
        2 => (-2..40_i64).prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => ".{0,12}".prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

/// Objects with the names that count and values that may fit.
fn bodies() -> impl Strategy<Value = Value> {
    leaves().prop_recursive(4, 64, 12, |inner| {
        let objects = vec((select(&NAMES[..]), inner.clone()), 0..12).prop_map(|members| {
            Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
        });
        prop_oneof![8 => objects, 1 => vec(inner, 0..3).prop_map(Value::Array)]
    })
}

/// A schedule that is nearly right: one of these with one member replaced.
fn nearly() -> impl Strategy<Value = Value> {
    let schedules = vec![
        json!({"type": "recurring", "startDate": "2026-02-06T00:00:00+0000", "startTime": "09:00:00", "endTime": "17:30:00",
            "pattern": {"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_MONTH", "dayOfMonth": 31,
                "weekIndex": "First", "dayOfWeek": "Monday"},
            "endPattern": {"type": "DATE", "endDate": "2027-01-01T00:00:00+0000", "occurrences": 5}}),
        json!({"type": "Recurring", "startTime": "2026-02-06T00:00:00+0000", "endTime": "2027-02-06T03:00:00+0000",
            "timezone": "Europe/London", "endBy": "NEVER",
            "pattern": {"type": "yearly", "months": "May", "dayOfMonth": "1,2", "repeatFrequency": 1}}),
        json!({"startDate": "2026-02-06T00:00:00+0000", "pattern": {"type": "daily", "frequency": "everyday"}}),
    ];
    (select(schedules), select(&NAMES[..]), leaves(), any::<bool>()).prop_map(|(mut schedule, name, value, inside)| {
        if inside {
            schedule["pattern"][name] = value
        } else {
            schedule[name] = value
        }
        schedule
    })
}

/// Reads it as everything, asks what was read, and reads back what it writes.
fn read_as_everything(value: &Value) {
    let now = stamp("2026-11-20T20:37:00Z");
    if let Ok(schedule) = MaintenanceSchedule::from_json(value) {
        assert_eq!(MaintenanceSchedule::from_json(&schedule.to_json()), Ok(schedule));
        schedule.rule().next(2, now);
    }
    if let Ok(schedule) = JobSchedule::from_json(value) {
        schedule.due(Zone::GMT).starts(now).next();
        assert_eq!(JobSchedule::from_json(&schedule.to_json()), Ok(schedule));
    }
    let body = json!({"schedule": value, "endBy": value.get("endBy")});
    for body in [&body, value] {
        let mut fields = Fields::of(body);
        fields.require("schedule");
        let schedule = MaintenanceSchedule::read(&mut fields, "schedule", &Limits::NONE);
        assert!(fields.finish().is_err() || schedule.is_some());
        calendar::parse::zone(&mut Fields::of(body), "timezone");
    }
}

proptest! {
    #[test]
    fn arbitrary_json_never_panics(value in bodies()) {
        read_as_everything(&value);
    }

    #[test]
    fn schedules_with_one_change_never_panic(value in nearly()) {
        read_as_everything(&value);
    }

    #[test]
    fn every_monthly_and_yearly_pattern_survives_the_wire(on in on_days(), every in 1..=366_u16, start in 0..250_000_000_000_i64) {
        let on = match on {
            calendar::OnDay::Nth(index, day) => json!({"weekIndex": index.name(), "dayOfWeek": day.name()}),
            calendar::OnDay::Days(days) => {
                json!({"dayOfMonth": days.iter().map(|day| day.to_string()).collect::<Vec<_>>().join(",")})
            }
        };
        for kind in ["monthly", "yearly"] {
            let mut pattern = on.clone();
            pattern["type"] = json!(kind);
            pattern["repeatFrequency"] = json!(every);
            let (start, end) = (at(start * 1_000), at(start * 1_000 + 3_600_000));
            let value = json!({"type": "Recurring", "startTime": start, "endTime": end, "timezone": "Asia/Tehran", "pattern": pattern});
            let Ok(schedule) = MaintenanceSchedule::from_json(&value) else {
                // A month cannot do without a day; a year takes the start's.
                prop_assert_eq!((kind, &on["dayOfMonth"]), ("monthly", &json!("")));
                continue;
            };
            prop_assert_eq!(MaintenanceSchedule::from_json(&schedule.to_json()), Ok(schedule));
        }
    }
}
