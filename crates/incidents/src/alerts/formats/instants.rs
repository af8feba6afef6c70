//! Times, as senders write them.

use base::timestamp::Timestamp;
use serde_json::Value;

use super::text;

/// The months of mails.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The time of a field, where it has one that can be read.
pub fn instant(value: Option<&Value>) -> Option<Timestamp> {
    read(value).ok().flatten()
}

/// The first of these fields that has a time, and a warning where one has something else and none a time.
pub fn time<'v>(fields: impl IntoIterator<Item = Option<&'v Value>>) -> (Option<Timestamp>, Option<String>) {
    let mut warning = None;
    for field in fields {
        match read(field) {
            Ok(Some(time)) => return (Some(time), None),
            Ok(None) => {}
            Err(text) => warning = warning.or(Some(unknown_time(&text))),
        }
    }
    (None, warning)
}

/// The warning about a text that is not a time.
pub fn unknown_time(text: &str) -> String {
    format!("{text:.100} is not a time that is known here: it is left out")
}

/// A time of the calendar or of a mail, or seconds or milliseconds since 1970; 0 and the year 1 stand for nothing.
///
/// # Errors
/// What is written there instead.
fn read(value: Option<&Value>) -> Result<Option<Timestamp>, String> {
    let written = match value {
        Some(value @ (Value::Array(_) | Value::Object(_))) => return Err(value.to_string()),
        value => text(value),
    };
    if written.is_empty() {
        return Ok(None);
    }
    let known = match written.parse::<f64>() {
        Ok(number) => {
            // Seconds since 1970 reach this number in the year 5138.
            let millis = if number < 100_000_000_000.0 { number * 1_000.0 } else { number };
            // Saturates: a number beyond all calendars is not a time.
            Some(Timestamp::from_millis(millis as i64))
        }
        Err(_) => Timestamp::parse(&written).or_else(|| of_calendar(&written)).or_else(|| of_mail(&written)),
    };
    Ok(Some(known.ok_or(written)?).filter(|at| at.millis() > 0))
}

/// RFC 3339, also in lower case, with a blank for its `T`, without seconds, with a fraction, which is dropped, and
/// without a zone, which is GMT then.
fn of_calendar(text: &str) -> Option<Timestamp> {
    let text = text.to_ascii_uppercase();
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', ' '])?;
    let (clock, rest) = rest.split_at(rest.find(|letter| !matches!(letter, '0'..='9' | ':')).unwrap_or(rest.len()));
    let zone = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => fraction.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        None => rest,
    };
    of_parts(date, clock, zone.split_whitespace().next().unwrap_or_default())
}

/// `Mon, 30 Nov 2026 10:00:00 +0100`, as in mails (RFC 2822) and in headers of HTTP.
fn of_mail(text: &str) -> Option<Timestamp> {
    let mut words = text.split_once(',').map_or(text, |(_, rest)| rest).split_whitespace();
    let (day, month, year, clock) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let month = MONTHS.iter().position(|known| month.eq_ignore_ascii_case(known))? + 1;
    of_parts(&format!("{year}-{month:02}-{day:0>2}"), clock, &words.next().unwrap_or_default().to_ascii_uppercase())
}

fn of_parts(date: &str, clock: &str, zone: &str) -> Option<Timestamp> {
    let seconds = if clock.len() == 5 { ":00" } else { "" };
    let zone = match zone {
        "" | "UTC" | "GMT" | "UT" => "Z".to_owned(),
        hours if hours.len() == 3 => format!("{hours}00"),
        zone => zone.to_owned(),
    };
    Timestamp::parse(&format!("{date}T{clock}{seconds}{zone}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        let at = |value: Value| instant(Some(&value)).map(|at| at.to_string());
        for (written, read) in [
            (json!("2018-08-03T09:52:26.739266876+02:00"), "2018-08-03T07:52:26+0000"),
            (json!("2018-08-03T09:52:26Z"), "2018-08-03T09:52:26+0000"),
            (json!(1_533_289_946), "2018-08-03T09:52:26+0000"),
            (json!("1533289946000"), "2018-08-03T09:52:26+0000"),
            (json!("2026-11-30T10:00:00"), "2026-11-30T10:00:00+0000"),
            (json!("2026-11-30T10:00:00.123456"), "2026-11-30T10:00:00+0000"),
            (json!("2026-11-30 10:00:00"), "2026-11-30T10:00:00+0000"),
            (json!("2026-11-30 10:00"), "2026-11-30T10:00:00+0000"),
            (json!("2026-11-30 10:00:00.5+01"), "2026-11-30T09:00:00+0000"),
            (json!("2026-11-30 10:00:00 +0100 CET"), "2026-11-30T09:00:00+0000"),
            (json!("2026-11-30t10:00:00z"), "2026-11-30T10:00:00+0000"),
            (json!("Mon, 30 Nov 2026 10:00:00 +0100"), "2026-11-30T09:00:00+0000"),
            (json!("3 Nov 2026 10:00 GMT"), "2026-11-03T10:00:00+0000"),
        ] {
            assert_eq!(at(written.clone()).as_deref(), Some(read), "{written}");
        }
        for none in [json!("0001-01-01T00:00:00Z"), json!(""), json!("soon"), json!(null), json!(-5), json!("NaN")] {
            assert_eq!(at(none.clone()), None, "{none}");
        }
    }

    #[test]
    fn what_is_not_a_time_is_named() {
        let warning = |values: &[Value]| time(values.iter().map(Some)).1;
        for nothing in [json!("0001-01-01T00:00:00Z"), json!(""), json!(null), json!(0)] {
            assert_eq!(warning(&[nothing]), None);
        }
        for other in [json!("soon"), json!("30.11.2026"), json!("2026-02-30T10:00:00"), json!(["x"]), json!("äöüß€ñ")]
        {
            assert!(warning(&[json!(null), other]).unwrap().contains("is not a time"));
        }
        assert_eq!(warning(&[json!("soon"), json!(1_533_289_946)]), None, "one of them is enough");
    }
}
