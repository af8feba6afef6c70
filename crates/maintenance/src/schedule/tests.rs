//! What is said of schedules is read and written as operation 14 of `docs/interface.md` has it.

use base::{Timestamp, body::Request as _};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::*;

/// The part of a body that says when a window is open.
#[derive(Debug, Request)]
#[request(check = check_body)]
struct Body {
    schedule: WindowSchedule,
    #[request(blank, words = NEVER)]
    end_by: Option<&'static str>,
}

fn check_body(body: &mut Body, fields: &mut Fields<'_>) {
    body.schedule.complete(body.end_by, fields);
}

fn stamp(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A recurring schedule with some members replaced; `null` stands for absence.
fn recurring(changes: &Value) -> Value {
    let mut schedule = json!({
        "type": "Recurring",
        "startTime": "2026-05-28T08:00:00+0000",
        "endTime": "2026-10-29T17:30:00+0000",
        "timezone": "America/Puerto_Rico",
        "pattern": {"type": "daily", "dayFrequency": "everyday"},
    });
    for (name, value) in changes.as_object().unwrap() {
        schedule[name] = value.clone();
    }
    schedule
}

fn try_body(body: &Value) -> Result<WindowSchedule, Vec<String>> {
    let told = |error: base::problem::FieldError| format!("{}: {}", error.field_name, error.message);
    let read = Body::parse(body).map_err(|problem| problem.errors.into_iter().map(told).collect::<Vec<_>>());
    read.map(|body| body.schedule)
}

fn read(schedule: Value) -> WindowSchedule {
    try_body(&json!({"name": "nightly", "schedule": schedule})).unwrap()
}

fn refused(schedule: Value) -> Vec<String> {
    try_body(&json!({"schedule": schedule})).expect_err("a wrong schedule")
}

fn pattern_of(pattern: Value) -> Pattern {
    let WindowSchedule::Recurring(window) = read(recurring(&json!({"pattern": pattern}))) else {
        panic!("it is one-time");
    };
    window.pattern.pattern()
}

fn pattern_refused(pattern: Value) -> Vec<String> {
    refused(recurring(&json!({"pattern": pattern})))
}

fn days(days: &[u8]) -> OnDay {
    OnDay::Days(days.iter().copied().collect())
}

#[test]
fn what_is_documented_comes_back_as_it_came() {
    let patterns = [
        json!({"type": "daily", "dayFrequency": "everyday"}),
        json!({"type": "daily", "dayFrequency": "everyday", "repeatFrequency": 2}),
        json!({"type": "daily", "dayFrequency": "everyday", "repeatFrequency": 1}),
        json!({"type": "daily", "dayFrequency": "every weekday"}),
        json!({"type": "daily", "dayFrequency": "every weekday", "repeatFrequency": 1}),
        json!({"type": "daily"}),
        json!({"type": "daily", "repeatFrequency": 3}),
        json!({"type": "weekly", "weekDays": "Sunday,Wednesday", "repeatFrequency": 1}),
        json!({"type": "weekly", "weekDays": "Sunday,Saturday"}),
        json!({"type": "monthly", "dayOfMonth": "1,15,31", "repeatFrequency": 2}),
        json!({"type": "monthly", "dayOfMonth": "1"}),
        json!({"type": "monthly", "weekIndex": "Second", "dayOfWeek": "Tuesday", "repeatFrequency": 1}),
        json!({"type": "yearly", "months": "January,July", "dayOfMonth": "1", "repeatFrequency": 1}),
        json!({"type": "yearly", "months": "March", "weekIndex": "Last", "dayOfWeek": "Sunday", "repeatFrequency": 1}),
        json!({"type": "yearly", "repeatFrequency": 1}),
        json!({"type": "yearly"}),
    ];
    for pattern in patterns {
        for end in [json!({}), json!({"endBy": "NEVER"})] {
            let mut value = recurring(&end);
            value["pattern"] = pattern.clone();
            let schedule = read(value.clone());
            assert_eq!(serde_json::to_string(&schedule).unwrap(), value.to_string());
            assert_eq!(WindowSchedule::parse(&value).unwrap(), schedule);
        }
    }
    let once = json!({"type": "One-Time", "startTime": "2026-05-28T08:00:00+0000",
        "endTime": "2026-05-28T09:00:00+0000", "timezone": "Europe/London"});
    assert_eq!(json!(read(once.clone())), once);
}

#[test]
fn words_mean_patterns() {
    assert_eq!(
        pattern_of(json!({"type": "Daily", "dayFrequency": "Everyday", "repeatFrequency": "1"})),
        Pattern::Daily { every: 1 }
    );
    assert_eq!(pattern_of(json!({"type": "daily"})), Pattern::Daily { every: 1 });
    assert_eq!(
        pattern_of(json!({"type": "daily", "repeatFrequency": 90, "dayFrequency": ""})),
        Pattern::Daily { every: 90 }
    );
    let weekdays = Pattern::Weekly { every: 1, days: Weekdays::MONDAY_TO_FRIDAY };
    assert_eq!(pattern_of(json!({"type": "daily", "dayFrequency": "EVERY WEEKDAY"})), weekdays);
    assert_eq!(pattern_of(json!({"type": "weekly"})), Pattern::Weekly { every: 1, days: Weekdays::default() });
    assert_eq!(pattern_of(json!({"type": "monthly", "dayOfMonth": 5})), Pattern::Monthly { every: 1, on: days(&[5]) });
    assert_eq!(
        pattern_of(json!({"type": "monthly", "dayOfMonth": "31, 1,1"})),
        Pattern::Monthly { every: 1, on: days(&[1, 31]) }
    );
    let nth = OnDay::Nth(WeekIndex::Last, Weekday::Friday);
    let pattern = json!({"type": "monthly", "dayOfMonth": "", "weekIndex": "LAST", "dayOfWeek": "friday"});
    assert_eq!(pattern_of(pattern), Pattern::Monthly { every: 1, on: nth });
    let months = [1, 12].into_iter().collect();
    let on = OnDay::Days(MonthDays::default());
    assert_eq!(
        pattern_of(json!({"type": "yearly", "months": "december, 1"})),
        Pattern::Yearly { every: 1, months, on }
    );
}

#[test]
fn end_by_never_is_found_wherever_it_stands() {
    let end = json!("2018-10-29T17:30:00+0000");
    let is_perpetual = |body: Value| match try_body(&body).unwrap() {
        WindowSchedule::Recurring(window) => window.end_by.is_some(),
        WindowSchedule::OneTime(_) => panic!("it is one-time"),
    };
    assert!(is_perpetual(json!({"endBy": "never", "schedule": recurring(&json!({"endTime": end}))})));
    assert!(is_perpetual(json!({"schedule": recurring(&json!({"endTime": end, "endBy": "Never"}))})));
    let inside = json!({"type": "daily", "dayFrequency": "everyday", "repeatFrequency": 1, "endBy": "NEVER"});
    assert!(is_perpetual(json!({"schedule": recurring(&json!({"endTime": end, "pattern": inside}))})));
    assert!(!is_perpetual(json!({"endBy": "", "schedule": recurring(&json!({"endBy": null}))})));
    let body = json!({"endBy": "TOMORROW", "schedule": recurring(&json!({"endBy": 5}))});
    let expected = ["schedule.endBy: must be one of: NEVER", "endBy: must be one of: NEVER"];
    assert_eq!(try_body(&body).unwrap_err(), expected);
}

#[test]
fn a_perpetual_window_needs_no_later_end() {
    let schedule = read(recurring(&json!({
        "startTime": "2026-05-28T22:00:00+0000", "endTime": "2020-01-01T02:00:00+0000", "timezone": "gmt",
        "endBy": "NEVER",
    })));
    let rule = schedule.rule();
    let expected = Interval::new(stamp("2030-01-01T22:00:00Z"), stamp("2030-01-02T02:00:00Z"));
    assert_eq!(rule.contains(stamp("2030-01-02T01:59:59Z")), expected);
    assert_eq!(rule.contains(stamp("2030-01-02T02:00:00Z")), None);
    let WindowSchedule::Recurring(window) = schedule else { panic!("it is one-time") };
    assert_eq!(window.timezone.name(), "GMT");
}

#[test]
fn what_is_missing_is_named() {
    assert_eq!(try_body(&json!({})).unwrap_err(), ["schedule: is required"]);
    let expected = ["schedule.type: is required", "schedule.startTime: is required", "schedule.endTime: is required"];
    assert_eq!(refused(json!({})), expected);
    let expected = ["schedule.timezone: is required", "schedule.pattern: is required"];
    assert_eq!(refused(recurring(&json!({"timezone": null, "pattern": null}))), expected);
    assert_eq!(pattern_refused(json!({})), ["schedule.pattern.type: is required"]);
    let monthly = pattern_refused(json!({"type": "monthly"}));
    assert_eq!(monthly, ["schedule.pattern.dayOfMonth: is required, or weekIndex and dayOfWeek are"]);
    let monthly = pattern_refused(json!({"type": "monthly", "weekIndex": "First"}));
    assert_eq!(monthly, ["schedule.pattern.dayOfWeek: is required"]);
}

#[test]
fn what_is_wrong_is_named_with_what_is_allowed() {
    let found = refused(recurring(&json!({"timezone": "Europe/Berlim"})));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("schedule.timezone: is not a time zone; did you mean Europe/Berlin or "),
        "{}",
        found[0]
    );
    let found = refused(recurring(&json!({"endTime": "2026-05-28T08:00:00+0000"})));
    assert_eq!(found, ["schedule.endTime: must be after startTime"]);
    let found = refused(recurring(&json!({"endTime": "9999-05-28T08:00:00+0000", "endBy": "NEVER"})));
    assert_eq!(found, ["schedule.endTime: must lie in the years 1970 to 9998"]);
    let found = refused(
        json!({"type": "One-Time", "startTime": "2026-05-28T08:00:00+0000", "endTime": "2026-05-28T08:00:00+0000"}),
    );
    assert_eq!(found, ["schedule.endTime: must be after startTime"]);
    assert_eq!(refused(recurring(&json!({"type": "Twice"}))), ["schedule.type: must be one of: One-Time, Recurring"]);
    let found = pattern_refused(json!({"type": "hourly"}));
    assert_eq!(found, ["schedule.pattern.type: must be one of: daily, weekly, monthly, yearly"]);
    let found = pattern_refused(json!({"type": "daily", "dayFrequency": "often"}));
    assert_eq!(found, ["schedule.pattern.dayFrequency: must be one of: everyday, every weekday, recurrence"]);
    let found = pattern_refused(json!({"type": "daily", "dayFrequency": "every weekday", "repeatFrequency": 2}));
    assert_eq!(found, ["schedule.pattern.repeatFrequency: must be 1 or absent when dayFrequency is every weekday"]);
    let found = pattern_refused(json!({"type": "weekly", "repeatFrequency": 367}));
    assert_eq!(found, ["schedule.pattern.repeatFrequency: must be an integer from 1 to 366"]);
    let both =
        pattern_refused(json!({"type": "monthly", "dayOfMonth": 1, "weekIndex": "First", "dayOfWeek": "Monday"}));
    assert_eq!(both, ["schedule.pattern.dayOfMonth: must be absent when weekIndex and dayOfWeek are there"]);
    for day in [json!("1,32"), json!(0), json!("1,,2"), json!(true), json!(1.5)] {
        let found = pattern_refused(json!({"type": "monthly", "dayOfMonth": day}));
        let expected = "schedule.pattern.dayOfMonth: must be days of the month from 1 to 31, separated by commas";
        assert_eq!(found, [expected], "{day}");
    }
    let found = pattern_refused(json!({"type": "yearly", "months": "13"}));
    assert!(
        found[0].starts_with("schedule.pattern.months: must be months separated by commas, each one of: January, ")
    );
    assert_eq!(found.len(), 1);
}

