//! Dates as agents write them.

use time::{Date, Month, Time, UtcDateTime, UtcOffset};

/// Reads a date or date and time into milliseconds since the epoch, GMT.
///
/// Without an offset a time is taken as GMT and a date as its first instant.
/// Read are:
/// - `2019-12-19`, `2019/12/19`, `2019-12-19 14:30[:16]`, `2019-12-19T14:30:16Z`, `…+02:00`
/// - `20191219`, `20191219143016[.000000+060]` (WMI), epoch seconds and milliseconds
/// - `19.12.2019`, `19/12/2019 [14:30]`, and `12/19/2019`: with slashes the day
///   comes first, as the older agents write it, unless only the other order is a
///   date. `03/04/2019` is therefore 3 April; this cannot be told from 4 March.
/// - `Thu 19 Dec 2019 02:30:16 PM CET`, `Thu Dec 19 14:30:16 2019`, `Dec 19, 2019`
///
/// Anything else (`N/A`) gives none, and so does a year before 1971 or after
/// 2200: clocks that were never set say 1601 and 1970.
#[must_use]
pub fn parse_date(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.len() > 64 {
        return None;
    }
    let moment = parse_compact(text).or_else(|| parse_separated(text)).or_else(|| parse_worded(text))?;
    let year = UtcDateTime::from_unix_timestamp(moment / 1_000).ok()?.year();
    (1971..=2200).contains(&year).then_some(moment)
}

/// Digits without separators.
fn parse_compact(text: &str) -> Option<i64> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let digits = &text[..end];
    let part = |from: usize, to: usize| digits.get(from..to).and_then(number);
    let is_date = end == 8 && end == text.len() || end == 14 && (end == text.len() || text.as_bytes()[end] == b'.');
    if is_date {
        let date = date(part(0, 4)?, part(4, 6)?, part(6, 8)?)?;
        let time = if end == 14 { clock(part(8, 10)?, part(10, 12)?, part(12, 14)?)? } else { Time::MIDNIGHT };
        return Some(millis(date, time, UtcOffset::UTC));
    }
    match (end == text.len(), end) {
        (true, 9 | 10) => digits.parse::<i64>().ok().map(|seconds| seconds * 1_000),
        (true, 12 | 13) => digits.parse().ok(),
        _ => None,
    }
}

/// Three numbers with one separator, then perhaps a time.
fn parse_separated(text: &str) -> Option<i64> {
    let end = text.find(['T', ' ']).unwrap_or(text.len());
    let (day_part, rest) = text.split_at(end);
    let separator = day_part.chars().find(|character| !character.is_ascii_digit())?;
    if !matches!(separator, '-' | '/' | '.') {
        return None;
    }
    let mut fields = day_part.split(separator);
    let [first, second, third] = [fields.next()?, fields.next()?, fields.next()?];
    if fields.next().is_some() {
        return None;
    }
    let a = number(first)?;
    let b = number(second)?;
    let c = number(third)?;
    let date = match (first.len(), third.len()) {
        (4, _) => date(a, b, c)?,
        (_, 4) => date(c, b, a).or_else(|| (separator == '/').then(|| date(c, a, b)).flatten())?,
        _ => return None,
    };
    let (time, offset) = time_of_day(rest.trim_start_matches(['T', ' ']));
    Some(millis(date, time, offset))
}

/// Month names, as `rpm` and `ls` write them.
fn parse_worded(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut year = None;
    let mut month = None;
    let mut day = None;
    let mut time = Time::MIDNIGHT;
    let mut afternoon = None;
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        let lower = word.to_ascii_lowercase();
        if let Some(found) = lower.get(..3).and_then(|start| MONTHS.iter().position(|name| *name == start)) {
            month = month.or(u16::try_from(found + 1).ok());
        } else if word.contains(':') {
            time = time_of_day(word).0;
        } else if lower == "pm" || lower == "am" {
            afternoon = Some(lower == "pm");
        } else if let Some(number) = number(word) {
            if word.len() == 4 {
                year = Some(number);
            } else {
                day = day.or(Some(number));
            }
        }
    }
    let time = match (afternoon, time.hour()) {
        (Some(true), hour @ 1..=11) => time.replace_hour(hour + 12).ok()?,
        (Some(false), 12) => time.replace_hour(0).ok()?,
        _ => time,
    };
    Some(millis(date(year?, month?, day?)?, time, UtcOffset::UTC))
}

/// `14:30`, `14:30:16`, `14:30:16.5`, each perhaps with `Z` or an offset. What
/// cannot be read counts as midnight GMT: the date is what matters.
fn time_of_day(text: &str) -> (Time, UtcOffset) {
    let end = text.find(['Z', 'z', '+', '-', ' ']).unwrap_or(text.len());
    let (clock_part, zone) = text.split_at(end);
    let mut fields = clock_part.split([':', '.']);
    let mut field = || fields.next().and_then(number);
    let time = match (field(), field(), field()) {
        (Some(hour), Some(minute), second) => clock(hour, minute, second.unwrap_or(0)),
        _ => None,
    };
    let Some(time) = time else {
        return (Time::MIDNIGHT, UtcOffset::UTC);
    };
    (time, offset(zone.trim()).unwrap_or(UtcOffset::UTC))
}

fn offset(zone: &str) -> Option<UtcOffset> {
    let sign = match zone.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = zone.chars().skip(1).filter(char::is_ascii_digit).take(4).collect();
    let hours: i8 = digits.get(..2)?.parse().ok()?;
    let minutes: i8 = digits.get(2..4).map_or(Some(0), |minutes| minutes.parse().ok())?;
    UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()
}

fn number(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn date(year: u16, month: u16, day: u16) -> Option<Date> {
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(i32::from(year), month, u8::try_from(day).ok()?).ok()
}

fn clock(hour: u16, minute: u16, second: u16) -> Option<Time> {
    // A leap second is the last second of its minute here.
    Time::from_hms(u8::try_from(hour).ok()?, u8::try_from(minute).ok()?, u8::try_from(second.min(59)).ok()?).ok()
}

fn millis(date: Date, time: Time, offset: UtcOffset) -> i64 {
    (UtcDateTime::new(date, time).unix_timestamp() - i64::from(offset.whole_seconds())) * 1_000
}

#[cfg(test)]
mod tests;
