//! Conversion between instants and the local time of a zone.

use std::fmt;

use base::Timestamp;
use jiff::{
    civil::{Date, DateTime, Time},
    tz::{AmbiguousOffset, Offset},
};
use serde::{Serialize, Serializer};

use crate::{interval::Interval, zones::Zone};

const SECONDS_PER_DAY: i64 = 86_400;

/// A time of day on a wall clock, in whole seconds: `HH:mm:ss` on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TimeOfDay(Time);

impl TimeOfDay {
    /// The start of the day.
    pub const MIDNIGHT: TimeOfDay = TimeOfDay(Time::MIN);

    /// Reads `HH:mm:ss`, from `00:00:00` to `23:59:59`; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let &[h0, h1, b':', m0, m1, b':', s0, s1] = text.as_bytes() else {
            return None;
        };
        let number = |tens: u8, ones: u8| {
            let digit = |byte: u8| byte.is_ascii_digit().then(|| byte.wrapping_sub(b'0'));
            i8::try_from(digit(tens)? * 10 + digit(ones)?).ok()
        };
        Time::new(number(h0, h1)?, number(m0, m1)?, number(s0, s1)?, 0).ok().map(Self)
    }

    /// Seconds since the start of a day that has no change of the clocks.
    pub fn seconds(self) -> i64 {
        i64::from(self.0.hour()) * 3_600 + i64::from(self.0.minute()) * 60 + i64::from(self.0.second())
    }

    /// So many minutes after the start of a day.
    pub(crate) fn of_minute(minute: u32) -> Self {
        Self::of_second(i64::from(minute) * 60)
    }

    /// The remainder of a count of seconds within its day.
    fn of_second(second: i64) -> Self {
        let part = |number: i64| i8::try_from(number).unwrap_or_default();
        let second = second.rem_euclid(SECONDS_PER_DAY);
        let time = Time::new(part(second / 3_600), part(second / 60 % 60), part(second % 60), 0);
        Self(time.unwrap_or_default())
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.0.hour(), self.0.minute(), self.0.second())
    }
}

impl Serialize for TimeOfDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A local date, as days since 1970-01-01: `2026-12-25` on the wire. Arithmetic never fails; dates outside the years
/// -9999 to 9999 have no [`Day::civil`] and no [`Zone::instant`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Day(i64);

impl Day {
    const EPOCH: Date = Date::constant(1970, 1, 1);

    /// 9999-12-31.
    pub(crate) const LAST: Day = Day(2_932_896);

    /// 2000-01-01.
    pub(crate) const EPOCH_2000: Day = Day(10_957);

