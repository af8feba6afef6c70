//! When a page is tried again. Pure.

use ports::SendError;

/// The waits between attempts. A server that is gone for an hour is tried once more when it is back; what is older is
/// of no use: somebody else was told meanwhile.
const WAITS_MS: [i64; 9] = [1_000, 3_000, 10_000, 30_000, 60_000, 300_000, 900_000, 1_800_000, 1_800_000];
/// The longest time that the other side may ask for.
const LONGEST_MS: i64 = 900_000;

/// With what HTTP and mail servers refuse a message, not where it goes: another one may be taken.
const OF_MESSAGE: [u16; 6] = [400, 413, 415, 422, 552, 554];

/// Is a message of this kind tried once alone? Anyone who asked for a code or a test sees what becomes of it, and asks
/// again.
pub fn is_once(kind: &str) -> bool {
    kind == "code" || kind == "test"
}

/// How long to wait before the next attempt at a message of a kind, in milliseconds; `None` when there is none.
pub fn wait(kind: &str, attempts: i64, unsent: &SendError) -> Option<i64> {
    if unsent.for_good || is_once(kind) {
        return None;
    }
    let wait = *WAITS_MS.get(usize::try_from(attempts - 1).ok()?)?;
    Some(wait.max(unsent.wait_ms.unwrap_or(0).min(LONGEST_MS)))
}

/// Would where it goes refuse any message for good, as an address does that is gone?
pub fn refuses_all(unsent: &SendError) -> bool {
    unsent.for_good && unsent.status.is_none_or(|status| !OF_MESSAGE.contains(&status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_no_use_is_not_tried_again() {
        let asks = |wait_ms| SendError { wait_ms, ..SendError::new("x") };
        assert_eq!(
            (wait("page", 1, &asks(None)), wait("page", 9, &asks(None)), wait("page", 10, &asks(None))),
            (Some(1_000), Some(1_800_000), None)
        );
        let asked = (wait("page", 1, &asks(Some(60_000))), wait("shift", 1, &asks(Some(i64::MAX))));
        assert_eq!(asked, (Some(60_000), Some(LONGEST_MS)));
        assert_eq!(wait("page", 1, &SendError { for_good: true, ..asks(None) }), None);
        assert_eq!((wait("code", 1, &asks(None)), wait("test", 1, &asks(None))), (None, None));
    }

    #[test]
    fn a_server_that_is_gone_for_an_hour_gets_the_page() {
        let attempts = (1..).map_while(|attempt| wait("page", attempt, &SendError::new("gone")));
        let instants: Vec<i64> = attempts
            .scan(0, |at, wait| {
                *at += wait;
                Some(*at)
            })
            .collect();
        assert!(instants.iter().any(|at| (3_600_000..5_400_000).contains(at)), "{instants:?}");
        // In the first minute it is tried often.
        assert!(instants.iter().filter(|at| **at <= 60_000).count() >= 4, "{instants:?}");
    }
}
