//! The clocks of a zone, read without the code that is tested.

use jiff::{
    Timestamp as Instant,
    civil::{Date, DateTime, Time},
    tz::{TimeZone, TimeZoneDatabase},
};

use super::cases::{Case, MINUTE};

/// The clocks of a zone.
pub struct Clock(TimeZone);

impl Clock {
    pub fn of(zone: &str) -> Self {
        Self(TimeZoneDatabase::bundled().get(zone).unwrap())
    }

    pub fn changes(&self) -> Vec<i64> {
        let from = 1_167_609_600_000;
        let until = 2_145_916_800_000;
        let all = self.0.following(Instant::from_millisecond(from).unwrap());
        all.map(|change| change.timestamp().as_millisecond()).take_while(|at| *at < until).collect()
    }

    pub fn shows(&self, at: i64) -> DateTime {
        self.0.to_datetime(Instant::from_millisecond(at).unwrap())
    }

    /// When the clocks first show a local time, or one after it.
    pub fn first(&self, date: Date, minute: i64) -> i64 {
        let time = Time::new((minute / 60) as i8, (minute % 60) as i8, 0, 0).unwrap();
        let wanted = date.to_datetime(time);
        let naive = TimeZone::UTC.to_timestamp(wanted).unwrap().as_millisecond();
        let offset = |at: i64| i64::from(self.0.to_offset(Instant::from_millisecond(at).unwrap()).seconds()) * 1_000;
        let reaches = |at: &i64| self.shows(*at) == wanted;
        let near = [naive - 26 * 60 * MINUTE, naive + 26 * 60 * MINUTE].map(|at| naive - offset(at));
        near.into_iter().filter(reaches).min().unwrap_or_else(|| {
            // It is left out: the clocks jump over it.
            (-26 * 60..=26 * 60).map(|step| naive + step * MINUTE).find(|at| self.shows(*at) >= wanted).unwrap()
        })
    }
}

/// The day before the change, far enough for everything to have begun.
pub fn first_day(case: &Case) -> Date {
    Clock::of(case.zone).shows(case.around - 90 * 24 * 60 * MINUTE).date()
}

pub fn later(date: Date, days: i64) -> Date {
    date.checked_add(jiff::Span::new().days(days)).unwrap()
}
