//! How long a token lives.

use base::timestamp::Timestamp;

/// Seconds that a token lives.
pub(crate) const LIFE: i64 = 7199;

/// When a token that is made now expires, of a key that may end by itself.
pub(crate) fn expiry(now: Timestamp, end_of_key: Option<Timestamp>) -> Timestamp {
    let end = Timestamp::from_millis(now.millis() + LIFE * 1000);
    end_of_key.map_or(end, |of_key| of_key.min(end))
}

/// The whole seconds that a token lives which is made now.
pub(crate) fn lives(now: Timestamp, expires: Timestamp) -> i64 {
    (expires.millis() - now.millis()) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_lives_7199_seconds() {
        let now = Timestamp::from_millis(1);
        let at = Timestamp::from_millis;
        assert_eq!(expiry(now, None).millis(), 7_199_001);
        assert_eq!(expiry(now, Some(at(i64::MAX))).millis(), 7_199_001);
        assert_eq!(expiry(now, Some(at(5_000))).millis(), 5_000);
        assert_eq!((lives(now, expiry(now, None)), lives(now, at(5_000))), (7_199, 4));
    }
}
