//! What is said of schedules is read and written as operation 9 of `docs/interface.md` has it.

use base::{body::Request as _, timestamp::Timestamp};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::*;

fn stamp(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn job(pattern: Value) -> Value {
    json!({"startDate": "2026-11-20T10:10:10+0000", "pattern": pattern})
}

fn read(pattern: Value) -> Schedule {
    Schedule::parse(&job(pattern)).unwrap()
}

fn refused(value: &Value) -> Vec<String> {
    let told = |error: base::problem::FieldError| format!("{}: {}", error.field_name, error.message);
    Schedule::parse(value).unwrap_err().errors.into_iter().map(told).collect()
}

/// The first dates on which a job is due.
fn due(pattern: Value, count: usize) -> Vec<String> {
    let rule = read(pattern).due(Zone::GMT);
    let starts: Vec<String> = rule.starts(stamp("1970-01-01T00:00:00Z")).take(count).map(|at| at.to_string()).collect();
    assert!(starts.iter().all(|start| start.ends_with("T10:10:10+0000")), "{starts:?}");
    starts.iter().map(|start| start[..10].to_owned()).collect()
}

#[test]
fn what_is_documented_comes_back_as_it_came() {
    let patterns = [
        json!({"type": "daily", "frequency": "recurrence", "repeatFrequency": 2, "repeatType": "days"}),
        json!({"type": "daily", "frequency": "everyday"}),
        json!({"type": "daily", "frequency": "every weekday"}),
        json!({"type": "weekly", "weekDays": "Sunday,Tuesday", "repeatFrequency": 1}),
        json!({"type": "monthly", "dayOfMonth": "1,2,3", "repeatFrequency": 1}),
        json!({"type": "monthly", "weekIndex": "Second", "dayOfWeek": "Sunday", "repeatFrequency": 1}),
        json!({"type": "daily", "frequency": "recurrence", "repeatFrequency": 90, "repeatType": "minutes"}),
        json!({"type": "daily", "frequency": "recurrence", "repeatFrequency": 12, "repeatType": "hours"}),
        json!({"type": "run once"}),
        json!({"type": "never"}),
    ];
    for pattern in patterns {
        let schedule = read(pattern.clone());
        assert_eq!(json!(schedule).to_string(), job(pattern).to_string());
    }
    let lenient =
        read(json!({"type": "DAILY", "frequency": "Recurrence", "repeatFrequency": "2", "repeatType": "Days"}));
    let strict = json!({"type": "daily", "frequency": "recurrence", "repeatFrequency": 2, "repeatType": "days"});
    assert_eq!(json!(lenient), job(strict));
}

#[test]
fn runs_are_due_at_the_time_of_the_start_date() {
    assert_eq!(
        due(json!({"type": "daily", "frequency": "recurrence", "repeatFrequency": 2}), 2),
        ["2026-11-20", "2026-11-22"]
    );
    assert_eq!(
        due(json!({"type": "daily", "frequency": "every weekday"}), 3),
        ["2026-11-20", "2026-11-23", "2026-11-24"]
    );
    assert_eq!(due(json!({"type": "weekly", "weekDays": "Sunday, Thursday"}), 2), ["2026-11-22", "2026-11-26"]);
    assert_eq!(due(json!({"type": "monthly", "dayOfMonth": "1, 31"}), 3), ["2026-11-30", "2026-12-01", "2026-12-31"]);
    for once in ["never", "run once"] {
        assert_eq!(due(json!({"type": once}), 2), ["2026-11-20"]);
    }
}

#[test]
fn one_run_is_due_when_it_says_in_any_zone() {
    // The second of two hours in which New York shows 01:30.
    let value = json!({"startDate": "2026-11-01T06:30:00+0000", "pattern": {"type": "run once"}});
    let rule = Schedule::parse(&value).unwrap().due(Zone::find("America/New_York").unwrap());
    let due: Vec<_> = rule.starts(stamp("1970-01-01T00:00:00Z")).collect();
    assert_eq!(due, [stamp("2026-11-01T06:30:00Z")]);
}

#[test]
fn what_is_wrong_is_named() {
    assert_eq!(refused(&json!({})), ["startDate: is required", "pattern: is required"]);
    let yearly = refused(&job(json!({"type": "yearly"})));
    assert_eq!(yearly, ["pattern.type: must be one of: daily, weekly, monthly, never, run once"]);
    let weeks = refused(&job(json!({"type": "daily", "repeatFrequency": 2, "repeatType": "weeks"})));
    assert_eq!(weeks, ["pattern.repeatType: must be one of: days, hours, minutes"]);
    for (unit, most) in [("minutes", 1440), ("hours", 744)] {
        for wrong in [json!(0), json!(most + 1), json!("x")] {
            let refused = refused(&job(json!({"type": "daily", "repeatFrequency": wrong, "repeatType": unit})));
            assert!(refused[0].starts_with("pattern.repeatFrequency: must be"), "{refused:?}");
        }
        let missing = refused(&job(json!({"type": "daily", "repeatType": unit})));
        assert_eq!(missing, ["pattern.repeatFrequency: is required"]);
    }
    let both = json!({"startDate": "2026-11-20T10:10:10+0000", "pattern": {"type": "never"}, "cron": "* * * * *"});
    assert_eq!(refused(&both), ["cron: must be absent when pattern is there"]);
    for cron in
        ["* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "0 0 30 2 *", "ä", ", * * * *", &"1,".repeat(101)]
    {
        let refused = refused(&json!({"startDate": "2026-11-20T10:10:10+0000", "cron": cron}));
        assert!(refused.len() == 1 && refused[0].starts_with("cron: "), "{cron}: {refused:?}");
    }
}

#[test]
fn cron_comes_back_with_single_blanks() {
    let given = json!({"startDate": "2026-11-20T10:10:10+0000", "cron": " */15   9-17 * *  MON-fri "});
    let expected = json!({"startDate": "2026-11-20T10:10:10+0000", "cron": "*/15 9-17 * * MON-fri"});
    let schedule = Schedule::parse(&given).unwrap();
    assert_eq!(json!(schedule).to_string(), expected.to_string());
    assert_eq!(Schedule::parse(&json!(schedule)), Ok(schedule));
}

/// Names that count, and values that may fit one of them.
const NAMES: [&str; 12] = [
    "type",
    "startDate",
    "frequency",
    "repeatFrequency",
    "repeatType",
    "weekDays",
    "weekIndex",
    "dayOfWeek",
    "dayOfMonth",
    "cron",
    "timezone",
    "pattern",
];
const WORDS: [&str; 17] = [
    "weekly",
    "monthly",
    "run once",
    "every weekday",
    "recurrence",
    "minutes",
    "hours",
    "days",
    "last",
    "monday,Friday",
    "1,31",
    "*/5 9 * * *",
    "Europe/Paris",
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
    changes.prop_map(move |changes| {
        let mut schedule = job(json!({"type": "daily", "frequency": "recurrence", "repeatFrequency": 3}));
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
        if let Ok(schedule) = Schedule::parse(&value) {
            schedule.due(Zone::GMT).starts(stamp("2026-11-20T20:37:00Z")).next();
            // The zone is stored beside it.
            let stored = Schedule { time_zone: None, timezone: None, ..schedule };
            prop_assert_eq!(Schedule::parse(&json!(stored)), Ok(stored));
        }
    }
}
