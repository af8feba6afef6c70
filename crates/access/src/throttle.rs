//! Limits on failed attempts.
//!
//! Credentials are checked before the limit: the right token, or key and secret, are never refused, however many wrong
//! ones came for the same key or from the same address. (They cannot be guessed: they are random, and a look-up is
//! cheap.) Only failures are throttled: beyond a limit they are answered 429 in place of 401. Wrong secrets count for
//! key and address together, and for the address; wrong tokens count for the address. A client with one wrong secret
//! in its configuration uses up its own limit and leaves that of its address alone.
//!
//! `governor`, which limits the rate of keys (`api::limits`), keeps a row for each key until it is told to look for old
//! ones. The number of keys has a limit, but an attacker may come from any number of addresses. So the limits stand in
//! a cache here, whose capacity bounds the memory.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::HttpRequest;
use base::problem::{Problem, RateLimit};
use moka::sync::Cache;

use crate::secrets::{self, Hash};

/// Wrong secrets of one key from one address.
const OF_KEY: Limit = Limit { burst: 10, every_ms: 6_000 };

/// Wrong secrets from one address, whatever the key.
const OF_ADDRESS: Limit = Limit { burst: 100, every_ms: 600 };

/// Unknown tokens from one address. A whole site's machines may send revoked ones until they notice.
const OF_TOKENS: Limit = Limit { burst: 600, every_ms: 100 };

/// Codes of sign-in links that open nothing, from one address.
const OF_CODES: Limit = Limit { burst: 60, every_ms: 1_000 };

/// Requests for sign-in links from one address: people of one site share it.
const OF_LINK_REQUESTS: Limit = Limit { burst: 20, every_ms: 6_000 };

/// Keys and addresses, and addresses, that are remembered at most: some megabytes.
const REMEMBERED: u64 = 20_000;

/// After this long without a failure any limit is whole again.
const FORGET: Duration = Duration::from_secs(120);

/// The failures of one process.
pub(crate) struct Throttle {
    begun: Instant,
    trust_forwarded: bool,
    keys: Counters<(IpAddr, Hash)>,
    addresses: Counters<IpAddr>,
    tokens: Counters<IpAddr>,
    codes: Counters<IpAddr>,
    link_requests: Counters<IpAddr>,
}

impl Throttle {
    /// `trust_forwarded`: is `X-Forwarded-For` written by a proxy of ours?
    pub(crate) fn new(trust_forwarded: bool) -> Self {
        Self {
            begun: Instant::now(),
            trust_forwarded,
            keys: Counters::new(OF_KEY),
            addresses: Counters::new(OF_ADDRESS),
            tokens: Counters::new(OF_TOKENS),
            codes: Counters::new(OF_CODES),
            link_requests: Counters::new(OF_LINK_REQUESTS),
        }
    }

    /// Counts the code of a sign-in link that opens nothing. Answers the 429 once there are too many.
    pub(crate) fn wrong_code(&self, request: &HttpRequest) -> Option<Problem> {
        let address = self.address(request);
        api::notice::failed_login(address, None);
        let refused = self.codes.count(address, self.now()).err()?;
        let detail = "Too many attempts to sign in with a link that is not good. Ask for a new one.";
        Some(Problem::throttled(detail, refused.wait, refused.limit))
    }

    /// Counts a request for a sign-in link, whatever address it names.
    ///
    /// # Errors
    /// 429 once there are too many from where it comes.
    pub(crate) fn count_link_request(&self, request: &HttpRequest) -> Result<(), Problem> {
        let refused = |refused: LimitExceeded| {
            let detail = "Too many requests for sign-in links. A link that was mailed may have arrived already.";
            Problem::throttled(detail, refused.wait, refused.limit)
        };
        self.link_requests.count(self.address(request), self.now()).map_err(refused)
    }

    /// Where a request comes from.
    pub(crate) fn address(&self, request: &HttpRequest) -> IpAddr {
        api::address::of(request, self.trust_forwarded)
    }

