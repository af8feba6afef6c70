//! How many requests one API key may send, so that one script that runs wild does not become everybody's problem.
//!
//! The limit is kept by each process: N gateways let N times as many through.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use base::problem::{Problem, RateLimit};
use governor::{
    Quota, RateLimiter,
    clock::{Clock as _, MonotonicClock},
    middleware::StateInformationMiddleware,
    state::keyed::DashMapStateStore,
};

/// Every so many requests, the keys that have been quiet are forgotten.
const SWEEP_EVERY: u64 = 1 << 16;

/// Requests that one key may send.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Each second, in the long run.
    pub per_second: NonZeroU32,
    /// At once, after a pause.
    pub burst: NonZeroU32,
}

impl Rate {
    /// So many each second, twice as many at once; `None` for 0: no limit.
    pub fn per_second(requests: u32) -> Option<Self> {
        let per_second = NonZeroU32::new(requests)?;
        Some(Self { per_second, burst: per_second.saturating_mul(TWO) })
    }
}

const TWO: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// Counts the requests of every key.
pub struct Keys {
    rate: Rate,
    clock: MonotonicClock,
    limiter: RateLimiter<String, DashMapStateStore<String>, MonotonicClock, StateInformationMiddleware>,
    checked: AtomicU64,
    throttled: AtomicU64,
}

impl Keys {
    /// With nothing counted yet.
    pub fn new(rate: Rate) -> Self {
        let quota = Quota::per_second(rate.per_second).allow_burst(rate.burst);
        let limiter = RateLimiter::dashmap_with_clock(quota, MonotonicClock).with_middleware();
        Self { rate, clock: MonotonicClock, limiter, checked: AtomicU64::new(0), throttled: AtomicU64::new(0) }
    }

    /// Counts a request of this key. Answers what is left, or the 429.
    pub fn check(&self, key: &String) -> Result<RateLimit, Problem> {
        if self.checked.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            self.limiter.retain_recent();
        }
        match self.limiter.check_key(key) {
            Ok(state) => Ok(self.left(state.remaining_burst_capacity())),
            Err(not_until) => {
                self.throttled.fetch_add(1, Ordering::Relaxed);
                let wait = seconds(not_until.wait_time_from(self.clock.now())).max(1);
                let per_second = self.rate.per_second;
                let detail = format!("This key may send {per_second} requests a second. Try again in {wait} s.");
                Err(Problem::throttled(detail, wait, self.left(0)))
            }
        }
    }

    /// How many requests were answered 429.
    pub fn throttled(&self) -> u64 {
        self.throttled.load(Ordering::Relaxed)
    }

    fn left(&self, remaining: u32) -> RateLimit {
        let limit = self.rate.burst.get();
        let reset = limit.saturating_sub(remaining).div_ceil(self.rate.per_second.get());
        RateLimit { limit, remaining, reset }
    }
}

/// Tells what is left, in the headers of an answer.
pub(crate) fn add_headers(quota: RateLimit, headers: &mut HeaderMap) {
    const NAMES: [HeaderName; 3] = [
        HeaderName::from_static("x-ratelimit-limit"),
        HeaderName::from_static("x-ratelimit-remaining"),
        HeaderName::from_static("x-ratelimit-reset"),
    ];
    for (name, value) in NAMES.into_iter().zip([quota.limit, quota.remaining, quota.reset]) {
        headers.insert(name, HeaderValue::from(value));
    }
}

/// Whole seconds, rounded up.
fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis().div_ceil(1000)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_burst() {
        let keys = Keys::new(Rate::per_second(2).unwrap());
        let one = "one".to_owned();
        let other = "other".to_owned();
        for remaining in [3, 2, 1, 0] {
            let left = keys.check(&one).unwrap();
            assert_eq!((left.limit, left.remaining), (4, remaining));
            assert!((1..=2).contains(&left.reset), "{left:?}");
        }
        let refused = keys.check(&one).unwrap_err();
        assert_eq!((refused.kind.status(), refused.kind.code(), refused.retry_after), (429, "throttled", Some(1)));
        assert_eq!(refused.rate_limit, Some(RateLimit { limit: 4, remaining: 0, reset: 2 }));
        assert!(keys.check(&other).is_ok());
        assert_eq!(keys.throttled(), 1);
        std::thread::sleep(Duration::from_millis(1_050));
        assert!(keys.check(&one).is_ok(), "what was used comes back");
    }

    #[test]
    fn zero_is_no_limit() {
        assert!(Rate::per_second(0).is_none());
        assert_eq!(Rate::per_second(u32::MAX).unwrap().burst.get(), u32::MAX);
    }

    #[test]
    fn quiet_keys_are_forgotten() {
        let keys = Keys::new(Rate::per_second(1_000_000).unwrap());
        for number in 0..SWEEP_EVERY + 10 {
            keys.check(&number.to_string()).unwrap();
        }
        assert!(keys.limiter.len() < 1000, "{}", keys.limiter.len());
    }
}
