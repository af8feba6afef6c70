//! What is said of schedules is read and written as operation 11 of `docs/interface.md` has it.

use base::{Timestamp, body::Request as _};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::*;

fn stamp(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A recurring schedule with some members replaced; `null` stands for absence.
fn recurring(changes: &Value) -> Value {
    let mut schedule = json!({
        "type": "recurring",
        "startDate": "2026-02-06T00:00:00+0000",
        "startTime": "09:00:00",
        "endTime": "17:30:00",
        "pattern": {"type": "daily", "repeatFrequency": 1},
        "endPattern": {"type": "NEVER"},
    });
    for (name, value) in changes.as_object().unwrap() {
        schedule[name] = value.clone();
    }
    schedule
}

fn read(value: &Value) -> ShiftSchedule {
    ShiftSchedule::parse(value).unwrap_or_else(|problem| panic!("{value}: {problem}"))
}

fn refused(value: &Value) -> Vec<String> {
    let problem = ShiftSchedule::parse(value).expect_err(&value.to_string());
    problem.errors.iter().map(|error| format!("{}: {}", error.field_name, error.message)).collect()
}

fn pattern_of(pattern: Value) -> Pattern {
    let ShiftSchedule::Recurring(schedule) = read(&recurring(&json!({"pattern": pattern}))) else {
        panic!("it is one-time");
    };
    schedule.pattern.pattern()
}

fn end_of(end: Value) -> End {
    let ShiftSchedule::Recurring(schedule) = read(&recurring(&json!({"endPattern": end}))) else {
        panic!("it is one-time");
    };
    schedule.end_pattern.end()
}

#[test]
fn one_time() {
    let value =
        json!({"type": "one-time", "startDate": "2026-11-20T08:00:00+0000", "endDate": "2026-11-21T08:00:00+0000"});
    let schedule = read(&value);
    assert_eq!(json!(schedule), value);
    let rule = schedule.rule(Zone::GMT);
    assert!(rule.contains(stamp("2026-11-20T08:00:00Z")).is_some());
    assert!(rule.contains(stamp("2026-11-21T08:00:00Z")).is_none());
}

#[test]
fn what_is_documented_comes_back_as_it_came() {
    let patterns = [
        json!({"type": "daily", "repeatFrequency": 10}),
        json!({"type": "weekly", "repeatFrequency": 2}),
        json!({"type": "weekly", "repeatFrequency": 1, "weekDays": "Sunday,Monday,Saturday"}),
        json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_WEEK", "weekIndex": "Last",
            "dayOfWeek": "Friday"}),
        json!({"type": "monthly", "repeatFrequency": 3, "repeatType": "DAY_OF_MONTH", "dayOfMonth": 31}),
        json!({"type": "yearly", "repeatFrequency": 1}),
    ];
    let ends = [
        json!({"type": "NEVER"}),
        json!({"type": "OCCURRENCES", "occurrences": 5}),
        json!({"type": "DATE", "endDate": "2026-12-31T00:00:00+0000"}),
    ];
    for pattern in patterns {
        for end in &ends {
            let value = recurring(&json!({"pattern": pattern, "endPattern": end}));
            let schedule = read(&value);
            // In the documented order.
            assert_eq!(serde_json::to_string(&schedule).unwrap(), value.to_string());
        }
    }
}

#[test]
fn lenient_in_strict_out() {
    let value = json!({
        "type": "Recurring",
        "startDate": "2026-02-06T05:30:00+05:30",
        "startTime": "22:00:00",
        "endTime": "06:00:00",
        "pattern": {"type": "WEEKLY", "repeatFrequency": "2", "weekDays": " friday, MONDAY ,friday", "repeatType": 7},
        "endPattern": {"type": "Occurrences", "occurrences": "5"},
        "color": "red",
    });
    let expected = recurring(&json!({
        "startTime": "22:00:00",
        "endTime": "06:00:00",
        "pattern": {"type": "weekly", "repeatFrequency": 2, "weekDays": "Monday,Friday"},
        "endPattern": {"type": "OCCURRENCES", "occurrences": 5},
    }));
    assert_eq!(json!(read(&value)), expected);
    assert_eq!(
        pattern_of(json!({"type": "weekly", "repeatFrequency": 1, "weekDays": ""})),
        Pattern::Weekly { every: 1, days: Default::default() }
    );
    assert_eq!(
        pattern_of(json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "day_of_week", "weekIndex": "second",
            "dayOfWeek": "TUESDAY"})),
        Pattern::Monthly { every: 1, on: OnDay::Nth(WeekIndex::Second, Weekday::Tuesday) }
    );
}

