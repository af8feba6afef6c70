//! What is used when. Pure.

use base::timestamp::{MINUTE_MS, Timestamp};
use serde::{Deserialize, Serialize};

/// How urgent something is.
pub const URGENCIES: [&str; 2] = ["high", "low"];
/// The most steps of one urgency.
pub const MOST_STEPS: usize = 20;
const DAY_MINUTES: i64 = 24 * 60;

/// What is used for one urgency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// None at all: every verified contact method at once.
    pub steps: Vec<Step>,
    /// When nothing is sent.
    #[serde(default)]
    pub quiet: Option<Quiet>,
    /// How long before a shift of theirs begins the person is told, in milliseconds; `None` when that is not wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_shift_ms: Option<i64>,
}

/// A contact method, and when it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its id.
    pub method: String,
    /// How long after the person is to be told, in milliseconds.
    pub after_ms: i64,
}

/// Hours in which nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quiet {
    /// Minutes after midnight.
    pub from: i64,
    /// Minutes after midnight; before `from`, it is of the next day.
    pub to: i64,
    /// The zone of that midnight.
    pub zone: String,
}

/// Reads `22:00`, as minutes after midnight.
pub fn minute(text: &str) -> Option<i64> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let number = |text: &str, most: i64| {
        let plain = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i64>().ok().filter(|number| plain && *number <= most)
    };
    Some(number(hours, 23)? * 60 + number(minutes, 59)?)
}

impl Quiet {
    /// When something may be sent that would be sent at this instant. `local` tells the minute of the day at one.
    fn end(&self, at: Timestamp, local: impl Fn(Timestamp) -> Option<i64>) -> Option<Timestamp> {
        let long = (self.to - self.from).rem_euclid(DAY_MINUTES);
        let minutes_left = |at: i64| {
            let into = (local(Timestamp::from_millis(at))? - self.from).rem_euclid(DAY_MINUTES);
            Some((long - into).max(0))
        };
        let mut end = at.millis() - at.millis().rem_euclid(MINUTE_MS);
        if minutes_left(end)? == 0 {
            return Some(at);
        }
        // Twice, where clocks are set back meanwhile.
        for _ in 0..2 {
            end += minutes_left(end)? * MINUTE_MS;
        }
        // Where they were set forward, the hours are over before.
        let beyond = (local(Timestamp::from_millis(end))? - self.to).rem_euclid(DAY_MINUTES);
        let mut earlier = (1..=beyond).rev().map(|minutes| end - minutes * MINUTE_MS);
        let end = earlier.find(|end| *end > at.millis() && minutes_left(*end) == Some(0)).unwrap_or(end);
        Some(Timestamp::from_millis(end).max(at))
    }
}

impl Plan {
    /// Which of the methods are used and when, if the person is to be told at an instant: `(method, when)`. `local`
    /// tells the minute of the day at an instant in a zone.
    pub fn at<'a>(
        &'a self,
        methods: &'a [String],
        now: Timestamp,
        local: impl Fn(Timestamp, &str) -> Option<i64>,
    ) -> Vec<(&'a str, Timestamp)> {
        let all = || methods.iter().map(|method| (method.as_str(), 0));
        let said = || self.steps.iter().map(|step| (step.method.as_str(), step.after_ms));
        let known: Vec<(&str, i64)> =
            said().filter(|(method, _)| methods.iter().any(|known| known == method)).collect();
        // A rule that names nothing which is there any more must not silence its owner.
        let used: Vec<(&str, i64)> = if known.is_empty() { all().collect() } else { known };
        let mut found: Vec<(&str, Timestamp)> = Vec::new();
        for (method, after) in used {
            let due = Timestamp::from_millis(now.millis().saturating_add(after));
            let quiet = self.quiet.as_ref();
            let due = quiet.and_then(|quiet| quiet.end(due, |at| local(at, &quiet.zone))).unwrap_or(due);
            // One method once: a person who lists it twice is told at the first time.
            match found.iter_mut().find(|(other, _)| *other == method) {
                Some((_, known)) => *known = due.min(*known),
                None => found.push((method, due)),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
