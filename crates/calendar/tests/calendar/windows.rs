//! Maintenance windows as people write them, over the changes of the clocks, against the slow implementation.

use calendar::{End, Interval, MonthDays, OnDay, Pattern, Recurring, Repeated, Rule, TimeOfDay, Weekday, Zone};
use jiff::{Timestamp, civil::Date};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::{
    generate::{DAY, FROM_2020, TO_2037, all_zones, at, changes, stamp, time},
    slow,
};

/// The local time of day of an instant in a zone, by the zone database alone.
fn local(zone: Zone, millis: i64) -> TimeOfDay {
    let shown = slow::time_zone(zone).to_datetime(Timestamp::from_millisecond(millis).unwrap());
    time(&format!("{:02}:{:02}:00", shown.hour(), shown.minute()))
}

/// The rule of a perpetual daily window.
fn window(zone: Zone, start: i64, end: i64) -> Rule {
    let pattern = Pattern::Daily { every: 1 };
    Rule::repeated(Repeated { zone, start: at(start), end: at(end), pattern, perpetual: true })
}

proptest! {
    #[test]
    fn a_window_survives_every_change_of_the_clocks(
        zone in select(all_zones().collect::<Vec<_>>()),
        which in 0..1_000_usize,
        // Many of them in the part of the day that the clocks skip.
        start in prop_oneof![0..1_440_i64, 0..60_i64],
        length in prop_oneof![1..1_440_i64, 1..60_i64],
        years_back in 0..3_i64,
    ) {
        let changes = changes(zone, FROM_2020, TO_2037);
        let change = if changes.is_empty() { FROM_2020 + 400 * DAY } else { changes[which % changes.len()] };
        // A week before the change no local time occurs twice.
        let start = change.div_euclid(60_000) * 60_000 - 8 * DAY + start * 60_000;
        // The date of the end does not count, and may lie years back.
        let end = start + length * 60_000 - years_back * 364 * DAY;
        let rule = window(zone, start, end);
        let described = Recurring {
            zone,
            start_date: at(start),
            start_time: local(zone, start),
            end_time: local(zone, end),
            pattern: Pattern::Daily { every: 1 },
            end: End::Never,
        };
        let from = at(change - 4 * DAY);
        let until = at(change + 4 * DAY);
        let expected = slow::windows(&described, 0, from..until);
        let found: Vec<Interval> = rule.occurrences(from..until).collect();
        prop_assert_eq!(&found, &expected, "{} {:?}", zone, described);
        for quarter in 0..8 * 96 {
            let moment = at(change - 4 * DAY + quarter * 900_000);
            let covered = expected.iter().any(|interval| interval.contains(moment));
            prop_assert_eq!(rule.contains(moment).is_some(), covered, "{} {}", zone, moment);
        }
    }
}

/// The local date of an instant in a zone, by the zone database alone.
fn date(zone: Zone, millis: i64) -> Date {
    slow::time_zone(zone).to_datetime(Timestamp::from_millisecond(millis).unwrap()).date()
}

proptest! {
    #[test]
    fn windows_of_days_in_a_row_never_overlap(
        zone in select(all_zones().collect::<Vec<_>>()),
        which in 0..1_000_usize,
        start in prop_oneof![0..1_440_i64, 0..60_i64],
        length in prop_oneof![1..2_880_i64, 1..10_080_i64],
        // Days of the month, around that of the change.
        days in vec(-3..4_i64, 1..6),
    ) {
        let changes = changes(zone, FROM_2020, TO_2037);
        let change = if changes.is_empty() { FROM_2020 + 400 * DAY } else { changes[which % changes.len()] };
        // Its own time ends before the first of these days, and none of them is that of the month before.
        let start = change.div_euclid(60_000) * 60_000 - 14 * DAY + start * 60_000;
        let end = start + length * 60_000;
        let days: MonthDays = days.iter().map(|day| date(zone, change + day * DAY).day().unsigned_abs()).collect();
        let pattern = Pattern::Monthly { every: 1, on: OnDay::Days(days) };
        let rule = Rule::repeated(Repeated { zone, start: at(start), end: at(end), pattern, perpetual: false });
        let described = Recurring {
            zone,
            start_date: at(start),
            start_time: local(zone, start),
            end_time: local(zone, end),
            pattern,
            end: End::Never,
        };
        let dates = i64::from(date(zone, start).until(date(zone, end)).unwrap().get_days());
        let range = at(change - 6 * DAY)..at(change + 9 * DAY);
        let expected = slow::windows(&described, dates, range.clone());
        let found: Vec<Interval> = rule.occurrences(range.clone()).collect();
        prop_assert!(!found.is_empty());
        prop_assert!(found.is_sorted_by(|one, next| one.end() <= next.start()), "{} {:?}", zone, found);
        prop_assert_eq!(&found, &expected, "{} {:?}", zone, described);
        for window in &found {
            prop_assert_eq!(rule.contains(window.start()), Some(*window));
            prop_assert_eq!(rule.contains(at(window.end().millis() - 1)), Some(*window));
            prop_assert_eq!(rule.previous(window.end()), Some(*window));
        }
    }
}

