//! The resources that filters mean, in the order of their ids, across tenants.

use std::{collections::BinaryHeap, ops::Bound, sync::Arc};

use roaring::RoaringBitmap;

use super::{numbers, tenant::Cell};

/// The resources that all of some filters mean, as of the transaction that asked.
pub struct Matches {
    /// By tenant, in their order.
    pub parts: Vec<Part>,
}

/// Those of one tenant.
pub struct Part {
    /// The tenant.
    pub tenant: String,
    /// What is kept of it.
    pub cell: Arc<Cell>,
    /// Which count of its resources the set is of.
    pub count: u64,
    /// Their numbers.
    pub set: Arc<RoaringBitmap>,
}

/// A resource: the tenant's place in [`Matches`], and its id.
pub type Found = (usize, u128);

impl Matches {
    /// How many there are.
    pub fn total(&self) -> i64 {
        let total: u64 = self.parts.iter().map(|part| part.set.len()).sum();
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
    /// what was counted is gone meanwhile.
    pub fn by_id(&self, descending: bool, after: Option<(u128, &str)>, skip: usize, most: usize) -> Option<Vec<Found>> {
        let mut states: Vec<_> = self.parts.iter().map(|part| part.cell.lock()).collect();
        let mut walks = Vec::with_capacity(self.parts.len());
        for (part, state) in self.parts.iter().zip(&mut states) {
            let from = match after {
                None => Bound::Unbounded,
                Some((id, tenant)) if (part.tenant.as_str() > tenant) != descending && part.tenant != tenant => {
                    Bound::Included(id)
                }
                Some((id, _)) => Bound::Excluded(id),
            };
            walks.push(state.numbers(part.count)?.in_order(&part.set, descending, from));
        }
        let sign = |(place, id): Found| if descending { (id, place) } else { (u128::MAX - id, usize::MAX - place) };
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

    /// Which ids are among those of the only tenant; [`None`] when there are several, or what was counted is gone.
    pub fn contained(&self, ids: &[String]) -> Option<Vec<bool>> {
        let [part] = self.parts.as_slice() else { return None };
        let mut state = part.cell.lock();
        let numbers = state.numbers(part.count)?;
        let contains = |id: &String| {
            let number = numbers::parse(id).and_then(|id| numbers.number(id));
            number.is_some_and(|number| part.set.contains(number))
        };
        Some(ids.iter().map(contains).collect())
    }
}
