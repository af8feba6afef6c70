use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{End, Pattern, Recurring, Weekdays};

fn rotation(length: Value, start: &str) -> Rotation {
    serde_json::from_value(json!({"length": length, "start": start})).unwrap()
}

/// A shift from nine to five on weekdays.
fn weekdays(zone: Zone) -> Rule {
    Rule::recurring(Recurring {
        zone,
        start_date: Timestamp::parse("2026-01-01T00:00:00Z").unwrap(),
        start_time: TimeOfDay::parse("09:00:00").unwrap(),
        end_time: TimeOfDay::parse("17:00:00").unwrap(),
        pattern: Pattern::Weekly { every: 1, days: Weekdays::MONDAY_TO_FRIDAY },
        end: End::Never,
    })
}

fn turns(length: Value, start: &str, zone: &str) -> Turns {
    let zone = Zone::find(zone).unwrap();
    rotation(length, start).turns(zone, &weekdays(zone))
}

fn starts(length: Value, start: &str, zone: &str, count: i64) -> Vec<String> {
    let turns = turns(length, start, zone);
    (0..count).map(|number| turns.start(number).unwrap().to_string()[..16].to_owned()).collect()
}

#[test]
fn weeks_and_days_are_of_the_local_calendar_and_hours_pass() {
    let weekly = starts(json!({"weeks": 1}), "2026-03-23T09:00:00", "Europe/Vienna", 3);
    assert_eq!(weekly, ["2026-03-23T08:00", "2026-03-30T07:00", "2026-04-06T07:00"]);
    let daily = starts(json!({"days": 1}), "2026-03-28T02:30:00", "Europe/Vienna", 3);
    assert_eq!(daily, ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"], "02:30 is skipped once");
    let hourly = starts(json!({"hours": 24}), "2026-03-28T02:30:00", "Europe/Vienna", 3);
    assert_eq!(hourly, ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T01:30"]);
    // Samoa left out 30 December 2011.
    let apia = starts(json!({"days": 1}), "2011-12-29T09:00:00", "Pacific/Apia", 4);
    assert_eq!(apia, ["2011-12-29T19:00", "2011-12-30T10:00", "2011-12-30T19:00", "2011-12-31T19:00"]);
}

#[test]
fn occurrences_are_counted_from_the_first_that_starts_at_or_after_the_start() {
    // 26 March is a Thursday; the clocks change on Sunday.
    let each = starts(json!({"occurrences": 1}), "2026-03-26T09:00:01", "Europe/Vienna", 3);
    assert_eq!(each, ["2026-03-27T08:00", "2026-03-30T07:00", "2026-03-31T07:00"]);
    let two = starts(json!({"occurrences": 2}), "2026-03-26T09:00:00", "Europe/Vienna", 3);
    assert_eq!(two, ["2026-03-26T08:00", "2026-03-30T07:00", "2026-04-01T07:00"]);
    // The schedule begins later than the rotation.
    let early = starts(json!({"occurrences": 1}), "2020-01-01T00:00:00", "Europe/Vienna", 2);
    assert_eq!(early, ["2026-01-01T08:00", "2026-01-02T08:00"]);
}

#[test]
fn a_schedule_that_ends_has_no_further_turns() {
    let at = |text: &str| Timestamp::parse(text).unwrap();
    let once = Interval::new(at("2026-05-01T00:00:00Z"), at("2026-05-02T00:00:00Z")).unwrap();
    let turns = rotation(json!({"occurrences": 1}), "2026-04-01T00:00:00").turns(Zone::GMT, &Rule::OneTime(once));
    assert_eq!((turns.first(), turns.start(1), turns.at(at("2027-01-01T00:00:00Z"))), (once.start(), None, Some(0)));
    let late = rotation(json!({"occurrences": 1}), "2026-06-01T00:00:00").turns(Zone::GMT, &Rule::OneTime(once));
    assert_eq!((late.first(), late.at(at("2027-01-01T00:00:00Z"))), (NEVER, None));
}

#[test]
fn a_rotation_is_moved_to_where_a_turn_begins() {
    let zone = Zone::find("Europe/Vienna").unwrap();
    let moved = |length: Value, start: &str, turn: i64, at: &str| {
        let at = Timestamp::parse(at).unwrap();
        rotation(length, start).moved(zone, &weekdays(zone), turn, at).map(|moved| moved.start.to_string())
    };
    let expect = |start: &str| Some(start.to_owned());
    let daily = json!({"days": 1});
    // 02:30 is skipped on 29 March, and what should be then is at 03:00.
    let skipped = moved(daily.clone(), "2026-01-01T02:30:00", 3, "2026-03-29T01:00:00Z");
    assert_eq!(skipped, expect("2026-03-26T02:30:00"));
    let other = moved(daily, "2026-01-01T02:30:00", 3, "2026-03-30T07:00:00Z");
    assert_eq!(other, expect("2026-03-27T09:00:00"));
    let hours = moved(json!({"hours": 12}), "2026-01-01T00:00:00", 2, "2026-03-29T07:00:00Z");
    assert_eq!(hours, expect("2026-03-28T08:00:00"));
    let each = moved(json!({"occurrences": 2}), "2026-01-01T00:00:00", 2, "2026-03-30T07:00:00Z");
    assert_eq!(each, expect("2026-03-24T09:00:00"));
    assert_eq!(moved(json!({"occurrences": 2}), "2026-01-01T00:00:00", 2, "2026-01-06T08:00:00Z"), None);
    assert_eq!(moved(json!({"weeks": 53}), "2026-01-01T00:00:00", 99, "2026-03-30T07:00:00Z"), None);
}

#[test]
fn what_is_read_is_written() {
    for (length, start) in [
        (json!({"weeks": 1}), "2026-11-23T09:00:00"),
        (json!({"days": 366}), "1970-01-01T00:00:00"),
        (json!({"hours": 8}), "9998-12-31T23:59:59"),
        (json!({"occurrences": 14}), "2026-11-23T09:00:00"),
    ] {
        let read = rotation(length.clone(), start);
        assert_eq!(json!(read), json!({"length": length, "start": start}));
    }
}

#[test]
fn a_start_is_a_local_time() {
    let local = Err("must be a local time without an offset, such as 2026-11-23T09:00:00");
    for start in [
        "2026-11-23",
        "2026-11-23T09:00",
        "2026-02-30T09:00:00",
        "1969-01-01T00:00:00",
        "2026-11-23T09:00:00Z",
        "x",
        "",
    ] {
        assert_eq!(Start::parse(start), local, "{start}");
    }
}

proptest! {
    #[test]
    fn every_instant_has_the_turn_that_began_last(
        zone in prop::sample::select(vec!["Pacific/Apia", "Antarctica/Troll", "Africa/Casablanca", "America/Havana",
            "Asia/Kathmandu"]),
        length in prop_oneof![
            (1..3_u16).prop_map(|n| json!({"weeks": n})),
            (1..5_u16).prop_map(|n| json!({"days": n})),
            (1..50_u16).prop_map(|n| json!({"hours": n})),
            (1..20_u16).prop_map(|n| json!({"occurrences": n})),
        ],
        minutes in 0..1_440_i64,
        hours in 0..280_000_i64,
    ) {
        let start = format!("2007-01-01T{:02}:{:02}:00", minutes / 60, minutes % 60);
        let turns = turns(length, &start, zone);
        let at = Timestamp::from_millis(turns.first().millis() + hours * HOUR_MS);
        let number = turns.at(at).unwrap();
        prop_assert!(turns.start(number).unwrap() <= at);
        prop_assert!(turns.start(number + 1).unwrap() > at);
        prop_assert_eq!(turns.at(Timestamp::from_millis(turns.first().millis() - 1)), None);
    }
}
