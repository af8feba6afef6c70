//! Rotations: the instants at which the places of a rotation hand over to each other.

use std::{fmt, num::NonZeroU16, ops::RangeInclusive};

use base::timestamp::{HOUR_MS, Timestamp};
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    interval::Interval,
    local::{Day, TimeOfDay},
    rule::Rule,
    zones::Zone,
};

/// How long a turn is: `{"weeks":1}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Length {
    /// So many weeks of the local calendar.
    Weeks(NonZeroU16),
    /// So many days of the local calendar.
    Days(NonZeroU16),
    /// So many elapsed hours.
    Hours(NonZeroU16),
    /// So many occurrences of the shift's schedule.
    Occurrences(NonZeroU16),
}

/// How turns follow each other ("Rotations" of `docs/interface.md`).
///
/// ```json
/// {"length":{"weeks":1},"start":"2026-11-23T09:00:00"}
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rotation {
    /// How long each turn is.
    pub length: Length,
    /// The first hand-over.
    pub start: Start,
}

/// A rotation in a zone. Turns are numbered from 0, which begins at the first hand-over.
///
/// Each later hand-over is so many days or weeks of the local calendar after the first, at the same time of day, and
/// where the clocks change it is what it is for [`Rule`]s: a time that does not exist is the first that does, one that
/// occurs twice is its first occurrence. Hours are counted as they pass. Of occurrences, the first that starts at or
/// after `start` is the first of turn 0, and each turn begins as the first of its occurrences does.
#[derive(Clone, Debug)]
pub struct Turns {
    first: Timestamp,
    steps: Steps,
}

/// From one turn to the next.
#[derive(Clone, Debug)]
enum Steps {
    /// So many days of the local calendar.
    Days(Zone, Start, i64),
    /// So many elapsed milliseconds.
    Millis(i64),
    /// So many occurrences of a schedule, of which some are before the first turn.
    Occurrences { schedule: Rule, skipped: i64, each: i64 },
}

/// After all that takes place.
const NEVER: Timestamp = Timestamp::from_millis(i64::MAX);

/// The first hand-over: a local time in the years 1970 to 9998, in no zone, such as `2026-11-23T09:00:00`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Start(Day, TimeOfDay);

impl Start {
    const YEARS: RangeInclusive<i16> = 1970..=9998;

    /// The instant that it is in a zone.
    pub fn at(self, zone: Zone) -> Timestamp {
        zone.instant(self.0, self.1).unwrap_or(NEVER)
    }

    /// What the clocks of a zone show at an instant.
    fn shown(zone: Zone, at: Timestamp) -> Self {
        let shown = zone.local(at);
        Self(shown.day, shown.time)
    }

    /// The date on which this time of day is at an instant, also where the clocks skip it; what the clocks show then
    /// when it is another time of day.
    fn again(self, zone: Zone, at: Timestamp) -> Self {
        let shown = Self::shown(zone, at);
        // Of an hour that is skipped before midnight, the first instant after it is of the next date.
        let dates = [shown.0, shown.0.plus(-1)].into_iter();
        dates.map(|day| Self(day, self.1)).find(|start| start.at(zone) == at).unwrap_or(shown)
    }

    /// Reads its text.
    ///
    /// # Errors
    /// What is wrong with it, to be read after the name of the field.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        let read = || {
            let (date, time) = text.split_once('T')?;
            let time = TimeOfDay::parse(time)?;
            let whole: DateTime = text.parse().ok()?;
            (date.len() == 10 && Self::YEARS.contains(&whole.year())).then(|| Self(Day::of(whole.date()), time))
        };
        read().ok_or("must be a local time without an offset, such as 2026-11-23T09:00:00")
    }
}

impl TryFrom<String> for Start {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.0.civil().unwrap_or(Date::MAX);
        write!(f, "{:04}-{:02}-{:02}T{}", date.year(), date.month(), date.day(), self.1)
    }
}

