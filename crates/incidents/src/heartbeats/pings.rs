//! The pings that a gateway has received and not stored yet.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard},
};

use api::{Resource as _, recent::Recent};
use db::{Conn, Result};

use super::{
    row::Row,
    rules,
    store::{self, Ping},
};

/// Addresses that are remembered at most.
const REMEMBERED: u64 = 50_000;

/// Tenant and id of a heartbeat.
pub type Key = (String, String);

/// A SHA-256.
pub type Hash = [u8; 32];

/// A heartbeat that is pinged at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeartbeatAddress {
    /// Its tenant.
    pub tenant_id: String,
    pub id: String,
    /// How often a ping is expected.
    pub interval_ms: i64,
    /// Is it silent? Another gateway may have noticed that, so that this one would keep its ping.
    pub missed: bool,
}

/// The times of the last ping of a heartbeat and of the last one that was stored.
#[derive(Clone, Copy, Debug)]
struct PingTimes {
    heard_ms: i64,
    stored_ms: i64,
    kept_ms: i64,
}

/// The pings of one process.
pub struct Pings {
    /// The heartbeats of addresses that were pinged a moment ago.
    pub addresses: Recent<Hash, HeartbeatAddress>,
    /// By tenant and id; as many as there are heartbeats that ping here.
    heard: Mutex<HashMap<Key, PingTimes>>,
}

impl Default for Pings {
    fn default() -> Self {
        Self { addresses: Recent::new(REMEMBERED), heard: Mutex::default() }
    }
}

impl Pings {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, PingTimes>> {
        base::lock(&self.heard)
    }

    /// Records a ping.
    pub fn record(&self, pinged: &HeartbeatAddress, at_ms: i64) {
        let kept_ms = rules::storage_delay(pinged.interval_ms);
        let mut heard = self.lock();
        let key = (pinged.tenant_id.clone(), pinged.id.clone());
        let first = PingTimes { heard_ms: at_ms, stored_ms: 0, kept_ms };
        let last = heard.entry(key).or_insert(first);
        if last.heard_ms.saturating_sub(at_ms) > rules::CLOCK_STEP_MS {
            *last = first;
        }
        last.heard_ms = last.heard_ms.max(at_ms);
        last.kept_ms = kept_ms;
        if pinged.missed {
            last.stored_ms = 0;
        }
    }

    /// Takes the pings that are to be stored now: those whose storage delay is over, those of these silent heartbeats,
    /// or `all`. Heartbeats without a ping for ten minutes are forgotten.
    pub fn take(&self, now_ms: i64, silent: &HashSet<Key>, all: bool) -> Vec<Ping> {
        let mut heard = self.lock();
        heard.retain(|_, last| last.heard_ms > last.stored_ms || now_ms - last.heard_ms < 600_000);
        let due = |key: &Key, last: &PingTimes| {
            last.heard_ms > last.stored_ms
                && (all || last.heard_ms - last.stored_ms >= last.kept_ms || silent.contains(key))
        };
        let mut taken = Vec::new();
        for (key, last) in heard.iter_mut() {
            if due(key, last) {
                last.stored_ms = last.heard_ms;
                // The clock may have gone back since.
                let at_ms = last.heard_ms.min(now_ms);
                taken.push(Ping { tenant_id: key.0.clone(), id: key.1.clone(), at_ms });
            }
        }
        // In one order, so that two gateways do not wait for each other.
        taken.sort_unstable_by(|one, other| (&one.tenant_id, &one.id).cmp(&(&other.tenant_id, &other.id)));
        taken
    }

    /// A heartbeat that is locked for a change, which reckons from its last ping: one that only this gateway has is
    /// stored first.
    ///
    /// # Errors
    /// When the database fails.
    pub fn store_last(&self, conn: &mut Conn, row: Row, now_ms: i64) -> Result<Row> {
        let heard_ms = self.lock().get(&(row.tenant_id.clone(), row.id.clone())).map(|last| last.heard_ms);
        let Some(at_ms) = heard_ms.filter(|heard| row.last_ms.is_none_or(|stored| stored < *heard)) else {
            return Ok(row);
        };
        let Row { tenant_id, id, .. } = row;
        let scope = [tenant_id.clone()];
        store::store_ping(conn, &Ping { tenant_id, id: id.clone(), at_ms: at_ms.min(now_ms) }, now_ms)?;
        Row::existing(conn, &scope, &id)
    }

    /// Takes back pings that could not be stored.
    pub fn give_back(&self, heard: &[Ping]) {
        let mut all = self.lock();
        for heard in heard {
            if let Some(last) = all.get_mut(&(heard.tenant_id.clone(), heard.id.clone())) {
                last.stored_ms = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests;
