//! The example values of "Time zones and calendars" in `docs/interface.md`, and the corners around them.

use calendar::{
    End, Interval, MonthDays, Months, OnDay, Pattern, Recurring, Repeated, Rule, TimeOfDay, WeekIndex, Weekday,
    Weekdays, Zone,
};

use crate::generate::{stamp, time};

const DAILY: Pattern = Pattern::Daily { every: 1 };

/// A shift from a date on, daily and for ever unless changed.
fn shift(zone: &str, start_date: &str, start: &str, end: &str) -> Recurring {
    Recurring {
        zone: Zone::find(zone).unwrap(),
        start_date: stamp(start_date),
        start_time: time(start),
        end_time: time(end),
        pattern: DAILY,
        end: End::Never,
    }
}

/// `start/end` of each, without what all of them end in.
fn written(intervals: impl IntoIterator<Item = Interval>) -> Vec<String> {
    let text = |at: base::Timestamp| at.to_string().replace(":00+0000", "Z");
    intervals.into_iter().map(|interval| format!("{}/{}", text(interval.start()), text(interval.end()))).collect()
}

fn between(rule: &Rule, from: &str, until: &str) -> Vec<String> {
    written(rule.occurrences(stamp(from)..stamp(until)))
}

/// The dates on which the first occurrences of a daily-timed rule in GMT start.
fn dates(pattern: Pattern, start_date: &str, count: usize) -> Vec<String> {
    let rule = Recurring { pattern, ..shift("GMT", start_date, "00:00:00", "01:00:00") };
    let found = Rule::recurring(rule).next(count, stamp("1970-01-01T00:00:00Z"));
    found.iter().map(|interval| interval.start().to_string()[..10].to_owned()).collect()
}

fn days(days: &[u8]) -> OnDay {
    OnDay::Days(days.iter().copied().collect())
}

#[test]
fn azores_over_both_changes() {
    let rule = Rule::recurring(shift("Atlantic/Azores", "2026-01-01T00:00:00Z", "00:00:00", "08:00:00"));
    let spring = between(&rule, "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z");
    assert_eq!(spring, ["2026-03-29T01:00Z/2026-03-29T08:00Z"]);
    let autumn = between(&rule, "2026-10-25T00:00:00Z", "2026-10-26T00:00:00Z");
    assert_eq!(autumn, ["2026-10-25T00:00Z/2026-10-25T09:00Z"]);
}

#[test]
fn paris_in_the_hour_that_is_skipped() {
    let rule = Rule::recurring(shift("Europe/Paris", "2026-03-01T00:00:00Z", "02:30:00", "03:30:00"));
    let found = between(&rule, "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z");
    assert_eq!(found, ["2026-03-29T01:00Z/2026-03-29T01:30Z"]);
}

#[test]
fn st_johns_over_midnight_and_a_change() {
    let rule = Rule::recurring(shift("America/St_Johns", "2026-03-07T03:30:00Z", "22:00:00", "06:00:00"));
    let first = written(rule.next(1, stamp("2026-01-01T00:00:00Z")));
    assert_eq!(first, ["2026-03-08T01:30Z/2026-03-08T08:30Z"]);
}

#[test]
fn the_anchor_is_the_first_start_at_or_after_the_start_date() {
    let first = |start_date: &str, start: &str| {
        let rule = Rule::recurring(shift("America/New_York", start_date, start, "17:00:00"));
        written(rule.next(1, stamp("1970-01-01T00:00:00Z"))).remove(0)
    };
    let sixth = "2026-02-06T14:00Z/2026-02-06T22:00Z";
    assert_eq!(first("2026-02-06T00:00:00+0000", "09:00:00"), sixth);
    assert_eq!(first("2026-02-06T14:00:00+0000", "09:00:00"), sixth);
    assert_eq!(first("2026-02-06T14:00:01+0000", "09:00:00"), "2026-02-07T14:00Z/2026-02-07T22:00Z");
    assert_eq!(first("2026-02-05T14:00:01+0000", "09:00:00"), sixth);
    // The first of the two hours from one to two, in the autumn.
    assert_eq!(first("2026-11-01T05:30:00+0000", "01:30:00"), "2026-11-01T05:30Z/2026-11-01T22:00Z");
    assert_eq!(first("2026-11-01T05:31:00+0000", "01:30:00"), "2026-11-02T06:30Z/2026-11-02T22:00Z");
}

