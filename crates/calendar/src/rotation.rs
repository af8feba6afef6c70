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
mod tests;
