//! Parties, which share pools: keys, their tenants, and addresses.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use super::{ExceededShare, KINDS, Kind};

/// From this number of parties on, unused ones are removed.
const SWEEP: usize = 1024;

/// Somebody who takes a share, and what it holds of each kind.
#[derive(Debug, Default)]
pub struct Party {
    held: [AtomicUsize; KINDS],
    tenant: Option<Arc<Party>>,
    /// The service itself, which no share bounds.
    unbounded: bool,
}

impl Party {
    /// The service itself: it takes what there is.
    pub fn service() -> Arc<Self> {
        Arc::new(Self { unbounded: true, ..Self::default() })
    }

    /// Is it the service itself, which no share bounds?
    pub(super) fn is_unbounded(&self) -> bool {
        self.unbounded
    }

    /// How much of this kind it holds.
    pub fn held(&self, kind: Kind) -> usize {
        self.held[kind as usize].load(Relaxed)
    }

    /// The tenant whose key this is; itself for one that belongs to nobody.
    pub fn tenant(self: &Arc<Self>) -> &Arc<Self> {
        self.tenant.as_ref().unwrap_or(self)
    }

    /// Holds so much more, when it is `most` in all, and twice that for the tenant.
    pub(super) fn hold(&self, kind: Kind, amount: usize, most: usize) -> Result<(), ExceededShare> {
        if !self.add(kind, amount, most) {
            return Err(ExceededShare::Caller);
        }
        if let Some(tenant) = &self.tenant
            && !tenant.add(kind, amount, most.saturating_mul(2))
        {
            self.held[kind as usize].fetch_sub(amount, Relaxed);
            return Err(ExceededShare::Tenant);
        }
        Ok(())
    }

    /// How much more it may hold when it takes that bit by bit: what it holds in the end is `greed` times what is free
    /// then, and twice that for the tenant. `left` is one more than what is free.
    pub(super) fn room(&self, kind: Kind, left: usize, greed: usize) -> usize {
        if self.unbounded {
            return usize::MAX;
        }
        let more =
            |party: &Self, greed: usize| left.saturating_mul(greed).saturating_sub(party.held(kind)) / (greed + 1);
        let of_tenant = self.tenant.as_ref().map_or(usize::MAX, |tenant| more(tenant, greed.saturating_mul(2)));
        more(self, greed).min(of_tenant)
    }

    fn add(&self, kind: Kind, amount: usize, most: usize) -> bool {
        let held = &self.held[kind as usize];
        if held.fetch_add(amount, Relaxed) + amount <= most || self.unbounded {
            return true;
        }
        held.fetch_sub(amount, Relaxed);
        false
    }

    pub(super) fn release(&self, kind: Kind, amount: usize) {
        self.held[kind as usize].fetch_sub(amount, Relaxed);
        if let Some(tenant) = &self.tenant {
            tenant.held[kind as usize].fetch_sub(amount, Relaxed);
        }
    }
}

/// Finds parties by their names, so that each is one however often it is asked for.
#[derive(Debug, Default)]
pub struct Parties(Mutex<PartyMap>);

#[derive(Debug, Default)]
struct PartyMap {
    by_name: HashMap<Name, Weak<Party>>,
    sweep_at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    Tenant(String),
    Key(String, String),
    Address(IpAddr),
}

impl Parties {
    /// An API key of a tenant.
    pub fn of_key(&self, tenant: &str, key: &str) -> Arc<Party> {
        let mut parties = crate::sync::lock(&self.0);
        parties.find(Name::Key(tenant.to_owned(), key.to_owned()), |parties| {
            Some(parties.find(Name::Tenant(tenant.to_owned()), |_| None))
        })
    }

    /// An address: of IPv6 what one subscriber has.
    pub fn of_address(&self, address: IpAddr) -> Arc<Party> {
        let mut parties = crate::sync::lock(&self.0);
        parties.find(Name::Address(address), |_| None)
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap().by_name.len()
    }
}

impl PartyMap {
    fn find(&mut self, name: Name, tenant: impl FnOnce(&mut Self) -> Option<Arc<Party>>) -> Arc<Party> {
        if let Some(party) = self.by_name.get(&name).and_then(Weak::upgrade) {
            return party;
        }
        let party = Arc::new(Party { tenant: tenant(self), ..Party::default() });
        if self.by_name.len() >= self.sweep_at.max(SWEEP) {
            self.by_name.retain(|_, party| party.strong_count() > 0);
            self.sweep_at = 2 * self.by_name.len();
        }
        self.by_name.insert(name, Arc::downgrade(&party));
        party
    }
}