fn written(found: impl IntoIterator<Item = Interval>) -> Vec<String> {
    let text = |at: base::Timestamp| at.to_string().replace(":00+0000", "Z");
    found.into_iter().map(|interval| format!("{}/{}", text(interval.start()), text(interval.end()))).collect()
}

/// What a perpetual window of a pattern has within a range.
fn occurrences_in(
    zone: &str,
    (start, end): (&str, &str),
    pattern: Pattern,
    (from, until): (&str, &str),
) -> Vec<String> {
    let zone = Zone::find(zone).unwrap();
    let rule = Rule::repeated(Repeated { zone, start: stamp(start), end: stamp(end), pattern, perpetual: true });
    written(rule.occurrences(stamp(from)..stamp(until)))
}

const DAILY: Pattern = Pattern::Daily { every: 1 };

#[test]
fn a_window_that_the_clocks_skip_lasts_as_long_as_otherwise() {
    let of = |zone, times, range| occurrences_in(zone, times, DAILY, range);
    let night = ("2027-03-01T01:00:00Z", "2027-03-01T02:00:00Z");
    let around = ("2027-03-27T12:00:00Z", "2027-03-29T12:00:00Z");
    assert_eq!(
        of("Europe/Berlin", night, around),
        ["2027-03-28T01:00Z/2027-03-28T02:00Z", "2027-03-29T00:00Z/2027-03-29T01:00Z"]
    );
    // A quarter of the hour, and a part that stays: as before.
    let quarter = ("2027-03-01T01:15:00Z", "2027-03-01T01:30:00Z");
    assert_eq!(of("Europe/Berlin", quarter, around)[0], "2027-03-28T01:00Z/2027-03-28T01:15Z");
    let half = ("2027-03-01T01:30:00Z", "2027-03-01T02:30:00Z");
    assert_eq!(of("Europe/Berlin", half, around)[0], "2027-03-28T01:00Z/2027-03-28T01:30Z");
    // Half an hour is skipped on Lord Howe Island.
    let short = ("2026-09-01T15:30:00Z", "2026-09-01T16:00:00Z");
    let around = ("2026-10-03T12:00:00Z", "2026-10-04T12:00:00Z");
    assert_eq!(of("Australia/Lord_Howe", short, around), ["2026-10-03T15:30Z/2026-10-03T16:00Z"]);
    // Samoa had no 30th of December 2011. Its window comes before that of the 31st, and never at the same time.
    let around = ("2011-12-30T00:00:00Z", "2011-12-31T10:00:00Z");
    let evening = ("2011-12-01T08:00:00Z", "2011-12-01T09:00:00Z");
    assert_eq!(
        of("Pacific/Apia", evening, around),
        [
            "2011-12-30T08:00Z/2011-12-30T09:00Z",
            "2011-12-30T10:00Z/2011-12-30T11:00Z",
            "2011-12-31T08:00Z/2011-12-31T09:00Z"
        ]
    );
    let long = ("2011-12-01T11:00:00Z", "2011-12-02T09:00:00Z");
    assert_eq!(
        of("Pacific/Apia", long, around),
        [
            "2011-12-29T11:00Z/2011-12-30T09:00Z",
            "2011-12-30T10:00Z/2011-12-30T11:00Z",
            "2011-12-30T11:00Z/2011-12-31T09:00Z"
        ]
    );
    let fridays = Pattern::Weekly { every: 1, days: [Weekday::Friday].into_iter().collect() };
    assert_eq!(occurrences_in("Pacific/Apia", evening, fridays, around), ["2011-12-30T10:00Z/2011-12-30T11:00Z"]);
}

