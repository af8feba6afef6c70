//! When a delivery is tried again.

use std::time::UNIX_EPOCH;

use base::{duration, timestamp::Timestamp};

/// The longest wait that an endpoint may ask for.
const LONGEST_ASKED_MS: i64 = 86_400_000;

/// The waits between attempts, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Vec<i64>);

impl Default for Schedule {
    /// 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
    fn default() -> Self {
        const MINUTE: i64 = 60_000;
        const HOUR: i64 = 60 * MINUTE;
        Self(vec![5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR])
    }
}

impl Schedule {
    /// Reads `5s,5m,2h`: numbers with `ms`, `s`, `m`, `h` or `d`.
    ///
    /// # Errors
    /// A sentence for the person who typed it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let waits: Option<Vec<i64>> = text.split(',').map(|word| millis(word.trim())).collect();
        match waits {
            Some(waits) if (1..=100).contains(&waits.len()) => Ok(Self(waits)),
            _ => Err(format!("{text:?} is not a list of waits such as 5s,5m,30m,2h")),
        }
    }

    /// The first wait.
    pub fn first(&self) -> i64 {
        self.0.first().copied().unwrap_or(5_000)
    }

    /// When to try again after `tries` attempts; `None` when the schedule has ended. `jitter` lies between -1 and 1,
    /// and moves the wait by up to a fifth. An endpoint may ask for a longer wait than that, not for a shorter one.
    pub fn next(&self, now: Timestamp, tries: i64, jitter: f64, asked_ms: Option<i64>) -> Option<Timestamp> {
        let wait = *self.0.get(usize::try_from(tries.saturating_sub(1)).ok()?)?;
        let moved = wait.saturating_add((wait as f64 * 0.2 * jitter) as i64).max(1);
        let wait = moved.max(asked_ms.unwrap_or(0).min(LONGEST_ASKED_MS));
        Some(Timestamp::from_millis(now.millis().saturating_add(wait)))
    }
}

/// Reads `150ms`, `5s`, `2h`: a wait of at most 30 days.
pub fn millis(text: &str) -> Option<i64> {
    duration::parse(text).filter(|millis| (1..=30 * 86_400_000).contains(millis))
}

/// The wait of a `Retry-After`: seconds, or a date.
pub fn parse_retry_after(value: &str, now: Timestamp) -> Option<i64> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<i64>() {
        return (seconds >= 0).then(|| seconds.saturating_mul(1_000));
    }
    let since_1970 = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((i64::try_from(since_1970.as_millis()).ok()? - now.millis()).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_205_225_000);

    #[test]
    fn waits_grow_and_end() {
        let schedule = Schedule::default();
        let wait = |tries, jitter, asked| schedule.next(NOW, tries, jitter, asked).map(|at| at.millis() - NOW.millis());
        assert_eq!(wait(1, 0.0, None), Some(5_000));
        assert_eq!((wait(1, 1.0, None), wait(1, -1.0, None)), (Some(6_000), Some(4_000)));
        assert_eq!((wait(9, 0.0, None), wait(10, 0.0, None)), (Some(86_400_000), None));
        assert_eq!(wait(1, 0.0, Some(60_000)), Some(60_000), "a minimum");
        assert_eq!(wait(2, 0.0, Some(1_000)), Some(300_000), "no more than that");
        assert_eq!(wait(1, 0.0, Some(i64::MAX)), Some(86_400_000), "at most a day");
        assert_eq!(Schedule::parse("5s,5m,30m,2h,5h,10h,14h,20h,24h"), Ok(schedule));
        for wrong in ["", "5", "x", "5s,,1m", "0s", "99d"] {
            assert!(wrong == "5" || Schedule::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        assert_eq!(parse_retry_after("120", NOW), Some(120_000));
        assert_eq!(parse_retry_after("Fri, 20 Nov 2026 20:08:05 GMT", NOW), Some(60_000));
        assert_eq!(parse_retry_after("Fri, 20 Nov 2020 20:08:05 GMT", NOW), Some(0));
        for wrong in ["", "-1", "soon", "Fri, 20 Foo 2026 20:08:05 GMT"] {
            assert_eq!(parse_retry_after(wrong, NOW), None, "{wrong}");
        }
    }
}
