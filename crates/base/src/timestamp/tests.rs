use proptest::prelude::*;
use time::{Date, Month, OffsetDateTime, UtcOffset, macros::datetime};

use super::*;

/// What another implementation takes the same instant to look like.
fn oracle(seconds: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp(seconds).unwrap();
    let date = at.date();
    let time = at.time();
    let year = date.year();
    let month = u8::from(date.month());
    let day = date.day();
    let (hour, minute, second) = time.as_hms();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+0000")
}

#[test]
fn writes_whole_seconds_in_gmt() {
    let at = datetime!(2026-11-20 20:37:00 UTC).unix_timestamp() * 1_000;
    let written = "2026-11-20T20:37:00+0000";
    assert_eq!(Timestamp::from_millis(at).to_string(), written);
    assert_eq!(Timestamp::from_millis(at + 999).to_string(), written);
    assert_eq!(Timestamp::from_millis(-1).to_string(), "1969-12-31T23:59:59+0000");
    let json = serde_json::to_string(&Timestamp::from_millis(at)).unwrap();
    assert_eq!(json, format!("\"{written}\""));
}

#[test]
fn writes_what_has_no_text_as_the_nearest_that_has() {
    let text = |millis| Timestamp::from_millis(millis).to_string();
    assert_eq!(text(i64::MIN), "0000-01-01T00:00:00+0000");
    assert_eq!(text(FIRST_WRITTEN * 1_000 - 1), "0000-01-01T00:00:00+0000");
    assert_eq!(text(FIRST_READ * 1_000 - 1), "0000-12-31T23:59:59+0000");
    assert_eq!(text(LAST * 1_000 + 1_000), "9999-12-31T23:59:59+0000");
    assert_eq!(text(i64::MAX), "9999-12-31T23:59:59+0000");
}

#[test]
fn writes_every_day_of_an_era_right_and_some_of_all_years() {
    let mut seconds = FIRST_WRITTEN;
    while seconds <= LAST {
        assert_eq!(Timestamp::from_millis(seconds * 1_000).to_string(), oracle(seconds));
        let in_era = seconds < FIRST_WRITTEN + DAYS_PER_ERA * SECONDS_PER_DAY;
        seconds += if in_era { SECONDS_PER_DAY + 1 } else { 97 * SECONDS_PER_DAY + 1 };
    }
}

#[test]
fn reads_every_form_of_an_offset() {
    let gmt = Timestamp::from_millis(datetime!(2026-01-01 06:30:00 UTC).unix_timestamp() * 1_000);
    let same = [
        "2026-01-01T06:30:00Z",
        "2026-01-01T06:30:00+0000",
        "2026-01-01T06:30:00-0000",
        "2026-01-01T06:30:00+00:00",
        "2026-01-01T06:30:00 0000",
        "2026-01-01T12:00:00+05:30",
        "2026-01-01T12:00:00+0530",
        "2026-01-01T12:00:00 05:30",
        "2026-01-01T03:00:00-0330",
        "2026-01-01T03:00:00-03:30",
    ];
    for text in same {
        assert_eq!(Timestamp::parse(text), Some(gmt), "{text}");
    }
}

#[test]
fn refuses_anything_else() {
    let wrong = [
        "",
        "2026-01-01",
        "2026-01-01T06:30:00",
        "2026-01-01T06:30Z",
        "2026-01-01 06:30:00Z",
        "2026-01-01t06:30:00Z",
        "2026-01-01T06:30:00z",
        "2026-01-01T06:30:00.000Z",
        "2026-01-01T06:30:00Z ",
        " 2026-01-01T06:30:00Z",
        "2026-01-01T06:30:00+00",
        "2026-01-01T06:30:00+2400",
        "2026-01-01T06:30:00+0060",
        "2026-01-01T06:30:00+00-00",
        "2026-01-01T06:30:00*0000",
        "2026-01-01T24:00:00Z",
        "2026-01-01T06:60:00Z",
        "2026-01-01T06:30:60Z",
        "2026-00-01T06:30:00Z",
        "2026-13-01T06:30:00Z",
        "2026-01-00T06:30:00Z",
        "2026-01-32T06:30:00Z",
        "2026-04-31T06:30:00Z",
        "2026-02-29T06:30:00Z",
        "2100-02-29T06:30:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+0001",
        "9999-12-31T23:59:59-0001",
        "+2026-01-01T06:30:00Z",
        "-026-01-01T06:30:00Z",
        "2026-01-01T06:30:0\u{0660}Z",
        "1767249000",
    ];
    for text in wrong {
        assert_eq!(Timestamp::parse(text), None, "{text:?}");
    }
}