    /// Reads `2026-12-25`, of the years 1970 to 9998.
    ///
    /// # Errors
    /// What is wrong with it, to be read after the name of the field.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let read = || {
            let is_plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            let date: Date = text.parse().ok().filter(|_| is_plain)?;
            (1970..=9998).contains(&date.year()).then(|| Self::of(date))
        };
        read().ok_or("must be a date of the years 1970 to 9998, such as 2026-12-25")
    }

    /// The date with a number of days since 1970-01-01.
    pub const fn of_number(days: i64) -> Self {
        Self(days)
    }

    /// How many days after 1970-01-01 it is.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// The date that the clocks of a zone show at an instant.
    pub fn at(zone: Zone, at: Timestamp) -> Self {
        zone.local(at).day
    }

    /// The time from its first instant in a zone to that of the next date; none of a date that the zone left out.
    pub fn within(self, zone: Zone) -> Option<Interval> {
        let midnight = |day: Self| zone.instant(day, TimeOfDay::MIDNIGHT);
        Interval::new(midnight(self)?, midnight(self.plus(1))?)
    }

    pub(crate) fn of(date: Date) -> Self {
        Self(Self::EPOCH.duration_until(date).as_hours() / 24)
    }

    pub(crate) fn civil(self) -> Option<Date> {
        let hours = self.0.checked_mul(24)?;
        Self::EPOCH.checked_add(jiff::SignedDuration::try_from_hours(hours)?).ok()
    }

    /// The date so many days later.
    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// Days from another day to this one.
    pub(crate) fn since(self, other: Day) -> i64 {
        self.0.saturating_sub(other.0)
    }

    /// 0 for Sunday to 6 for Saturday.
    pub(crate) fn weekday(self) -> u8 {
        // 1970-01-01 was a Thursday.
        (self.0.rem_euclid(7) + 4).rem_euclid(7) as u8
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.civil().unwrap_or(Date::MAX);
        write!(f, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What the clocks show at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub(crate) day: Day,
    pub(crate) time: TimeOfDay,
}

/// 0001-01-01T00:00:00Z and 9999-12-30T22:00:00Z in seconds: the instants for which the database is asked. Outside,
/// the offset is that of the nearer end.
const ASKED: (i64, i64) = (-62_135_596_800, 253_402_207_200);
/// Instants outside these seconds are taken for the nearer end, a day beyond all that a rule can reach.
const REACHED: (i64, i64) = (ASKED.0 - SECONDS_PER_DAY, ASKED.1 + 4 * SECONDS_PER_DAY);

impl Zone {
    /// The time of day that the clocks show at an instant.
    pub fn time_of_day(self, at: Timestamp) -> TimeOfDay {
        self.local(at).time
    }

    /// The local date and time at an instant; the fraction of a second is dropped.
    pub(crate) fn local(self, at: Timestamp) -> Local {
        let second = at.millis().div_euclid(1_000).clamp(REACHED.0, REACHED.1);
        let offset = match instant_asked(second) {
            Some(instant) => i64::from(self.time_zone().to_offset(instant).seconds()),
            None => 0,
        };
        let local = second + offset;
        Local { day: Day(local.div_euclid(SECONDS_PER_DAY)), time: TimeOfDay::of_second(local) }
    }

    /// When the clocks show a local time: of two such instants the first, and of none the first instant after the gap.
    ///
    /// This is the whole treatment of daylight saving time. As a later local time never has an earlier instant, shifts
    /// that touch on the wall clock touch in time too. `None` for a day beyond the calendar.
    pub(crate) fn instant(self, day: Day, time: TimeOfDay) -> Option<Timestamp> {
        let shown = DateTime::from_parts(day.civil()?, time.0);
        let local = day.0 * SECONDS_PER_DAY + time.seconds();
        let second = match self.time_zone().to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } => local - i64::from(offset.seconds()),
            AmbiguousOffset::Fold { before, after } | AmbiguousOffset::Gap { before, after } => {
                // At the last change that the database lists the clocks may not move as its rule for later ones says.
                let shown = [before, after].into_iter().find_map(|offset| self.second_shown(local, offset));
                match shown {
                    Some(second) => second,
                    None => {
                        // Read with the later offset, the missing time lies before the change of the clocks.
                        let earlier = instant_asked(local - i64::from(after.seconds()))?;
                        let change = self.time_zone().following(earlier).find(|change| change.offset() != before)?;
                        change.timestamp().as_second()
                    }
                }
            }
        };
        Some(Timestamp::from_millis(second * 1_000))
    }

    /// The instant of a local time at an offset, in seconds, if the clocks are at that offset then.
    fn second_shown(self, local: i64, offset: Offset) -> Option<i64> {
        let second = local - i64::from(offset.seconds());
        (self.time_zone().to_offset(instant_asked(second)?) == offset).then_some(second)
    }
}

fn instant_asked(second: i64) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_second(second.clamp(ASKED.0, ASKED.1)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_times_around_all_changes_are_what_the_clocks_show() {
        for zone in Zone::all().chain(["America/Nuuk", "Africa/Casablanca"].iter().filter_map(|name| Zone::find(name)))
        {
            let since = instant_asked(0).unwrap();
            let until = instant_asked(2_200_000_000).unwrap();
            for change in zone.time_zone().following(since).take_while(|change| change.timestamp() < until) {
                let second = change.timestamp().as_second();
                let offset = |second: i64| zone.time_zone().to_offset(instant_asked(second).unwrap());
                let offsets = [second - 1, second].map(|second| i64::from(offset(second).seconds()));
                for step in -16..=16 {
                    let local = second + offsets[0] + step * 900;
                    let day = Day(local.div_euclid(SECONDS_PER_DAY));
                    let found = zone.instant(day, TimeOfDay::of_second(local)).unwrap().millis() / 1_000;
                    let shown = |second: &i64| second + i64::from(offset(*second).seconds()) == local;
                    let first = offsets.iter().map(|offset| local - offset).filter(shown).min();
                    assert_eq!(found, first.unwrap_or(second), "{} at {}, {step}", zone.name(), change.timestamp());
                }
            }
        }
    }
}
