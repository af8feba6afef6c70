//! What questions about conflicts take: `rest` and `nights`.

use base::{duration, query::Query};

use super::rules::Limits;

/// The longest that may be asked for: a week.
const LONGEST_REST_MS: i64 = 7 * 86_400_000;
/// The most that may be asked for.
const MOST_NIGHTS: i64 = 31;

api::texts! {
    /// A duration, as a parameter.
    pub Rest = api::spec::of_form(duration::PATTERN);
}

/// Reads `rest` and `nights`, which both have a default; notes what is wrong.
pub fn limits(query: &mut Query) -> Limits {
    let usual = Limits::default();
    let rest = query.text("rest").map(|text| duration::parse(text.trim()));
    let rest_ms = rest.unwrap_or(Some(usual.rest_ms)).filter(|rest| (0..=LONGEST_REST_MS).contains(rest));
    if rest_ms.is_none() {
        query.error("rest", "must be a time from 0s to 7d, such as 11h");
    }
    let nights = i64::try_from(usual.nights).unwrap_or(MOST_NIGHTS);
    let nights = query.integer_in("nights", nights, 1..=MOST_NIGHTS);
    Limits { rest_ms: rest_ms.unwrap_or(usual.rest_ms), nights: usize::try_from(nights).unwrap_or(usual.nights) }
}