    fn now(&self) -> i64 {
        i64::try_from(self.begun.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// Counts a failure: wrong credentials with this `key`, or a wrong token. Answers the 429 once there are too many.
    pub(crate) fn failed(&self, request: &HttpRequest, key: Option<&str>) -> Option<Problem> {
        let now = self.now();
        let address = self.address(request);
        api::notice::failed_login(address, key);
        let counted = match key {
            None => self.tokens.count(address, now),
            // What the key's own limit refuses does not count against the address.
            Some(key) => {
                self.keys.count((address, secrets::hash(key)), now).and_then(|()| self.addresses.count(address, now))
            }
        };
        let refused = counted.err()?;
        let detail = "Too many attempts with a wrong key, secret or token. Check them; the right ones work at once.";
        Some(Problem::throttled(detail, refused.wait, refused.limit))
    }
}

/// So many at once, and one more after each interval.
#[derive(Clone, Copy)]
struct Limit {
    burst: i64,
    every_ms: i64,
}

/// A limit that is used up.
#[derive(Debug, PartialEq, Eq)]
struct LimitExceeded {
    /// Seconds until the next one is.
    wait: u32,
    limit: RateLimit,
}

impl Limit {
    /// Takes one, at the instant `now`, of a limit that is whole at `whole_at`; answers when it is whole then. All
    /// instants are in milliseconds.
    fn take(self, whole_at: i64, now: i64) -> Result<i64, LimitExceeded> {
        let before = whole_at.max(now);
        let after = before + self.every_ms;
        let missing = after - now - self.burst * self.every_ms;
        if missing <= 0 {
            return Ok(after);
        }
        let seconds = |ms: i64| u32::try_from(ms.max(0) / 1000 + i64::from(ms % 1000 > 0)).unwrap_or(u32::MAX);
        let limit = u32::try_from(self.burst).unwrap_or(u32::MAX);
        let limit = RateLimit { limit, remaining: 0, reset: seconds(before - now) };
        Err(LimitExceeded { wait: seconds(missing), limit })
    }
}

/// For each of many, when its limit is whole again.
struct Counters<K> {
    limit: Limit,
    whole_at: Cache<K, Arc<AtomicI64>>,
}

impl<K: std::hash::Hash + Eq + Send + Sync + 'static> Counters<K> {
    fn new(limit: Limit) -> Self {
        Self { limit, whole_at: Cache::builder().max_capacity(REMEMBERED).time_to_idle(FORGET).build() }
    }

    fn count(&self, of: K, now: i64) -> Result<(), LimitExceeded> {
        let whole_at = self.whole_at.get_with(of, || Arc::new(AtomicI64::new(now)));
        let mut known = whole_at.load(Ordering::Relaxed);
        loop {
            let after = self.limit.take(known, now)?;
            match whole_at.compare_exchange_weak(known, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(()),
                Err(changed) => known = changed,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    const LIMIT: Limit = Limit { burst: 3, every_ms: 1_000 };

    #[test]
    fn a_burst_comes_through_and_then_one_an_interval() {
        let counters = Counters::new(LIMIT);
        for _ in 0..3 {
            assert_eq!(counters.count("a", 5_000), Ok(()));
        }
        let limit = RateLimit { limit: 3, remaining: 0, reset: 3 };
        assert_eq!(counters.count("a", 5_000), Err(LimitExceeded { wait: 1, limit }));
        // What was refused costs nothing, and others have limits of their own.
        assert_eq!(counters.count("a", 5_999).map_err(|refused| refused.wait), Err(1));
        assert_eq!(counters.count("b", 5_000), Ok(()));
        assert_eq!(counters.count("a", 6_000), Ok(()));
        assert!(counters.count("a", 6_000).is_err());
        for _ in 0..3 {
            assert_eq!(counters.count("a", 60_000), Ok(()));
        }
        assert!(counters.count("a", 60_000).is_err());
    }

    fn request(peer: &str) -> HttpRequest {
        TestRequest::default().peer_addr(peer.parse().unwrap()).to_http_request()
    }

    #[test]
    fn a_wrong_secret_uses_up_its_own_limit_first() {
        let throttle = Throttle::new(false);
        let one = request("192.0.2.1:1");
        let other = request("192.0.2.2:1");
        let heard = (0..50).filter(|_| throttle.failed(&one, Some("key1")).is_none()).count();
        assert_eq!(heard, 10);
        assert!(throttle.failed(&other, Some("key1")).is_none());
        let heard = (0..200).filter(|number| throttle.failed(&one, Some(&format!("key-{number}"))).is_none()).count();
        assert!((90..95).contains(&heard), "{heard}");
        assert!(throttle.failed(&one, None).is_none());
        let heard = (0..1000).filter(|_| throttle.failed(&other, None).is_none()).count();
        assert!((600..620).contains(&heard), "{heard}");
        let problem = throttle.failed(&other, None).unwrap();
        assert_eq!((problem.kind.code(), problem.retry_after), ("throttled", Some(1)));
    }
}
