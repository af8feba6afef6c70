//! Times of the service: GMT, `2026-11-20T20:37:00+0000`, without the colon that RFC 3339 has in an offset.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The instant that a time of the service stands for; `None` when the text is none.
pub fn parse_time(text: &str) -> Option<SystemTime> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let marks = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")];
    if !text.is_ascii() || !marks.iter().all(|(at, mark)| text.get(*at..at + 1) == Some(mark)) {
        return None;
    }
    let year = number(0, 4)?;
    let month = number(5, 7)?;
    let day = number(8, 10)?;
    let hour = number(11, 13)?;
    let minute = number(14, 16)?;
    let second = number(17, 19)?;
    let sign = match text.get(19..20)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let offset = sign * (number(20, 22)? * 60 + number(22, 24)?) * 60;
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset;
    Some(UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).ok()?))
}

/// An instant as the service writes it.
pub fn format_time(instant: SystemTime) -> String {
    let seconds = instant.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let rest = seconds / 60;
    let second = seconds % 60;
    let (rest, minute) = (rest / 60, rest % 60);
    let date = i64::try_from(rest / 24).unwrap_or(0);
    let hour = rest % 24;
    let mut year = 1970;
    let mut month = 1;
    while days(year + 1, 1, 1) <= date {
        year += 1;
    }
    while month < 12 && days(year, month + 1, 1) <= date {
        month += 1;
    }
    let day = date - days(year, month, 1) + 1;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+0000")
}

/// Days from the first of January 1970 to a date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let month_index = usize::try_from(month - 1).unwrap_or(0).min(11);
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    let is_leap = leaps(year) > leaps(year - 1);
    let leap_day = i64::from(is_leap && month > 2);
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969) + BEFORE[month_index] + leap_day + day - 1
}
