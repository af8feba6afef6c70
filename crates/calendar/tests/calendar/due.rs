//! Due times of jobs: cron expressions and elapsed time against a model that reads the clock minute by minute.

use std::collections::BTreeSet;

use base::Timestamp;
use calendar::{CronExpression, Due, Zone, due::Latest};
use jiff::{civil::Date, tz::TimeZone};
use proptest::prelude::*;

use crate::{generate::stamp, slow::time_zone};

/// An expression, as text and as what it means. `None` stands for `*`.
#[derive(Clone, Debug)]
struct Expression {
    minutes: BTreeSet<i8>,
    hours: Option<BTreeSet<i8>>,
    days: Option<BTreeSet<i8>>,
    months: Option<BTreeSet<i8>>,
    /// 0 is Sunday.
    weekdays: Option<BTreeSet<i8>>,
}

impl Expression {
    fn text(&self) -> String {
        let list = |set: &BTreeSet<i8>| set.iter().map(i8::to_string).collect::<Vec<_>>().join(",");
        let field = |set: &Option<BTreeSet<i8>>| set.as_ref().map_or("*".to_owned(), list);
        format!(
            "{} {} {} {} {}",
            list(&self.minutes),
            field(&self.hours),
            field(&self.days),
            field(&self.months),
            field(&self.weekdays)
        )
    }

    fn is_on(&self, date: Date) -> bool {
        let by_day = |set: &BTreeSet<i8>| set.contains(&date.day());
        let by_weekday = |set: &BTreeSet<i8>| set.contains(&date.weekday().to_sunday_zero_offset());
        self.months.as_ref().is_none_or(|months| months.contains(&date.month()))
            && match (&self.days, &self.weekdays) {
                (None, None) => true,
                (Some(days), None) => by_day(days),
                (None, Some(weekdays)) => by_weekday(weekdays),
                (Some(days), Some(weekdays)) => by_day(days) || by_weekday(weekdays),
            }
    }

    /// All instants in a range, in milliseconds: every half minute of it is looked at, since there were clocks that
    /// were so far from those of Greenwich.
    fn due(&self, zone: &TimeZone, range: std::ops::Range<i64>) -> Vec<i64> {
        let shows = |at: i64| zone.to_datetime(jiff::Timestamp::from_millisecond(at).unwrap());
        let minutes = |range: std::ops::Range<i64>| range.step_by(30_000);
        let Some(hours) = &self.hours else {
            return minutes(range)
                .filter(|at| {
                    shows(*at).second() == 0
                        && self.minutes.contains(&shows(*at).minute())
                        && self.is_on(shows(*at).date())
                })
                .collect();
        };
        let (mut date, last) =
            (shows(range.start).date().yesterday().unwrap(), shows(range.end).date().tomorrow().unwrap());
        let mut found = BTreeSet::new();
        while date <= last {
            for (hour, minute) in hours.iter().flat_map(|hour| self.minutes.iter().map(move |minute| (hour, minute))) {
                if !self.is_on(date) {
                    continue;
                }
                let wanted = date.at(*hour, *minute, 0, 0);
                let around = TimeZone::UTC.to_timestamp(wanted).unwrap().as_millisecond();
                let near = || minutes(around - 40 * 3_600_000..around + 40 * 3_600_000);
                let exact = near().find(|at| shows(*at) == wanted);
                let at = exact.or_else(|| near().find(|at| shows(*at) > wanted)).unwrap();
                found.insert(at);
            }
            date = date.tomorrow().unwrap();
        }
        found.into_iter().filter(|at| range.contains(at)).collect()
    }
}

