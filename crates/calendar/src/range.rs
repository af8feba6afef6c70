//! The range of a question about time: `from` and `to`.

use base::{Problem, Query, Timestamp, body::ignored};
use serde_json::Value;

use crate::{fields::Instant, interval::Interval};

/// The longest range that may be asked about: 400 days, in milliseconds.
const LONGEST_MS: u64 = 400 * 86_400_000;

/// Reads `from` and `to` of a query; for a preview they may stand in the body.
///
/// # Errors
/// 400 that names what is missing or wrong.
pub fn read(mut query: Query, body: Option<&Value>) -> Result<Interval, Problem> {
    let mut read = |name: &str| {
        let given = query.text(name);
        let text = given.or_else(|| Some(body?.get(name)?.as_str()?.to_owned()));
        let Some(text) = text else {
            query.error(name, "is required");
            return None;
        };
        let at = Timestamp::parse(&text).ok_or("must be a time such as 2026-11-20T20:37:00+0000");
        at.and_then(Instant::of).map_err(|message| query.error(name, message)).ok()
    };
    let from = read("from");
    let to = read("to");
    if body.is_some() {
        ignored::was_read(&["from", "to"]);
    }
    let range = from.zip(to).and_then(|(from, to)| from.until(to));
    match range {
        None if from.is_some() && to.is_some() => query.error("to", "must be after from"),
        Some(range) if range.millis() > LONGEST_MS => query.error("to", "must be at most 400 days after from"),
        _ => {}
    }
    query.finish()?;
    range.ok_or_else(|| Problem::internal())
}
