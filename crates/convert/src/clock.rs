//! Local time of a zone.

use base::Timestamp;
use calendar::{Interval, Rotation, Zone, rotation};
use jiff::{civil, tz::TimeZone};
use serde_json::Value;

use crate::json::text;

/// A zone, by both libraries that work it out.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The zone as rosters have it.
    pub zone: Zone,
    time_zone: TimeZone,
}

impl Clock {
    /// The zone of a name.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn find(name: &str) -> Result<Self, String> {
        let unknown = || format!("{name:?} is not a time zone of the IANA database");
        let zone = Zone::find(name).ok_or_else(unknown)?;
        let time_zone = TimeZone::get(name).map_err(|_| unknown())?;
        Ok(Self { zone, time_zone })
    }

    /// The local time at an instant: `2026-11-23T09:00:00`.
    pub fn local(&self, at: Timestamp) -> Option<String> {
        let at = jiff::Timestamp::from_millisecond(at.millis()).ok()?;
        let local = self.time_zone.to_datetime(at);
        Some(local.strftime("%Y-%m-%dT%H:%M:%S").to_string())
    }

    /// Where turns of a length begin when the first one begins at an instant.
    ///
    /// # Errors
    /// When rosters cannot say that instant.
    pub fn turns_from(&self, at: Timestamp, length: rotation::Length) -> Result<Rotation, String> {
        let local = self.local(at).unwrap_or_default();
        let start = rotation::Start::parse(&local)
            .map_err(|_| format!("the first hand-over {at} does not lie in the years 1970 to 9998"))?;
        let found = Rotation { length, start };
        if start.at(self.zone) == at {
            return Ok(found);
        }
        Err(format!(
            "the first hand-over {at} is in an hour that the clocks of {} repeat, and rosters hand over in its first \
             half",
            self.zone.name()
        ))
    }

    /// The turn that goes on at an instant, when turns of a length follow each other in both directions from an instant
    /// on: a rotation that begins with it.
    ///
    /// # Errors
    /// When rosters cannot say when it began.
    pub fn turns_around(
        &self,
        anchor: Timestamp,
        length: rotation::Length,
        now: Timestamp,
    ) -> Result<Rotation, String> {
        let civil = |at: Timestamp| {
            let at = jiff::Timestamp::from_millisecond(at.millis()).map_err(|_| format!("{at} is out of reach"))?;
            Ok::<civil::DateTime, String>(self.time_zone.to_datetime(at))
        };
        let (first, here) = (civil(anchor)?, civil(now)?);
        let seconds = match length {
            rotation::Length::Weeks(weeks) => i64::from(weeks.get()) * 7 * 86_400,
            rotation::Length::Days(days) => i64::from(days.get()) * 86_400,
            rotation::Length::Hours(hours) => i64::from(hours.get()) * 3_600,
            rotation::Length::Occurrences(_) => return Err("turns of occurrences have no length in time".to_owned()),
        };
        let passed = first.duration_until(here).as_secs().div_euclid(seconds) * seconds;
        let began = first.checked_add(jiff::SignedDuration::from_secs(passed)).map_err(|error| error.to_string())?;
        let start = rotation::Start::parse(&began.strftime("%Y-%m-%dT%H:%M:%S").to_string())
            .map_err(|_| format!("the hand-over {began} does not lie in the years 1970 to 9998"))?;
        Ok(Rotation { length, start })
    }

    /// Do the clocks change at or after an instant?
    pub fn changes_after(&self, at: Timestamp) -> bool {
        let Ok(at) = jiff::Timestamp::from_millisecond(at.millis()) else { return true };
        let before = self.time_zone.to_offset(at);
        self.time_zone.following(at).take(50).any(|change| change.offset() != before)
    }

    /// Of some seconds of a day, those that the clocks skip or repeat on a day within three years after an instant.
    pub fn ambiguous(&self, seconds: &[u32], after: Timestamp) -> Vec<u32> {
        let Ok(after) = jiff::Timestamp::from_millisecond(after.millis()) else { return Vec::new() };
        let last = after.as_second().saturating_add(3 * 366 * 86_400);
        let mut before = self.time_zone.to_offset(after);
        let mut found = Vec::new();
        for change in self.time_zone.following(after).take_while(|change| change.timestamp().as_second() < last) {
            let now = change.offset();
            let local = |offset: jiff::tz::Offset| change.timestamp().as_second() + i64::from(offset.seconds());
            let (one, other) = (local(before), local(now));
            let (from, to) = (one.min(other), one.max(other));
            let within = |second: u32| (i64::from(second) - from).rem_euclid(86_400) < to - from;
            found.extend(seconds.iter().copied().filter(|second| within(*second)));
            before = now;
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What is to be known of times of day, in seconds, that the clocks skip or repeat soon after an instant.
    pub fn ambiguous_note(&self, name: &str, seconds: &[u32], after: Timestamp) -> Option<String> {
        let found = self.ambiguous(seconds, after);
        let times: Vec<String> =
            found.iter().map(|second| format!("{:02}:{:02}", second / 3_600, second / 60 % 60)).collect();
        (!times.is_empty()).then(|| {
            format!(
                "{name:?} begins, ends or hands over at {}, which the clocks of {} skip or repeat on some days: Muster \
                 then takes the first instant that exists; compare these days",
                times.join(", "),
                self.zone.name()
            )
        })
    }
}

/// An instant as other products write it: RFC 3339, with or without a fraction, or without a colon in the offset.
pub fn instant(text: &str) -> Option<Timestamp> {
    let read = Timestamp::parse(text);
    read.or_else(|| {
        let at: jiff::Timestamp = text.parse().ok()?;
        Some(Timestamp::from_millis(at.as_second().checked_mul(1_000)?))
    })
}

/// The instant that a field has.
///
/// # Errors
/// When it has something else.
pub fn optional_instant(value: &Value, name: &str) -> Result<Option<Timestamp>, String> {
    let Some(found) = text(value, name) else { return Ok(None) };
    let at = instant(found).filter(|at| at.millis() >= 0);
    at.map(Some).ok_or_else(|| format!("{name} {found:?} is not an instant after 1970"))
}

/// The instant that a field has to have.
///
/// # Errors
/// When it has none.
pub fn required_instant(value: &Value, name: &str) -> Result<Timestamp, String> {
    optional_instant(value, name)?.ok_or_else(|| format!("it has no {name}"))
}

/// The time between the instants of two fields.
///
/// # Errors
/// When there is none.
pub fn interval(value: &Value, start: &str, end: &str) -> Result<Interval, String> {
    let (start, end) = (required_instant(value, start)?, required_instant(value, end)?);
    Interval::new(start, end).ok_or_else(|| "it ends before it begins".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        instant(text).unwrap()
    }

    #[test]
    fn instants_are_read_as_products_write_them() {
        for text in [
            "2026-03-29T00:30:00Z",
            "2026-03-29T00:30:00.000Z",
            "2026-03-29T02:30:00+0200",
            "2026-03-28T20:30:00-04:00",
        ] {
            assert_eq!(at(text).to_string(), "2026-03-29T00:30:00+0000", "{text}");
        }
        assert_eq!(instant("2026-03-29"), None);
    }

    #[test]
    fn hours_that_the_clocks_skip_or_repeat_are_known() {
        let vienna = Clock::find("Europe/Vienna").unwrap();
        let seconds = [3_599, 7_199, 7_200, 10_799, 10_800];
        assert_eq!(vienna.ambiguous(&seconds, at("2026-01-01T00:00:00Z")), [7_200, 10_799]);
        assert!(vienna.changes_after(at("2026-01-01T00:00:00Z")));
        let calcutta = Clock::find("Asia/Calcutta").unwrap();
        assert!(!calcutta.changes_after(at("2026-01-01T00:00:00Z")));
        assert!(calcutta.changes_after(at("1930-01-01T00:00:00Z")));
        assert!(Clock::find("Europe/Wien").is_err());
    }

    #[test]
    fn a_hand_over_in_a_repeated_hour_is_refused() {
        let vienna = Clock::find("Europe/Vienna").unwrap();
        let length = rotation::Length::Weeks(std::num::NonZeroU16::MIN);
        assert!(vienna.turns_from(at("2026-10-25T00:30:00Z"), length).is_ok());
        assert!(vienna.turns_from(at("2026-10-25T01:30:00Z"), length).unwrap_err().contains("repeat"));
        assert!(vienna.turns_from(at("1960-01-01T00:00:00Z"), length).unwrap_err().contains("1970"));
    }
}
