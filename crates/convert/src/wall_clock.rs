//! What the clocks of a zone show, for readings of schedules that do without `calendar`.

use base::Timestamp;
use jiff::{
    Span,
    civil::DateTime,
    tz::{AmbiguousOffset, TimeZone},
};

/// The clocks of a zone.
#[derive(Clone, Debug)]
pub struct WallClock(TimeZone);

impl WallClock {
    /// The clocks of a zone of the IANA database.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn find(name: &str) -> Result<Self, String> {
        TimeZone::get(name).map(Self).map_err(|_| format!("{name:?} is not a time zone of the IANA database"))
    }

    /// The local time at an instant. Where clocks go back, it stands still until they show a new time again, so that
    /// nothing begins or ends a second time.
    pub fn reading(&self, at: Timestamp) -> DateTime {
        let at = jiff_instant(at);
        let shown = self.0.to_datetime(at);
        let AmbiguousOffset::Fold { before, after } = self.0.to_ambiguous_timestamp(shown).offset() else {
            return shown;
        };
        if self.0.to_offset(at) != after {
            return shown;
        }
        match self.0.preceding(at + Span::new().nanoseconds(1)).next() {
            Some(change) => before.to_datetime(change.timestamp() - Span::new().nanoseconds(1)),
            None => shown,
        }
    }

    /// The local time at an instant, as the clocks show it.
    pub fn shown(&self, at: Timestamp) -> DateTime {
        self.0.to_datetime(jiff_instant(at))
    }

    /// The first instant at which the clocks show a local time or, where they skip it, a later one.
    pub fn first(&self, local: DateTime) -> Timestamp {
        self.instant(local, true)
    }

    /// The last instant at which the clocks show a local time or, where they skip it, the first one of a later time.
    pub fn last(&self, local: DateTime) -> Timestamp {
        self.instant(local, false)
    }

    fn instant(&self, local: DateTime, is_first: bool) -> Timestamp {
        let at = match self.0.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(local),
            AmbiguousOffset::Fold { before, .. } if is_first => before.to_timestamp(local),
            AmbiguousOffset::Fold { after, .. } => after.to_timestamp(local),
            AmbiguousOffset::Gap { before, .. } => before.to_timestamp(local).map(|beyond| {
                let changes = self.0.preceding(beyond + Span::new().nanoseconds(1)).next();
                changes.map_or(beyond, |change| change.timestamp())
            }),
        };
        Timestamp::from_millis(at.unwrap_or(jiff::Timestamp::MAX).as_millisecond())
    }

    /// When the clocks change from an instant until another.
    pub fn changes(&self, from: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        let changes = self.0.following(jiff_instant(from)).map(|change| change.timestamp().as_millisecond());
        changes.map(Timestamp::from_millis).take_while(|change| *change < until).collect()
    }
}

fn jiff_instant(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(at.millis()).unwrap_or(jiff::Timestamp::MAX)
}

/// The second of the day that a local time is in.
pub fn second_of_day(local: DateTime) -> i64 {
    i64::from(local.hour()) * 3_600 + i64::from(local.minute()) * 60 + i64::from(local.second())
}

/// The second of the week, from Monday, that a local time is in.
pub fn second_of_week(local: DateTime) -> i64 {
    i64::from(local.weekday().to_monday_zero_offset()) * 86_400 + second_of_day(local)
}

/// How often so many seconds passed between two local times; what began is not counted, before `from` neither.
pub fn passed(from: DateTime, to: DateTime, seconds: i64) -> i64 {
    // To the nanosecond: whole seconds would be cut towards `from`.
    let count = from.duration_until(to).as_nanos().div_euclid(i128::from(seconds) * 1_000_000_000);
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    fn at(text: &str) -> Timestamp {
        instant(text).unwrap()
    }

    #[test]
    fn no_time_comes_twice() {
        let vienna = WallClock::find("Europe/Vienna").unwrap();
        let reading = |text: &str| vienna.reading(at(text)).strftime("%H:%M:%S").to_string();
        assert_eq!(reading("2026-10-25T00:30:00Z"), "02:30:00");
        assert_eq!(reading("2026-10-25T00:59:59Z"), "02:59:59");
        assert_eq!(reading("2026-10-25T01:00:00Z"), "02:59:59");
        assert_eq!(reading("2026-10-25T01:59:59Z"), "02:59:59");
        assert_eq!(reading("2026-10-25T02:00:00Z"), "03:00:00");
        assert_eq!(reading("2027-03-28T00:59:59Z"), "01:59:59");
        assert_eq!(reading("2027-03-28T01:00:00Z"), "03:00:00");
    }

    #[test]
    fn a_turn_before_the_first_ends_at_its_last_nanosecond() {
        let start: DateTime = "2026-11-01T14:00:00".parse().unwrap();
        let count = |to: &str| passed(start, to.parse().unwrap(), 3 * 3_600);
        assert_eq!(count("2026-11-01T01:59:59.999999999"), -5);
        assert_eq!(count("2026-11-01T02:00:00"), -4);
        assert_eq!(count("2026-11-01T16:59:59.999999999"), 0);
        assert_eq!(count("2026-11-01T17:00:00"), 1);
    }

    #[test]
    fn local_times_have_a_first_and_a_last_instant() {
        let vienna = WallClock::find("Europe/Vienna").unwrap();
        let both = |local: &str| {
            let local = local.parse().unwrap();
            (vienna.first(local).to_string(), vienna.last(local).to_string())
        };
        let pair = |one: &str, other: &str| (format!("{one}+0000"), format!("{other}+0000"));
        assert_eq!(both("2026-10-25T02:30:00"), pair("2026-10-25T00:30:00", "2026-10-25T01:30:00"));
        assert_eq!(both("2027-03-28T02:30:00"), pair("2027-03-28T01:00:00", "2027-03-28T01:00:00"));
        assert_eq!(both("2027-03-28T02:00:00"), pair("2027-03-28T01:00:00", "2027-03-28T01:00:00"));
        assert_eq!(both("2026-11-02T09:00:00"), pair("2026-11-02T08:00:00", "2026-11-02T08:00:00"));
        let changes = vienna.changes(at("2026-10-01T00:00:00Z"), at("2027-10-01T00:00:00Z"));
        assert_eq!(changes, [at("2026-10-25T01:00:00Z"), at("2027-03-28T01:00:00Z")]);
        assert!(WallClock::find("Europe/Wien").is_err());
    }
}
