//! The resources of a tenant, counted, so that a set of them is a set of small numbers.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    iter::{self, Peekable},
    ops::Bound,
    sync::atomic::{self, AtomicU64},
};

use roaring::RoaringBitmap;
use uuid::Uuid;

/// The number of an id, when it is written as ids are.
pub fn parse(id: &str) -> Option<u128> {
    let uuid = Uuid::try_parse(id).ok()?;
    let mut buffer = [0; uuid::fmt::Hyphenated::LENGTH];
    (uuid.hyphenated().encode_lower(&mut buffer) == id).then(|| uuid.as_u128())
}

/// The id as it is written.
pub fn text(id: u128) -> String {
    Uuid::from_u128(id).to_string()
}

/// Ids and their numbers, which never change. Ids ascend with time, so nearly all numbers are in the order of the ids.
pub struct Numbers {
    /// Tells this count from others of the same tenant: a set belongs to one.
    count: u64,
    /// By number.
    ids: Vec<u128>,
    /// So many of them, from the first on, are in order.
    sorted: usize,
    /// The others.
    late: BTreeMap<u128, u32>,
}

impl Default for Numbers {
    fn default() -> Self {
        static COUNTS: AtomicU64 = AtomicU64::new(0);
        let count = COUNTS.fetch_add(1, atomic::Ordering::Relaxed);
        Self { count, ids: Vec::new(), sorted: 0, late: BTreeMap::new() }
    }
}

impl Numbers {
    /// Which count it is.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// What they take, in bytes.
    pub fn bytes(&self) -> usize {
        self.ids.capacity() * 16 + self.late.len() * 48
    }

    /// Are so many out of order that they had better be counted anew?
    pub fn is_muddled(&self) -> bool {
        self.late.len() > 10_000 + self.sorted / 4
    }

    /// The number of an id that has one.
    pub fn number(&self, id: u128) -> Option<u32> {
        let found = self.ids.get(..self.sorted)?.binary_search(&id).ok();
        found.and_then(|number| u32::try_from(number).ok()).or_else(|| self.late.get(&id).copied())
    }

    /// The number of an id, a new one if it has none.
    pub fn take_in(&mut self, id: u128) -> u32 {
        if let Some(number) = self.number(id) {
            return number;
        }
        let number = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        if self.late.is_empty() && self.ids.last().is_none_or(|last| *last < id) {
            self.sorted += 1;
        } else {
            self.late.insert(id, number);
        }
        self.ids.push(id);
        number
    }

    /// The set of some ids.
    pub fn set(&mut self, ids: impl IntoIterator<Item = u128>) -> RoaringBitmap {
        let mut numbers: Vec<u32> = ids.into_iter().map(|id| self.take_in(id)).collect();
        numbers.sort_unstable();
        let mut set: RoaringBitmap = numbers.into_iter().collect();
        set.optimize();
        set
    }

    /// The ids of a set, in no order.
    pub fn ids<'a>(&'a self, set: &'a RoaringBitmap) -> impl Iterator<Item = u128> + 'a {
        set.iter().filter_map(|number| self.ids.get(number as usize).copied())
    }

    /// The ids of a set in their order, from a bound on.
    pub fn in_order<'a>(
        &'a self,
        set: &'a RoaringBitmap,
        descending: bool,
        from: Bound<u128>,
    ) -> Box<dyn Iterator<Item = u128> + 'a> {
        let ids = self.ids.get(..self.sorted).unwrap_or_default();
        let end = u32::try_from(self.sorted).unwrap_or(u32::MAX);
        let below = |id: u128| u32::try_from(ids.partition_point(|one| *one < id)).unwrap_or(end);
        let up_to = |id: u128| u32::try_from(ids.partition_point(|one| *one <= id)).unwrap_or(end);
        let id = |number: u32| self.ids.get(number as usize).copied();
        let is_in = move |entry: (&u128, &u32)| set.contains(*entry.1).then_some(*entry.0);
        if descending {
            let bound = match from {
                Bound::Unbounded => end,
                Bound::Included(id) => up_to(id),
                Bound::Excluded(id) => below(id),
            };
            let late = self.late.range((Bound::Unbounded, from)).rev().filter_map(is_in);
            Box::new(merge(set.range(..bound).rev().filter_map(id), late, |one, other| other.cmp(one)))
        } else {
            let bound = match from {
                Bound::Unbounded => 0,
                Bound::Included(id) => below(id),
                Bound::Excluded(id) => up_to(id),
            };
            let late = self.late.range((from, Bound::Unbounded)).filter_map(is_in);
            Box::new(merge(set.range(bound..end.max(bound)).filter_map(id), late, Ord::cmp))
        }
    }
}

/// Two ordered walks as one.
fn merge<T, A, B>(one: A, other: B, order: fn(&T, &T) -> Ordering) -> impl Iterator<Item = T>
where
    A: Iterator<Item = T>,
    B: Iterator<Item = T>,
{
    let (mut one, mut other): (Peekable<A>, Peekable<B>) = (one.peekable(), other.peekable());
    iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some(first), Some(second)) if order(first, second) == Ordering::Greater => other.next(),
        (Some(_), _) => one.next(),
        (None, _) => other.next(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_set_comes_in_the_order_of_its_ids(
            all in prop::collection::vec(0_u128..500, 1..200),
            some in prop::collection::btree_set(0_u128..500, 0..100),
            at in 0_u128..500,
        ) {
            let mut numbers = Numbers::default();
            for id in &all {
                let number = numbers.take_in(*id);
                prop_assert_eq!(numbers.take_in(*id), number);
            }
            let known: BTreeSet<u128> = all.iter().copied().collect();
            prop_assert_eq!(numbers.len(), known.len());
            let wanted: Vec<u128> = some.intersection(&known).copied().collect();
            let set = numbers.set(wanted.iter().copied());
            prop_assert_eq!(numbers.ids(&set).collect::<BTreeSet<_>>(), wanted.iter().copied().collect());
            for bound in [Bound::Unbounded, Bound::Included(at), Bound::Excluded(at)] {
                let up: Vec<u128> = numbers.in_order(&set, false, bound).collect();
                let expected: Vec<u128> = wanted.iter().copied().filter(|id| (bound,
                    Bound::Unbounded).contains_id(*id)).collect();
                prop_assert_eq!(up, expected);
                let down: Vec<u128> = numbers.in_order(&set, true, bound).collect();
                let mut expected: Vec<u128> = wanted.iter().copied().filter(|id| (Bound::Unbounded,
                    bound).contains_id(*id)).collect();
                expected.reverse();
                prop_assert_eq!(down, expected);
            }
        }
    }

    trait ContainsId {
        fn contains_id(&self, id: u128) -> bool;
    }

    impl ContainsId for (Bound<u128>, Bound<u128>) {
        fn contains_id(&self, id: u128) -> bool {
            std::ops::RangeBounds::contains(self, &id)
        }
    }

    #[test]
    fn an_id_is_written_in_one_way() {
        let id = "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f";
        assert_eq!(parse(id).map(text).as_deref(), Some(id));
        for other in ["0A0FB2A7-53F4-4F5E-8F0E-1A2B3C4D5E6F", "0a0fb2a753f44f5e8f0e1a2b3c4d5e6f", "group:7", "*", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
