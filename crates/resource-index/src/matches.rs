//! The resources that match filters, in the order of their ids, across tenants.

use std::{collections::BinaryHeap, ops::Bound, sync::Arc};

use roaring::RoaringBitmap;

use crate::{ordinals::parse_id, tenant::TenantIndex};

/// The resources that match all of some filters, as of the transaction that searched.
pub struct Matches {
    /// By tenant, in their order.
    pub parts: Vec<TenantMatches>,
}

/// The matches of one tenant.
pub struct TenantMatches {
    /// The tenant.
    pub tenant: String,
    /// Its index.
    pub index: Arc<TenantIndex>,
    /// The generation of the ordinals.
    pub generation: u64,
    /// The ordinals of the matches.
    pub bitmap: Arc<RoaringBitmap>,
}

/// A resource: the tenant's place in [`Matches`], and its id.
pub type Hit = (usize, u128);

impl Matches {
    /// How many there are.
    pub fn total(&self) -> i64 {
        let total: u64 = self.parts.iter().map(|part| part.bitmap.len()).sum();
        i64::try_from(total).unwrap_or(i64::MAX)
    }

    /// The tenant at a place.
    pub fn tenant(&self, place: usize) -> &str {
        self.parts.get(place).map_or("", |part| part.tenant.as_str())
    }

    /// The place of a tenant.
    pub fn place(&self, tenant: &str) -> Option<usize> {
        self.parts.iter().position(|part| part.tenant == tenant)
    }

    /// Some of them by id, and by tenant where ids are equal: those behind one, but for the first few. [`None`] when
    /// the ordinals were dropped meanwhile.
    pub fn by_id(&self, descending: bool, after: Option<(u128, &str)>, skip: usize, most: usize) -> Option<Vec<Hit>> {
        let mut states: Vec<_> = self.parts.iter().map(|part| part.index.lock()).collect();
        let mut walks = Vec::with_capacity(self.parts.len());
        for (part, state) in self.parts.iter().zip(&mut states) {
            let from = match after {
                None => Bound::Unbounded,
                Some((id, tenant)) if (part.tenant.as_str() > tenant) != descending && part.tenant != tenant => {
                    Bound::Included(id)
                }
                Some((id, _)) => Bound::Excluded(id),
            };
            walks.push(state.ordinals(part.generation)?.in_order(&part.bitmap, descending, from));
        }
        let sign = |(place, id): Hit| if descending { (id, place) } else { (u128::MAX - id, usize::MAX - place) };
        let mut heads: BinaryHeap<((u128, usize), usize)> = BinaryHeap::new();
        for (place, walk) in walks.iter_mut().enumerate() {
            heads.extend(walk.next().map(|id| (sign((place, id)), place)));
        }
        let mut found = Vec::with_capacity(most.min(1024));
        let mut passed = 0;
        while found.len() < most
            && let Some(((signed, _), place)) = heads.pop()
        {
            let id = if descending { signed } else { u128::MAX - signed };
            if passed < skip {
                passed += 1;
            } else {
                found.push((place, id));
            }
            if let Some(walk) = walks.get_mut(place) {
                heads.extend(walk.next().map(|id| (sign((place, id)), place)));
            }
        }
        Some(found)
    }

    /// The tenant of all of them; [`None`] when there are several.
    pub fn only_tenant(&self) -> Option<&str> {
        let [part] = self.parts.as_slice() else { return None };
        Some(part.tenant.as_str())
    }

    /// Which ids are matches of the only tenant; [`None`] when there are several tenants, or the ordinals were dropped.
    pub fn contains_each(&self, ids: &[String]) -> Option<Vec<bool>> {
        let [part] = self.parts.as_slice() else { return None };
        let mut state = part.index.lock();
        let ordinals = state.ordinals(part.generation)?;
        let contains = |id: &String| {
            let ordinal = parse_id(id).and_then(|id| ordinals.get(id));
            ordinal.is_some_and(|ordinal| part.bitmap.contains(ordinal))
        };
        Some(ids.iter().map(contains).collect())
    }
}