#[test]
fn a_shift_contains_its_start_and_not_its_end() {
    let rule = Rule::recurring(shift("GMT", "2026-01-01T00:00:00Z", "22:00:00", "06:00:00"));
    let night = "2026-01-01T22:00Z/2026-01-02T06:00Z";
    let at = |text: &str| written(rule.contains(stamp(text)));
    assert_eq!(at("2026-01-01T22:00:00Z"), [night]);
    assert_eq!(at("2026-01-02T05:59:59Z"), [night]);
    assert!(at("2026-01-01T21:59:59Z").is_empty() && at("2026-01-02T06:00:00Z").is_empty());
    // Before the anchor there is nothing, though the local times would fit.
    assert!(at("2026-01-01T03:00:00Z").is_empty());
}

#[test]
fn equal_times_are_a_whole_day_whatever_the_clocks_do() {
    let rule = Rule::recurring(shift("Europe/Paris", "2026-01-01T00:00:00Z", "02:30:00", "02:30:00"));
    let spring = between(&rule, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z");
    assert_eq!(spring, ["2026-03-28T01:30Z/2026-03-29T01:00Z", "2026-03-29T01:00Z/2026-03-30T00:30Z"]);
    let autumn = between(&rule, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z");
    assert_eq!(autumn, ["2026-10-24T00:30Z/2026-10-25T00:30Z", "2026-10-25T00:30Z/2026-10-26T01:30Z"]);
}

#[test]
fn what_the_clocks_skip_whole_does_not_take_place_but_counts() {
    let shift = shift("Europe/Paris", "2026-03-28T00:00:00Z", "02:15:00", "02:45:00");
    let rule = Rule::recurring(Recurring { end: End::Occurrences(3), ..shift });
    let all = between(&rule, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    assert_eq!(all, ["2026-03-28T01:15Z/2026-03-28T01:45Z", "2026-03-30T00:15Z/2026-03-30T00:45Z"]);
    assert_eq!(rule.contains(stamp("2026-03-29T01:00:00Z")), None);
    let starts: Vec<String> = rule.starts(stamp("2026-03-01T00:00:00Z")).map(|start| start.to_string()).collect();
    let expected = ["2026-03-28T01:15:00+0000", "2026-03-29T01:00:00+0000", "2026-03-30T00:15:00+0000"];
    assert_eq!(starts, expected);
}

#[test]
fn a_rule_that_never_takes_place_is_known_soon() {
    // Every year on the day of the change, in the hour that is skipped.
    let on = OnDay::Nth(WeekIndex::Last, Weekday::Sunday);
    let pattern = Pattern::Yearly { every: 1, months: [3].into_iter().collect(), on };
    let shift = shift("Europe/Paris", "2000-01-01T00:00:00Z", "02:15:00", "02:45:00");
    let rule = Rule::recurring(Recurring { pattern, ..shift });
    let now = stamp("2026-11-20T20:37:00Z");
    assert_eq!((rule.next(1, now), rule.contains(now)), (Vec::new(), None));
}

#[test]
fn clocks_that_go_back_over_midnight() {
    // In those years St. John's went from 00:01 back to 23:01 of the day before.
    let rule = Rule::recurring(shift("America/St_Johns", "2005-10-01T00:00:00Z", "00:00:00", "23:30:00"));
    let found = between(&rule, "2005-10-29T22:00:00Z", "2005-10-31T12:00:00Z");
    let expected = [
        "2005-10-29T02:30Z/2005-10-30T02:00Z",
        "2005-10-30T02:30Z/2005-10-31T03:00Z",
        "2005-10-31T03:30Z/2005-11-01T03:00Z",
    ];
    assert_eq!(found, expected);
    // It is Saturday again, and Sunday's shift has begun.
    let saturday = stamp("2005-10-30T02:45:00Z");
    assert_eq!(written(rule.contains(saturday)), [expected[1]]);
    let shift = shift("America/St_Johns", "2005-10-28T00:00:00Z", "00:00:00", "00:00:30");
    let ending = Rule::recurring(Recurring { end: End::Date(saturday), ..shift });
    let sunday = Interval::new(stamp("2005-10-30T02:30:00Z"), stamp("2005-10-30T02:30:30Z"));
    assert_eq!(ending.previous(saturday), sunday);
    assert_eq!(ending.previous(stamp("2030-01-01T00:00:00Z")), sunday);
}

#[test]
fn clocks_that_skip_the_hour_before_midnight() {
    // In Dacca, 19 June 2009 ended at 23:00.
    let rule = Rule::recurring(shift("Asia/Dacca", "2009-06-19T17:00:00Z", "23:30:00", "06:00:00"));
    let first = written(rule.next(1, stamp("1970-01-01T00:00:00Z")));
    assert_eq!(first, ["2009-06-19T17:00Z/2009-06-19T23:00Z"]);
}

#[test]
fn every_so_many_days_weeks_months_and_years() {
    assert_eq!(
        dates(Pattern::Daily { every: 3 }, "2026-02-26T00:00:00Z", 3),
        ["2026-02-26", "2026-03-01", "2026-03-04"]
    );
    // The anchor is a Wednesday: this week's Wednesday and Friday, then those of every other week with its Monday.
    let some: Weekdays = [Weekday::Monday, Weekday::Wednesday, Weekday::Friday].into_iter().collect();
    let found = dates(Pattern::Weekly { every: 2, days: some }, "2026-01-07T00:00:00Z", 5);
    assert_eq!(found, ["2026-01-07", "2026-01-09", "2026-01-19", "2026-01-21", "2026-01-23"]);
    // Weeks start on Sunday: from a Saturday on, the next day is another week.
    let weekend: Weekdays = [Weekday::Saturday, Weekday::Sunday].into_iter().collect();
    let found = dates(Pattern::Weekly { every: 2, days: weekend }, "2026-01-10T00:00:00Z", 3);
    assert_eq!(found, ["2026-01-10", "2026-01-18", "2026-01-24"]);
    let found = dates(Pattern::Weekly { every: 1, days: Weekdays::default() }, "2026-01-07T00:00:00Z", 2);
    assert_eq!(found, ["2026-01-07", "2026-01-14"]);
    let found = dates(Pattern::Weekly { every: 1, days: Weekdays::MONDAY_TO_FRIDAY }, "2026-01-09T00:00:00Z", 3);
    assert_eq!(found, ["2026-01-09", "2026-01-12", "2026-01-13"]);
    let yearly = Pattern::Yearly { every: 2, months: Months::default(), on: days(&[]) };
    assert_eq!(dates(yearly, "2026-05-17T00:00:00Z", 2), ["2026-05-17", "2028-05-17"]);
}

#[test]
fn days_that_a_month_does_not_have_are_its_last() {
    let monthly = |every, on| Pattern::Monthly { every, on };
    let found = dates(monthly(1, days(&[31])), "2027-12-05T00:00:00Z", 5);
    assert_eq!(found, ["2027-12-31", "2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30"]);
    let found = dates(monthly(1, days(&[30, 31, 29])), "2026-02-01T00:00:00Z", 5);
    assert_eq!(found, ["2026-02-28", "2026-03-29", "2026-03-30", "2026-03-31", "2026-04-29"]);
    // Two months on from the anchor's, although the day has passed in that one.
    assert_eq!(dates(monthly(2, days(&[1])), "2026-02-06T00:00:00Z", 2), ["2026-04-01", "2026-06-01"]);
    let yearly = Pattern::Yearly { every: 1, months: Months::default(), on: days(&[]) };
    let found = dates(yearly, "2024-02-29T00:00:00Z", 5);
    assert_eq!(found, ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]);
    let months: Months = [6, 2].into_iter().collect();
    let found = dates(Pattern::Yearly { every: 1, months, on: days(&[30]) }, "2026-03-01T00:00:00Z", 3);
    assert_eq!(found, ["2026-06-30", "2027-02-28", "2027-06-30"]);
}

#[test]
fn weekdays_of_a_month() {
    let on = |index, day| Pattern::Monthly { every: 1, on: OnDay::Nth(index, day) };
    let found = dates(on(WeekIndex::Last, Weekday::Sunday), "2026-02-01T00:00:00Z", 3);
    assert_eq!(found, ["2026-02-22", "2026-03-29", "2026-04-26"]);
    let found = dates(on(WeekIndex::First, Weekday::Sunday), "2026-02-01T00:00:00Z", 3);
    assert_eq!(found, ["2026-02-01", "2026-03-01", "2026-04-05"]);
    let found = dates(on(WeekIndex::Second, Weekday::Tuesday), "2026-02-11T00:00:00Z", 2);
    assert_eq!(found, ["2026-03-10", "2026-04-14"]);
}

#[test]
fn ends_after_a_number_or_before_a_date() {
    let shift = shift("GMT", "2026-01-01T00:00:00Z", "22:00:00", "06:00:00");
    let all =
        |end| between(&Rule::recurring(Recurring { end, ..shift }), "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    let first = "2026-01-01T22:00Z/2026-01-02T06:00Z";
    let second = "2026-01-02T22:00Z/2026-01-03T06:00Z";
    assert_eq!(all(End::Occurrences(2)), [first, second]);
    assert!(all(End::Occurrences(0)).is_empty());
    // It began before, so it runs to its end; at the end date none begins.
    assert_eq!(all(End::Date(stamp("2026-01-02T22:00:01Z"))), [first, second]);
    assert_eq!(all(End::Date(stamp("2026-01-02T22:00:00Z"))), [first]);
    assert!(all(End::Date(stamp("2026-01-01T22:00:00Z"))).is_empty());
    assert!(all(End::Date(stamp("1990-01-01T22:00:00Z"))).is_empty());
}

fn window(zone: &str, start: &str, end: &str, perpetual: bool) -> Rule {
    let zone = Zone::find(zone).unwrap();
    Rule::repeated(Repeated { zone, start: stamp(start), end: stamp(end), pattern: DAILY, perpetual })
}

#[test]
fn a_window_repeats_its_local_times_until_its_end() {
    // 22:00 to 02:00 in London, in summer time from 29 March on.
    let rule = window("Europe/London", "2026-03-27T22:00:00Z", "2026-03-31T01:00:00Z", false);
    let expected = [
        "2026-03-27T22:00Z/2026-03-28T02:00Z",
        "2026-03-28T22:00Z/2026-03-29T01:00Z",
        "2026-03-29T21:00Z/2026-03-30T01:00Z",
        "2026-03-30T21:00Z/2026-03-31T01:00Z",
    ];
    assert_eq!(between(&rule, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"), expected);
    assert_eq!(written(rule.previous(stamp("2027-01-01T00:00:00Z"))), [expected[3]]);
    assert_eq!(written(rule.previous(stamp("2026-03-31T00:59:59Z"))), [expected[2]]);
    assert_eq!(rule.previous(stamp("2026-03-28T01:59:59Z")), None);
}

#[test]
fn a_perpetual_window_covers_tonight_though_its_end_lies_years_back() {
    let rule = window("America/New_York", "2019-07-01T02:00:00Z", "2018-01-15T11:00:00Z", true);
    // Ten in the evening until six in the morning.
    let tonight = "2026-11-21T03:00Z/2026-11-21T11:00Z";
    assert_eq!(written(rule.contains(stamp("2026-11-21T05:00:00Z"))), [tonight]);
    assert_eq!(rule.contains(stamp("2026-11-20T20:37:00Z")), None);
    // The anchor is the local date of the start: 30 June.
    assert_eq!(written(rule.next(1, stamp("1970-01-01T00:00:00Z"))), ["2019-07-01T02:00Z/2019-07-01T10:00Z"]);
}

#[test]
fn a_window_that_ends_in_the_second_of_two_hours_does_not_start_in_the_first() {
    // 01:30 to 01:30 in Paris is a whole day; the end is the second 02:30 of 25 October.
    let rule = window("Europe/Paris", "2026-10-22T00:30:00Z", "2026-10-25T01:30:00Z", false);
    let last = rule.previous(stamp("2027-01-01T00:00:00Z"));
    assert_eq!(written(last), ["2026-10-24T00:30Z/2026-10-25T00:30Z"]);
}

#[test]
fn samoa_has_a_name_of_its_own() {
    let rule = Rule::recurring(shift("Pacific/Asia", "2026-01-01T00:00:00Z", "00:00:00", "12:00:00"));
    assert_eq!(written(rule.next(1, stamp("2026-06-01T00:00:00Z"))), ["2026-06-01T11:00Z/2026-06-01T23:00Z"]);
}

#[test]
fn a_one_time_rule_answers_the_same_questions() {
    let interval = Interval::new(stamp("2026-01-01T00:00:00Z"), stamp("2026-01-03T00:00:00Z")).unwrap();
    let rule = Rule::OneTime(interval);
    assert_eq!(rule.occurrences(stamp("2026-01-02T00:00:00Z")..stamp("2026-01-02T00:00:01Z")).next(), Some(interval));
    assert_eq!(rule.occurrences(stamp("2026-01-03T00:00:00Z")..stamp("2027-01-01T00:00:00Z")).next(), None);
    assert_eq!(rule.occurrences(stamp("2025-01-03T00:00:00Z")..stamp("2026-01-01T00:00:00Z")).next(), None);
    assert_eq!(rule.contains(stamp("2026-01-01T00:00:00Z")), Some(interval));
    assert_eq!(rule.next(2, stamp("2025-12-31T23:59:59Z")), [interval]);
    assert!(rule.next(2, stamp("2026-01-01T00:00:00Z")).is_empty());
    assert_eq!(rule.previous(stamp("2026-01-03T00:00:00Z")), Some(interval));
    assert_eq!(rule.previous(stamp("2026-01-02T00:00:00Z")), None);
    assert_eq!(rule.starts(stamp("2025-01-01T00:00:00Z")).collect::<Vec<_>>(), [interval.start()]);
}

#[test]
fn an_empty_range_has_no_occurrences() {
    let rule = Rule::recurring(shift("GMT", "2026-01-01T00:00:00Z", "00:00:00", "00:00:00"));
    let noon = stamp("2026-01-05T12:00:00Z");
    assert_eq!(rule.occurrences(noon..noon).next(), None);
    assert_eq!(rule.occurrences(noon..stamp("2026-01-04T12:00:00Z")).next(), None);
    assert!(rule.contains(noon).is_some());
}

#[test]
fn times_of_day_are_written_as_they_are_read() {
    for text in ["00:00:00", "09:05:07", "23:59:59"] {
        assert_eq!(time(text).to_string(), text);
    }
    for text in ["24:00:00", "23:60:00", "23:59:60", "9:00:00", "09:00", "", "09:00:00 ", "٠٩:00:00", "-1:00:00"] {
        assert_eq!(TimeOfDay::parse(text), None, "{text}");
    }
    assert!(time("09:00:00") < time("17:30:00") && TimeOfDay::MIDNIGHT.seconds() == 0);
}

#[test]
fn the_calendar_ends_with_the_year_9999() {
    let rule = Rule::recurring(shift("GMT", "9999-12-29T00:00:00Z", "22:00:00", "06:00:00"));
    let found = written(rule.next(5, stamp("1970-01-01T00:00:00Z")));
    assert_eq!(found, ["9999-12-29T22:00Z/9999-12-30T06:00Z", "9999-12-30T22:00Z/9999-12-31T06:00Z"]);
    let found = dates(Pattern::Monthly { every: 10, on: days(&[31]) }, "9998-12-01T00:00:00Z", 9);
    assert_eq!(found, ["9998-12-31", "9999-10-31"]);
    assert!(MonthDays::default().is_empty());
}
