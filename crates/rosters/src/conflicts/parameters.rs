//! What questions about conflicts take: `rest` and `nights`.

use base::{duration, query::Query};

use super::rules::Limits;

/// The longest that may be asked for: a week.
const LONGEST_REST_MS: i64 = 7 * 86_400_000;
/// The most that may be asked for.
const MOST_NIGHTS: i64 = 31;

/// As [`duration::PATTERN`], with a unit: people rest for hours, and a number alone would be seconds.
const REST_PATTERN: &str = r"^\s*[0-9]+\s*(ms|s|m|min|h|d)\s*$";

api::texts! {
    /// A duration, as a parameter.
    pub Rest = api::spec::of_form(REST_PATTERN);
}

/// Reads `rest` and `nights`, which both have a default; notes what is wrong.
pub fn limits(query: &mut Query) -> Limits {
    let usual = Limits::default();
    let rest_ms = match query.text("rest").map(|text| rest(text.trim())) {
        None => usual.rest_ms,
        Some(Ok(rest_ms)) => rest_ms,
        Some(Err(message)) => {
            query.error("rest", message);
            usual.rest_ms
        }
    };
    let nights = i64::try_from(usual.nights).unwrap_or(MOST_NIGHTS);
    let nights = query.integer_in("nights", nights, 1..=MOST_NIGHTS);
    Limits { rest_ms, nights: usize::try_from(nights).unwrap_or(usual.nights) }
}

/// Milliseconds of a rest.
fn rest(text: &str) -> Result<i64, String> {
    if !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit()) {
        return Err(format!("needs a unit, such as {text}h"));
    }
    let rest_ms = duration::parse(text).filter(|rest| (0..=LONGEST_REST_MS).contains(rest));
    rest_ms.ok_or_else(|| "must be a time from 0h to 7d, such as 11h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_has_a_unit() {
        assert_eq!((rest("11h"), rest("0h"), rest("90 min")), (Ok(39_600_000), Ok(0), Ok(5_400_000)));
        assert_eq!(rest("11"), Err("needs a unit, such as 11h".to_owned()));
        for wrong in ["", "8d", "h", "-1h", "11 weeks"] {
            assert_eq!(rest(wrong), Err("must be a time from 0h to 7d, such as 11h".to_owned()), "{wrong}");
        }
    }
}
