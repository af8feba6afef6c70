//! Instants: milliseconds inside, whole seconds in GMT outside.
//!
//! Read and written by hand: the accepted forms (`Z`, two forms of an offset, and a space for its sign) are not one
//! format of the crate `time`, and what is written goes into an answer without a text of its own. `time` is what the
//! tests compare it with. Zones and their clocks are the business of `calendar`, by `jiff`, since `time` has no
//! database of zones.

use std::fmt;

use serde::{Serialize, Serializer};

/// An instant, in milliseconds since 1970-01-01T00:00:00Z.
///
/// The wire rules (`docs/interface.md`) know it as `2026-11-20T20:37:00+0000`: always GMT, whole
/// seconds, the fraction dropped. Only the years 0000 to 9999 have such a text; an instant outside
/// is written as the nearest one inside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Timestamp(i64);

/// The milliseconds of a minute.
pub const MINUTE_MS: i64 = 60_000;
/// The milliseconds of an hour.
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
/// The milliseconds of a day in GMT.
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// The length of the text of a timestamp, in bytes.
const TEXT_LENGTH: usize = 24;
const SECONDS_PER_DAY: i64 = 86_400;
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01, where the eras of 400 years start, to 1970-01-01.
const ERA_TO_EPOCH: i64 = 719_468;
/// 0000-01-01T00:00:00Z, the first second that can be written.
const FIRST_WRITTEN: i64 = -62_167_219_200;
/// 0001-01-01T00:00:00Z, the first second that can be read.
const FIRST_READ: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z, the last second of both.
const LAST: i64 = 253_402_300_799;

/// A time as requests have it, for the patterns below.
macro_rules! form {
    () => {
        concat!(
            "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])",
            "-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))",
            "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](Z|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])",
        )
    };
}

impl Timestamp {
    /// What [`Timestamp::parse`] reads, but for the space that only URLs make of a `+`, and for the leap years, whose
    /// last day of February stands in all.
    pub const PATTERN: &'static str = concat!("^", form!(), "$");
    /// [`Timestamp::PATTERN`], or an empty text, which takes a time away.
    pub const PATTERN_OR_EMPTY: &'static str = concat!("^(", form!(), ")?$");

    /// The instant this many milliseconds after the epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Reads `yyyy-MM-ddTHH:mm:ss` followed by `Z`, `+hhmm` or `+hh:mm` (either sign).
    ///
    /// A space in place of the `+` is accepted too: that is what a raw `+` becomes in a URL. The
    /// instant lies in the years 0001 to 9999, both as written and in GMT. Anything else is `None`:
    /// no fractions, no lower-case letters, no second 60, no day that the month does not have.
    pub fn parse(text: &str) -> Option<Self> {
        let (stamp, zone) = text.as_bytes().split_at_checked(19)?;
        #[rustfmt::skip]
        let &[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, b'T', h0, h1, b':', i0, i1, b':', s0, s1] = stamp else {
            return None;
        };
        let year = number(y0, y1)? * 100 + number(y2, y3)?;
        let month = number(m0, m1)?;
        let day = number(d0, d1)?;
        let hour = number(h0, h1)?;
        let minute = number(i0, i1)?;
        let second = number(s0, s1)?;
        let in_calendar = year >= 1 && (1..=days_in_month(year, month)).contains(&day);
        if !in_calendar || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let local = days_from_civil(year, month, day) * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + second;
        let seconds = local - offset_seconds(zone)?;
        (FIRST_READ..=LAST).contains(&seconds).then(|| Self(seconds * 1_000))
    }

    fn text(self) -> [u8; TEXT_LENGTH] {
        let seconds = self.0.div_euclid(1_000).clamp(FIRST_WRITTEN, LAST);
        let days = seconds.div_euclid(SECONDS_PER_DAY);
        // From here on every number is small and positive: one era is added so that January and
        // February of the year 0, which the calendar below counts to the year before, stay so.
        let second = narrow(seconds.rem_euclid(SECONDS_PER_DAY));
        let (year, month, day) = civil_from_days(narrow(days + ERA_TO_EPOCH + DAYS_PER_ERA));
        let mut text = *b"0000-00-00T00:00:00+0000";
        let [y0, y1, y2, y3, _, m0, m1, _, d0, d1, _, h0, h1, _, i0, i1, _, s0, s1, ..] = &mut text;
        digits(y0, y1, year / 100);
        digits(y2, y3, year % 100);
        digits(m0, m1, month);
        digits(d0, d1, day);
        digits(h0, h1, second / 3_600);
        digits(i0, i1, second / 60 % 60);
        digits(s0, s1, second % 60);
        text
    }
}

/// A value known to lie between 0 and 2^32; the clamp in `text` sees to that.
fn narrow(value: i64) -> u32 {
    u32::try_from(value).unwrap_or_default()
}

fn digits(tens: &mut u8, ones: &mut u8, value: u32) {
    *tens = b'0' + (value / 10 % 10) as u8;
    *ones = b'0' + (value % 10) as u8;
}

/// The year, month and day of a day counted from 1 March of the year -400.
///
/// Years are taken to start in March, so that the leap day is the last of its year; the month
/// lengths from March on then follow the line (153 m + 2) / 5.
fn civil_from_days(days: u32) -> (u32, u32, u32) {
    let era = days / 146_097;
    let day = days % 146_097;
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = (era * 400 + year_of_era + u32::from(month <= 2)).saturating_sub(400);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

/// Days from 1970-01-01 to a date of the years 1 to 9999.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year / 4 - year / 100 + year / 400;
    year * 365 + leap_days + day_of_year - ERA_TO_EPOCH
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 0,
    }
}

/// What `Z`, `+hhmm`, `+hh:mm`, their negatives and ` hhmm`, ` hh:mm` stand for.
fn offset_seconds(zone: &[u8]) -> Option<i64> {
    let (sign, h0, h1, m0, m1) = match *zone {
        [b'Z'] => return Some(0),
        [sign, h0, h1, m0, m1] => (sign, h0, h1, m0, m1),
        [sign, h0, h1, b':', m0, m1] => (sign, h0, h1, m0, m1),
        _ => return None,
    };
    let hours = number(h0, h1)?;
    let minutes = number(m0, m1)?;
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = hours * 3_600 + minutes * 60;
    match sign {
        b'+' | b' ' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

fn number(tens: u8, ones: u8) -> Option<i64> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    Some(digit(tens)? * 10 + digit(ones)?)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