#[test]
fn a_monthly_window_may_last_days() {
    let rule = |start: &str, end: &str, pattern| {
        let zone = Zone::find("Europe/Paris").unwrap();
        Rule::repeated(Repeated { zone, start: stamp(start), end: stamp(end), pattern, perpetual: false })
    };
    let fifth = OnDay::Days([5].into_iter().collect());
    let monthly = rule("2026-08-29T16:00:00Z", "2026-08-31T16:00:00Z", Pattern::Monthly { every: 1, on: fifth });
    let all = written(monthly.next(3, stamp("2026-08-01T00:00:00Z")));
    assert_eq!(
        all,
        [
            "2026-09-05T16:00Z/2026-09-07T16:00Z",
            "2026-10-05T16:00Z/2026-10-07T16:00Z",
            "2026-11-05T17:00Z/2026-11-07T17:00Z"
        ]
    );
    for inside in ["2026-09-05T16:00:00Z", "2026-09-06T20:00:00Z", "2026-09-07T15:59:59Z"] {
        assert!(monthly.contains(stamp(inside)).is_some(), "{inside}");
    }
    for outside in ["2026-09-05T15:59:59Z", "2026-09-07T16:00:00Z"] {
        assert!(monthly.contains(stamp(outside)).is_none(), "{outside}");
    }
    assert_eq!(written(monthly.previous(stamp("2026-10-06T00:00:00Z"))), all[..1]);
    // Windows never overlap: one that reaches the next one ends there.
    let two = OnDay::Days([5, 6].into_iter().collect());
    let monthly = rule("2026-08-28T22:00:00Z", "2026-08-31T06:00:00Z", Pattern::Monthly { every: 1, on: two });
    assert_eq!(
        written(monthly.next(2, stamp("2026-08-01T00:00:00Z"))),
        ["2026-09-04T22:00Z/2026-09-05T22:00Z", "2026-09-05T22:00Z/2026-09-08T06:00Z"]
    );
    let three = OnDay::Days([5, 6, 7].into_iter().collect());
    let longer = rule("2026-08-28T16:00:00Z", "2026-08-29T18:00:00Z", Pattern::Monthly { every: 1, on: three });
    assert_eq!(
        written(longer.next(3, stamp("2026-08-01T00:00:00Z"))),
        [
            "2026-09-05T16:00Z/2026-09-06T16:00Z",
            "2026-09-06T16:00Z/2026-09-07T16:00Z",
            "2026-09-07T16:00Z/2026-09-08T18:00Z"
        ]
    );
    // An end in the hour that is there a second time is the time of day of the next date.
    let folded = rule("2026-10-25T00:30:00Z", "2026-10-25T01:10:00Z", Pattern::Monthly { every: 1, on: fifth });
    assert_eq!(written(folded.next(1, stamp("2026-10-25T00:00:00Z"))), ["2026-11-05T01:30Z/2026-11-06T01:10Z"]);
    // With a date before the end, that is the end of all of them.
    let until = rule("2026-08-29T16:00:00Z", "2026-09-06T18:00:00Z", Pattern::Monthly { every: 1, on: fifth });
    assert_eq!(written(until.next(9, stamp("2026-08-01T00:00:00Z"))), ["2026-09-05T16:00Z/2026-09-05T18:00Z"]);
    let weekly = Pattern::Weekly { every: 1, days: [Weekday::Friday].into_iter().collect() };
    assert!(
        rule("2026-08-29T16:00:00Z", "2026-08-31T16:00:00Z", weekly).next(1, stamp("2026-08-01T00:00:00Z")).is_empty()
    );
    let yearly = Pattern::Yearly { every: 1, months: [12].into_iter().collect(), on: fifth };
    assert!(
        rule("2026-08-29T16:00:00Z", "2026-10-31T16:00:00Z", yearly).next(1, stamp("2026-08-01T00:00:00Z")).is_empty()
    );
    let yearly = rule("2026-08-29T16:00:00Z", "2026-08-31T16:00:00Z", yearly);
    assert_eq!(written(yearly.next(1, stamp("2026-08-01T00:00:00Z"))), ["2026-12-05T17:00Z/2026-12-07T17:00Z"]);
}