/// Zones and the middle of a day on which their clocks change: forward, back, by half an hour, by two, at midnight, by
/// a day.
const CHANGES: [(&str, &str); 18] = [
    ("Europe/Vienna", "2026-03-29T01:00:00Z"),
    ("Europe/Vienna", "2026-10-25T01:00:00Z"),
    ("America/New_York", "2026-03-08T07:00:00Z"),
    ("America/New_York", "2026-11-01T06:00:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T15:30:00Z"),
    ("Australia/Lord_Howe", "2026-04-04T15:00:00Z"),
    ("Antarctica/Troll", "2026-03-29T01:00:00Z"),
    ("Antarctica/Troll", "2026-10-25T01:00:00Z"),
    ("America/St_Johns", "2010-03-14T03:31:00Z"),
    ("America/St_Johns", "2010-11-07T02:31:00Z"),
    ("America/Scoresbysund", "2026-03-29T00:00:00Z"),
    ("Africa/Casablanca", "2026-02-15T02:00:00Z"),
    ("Africa/Casablanca", "2026-03-22T02:00:00Z"),
    ("Africa/Cairo", "2026-04-23T22:00:00Z"),
    ("Africa/Cairo", "2026-10-29T21:00:00Z"),
    ("Pacific/Apia", "2011-12-30T10:00:00Z"),
    ("Asia/Kathmandu", "2026-05-05T05:00:00Z"),
    ("Africa/Monrovia", "1972-01-07T00:44:30Z"),
];

fn subset(range: std::ops::Range<i8>, most: usize) -> impl Strategy<Value = BTreeSet<i8>> {
    prop::collection::btree_set(range, 1..=most)
}

fn expressions() -> impl Strategy<Value = Expression> {
    let maybe = |range, most| prop_oneof![3 => Just(None), 1 => subset(range, most).prop_map(Some)];
    let hours = prop_oneof![1 => Just(None), 1 => subset(0..24, 8).prop_map(Some), 1 => subset(0..4, 4).prop_map(Some)];
    (subset(0..60, 4), hours, maybe(1..32, 20), maybe(1..13, 11), maybe(0..7, 5))
        .prop_map(|(minutes, hours, days, months, weekdays)| Expression { minutes, hours, days, months, weekdays })
}

fn due(cron: &str, start: &str, zone: Zone) -> Due {
    Due::Cron { expression: CronExpression::parse(cron).unwrap(), zone, start: stamp(start) }
}

fn vienna() -> Zone {
    Zone::find("Europe/Vienna").unwrap()
}

const START: &str = "1971-01-01T00:00:00+0000";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn cron_agrees_with_a_model_over_changes_of_the_clocks(
        expression in expressions(),
        change in 0..CHANGES.len(),
        offset in -50_i64 * 60..10 * 60,
        second in 0_i64..60,
    ) {
        let (zone, at) = CHANGES[change];
        let zone = Zone::find(zone).unwrap();
        let text = expression.text();
        if CronExpression::parse(&text).is_err() {
            // Such as the 31st of February.
            prop_assert!((1..=28).all(|day| !expression.is_on(jiff::civil::date(2024, 1, day))));
            return Ok(());
        };
        let due = due(&text, START, zone);
        let after = stamp(at).millis().div_euclid(60_000) * 60_000 + offset * 60_000;
        let end = after + 4 * 86_400_000;
        let mut expected = expression.due(&time_zone(zone), after..end);
        expected.retain(|at| *at > after + second * 1_000);
        let found: Vec<i64> = due
            .starts(Timestamp::from_millis(after + second * 1_000))
            .map(Timestamp::millis)
            .take_while(|at| *at < end)
            .collect();
        prop_assert_eq!(&found, &expected, "{} in {}", text, zone);
        // What is due last is the last that is due.
        if let Some(last) = expected.last() {
            prop_assert_eq!(due.last(Timestamp::from_millis(end - 1)).map(Timestamp::millis), Some(*last));
            let first = Timestamp::from_millis(expected[0]);
            let Latest { times, before, more } = due.latest(first, Timestamp::from_millis(end - 1), 7);
            let times: Vec<i64> = times.into_iter().map(Timestamp::millis).collect();
            prop_assert_eq!(&times[..], &expected[expected.len().saturating_sub(7)..]);
            prop_assert_eq!((before, more), (expected.len().saturating_sub(7), false));
        }
    }

    #[test]
    fn elapsed_time_knows_no_clock(every in 1_i64..700, hours in any::<bool>(), after in -10_000_i64..2_000_000) {
        let step = every * if hours { 3_600 } else { 60 };
        let start = stamp("2026-10-24T13:07:09Z");
        let due = Due::Every { start, step_ms: step * 1_000 };
        let at = Timestamp::from_millis(start.millis() + after * 1_000);
        let found: Vec<i64> = due.starts(at).take(20).map(|due| (due.millis() - start.millis()) / 1_000).collect();
        let first = (0..).find(|number| number * step > after).unwrap();
        prop_assert_eq!(found, (first..first + 20).map(|number| number * step).collect::<Vec<_>>());
        let last = due.last(at).map(|due| (due.millis() - start.millis()) / 1_000);
        prop_assert_eq!(last, (first > 0).then(|| (first - 1) * step));
    }
}