#[test]
fn the_end_has_other_keys_too() {
    assert_eq!(end_of(json!({"type": "OCCURRENCES", "OCCURRENCES": 7})), End::Occurrences(7));
    assert_eq!(end_of(json!({"type": "OCCURRENCES", "OCCURRENCES": 7, "occurrences": 8})), End::Occurrences(8));
    let date = stamp("2027-01-01T00:00:00Z");
    assert_eq!(end_of(json!({"type": "DATE", "DATE": "2027-01-01T00:00:00Z"})), End::Date(date));
    assert_eq!(end_of(json!({"type": "date", "endDate": "2027-01-01T00:00:00Z"})), End::Date(date));
}

#[test]
fn everything_is_mandatory() {
    assert_eq!(refused(&json!({})), ["type: is required"]);
    assert_eq!(refused(&json!({"type": "one-time"})), ["startDate: is required", "endDate: is required"]);
    let expected = [
        "startDate: is required",
        "startTime: is required",
        "endTime: is required",
        "pattern: is required",
        "endPattern: is required",
    ];
    assert_eq!(refused(&json!({"type": "recurring"})), expected);
    let expected =
        ["pattern.type: is required", "pattern.repeatFrequency: is required", "endPattern.type: is required"];
    assert_eq!(refused(&recurring(&json!({"pattern": {}, "endPattern": {}}))), expected);
    let monthly = |pattern: Value| refused(&recurring(&json!({"pattern": pattern})));
    assert_eq!(monthly(json!({"type": "monthly", "repeatFrequency": 1})), ["pattern.repeatType: is required"]);
    let by_day = json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_MONTH"});
    assert_eq!(monthly(by_day), ["pattern.dayOfMonth: is required"]);
    let by_weekday = json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_WEEK"});
    assert_eq!(monthly(by_weekday), ["pattern.weekIndex: is required", "pattern.dayOfWeek: is required"]);
    let end = |end: Value| refused(&recurring(&json!({"endPattern": end})));
    assert_eq!(end(json!({"type": "OCCURRENCES"})), ["endPattern.occurrences: is required"]);
    assert_eq!(end(json!({"type": "DATE"})), ["endPattern.endDate: is required"]);
}

#[test]
fn what_is_out_of_range_names_the_range() {
    let steps = "pattern.repeatFrequency: must be an integer from 1 to 10";
    for every in [json!(0), json!(11), json!("0"), json!(1.5), json!([]), json!(-1)] {
        for kind in ["daily", "yearly"] {
            let value = recurring(&json!({"pattern": {"type": kind, "repeatFrequency": every}}));
            assert_eq!(refused(&value), [steps], "{value}");
        }
    }
    for every in [json!(0), json!(53)] {
        let value = recurring(&json!({"pattern": {"type": "weekly", "repeatFrequency": every}}));
        assert_eq!(refused(&value), ["pattern.repeatFrequency: must be an integer from 1 to 52"], "{value}");
    }
    let year = Pattern::Weekly { every: 52, days: Default::default() };
    assert_eq!(pattern_of(json!({"type": "weekly", "repeatFrequency": 52})), year);
    let monthly = |day: Value| {
        let pattern = json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_MONTH", "dayOfMonth": day});
        refused(&recurring(&json!({"pattern": pattern})))
    };
    for day in [json!(0), json!(32), json!("1,2")] {
        assert_eq!(monthly(day), ["pattern.dayOfMonth: must be an integer from 1 to 31"]);
    }
    for count in [json!(0), json!(2_147_483_648_u64), json!(1_000_001), json!("many")] {
        for name in ["occurrences", "OCCURRENCES"] {
            let value = recurring(&json!({"endPattern": {"type": "OCCURRENCES", name: count}}));
            let expected = format!("endPattern.{name}: must be an integer from 1 to 1000000");
            assert_eq!(refused(&value), [expected]);
        }
    }
}

#[test]
fn a_wrong_word_gets_the_list_of_the_right_ones() {
    let weekly = |days: Value| {
        refused(&recurring(&json!({"pattern": {"type": "weekly", "repeatFrequency": 1, "weekDays": days}})))
    };
    let expected = "pattern.weekDays: must be weekdays separated by commas, each one of: \
        Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday";
    for days in [json!("Munday"), json!("Monday,"), json!("Monday Tuesday"), json!(["Monday"]), json!(1), json!(true)] {
        assert_eq!(weekly(days.clone()), [expected], "{days}");
    }
    let value =
        recurring(&json!({"pattern": {"type": "hourly", "repeatFrequency": 1}, "endPattern": {"type": "LATER"}}));
    let expected = [
        "pattern.type: must be one of: daily, weekly, monthly, yearly",
        "endPattern.type: must be one of: NEVER, OCCURRENCES, DATE",
    ];
    assert_eq!(refused(&value), expected);
    assert_eq!(refused(&json!({"type": "sometimes"})), ["type: must be one of: one-time, recurring"]);
    let pattern = json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_WEEK", "weekIndex": "Fifth",
        "dayOfWeek": "Day"});
    let expected = [
        "pattern.weekIndex: must be one of: First, Second, Third, Fourth, Last",
        "pattern.dayOfWeek: must be one of: Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday",
    ];
    assert_eq!(refused(&recurring(&json!({"pattern": pattern}))), expected);
}

