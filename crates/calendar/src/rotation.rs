//! Rotations: the instants at which the places of a rotation hand over to each other.

use std::{fmt, num::NonZeroU16};

use base::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    interval::Interval,
    local::{Day, TimeOfDay},
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
/// where the clocks change it is what it is for [`Rule`](crate::Rule)s: a time that does not exist is the first that
/// does, one that occurs twice is its first occurrence. Hours are counted as they pass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Turns {
    rotation: Rotation,
    zone: Zone,
    first: Timestamp,
}

const HOUR_MS: i64 = 3_600_000;

/// The first hand-over: a local time in the years 1970 to 9998, in no zone, such as `2026-11-23T09:00:00`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Start(Day, TimeOfDay);

impl Start {
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
            (date.len() == 10 && (1970..=9998).contains(&whole.year())).then(|| Self(Day::of(whole.date()), time))
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
    /// What it means in the zone of its roster.
    pub fn turns(self, zone: Zone) -> Turns {
        let first = zone.instant(self.start.0, self.start.1).unwrap_or(Timestamp::from_millis(i64::MAX));
        Turns { rotation: self, zone, first }
    }
}

impl Turns {
    /// When a turn begins; [`None`] beyond the calendar.
    fn start(&self, number: i64) -> Option<Timestamp> {
        let days = match self.rotation.length {
            Length::Weeks(weeks) => number.checked_mul(7 * i64::from(weeks.get()))?,
            Length::Days(days) => number.checked_mul(i64::from(days.get()))?,
            Length::Hours(hours) => {
                let passed = number.checked_mul(i64::from(hours.get()) * HOUR_MS)?;
                return self.first.millis().checked_add(passed).map(Timestamp::from_millis);
            }
        };
        let Start(day, time) = self.rotation.start;
        self.zone.instant(day.plus(days), time)
    }

    /// The number of the turn at an instant; [`None`] before the first hand-over.
    pub fn at(&self, at: Timestamp) -> Option<i64> {
        if at < self.first {
            return None;
        }
        let days = match self.rotation.length {
            Length::Weeks(weeks) => 7 * i64::from(weeks.get()),
            Length::Days(days) => i64::from(days.get()),
            Length::Hours(hours) => {
                return Some(
                    at.millis().saturating_sub(self.first.millis()).div_euclid(i64::from(hours.get()) * HOUR_MS),
                );
            }
        };
        // When the clocks go back over midnight, a hand-over of the next date may have been already.
        let mut number = self.zone.local(at).day.since(self.rotation.start.0).div_euclid(days) + 2;
        while number > 0 && self.start(number).is_none_or(|start| start > at) {
            number -= 1;
        }
        Some(number)
    }

    /// From the beginning of one turn to that of a later one; [`None`] when nothing is left of it, as of a day that the
    /// zone left out. Beyond the calendar there is no end.
    pub fn between(&self, number: i64, later: i64) -> Option<Interval> {
        let end = self.start(later).unwrap_or(Timestamp::from_millis(i64::MAX));
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

    fn rotation(length: Value, start: &str) -> Rotation {
        serde_json::from_value(json!({"length": length, "start": start})).unwrap()
    }

    fn starts(length: Value, start: &str, zone: &str, count: i64) -> Vec<String> {
        let turns = rotation(length, start).turns(Zone::find(zone).unwrap());
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
    fn what_is_read_is_written() {
        for (length, start) in [
            (json!({"weeks": 1}), "2026-11-23T09:00:00"),
            (json!({"days": 366}), "1970-01-01T00:00:00"),
            (json!({"hours": 8}), "9998-12-31T23:59:59"),
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
            ],
            minutes in 0..1_440_i64,
            hours in 0..280_000_i64,
        ) {
            let start = format!("2007-01-01T{:02}:{:02}:00", minutes / 60, minutes % 60);
            let turns = rotation(length, &start).turns(Zone::find(zone).unwrap());
            let at = Timestamp::from_millis(turns.first().millis() + hours * HOUR_MS);
            let number = turns.at(at).unwrap();
            prop_assert!(turns.start(number).unwrap() <= at);
            prop_assert!(turns.start(number + 1).unwrap() > at);
            prop_assert_eq!(turns.at(Timestamp::from_millis(turns.first().millis() - 1)), None);
        }
    }
}