impl Serialize for Start {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Rotation {
    /// What it means in the zone of its roster, for a shift that takes place by a schedule.
    pub fn turns(self, zone: Zone, schedule: &Rule) -> Turns {
        let first = self.start.at(zone);
        let steps = match self.length {
            Length::Weeks(weeks) => Steps::Days(zone, self.start, 7 * i64::from(weeks.get())),
            Length::Days(days) => Steps::Days(zone, self.start, i64::from(days.get())),
            Length::Hours(hours) => Steps::Millis(i64::from(hours.get()) * HOUR_MS),
            Length::Occurrences(each) => {
                let skipped = schedule.count_before(first);
                let first = schedule.nth_start(skipped).unwrap_or(NEVER);
                let steps = Steps::Occurrences { schedule: schedule.clone(), skipped, each: i64::from(each.get()) };
                return Turns { first, steps };
            }
        };
        Turns { first, steps }
    }

    /// The same, moved so that the turn with a number begins at an instant. When no local time says that (an hour that
    /// the clocks repeat), it begins earlier. [`None`] when the first hand-over would lie outside the years 1970 to
    /// 9998, or before the first occurrence.
    pub fn moved(self, zone: Zone, schedule: &Rule, turn: i64, at: Timestamp) -> Option<Self> {
        let days_before = |days: i64| {
            let Start(day, time) = self.start.again(zone, at);
            Start(day.plus(turn.saturating_mul(-days)), time)
        };
        let start = match self.length {
            Length::Weeks(weeks) => days_before(7 * i64::from(weeks.get())),
            Length::Days(days) => days_before(i64::from(days.get())),
            Length::Hours(hours) => {
                let passed = turn.saturating_mul(i64::from(hours.get()) * HOUR_MS);
                Start::shown(zone, Timestamp::from_millis(at.millis().saturating_sub(passed)))
            }
            Length::Occurrences(each) => {
                let position = schedule.count_before(at) - turn.saturating_mul(i64::from(each.get()));
                Start::shown(zone, schedule.nth_start(position)?)
            }
        };
        let year = start.0.civil()?.year();
        Start::YEARS.contains(&year).then_some(Self { start, ..self })
    }
}

impl Turns {
    /// When a turn begins; [`None`] beyond the calendar, and when fewer occurrences take place.
    pub fn start(&self, number: i64) -> Option<Timestamp> {
        match &self.steps {
            Steps::Days(zone, Start(day, time), days) => zone.instant(day.plus(number.checked_mul(*days)?), *time),
            Steps::Millis(millis) => {
                let passed = number.checked_mul(*millis)?;
                self.first.millis().checked_add(passed).map(Timestamp::from_millis)
            }
            Steps::Occurrences { schedule, skipped, each } => {
                schedule.nth_start(number.checked_mul(*each)?.checked_add(*skipped)?)
            }
        }
    }

    /// The number of the turn at an instant; [`None`] before the first hand-over.
    pub fn at(&self, at: Timestamp) -> Option<i64> {
        if at < self.first {
            return None;
        }
        let (zone, start, days) = match &self.steps {
            Steps::Days(zone, start, days) => (zone, start, *days),
            Steps::Millis(millis) => {
                return Some(at.millis().saturating_sub(self.first.millis()).div_euclid(*millis));
            }
            Steps::Occurrences { schedule, skipped, each } => {
                let begun = schedule.count_before(Timestamp::from_millis(at.millis().saturating_add(1)));
                return Some((begun - skipped - 1).div_euclid(*each));
            }
        };
        // When the clocks go back over midnight, a hand-over of the next date may have been already.
        let mut number = zone.local(at).day.since(start.0).div_euclid(days) + 2;
        while number > 0 && self.start(number).is_none_or(|start| start > at) {
            number -= 1;
        }
        Some(number)
    }

    /// From the beginning of one turn to that of a later one; [`None`] when nothing is left of it, as of a day that the
    /// zone left out. Beyond the calendar there is no end.
    pub fn between(&self, number: i64, later: i64) -> Option<Interval> {
        let end = self.start(later).unwrap_or(NEVER);
        Interval::new(self.start(number)?, end)
    }

    /// The first hand-over.
    pub fn first(&self) -> Timestamp {
        self.first
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            (turns.first(), turns.start(1), turns.at(at("2027-01-01T00:00:00Z"))),
            (once.start(), None, Some(0))
        );
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
}
