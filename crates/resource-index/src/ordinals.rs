//! Ordinals of a tenant's resources: small numbers in place of ids, so that a set of resources is a bitmap.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    iter::{self, Peekable},
    ops::Bound,
    sync::atomic::{self, AtomicU64},
};

use roaring::RoaringBitmap;
use uuid::Uuid;

/// An id as a number; none when it is not a hyphenated UUID in lower case.
pub fn parse_id(id: &str) -> Option<u128> {
    let uuid = Uuid::try_parse(id).ok()?;
    let mut buffer = [0; uuid::fmt::Hyphenated::LENGTH];
    (uuid.hyphenated().encode_lower(&mut buffer) == id).then(|| uuid.as_u128())
}

/// An id as it is written.
pub fn format_id(id: u128) -> String {
    Uuid::from_u128(id).to_string()
}

/// Ids and their ordinals, which never change. Ids ascend with time, so nearly all ordinals are in their order.
pub struct Ordinals {
    /// Differs whenever ordinals are assigned anew: a bitmap belongs to one generation.
    generation: u64,
    /// By ordinal.
    ids: Vec<u128>,
    /// So many of them, from the first on, are in order.
    sorted: usize,
    /// The others.
    out_of_order: BTreeMap<u128, u32>,
}

impl Default for Ordinals {
    fn default() -> Self {
        static GENERATIONS: AtomicU64 = AtomicU64::new(0);
        let generation = GENERATIONS.fetch_add(1, atomic::Ordering::Relaxed);
        Self { generation, ids: Vec::new(), sorted: 0, out_of_order: BTreeMap::new() }
    }
}

impl Ordinals {
    /// The generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// What they take, in bytes.
    pub fn bytes(&self) -> usize {
        self.ids.capacity() * 16 + self.out_of_order.len() * 48
    }

    /// Are so many out of order that they are better assigned anew?
    pub fn is_fragmented(&self) -> bool {
        self.out_of_order.len() > 10_000 + self.sorted / 4
    }

    /// The ordinal of an id that has one.
    pub fn get(&self, id: u128) -> Option<u32> {
        let found = self.ids.get(..self.sorted)?.binary_search(&id).ok();
        found.and_then(|ordinal| u32::try_from(ordinal).ok()).or_else(|| self.out_of_order.get(&id).copied())
    }

    /// The ordinal of an id, a new one if it has none.
    pub fn assign(&mut self, id: u128) -> u32 {
        if let Some(ordinal) = self.get(id) {
            return ordinal;
        }
        let ordinal = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        if self.out_of_order.is_empty() && self.ids.last().is_none_or(|last| *last < id) {
            self.sorted += 1;
        } else {
            self.out_of_order.insert(id, ordinal);
        }
        self.ids.push(id);
        ordinal
    }

    /// The bitmap of some ids.
    pub fn bitmap(&mut self, ids: impl IntoIterator<Item = u128>) -> RoaringBitmap {
        let mut ordinals: Vec<u32> = ids.into_iter().map(|id| self.assign(id)).collect();
        ordinals.sort_unstable();
        let mut set: RoaringBitmap = ordinals.into_iter().collect();
        set.optimize();
        set
    }

    /// The ids of a bitmap, in no order.
    pub fn ids<'a>(&'a self, set: &'a RoaringBitmap) -> impl Iterator<Item = u128> + 'a {
        set.iter().filter_map(|ordinal| self.ids.get(ordinal as usize).copied())
    }

    /// The ids of a bitmap in their order, from a bound on.
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
        let id = |ordinal: u32| self.ids.get(ordinal as usize).copied();
        let is_in = move |entry: (&u128, &u32)| set.contains(*entry.1).then_some(*entry.0);
        if descending {
            let bound = match from {
                Bound::Unbounded => end,
                Bound::Included(id) => up_to(id),
                Bound::Excluded(id) => below(id),
            };
            let late = self.out_of_order.range((Bound::Unbounded, from)).rev().filter_map(is_in);
            Box::new(merge(set.range(..bound).rev().filter_map(id), late, |one, other| other.cmp(one)))
        } else {
            let bound = match from {
                Bound::Unbounded => 0,
                Bound::Included(id) => below(id),
                Bound::Excluded(id) => up_to(id),
            };
            let late = self.out_of_order.range((from, Bound::Unbounded)).filter_map(is_in);
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
            let mut ordinals = Ordinals::default();
            for id in &all {
                let ordinal = ordinals.assign(*id);
                prop_assert_eq!(ordinals.assign(*id), ordinal);
            }
            let known: BTreeSet<u128> = all.iter().copied().collect();
            prop_assert_eq!(ordinals.len(), known.len());
            let wanted: Vec<u128> = some.intersection(&known).copied().collect();
            let set = ordinals.bitmap(wanted.iter().copied());
            prop_assert_eq!(ordinals.ids(&set).collect::<BTreeSet<_>>(), wanted.iter().copied().collect());
            for bound in [Bound::Unbounded, Bound::Included(at), Bound::Excluded(at)] {
                let up: Vec<u128> = ordinals.in_order(&set, false, bound).collect();
                let expected: Vec<u128> = wanted.iter().copied().filter(|id| (bound,
                    Bound::Unbounded).contains_id(*id)).collect();
                prop_assert_eq!(up, expected);
                let down: Vec<u128> = ordinals.in_order(&set, true, bound).collect();
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
        assert_eq!(parse_id(id).map(format_id).as_deref(), Some(id));
        for other in ["0A0FB2A7-53F4-4F5E-8F0E-1A2B3C4D5E6F", "0a0fb2a753f44f5e8f0e1a2b3c4d5e6f", "group:7", "*", ""] {
            assert_eq!(parse_id(other), None, "{other}");
        }
    }
}
