//! Limits on outgoing calls under way, by tenant and host.
//!
//! They are shared by tenant, and of a tenant by host, as requests are ([`share`](crate::share)). A call that hangs is
//! held for long, so that a share of what is left would leave nothing after a few who hang: hosts of a tenant that have
//! not answered lately get few calls at once, one that has not answered several in a row a single one, and a tenant
//! that has next to none gets one whatever others have. A host is what it is for a tenant whichever URL leads there.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use crate::share::{Kind, Lease, Parties, Party, Pool};

/// How many calls at once go to a host that has not answered yet.
const UNPROVEN: usize = 16;
/// And how many of a tenant to all such hosts: each may be a name that does not resolve, which takes a thread for
/// longer than the call.
const UNPROVEN_OF_TENANT: usize = 32;
/// So many calls in a row without an answer make a host one that gets a single call.
const SILENT: u32 = 3;
/// How many hosts are remembered at most.
const REMEMBERED: usize = 10_000;

/// The right to some calls, until it is dropped.
#[derive(Debug)]
pub struct Permit {
    calls: Lease,
    unproven: Option<Lease>,
}

impl Permit {
    /// To how many calls.
    pub fn amount(&self) -> usize {
        self.calls.amount()
    }

    /// Takes the right to one of them, to be given back by itself.
    pub fn split_one(&mut self) -> Self {
        Self { calls: self.calls.split(1), unproven: self.unproven.as_mut().map(|lease| lease.split(1)) }
    }
}

/// Calls under way.
#[derive(Debug)]
pub struct Calls {
    shared: Arc<Pool>,
    /// Those that a tenant gets beyond what there is.
    beyond: Arc<Pool>,
    least: usize,
    parties: Parties,
    /// Tenants, with their calls to hosts that have not answered.
    unproven: Parties,
    /// By tenant and host: how many calls in a row had no answer.
    silent: Mutex<HashMap<(String, String), u32>>,
}

impl Calls {
    /// So many for all; each tenant gets `least` of them whatever others have.
    pub fn new(total: usize, least: usize) -> Self {
        let pool = |total| Pool::new(Kind::Calls, total, 1, 0);
        let parties = Default::default();
        let unproven = Default::default();
        let silent = Default::default();
        Self { shared: pool(total), beyond: pool(usize::MAX >> 8), least, parties, unproven, silent }
    }

    /// How many of those for all are free.
    pub fn free(&self) -> usize {
        self.shared.total().saturating_sub(self.shared.used())
    }

    /// How many further calls of a tenant may go to a host.
    pub fn room(&self, tenant: &str, host: &str) -> usize {
        self.room_of(&self.parties.of_key(tenant, host), tenant, host)
    }

    /// Takes the right to up to `most` calls of a tenant to a host; `None` where there is no room for any.
    pub fn take(&self, tenant: &str, host: &str, most: usize) -> Option<Permit> {
        let party = self.parties.of_key(tenant, host);
        let most = most.min(self.room_of(&party, tenant, host));
        if most == 0 {
            return None;
        }
        let shared = most.min(self.shared.room(&party));
        let calls = if shared > 0 {
            self.shared.try_take(&party, shared).ok()?
        } else {
            self.beyond.try_take(&party, most.min(self.left_of_least(&party))).ok()?
        };
        let is_proven = self.calls_in_vain(tenant, host) == Some(0);
        let of_tenant = || self.beyond.try_take(&self.unproven.of_key(tenant, ""), calls.amount()).ok();
        let unproven = if is_proven { None } else { of_tenant() };
        Some(Permit { calls, unproven })
    }

    fn room_of(&self, party: &Arc<Party>, tenant: &str, host: &str) -> usize {
        let left = |most: usize, party: &Party| most.saturating_sub(party.held(Kind::Calls));
        let unproven = |most| left(most, party).min(left(UNPROVEN_OF_TENANT, &self.unproven.of_key(tenant, "")));
        let left = match self.calls_in_vain(tenant, host) {
            Some(0) => usize::MAX,
            Some(calls) if calls >= SILENT => unproven(1),
            _ => unproven(UNPROVEN),
        };
        left.min(self.shared.room(party).max(self.left_of_least(party)))
    }

    /// How many calls in a row had no answer; `None` for a host that is not known.
    fn calls_in_vain(&self, tenant: &str, host: &str) -> Option<u32> {
        self.silent().get(&(tenant.to_owned(), host.to_owned())).copied()
    }

    fn left_of_least(&self, party: &Arc<Party>) -> usize {
        self.least.saturating_sub(party.tenant().held(Kind::Calls))
    }

    /// A call has ended, with an answer or without.
    pub fn end(&self, tenant: &str, host: &str, answered: bool) {
        let mut silent = self.silent();
        if silent.len() >= REMEMBERED {
            silent.clear();
        }
        let calls = silent.entry((tenant.to_owned(), host.to_owned())).or_default();
        *calls = if answered { 0 } else { calls.saturating_add(1) };
    }

    fn silent(&self) -> MutexGuard<'_, HashMap<(String, String), u32>> {
        crate::sync::lock(&self.silent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many calls as there are, one by one.
    fn all(calls: &Calls, tenant: &str, host: &str) -> Vec<Permit> {
        std::iter::from_fn(|| calls.take(tenant, host, 1)).collect()
    }

    #[test]
    fn a_host_that_answers_has_a_share_and_a_new_one_few_calls() {
        let calls = Calls::new(256, 4);
        assert_eq!(all(&calls, "client_1", "new.example").len(), UNPROVEN);
        calls.end("client_1", "well.example", true);
        assert_eq!(calls.take("client_1", "well.example", 1_000).map(|permit| permit.amount()), Some(128));
        let names: Vec<_> = (0..40).flat_map(|name| all(&calls, "client_1", &format!("{name}.example"))).collect();
        assert_eq!(names.len(), UNPROVEN_OF_TENANT, "whatever they are called");
        drop(names);
        assert_eq!(all(&calls, "client_2", "well.example").len(), UNPROVEN, "that is another tenant's business");
        assert_eq!(calls.free(), 256);
    }

    #[test]
    fn hosts_that_hang_leave_calls_to_others() {
        let calls = Calls::new(64, 4);
        let mut hung = Vec::new();
        for tenant in 0..50 {
            for host in 0..20 {
                hung.extend(all(&calls, &format!("client_{tenant}"), &format!("{host}.example")));
            }
        }
        let good = all(&calls, "good", "well.example");
        assert_eq!(good.len(), 4);
        // Of a tenant that has some nobody gets more than there is.
        assert!(calls.take("client_1", "other.example", 1).is_none());
        drop((hung, good));
        assert_eq!((calls.free(), calls.beyond.used()), (64, 0));
    }

    #[test]
    fn a_host_that_does_not_answer_is_called_by_one_alone_until_it_does() {
        let calls = Calls::new(256, 4);
        (0..SILENT).for_each(|_| calls.end("client_1", "hangs.example", false));
        let one = all(&calls, "client_1", "hangs.example");
        assert_eq!((one.len(), calls.room("client_1", "hangs.example")), (1, 0));
        drop(one);
        calls.end("client_1", "hangs.example", true);
        assert_eq!(calls.room("client_1", "hangs.example"), 128);
    }
}
