//! Schedules of maintenance windows as operation 14 of `docs/interface.md` has them.

use base::{
    Fields,
    body::{Field as _, Limits},
};
use calendar::{Interval, MaintenanceSchedule, MonthDays, OnDay, Pattern, WeekIndex, Weekday, Weekdays};
use serde_json::{Value, json};

use crate::generate::stamp;

/// The errors of a reading, as `path: message`.
pub fn errors(problem: &base::Problem) -> Vec<String> {
    problem.errors.iter().map(|error| format!("{}: {}", error.field_name, error.message)).collect()
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

fn try_body(body: &Value) -> Result<MaintenanceSchedule, Vec<String>> {
    let mut fields = Fields::of(body);
    fields.require("schedule");
    let schedule = MaintenanceSchedule::read(&mut fields, "schedule", &Limits::NONE);
    fields.finish().map_err(|problem| errors(&problem))?;
    Ok(schedule.expect("a schedule without errors"))
}

fn read(schedule: Value) -> MaintenanceSchedule {
    try_body(&json!({"name": "nightly", "schedule": schedule})).unwrap()
}

fn refused(schedule: Value) -> Vec<String> {
    try_body(&json!({"schedule": schedule})).expect_err("a wrong schedule")
}

fn pattern_of(pattern: Value) -> Pattern {
    let MaintenanceSchedule::Recurring { repetition, .. } = read(recurring(&json!({"pattern": pattern}))) else {
        panic!("it is one-time");
    };
    repetition.pattern
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
            assert_eq!(schedule.to_json().to_string(), value.to_string());
            assert_eq!(serde_json::to_string(&schedule).unwrap(), value.to_string());
            assert_eq!(MaintenanceSchedule::from_json(&value).unwrap(), schedule);
        }
    }
    let once = json!({"type": "One-Time", "startTime": "2026-05-28T08:00:00+0000", "endTime": "2026-05-28T09:00:00+0000", "timezone": "Europe/London"});
    assert_eq!(read(once.clone()).to_json(), once);
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
        MaintenanceSchedule::Recurring { perpetual, .. } => perpetual,
        MaintenanceSchedule::OneTime { .. } => panic!("it is one-time"),
    };
    assert!(is_perpetual(json!({"endBy": "never", "schedule": recurring(&json!({"endTime": end}))})));
    assert!(is_perpetual(json!({"schedule": recurring(&json!({"endTime": end, "endBy": "Never"}))})));
    let inside = json!({"type": "daily", "dayFrequency": "everyday", "repeatFrequency": 1, "endBy": "NEVER"});
    assert!(is_perpetual(json!({"schedule": recurring(&json!({"endTime": end, "pattern": inside}))})));
    assert!(!is_perpetual(json!({"endBy": "", "schedule": recurring(&json!({"endBy": null}))})));
    let body = json!({"endBy": "TOMORROW", "schedule": recurring(&json!({"endBy": 5}))});
    let expected = ["endBy: must be one of: NEVER", "schedule.endBy: must be one of: NEVER"];
    assert_eq!(try_body(&body).unwrap_err(), expected);
}

#[test]
fn a_perpetual_window_needs_no_later_end() {
    let schedule = read(recurring(&json!({
        "startTime": "2026-05-28T22:00:00+0000", "endTime": "2020-01-01T02:00:00+0000", "timezone": "gmt", "endBy": "NEVER",
    })));
    let rule = schedule.rule();
    let expected = Interval::new(stamp("2030-01-01T22:00:00Z"), stamp("2030-01-02T02:00:00Z"));
    assert_eq!(rule.contains(stamp("2030-01-02T01:59:59Z")), expected);
    assert_eq!(rule.contains(stamp("2030-01-02T02:00:00Z")), None);
    let MaintenanceSchedule::Recurring { zone, .. } = schedule else { panic!("it is one-time") };
    assert_eq!(zone.name(), "GMT");
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
    assert!(found[0].starts_with("schedule.timezone: is no time zone; did you mean Europe/Berlin or "), "{}", found[0]);
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