/// Without the signs for its beginning and end, as proptest wants it.
const FORM: &str = Timestamp::PATTERN.split_at(1).1.split_at(Timestamp::PATTERN.len() - 2).0;

fn has_form(text: &str) -> bool {
    regex::Regex::new(Timestamp::PATTERN).unwrap().is_match(text)
}

#[test]
fn the_pattern_refuses_what_is_refused() {
    for text in [
        "",
        "2026-01-01",
        "2026-01-01 06:30:00Z",
        "2026-13-01T06:30:00Z",
        "2026-04-31T06:30:00Z",
        "0000-01-01T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T06:30:60Z",
        "2026-01-01T06:30:00+2400",
        "2026-01-01T06:30:00Z ",
        "2026-02-30T06:30:00Z",
        "2026-01-01T06:30:00*0000",
    ] {
        assert!(Timestamp::parse(text).is_none() && !has_form(text), "{text:?}");
    }
}

proptest! {
    #[test]
    fn what_has_the_form_is_read(text in FORM) {
        // Which years have a leap day, and which an offset leads out of, no pattern tells.
        let excepted = text.contains("-02-29T") || text.starts_with("0001-01-01") || text.starts_with("9999-12-31");
        prop_assert!(excepted || Timestamp::parse(&text).is_some(), "{text}");
    }

    #[test]
    fn what_is_written_has_the_form(seconds in FIRST_READ..=LAST) {
        prop_assert!(has_form(&Timestamp::from_millis(seconds * 1_000).to_string()));
    }

    #[test]
    fn what_is_written_can_be_read(seconds in FIRST_READ..=LAST, rest in 0_i64..1_000) {
        let text = Timestamp::from_millis(seconds * 1_000 + rest).to_string();
        prop_assert_eq!(&text, &oracle(seconds));
        prop_assert_eq!(Timestamp::parse(&text), Some(Timestamp::from_millis(seconds * 1_000)));
    }

    #[test]
    fn later_instants_sort_later_as_text(one: i64, other: i64) {
        let one = Timestamp::from_millis(one);
        let other = Timestamp::from_millis(other);
        prop_assert_eq!(one.to_string().len(), TEXT_LENGTH);
        prop_assert!(one > other || one.to_string() <= other.to_string());
    }

    #[test]
    fn reads_as_another_implementation_does(
        (year, month, day) in (0_i32..=9999, 0_u8..=13, 0_u8..=32),
        (hour, minute, second) in (0_u8..=24, 0_u8..=60, 0_u8..=60),
        offset in -1_439_i32..=1_439,
        colon: bool,
    ) {
        let sign = if offset < 0 { '-' } else { '+' };
        let hours = offset.abs() / 60;
        let minutes = offset.abs() % 60;
        let colon = if colon { ":" } else { "" };
        let text = format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{hours:02}{colon}{minutes:02}"
        );
        let expected = (year > 0).then_some(()).and_then(|()| {
            let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
            let local = date.with_hms(hour, minute, second).ok()?;
            let offset = UtcOffset::from_whole_seconds(offset * 60).ok()?;
            let seconds = local.assume_offset(offset).unix_timestamp();
            (FIRST_READ..=LAST).contains(&seconds).then(|| Timestamp::from_millis(seconds * 1_000))
        });
        prop_assert_eq!(Timestamp::parse(&text), expected, "{}", text);
    }

    #[test]
    fn survives_any_text(text: String, near in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-9:]{5}.{0,7}") {
        Timestamp::parse(&text);
        Timestamp::parse(&near);
    }
}