#[test]
fn instants_and_times_have_their_bounds() {
    let one_time = |start: &str, end: &str| refused(&json!({"type": "one-time", "startDate": start, "endDate": end}));
    let early = "2026-11-20T08:00:00+0000";
    let late = "2026-11-21T08:00:00+0000";
    for end in [early, "2026-11-20T07:59:59+0000"] {
        assert_eq!(one_time(early, end), ["endDate: must be after startDate"]);
    }
    let years = "must lie in the years 1970 to 9998";
    assert_eq!(one_time(early, "9999-01-01T00:00:00+0000"), [format!("endDate: {years}")]);
    assert_eq!(one_time("1969-12-31T23:59:59+0000", late), [format!("startDate: {years}")]);
    assert_eq!(one_time("tomorrow", late), ["startDate: must be a time such as 2026-11-20T20:37:00+0000"]);
    let end = |name: &str, date: &str| refused(&recurring(&json!({"endPattern": {"type": "DATE", name: date}})));
    assert_eq!(end("endDate", "2026-02-06T00:00:00+0000"), ["endPattern.endDate: must be after startDate"]);
    assert_eq!(end("DATE", "9999-12-31T00:00:00+0000"), [format!("endPattern.DATE: {years}")]);
    for wrong in [json!("24:00:00"), json!("9:00"), json!(900), json!("")] {
        let value = recurring(&json!({"startTime": wrong}));
        assert_eq!(refused(&value), ["startTime: must be a time of day from 00:00:00 to 23:59:59"], "{value}");
    }
    read(&recurring(&json!({"startDate": "9998-12-31T23:59:59+0000"})));
}

#[test]
fn a_schedule_means_what_it_says() {
    let schedule = read(&recurring(&json!({})));
    let rule = schedule.rule(Zone::find("America/New_York").unwrap());
    let first = rule.next(1, stamp("1970-01-01T00:00:00Z"))[0];
    assert_eq!((first.start(), first.end()), (stamp("2026-02-06T14:00:00Z"), stamp("2026-02-06T22:30:00Z")));
}

/// Names that count, and values that may fit one of them.
const NAMES: [&str; 14] = [
    "type",
    "startDate",
    "endDate",
    "startTime",
    "endTime",
    "repeatFrequency",
    "repeatType",
    "weekDays",
    "weekIndex",
    "dayOfWeek",
    "dayOfMonth",
    "occurrences",
    "OCCURRENCES",
    "DATE",
];
const WORDS: [&str; 16] = [
    "one-time",
    "weekly",
    "yearly",
    "DAY_OF_WEEK",
    "NEVER",
    "OCCURRENCES",
    "last",
    "monday,Friday",
    "1,31",
    "1970-01-01T00:00:00+0000",
    "9998-12-31T23:59:59+0000",
    "02:30:00",
    "23:59:59",
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
    let changes = vec((select(&["", "/pattern", "/endPattern"][..]), select(&NAMES[..]), value), 0..4);
    let pattern = json!({"type": "monthly", "repeatFrequency": 1, "repeatType": "DAY_OF_MONTH", "dayOfMonth": 31,
        "weekIndex": "First", "dayOfWeek": "Monday"});
    changes.prop_map(move |changes| {
        let mut schedule = recurring(&json!({"pattern": pattern, "endPattern": {"type": "DATE",
            "endDate": "2027-01-01T00:00:00+0000", "occurrences": 5}}));
        for (place, name, value) in changes {
            schedule.pointer_mut(place).unwrap()[name] = value;
        }
        schedule
    })
}

proptest! {
    #[test]
    fn what_is_read_is_stored_and_read_again(value in nearly()) {
        if let Ok(schedule) = ShiftSchedule::parse(&value) {
            schedule.rule(Zone::GMT).next(2, stamp("2026-11-20T20:37:00Z"));
            prop_assert_eq!(ShiftSchedule::parse(&json!(schedule)), Ok(schedule));
        }
    }
}