/// Hours and minutes in UTC at which an expression is due in Vienna, on a day.
fn on(cron: &str, day: &str) -> Vec<String> {
    let due = due(cron, START, vienna());
    let from = Timestamp::from_millis(stamp(&format!("{day}T00:00:00Z")).millis() - 1);
    let found = due.starts(from).map(|at| at.to_string()).take_while(|at| at.starts_with(day));
    found.map(|at| at[11..16].to_owned()).collect()
}

#[test]
fn an_hourly_job_runs_once_in_each_elapsed_hour() {
    for day in ["2026-03-29", "2026-10-25", "2026-06-01"] {
        assert_eq!(on("7 * * * *", day), (0..24).map(|hour| format!("{hour:02}:07")).collect::<Vec<_>>());
        assert_eq!(on("*/15 * * * *", day).len(), 96);
        assert_eq!(on("@hourly", day).len(), 24);
    }
}

#[test]
fn a_named_hour_is_a_local_time_by_the_rules_of_all_others() {
    // 02:30 does not exist on the one day, and occurs twice on the other.
    assert_eq!(on("30 2 * * *", "2026-03-29"), ["01:00"]);
    assert_eq!(on("30 2 * * *", "2026-10-25"), ["00:30"]);
    assert_eq!(on("0,20,40 2 * * *", "2026-03-29"), ["01:00"], "what becomes one instant is due once");
    assert_eq!(on("0 1-4 * * *", "2026-03-29"), ["00:00", "01:00", "02:00", "23:00"]);
    assert_eq!(on("30 2 * * *", "2026-06-01"), ["00:30"]);
}

#[test]
fn what_was_missed_costs_little_however_much_it_is() {
    let from = stamp("1971-01-01T00:00:00Z");
    for cron in ["* * * * *", "*/5 0-22 * * *"] {
        let due = due(cron, START, vienna());
        let now = stamp("2026-11-20T12:00:30Z");
        let started = std::time::Instant::now();
        let latest = due.latest(from, now, 100);
        assert!(started.elapsed().as_millis() < 500, "{:?}", started.elapsed());
        assert_eq!((latest.times.len(), latest.before, latest.more), (100, 2_000, true));
        assert_eq!(latest.times[99], stamp("2026-11-20T12:00:00Z"));
    }
    let due = due("0 0 29 2 *", START, Zone::GMT);
    assert_eq!(due.last(stamp("2026-11-20T12:00:00Z")), Some(stamp("2024-02-29T00:00:00Z")));
    assert_eq!(due.starts(stamp("2026-11-20T12:00:00Z")).next(), Some(stamp("2028-02-29T00:00:00Z")));
}

