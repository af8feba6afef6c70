//! Durations as people write them: `90s`, `5m`, `2h`, `1d`.

/// What [`parse`] reads, but for numbers that are too large, with blanks around it.
pub const PATTERN: &str = r"^\s*[0-9]+\s*(ms|s|m|min|h|d)?\s*$";

/// Milliseconds of a number and its unit (`ms`, `s`, `m` or `min`, `h`, `d`; seconds without one). `None` for anything
/// else.
pub fn parse(text: &str) -> Option<i64> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits)?;
    let factor = match unit.trim() {
        "ms" => 1,
        "s" | "" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(factor)
}

/// The shortest text that [`parse`] reads as this many milliseconds.
pub fn text(millis: i64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    let unit = units.into_iter().find(|(factor, _)| millis != 0 && millis % factor == 0);
    match unit {
        Some((factor, unit)) => format!("{}{unit}", millis / factor),
        None if millis == 0 => "0s".to_owned(),
        None => format!("{millis}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for (written, millis) in
            [("90s", 90_000), ("5m", 300_000), ("2h", 7_200_000), ("1d", 86_400_000), ("0s", 0), ("15ms", 15)]
        {
            assert_eq!((parse(written), text(millis).as_str()), (Some(millis), written));
        }
        assert_eq!((parse("60s"), text(60_000).as_str()), (Some(60_000), "1m"));
        assert_eq!((parse("7"), parse("2min")), (Some(7_000), Some(120_000)));
    }

    proptest::proptest! {
        #[test]
        fn what_has_the_form_is_read(text in r"\s{0,2}[0-9]{1,9}\s{0,2}(ms|s|m|min|h|d)?\s{0,2}") {
            assert!(regex::Regex::new(PATTERN).unwrap().is_match(&text), "{text:?}");
            assert!(parse(text.trim()).is_some(), "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for wrong in ["", "m", "5 weeks", "-5m", "1.5h", "99999999999999999d", "5m5s", "é"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
