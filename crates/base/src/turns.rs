//! Turns at background work: tenant after tenant, and within a tenant endpoint after endpoint.
//!
//! [`share`](crate::share) says how much a requester may hold at once; this says who is next. A worker asks which
//! tenants have something due, serves them in the order of [`Turns::order`], and says of each how it went. A tenant
//! whose work fails pauses, longer each time, and no other tenant notices. Nothing here knows a clock: the time is an
//! argument.

mod queue;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

pub use self::queue::{TooMany, TurnQueue};

/// The pause after a failure; it doubles with each further one, up to [`LONGEST_PAUSE_MS`].
const FIRST_PAUSE_MS: i64 = 1_000;
const LONGEST_PAUSE_MS: i64 = 60_000;

/// Whose turn it is at one worker.
#[derive(Debug, Default)]
pub struct Turns {
    /// The tenant that was served last.
    last: String,
    pauses: HashMap<String, Pause>,
}

#[derive(Clone, Copy, Debug)]
struct Pause {
    /// Failures in a row.
    failures: u32,
    until_ms: i64,
}

impl Turns {
    /// The tenants that may be served now, in their order: those behind the one that was served last come first.
    /// Tenants that pause after a failure are left out.
    pub fn order(&self, tenants: impl IntoIterator<Item = String>, now_ms: i64) -> Vec<String> {
        let mut tenants: BTreeSet<String> = tenants.into_iter().collect();
        tenants.retain(|tenant| !self.is_paused(tenant, now_ms));
        let mut before: Vec<String> = tenants.into_iter().collect();
        let mut order = before.split_off(before.partition_point(|tenant| *tenant <= self.last));
        order.append(&mut before);
        order
    }

    /// Whether a tenant waits after a failure. A clock that was moved back makes no pause longer.
    pub fn is_paused(&self, tenant: &str, now_ms: i64) -> bool {
        let is_left = |pause: &Pause| (1..=LONGEST_PAUSE_MS).contains(&pause.until_ms.saturating_sub(now_ms));
        self.pauses.get(tenant).is_some_and(is_left)
    }

    /// How many wait after a failure, or did so lately.
    pub fn paused(&self) -> usize {
        self.pauses.len()
    }

    /// A tenant had its turn: the next one is behind it.
    pub fn succeed(&mut self, tenant: &str) {
        self.pauses.remove(tenant);
        tenant.clone_into(&mut self.last);
    }

    /// The work of a tenant failed; answers for how many milliseconds it pauses.
    pub fn fail(&mut self, tenant: &str, now_ms: i64) -> i64 {
        tenant.clone_into(&mut self.last);
        // Tenants that had nothing to do since are forgotten.
        self.pauses.retain(|_, pause| now_ms.saturating_sub(pause.until_ms) < LONGEST_PAUSE_MS);
        let pause = self.pauses.entry(tenant.to_owned()).or_insert(Pause { failures: 0, until_ms: now_ms });
        let wait_ms = FIRST_PAUSE_MS.saturating_mul(1 << pause.failures.min(16)).min(LONGEST_PAUSE_MS);
        *pause = Pause { failures: pause.failures + 1, until_ms: now_ms.saturating_add(wait_ms) };
        wait_ms
    }

    /// What failed was nothing of the tenant's: it does not pause.
    pub fn forgive(&mut self, tenant: &str) {
        self.pauses.remove(tenant);
    }
}

/// Puts items in turns: one of each tenant, then the next of each; and the items of a tenant one of each endpoint, then
/// the next of each. Tenants and endpoints begin in the order of their first item, and items of one endpoint stay in
/// their order.
pub fn interleave<T, K: Ord, E: Ord>(
    items: impl IntoIterator<Item = T>,
    tenant: impl Fn(&T) -> K,
    endpoint: impl Fn(&T) -> E,
) -> Vec<T> {
    let by_tenant = round_robin_queues(items, tenant);
    let queues = by_tenant.into_iter().map(|items| one_of_each(round_robin_queues(items, &endpoint)).into()).collect();
    one_of_each(queues)
}

/// A queue for each key, in the order of their first items.
fn round_robin_queues<T, K: Ord>(items: impl IntoIterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<VecDeque<T>> {
    let mut places = BTreeMap::new();
    let mut queues: Vec<VecDeque<T>> = Vec::new();
    for item in items {
        let place = *places.entry(key(&item)).or_insert(queues.len());
        match queues.get_mut(place) {
            Some(queue) => queue.push_back(item),
            None => queues.push(VecDeque::from([item])),
        }
    }
    queues
}

fn one_of_each<T>(queues: Vec<VecDeque<T>>) -> Vec<T> {
    let mut order = Vec::with_capacity(queues.iter().map(VecDeque::len).sum());
    let mut queues = VecDeque::from(queues);
    while let Some(mut queue) = queues.pop_front() {
        order.extend(queue.pop_front());
        if !queue.is_empty() {
            queues.push_back(queue);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_next_tenant_is_the_one_behind_the_last() {
        let mut turns = Turns::default();
        assert_eq!(turns.order(named(&["c", "a", "b", "a"]), 0), ["a", "b", "c"]);
        turns.succeed("a");
        assert_eq!(turns.order(named(&["a", "b", "c"]), 0), ["b", "c", "a"]);
        turns.succeed("c");
        assert_eq!(turns.order(named(&["a", "b"]), 0), ["a", "b"]);
    }

    #[test]
    fn a_tenant_that_fails_pauses_longer_each_time_and_alone() {
        let mut turns = Turns::default();
        let both = || named(&["bad", "good"]);
        assert_eq!(turns.fail("bad", 0), 1_000);
        assert_eq!(turns.order(both(), 999), ["good"]);
        assert_eq!(turns.order(both(), 1_000), ["good", "bad"]);
        assert_eq!(turns.fail("bad", 1_000), 2_000);
        assert_eq!(turns.order(both(), 3_000 - LONGEST_PAUSE_MS - 1).len(), 2, "the clock was moved back");
        let longest = (0..100).map(|_| turns.fail("bad", 1_000)).max();
        assert_eq!(longest, Some(LONGEST_PAUSE_MS));
        turns.succeed("bad");
        assert_eq!(turns.fail("bad", 0), 1_000, "a success ends the series");
        turns.forgive("bad");
        assert_eq!(turns.order(both(), 0).len(), 2);
    }

    #[test]
    fn one_of_each_tenant_and_of_each_endpoint() {
        let items = [("a", 1, 1), ("a", 1, 2), ("a", 1, 3), ("a", 2, 4), ("b", 3, 5), ("b", 3, 6), ("c", 4, 7)];
        let order = interleave(items, |item| item.0, |item| item.1);
        let numbers: Vec<i32> = order.iter().map(|item| item.2).collect();
        assert_eq!(numbers, [1, 5, 7, 4, 6, 2, 3]);
    }
}