#[test]
fn nothing_is_due_before_the_start_and_often_is_told() {
    let due = |cron: &str| due(cron, "2026-11-20T10:10:10+0000", Zone::GMT);
    let long_ago = stamp("1980-01-01T00:00:00Z");
    assert_eq!(due("*/5 * * * *").starts(long_ago).next(), Some(stamp("2026-11-20T10:15:00Z")));
    assert_eq!(due("*/5 * * * *").last(stamp("2026-11-20T10:14:59Z")), None);
    for (cron, often) in
        [("0 * * * *", false), ("0,30 9-18 * * *", false), ("0,30 9-21 * * *", true), ("*/5 * * * 1", true)]
    {
        assert_eq!(due(cron).is_frequent(), often, "{cron}");
    }
    // Its first day has one minute left.
    let late = super::due::due("* * * * MON", "2026-12-07T23:58:30+0000", Zone::GMT);
    assert!(late.is_frequent());
    assert!(!Due::Every { start: long_ago, step_ms: 3_600_000 }.is_frequent());
    assert!(Due::Every { start: long_ago, step_ms: 3_420_000 }.is_frequent());
}

/// The dates of a year on which an expression is due at midnight in GMT.
fn dates(cron: &str) -> Vec<String> {
    let due = due(cron, "2027-01-01T00:00:00Z", Zone::GMT);
    let found = due.starts(stamp("2026-12-31T23:59:59Z")).map(|at| at.to_string()[..10].to_owned());
    found.take_while(|date| date.starts_with("2027")).collect()
}

#[test]
fn a_day_field_that_begins_with_a_star_restricts_together_with_the_other_one() {
    assert_eq!(dates("0 0 */2 * 1")[..3], ["2027-01-11", "2027-01-25", "2027-02-01"]);
    // Mondays, by every way to say that the day of the month is any.
    for cron in ["0 0 * * 1", "0 0 */1 * 1", "0 0 ? * 1", "0 0 */1 * MON", "0 0 * * mon"] {
        assert_eq!(dates(cron), dates("0 0 * * 1"), "{cron}");
    }
    assert_eq!(dates("0 0 * * 1")[..2], ["2027-01-04", "2027-01-11"]);
    // The first of a month that is a Sunday, a Tuesday, a Thursday or a Saturday.
    assert_eq!(dates("0 0 1 * */2")[..3], ["2027-04-01", "2027-05-01", "2027-06-01"]);
    for cron in ["0 0 1 * *", "0 0 1 * */1", "0 0 1 * ?"] {
        assert_eq!(dates(cron), dates("0 0 1 * *"), "{cron}");
    }
    assert_eq!(dates("0 0 */2 */6 */3")[..3], ["2027-01-03", "2027-01-09", "2027-01-13"]);
    // Two fields that name days: one of them is enough. A list in which a star comes later names days.
    assert_eq!(dates("0 0 13 * 5")[..3], ["2027-01-01", "2027-01-08", "2027-01-13"]);
    assert_eq!(dates("0 0 1-31/2 * 1")[..4], ["2027-01-01", "2027-01-03", "2027-01-04", "2027-01-05"]);
    assert_eq!(dates("0 0 1 JAN-mar *"), ["2027-01-01", "2027-02-01", "2027-03-01"]);
    assert_eq!(dates("0 0 * * Mon-fri"), dates("0 0 * * 1-5"));
    assert_eq!(dates("0 0 * * 7"), dates("0 0 * * sun"));
}

proptest! {
    #[test]
    fn steps_of_a_star_agree_with_a_model(
        days in 1_i8..32,
        weekdays in subset(0..7, 6),
        step in any::<bool>(),
        every in 1_i8..8,
    ) {
        let list = weekdays.iter().map(i8::to_string).collect::<Vec<_>>().join(",");
        let of_week = if step { format!("*/{every}") } else { list };
        let cron = format!("0 0 */{days} * {of_week}");
        let mut date = jiff::civil::date(2027, 1, 1);
        let mut expected = Vec::new();
        while date.year() == 2027 {
            let weekday = date.weekday().to_sunday_zero_offset();
            let of_week = if step { weekday % every == 0 } else { weekdays.contains(&weekday) };
            if (date.day() - 1) % days == 0 && of_week {
                expected.push(date.to_string());
            }
            date = date.tomorrow().unwrap();
        }
        prop_assert_eq!(dates(&cron), expected, "{}", cron);
    }
}