/// Names that count, and values that may fit one of them.
const NAMES: [&str; 13] = [
    "type",
    "startTime",
    "endTime",
    "timezone",
    "endBy",
    "dayFrequency",
    "repeatFrequency",
    "weekDays",
    "weekIndex",
    "dayOfWeek",
    "dayOfMonth",
    "months",
    "pattern",
];
const WORDS: [&str; 16] = [
    "One-Time",
    "daily",
    "weekly",
    "monthly",
    "NEVER",
    "every weekday",
    "last",
    "monday,Friday",
    "1,31",
    "January,may",
    "Europe/Paris",
    "1970-01-01T00:00:00+0000",
    "9998-12-31T23:59:59+0000",
    "",
    "5",
    ",",
];

/// A schedule that is right but for some members of it.
fn nearly() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        4 => select(&WORDS[..]).prop_map(Value::from),
        2 => (-2..40_i64).prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => ".{0,12}".prop_map(Value::from),
        1 => any::<bool>().prop_map(|flag| if flag { json!([flag]) } else { Value::Null }),
    ];
    let changes = vec((any::<bool>(), select(&NAMES[..]), value), 0..4);
    let pattern = json!({"type": "yearly", "months": "May", "dayOfMonth": "1,2", "repeatFrequency": 1});
    changes.prop_map(move |changes| {
        let mut schedule = recurring(&json!({"pattern": pattern}));
        for (inside, name, value) in changes {
            match schedule.get_mut("pattern").and_then(Value::as_object_mut).filter(|_| inside) {
                Some(pattern) => drop(pattern.insert(name.to_owned(), value)),
                None => schedule[name] = value,
            }
        }
        schedule
    })
}

proptest! {
    #[test]
    fn what_is_read_is_stored_and_read_again(value in nearly()) {
        if let Ok(schedule) = try_body(&json!({"schedule": value})) {
            schedule.rule().next(2, stamp("2026-11-20T20:37:00Z"));
            prop_assert_eq!(WindowSchedule::parse(&json!(schedule)), Ok(schedule));
        }
    }
}
