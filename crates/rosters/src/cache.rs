//! All rosters of a tenant, kept in memory between two changes.
//!
//! To ask a thousand rosters at once, their rows must not be read and understood each time. What is kept is good as long
//! as the rosters of its tenants have not changed, which a number of the database tells; so it is never out of date, no
//! matter which gateway changed something.

use std::sync::Arc;

use db::{Conn, Result};
use moka::sync::Cache;

use crate::{
    overrides,
    roster::{
        row::Version,
        store::revision,
        versions::{all_shifts_since, all_since},
    },
    schedule::{Schedule, range_of},
};

/// How many shifts, places and overrides all of them together may have; those that nobody asks for go first.
const MOST_SHIFTS: u64 = 200_000;

/// How much further back than asked rosters are read, so that the next question needs no other ones.
const REACH_MS: i64 = 86_400_000;

/// The rosters that were asked for lately, by the tenants whose they are.
#[derive(Clone)]
pub struct RosterCache(Cache<Vec<String>, Arc<AllRosters>>);

impl Default for RosterCache {
    fn default() -> Self {
        let weigh = |_: &Vec<String>, all: &Arc<AllRosters>| u32::try_from(all.weight).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(MOST_SHIFTS).weigher(weigh).build())
    }
}

/// All rosters of some tenants.
pub struct AllRosters {
    /// By their ids.
    pub rosters: Vec<OneRoster>,
    revision: i64,
    /// They know what ended after this instant.
    since_ms: i64,
    weight: usize,
}

/// One of them.
pub struct OneRoster {
    pub id: String,
    /// Its versions, oldest first: none for the time before it was there, none for that after it was deleted.
    pub versions: Vec<Version>,
    pub schedule: Schedule,
}

impl RosterCache {
    /// All rosters of these tenants, with what ended after an instant. What is kept longer may know more.
    pub fn read(&self, conn: &mut Conn, scope: &[String], since_ms: i64) -> Result<Arc<AllRosters>> {
        // Before the rows: what is newer than it says is read again.
        let revision = revision(conn, scope)?;
        let known = self.0.get(scope).filter(|all| all.revision == revision && all.since_ms <= since_ms);
        if let Some(known) = known {
            return Ok(known);
        }
        let all = Arc::new(AllRosters::load(conn, scope, revision, since_ms.saturating_sub(REACH_MS))?);
        self.0.insert(scope.to_vec(), Arc::clone(&all));
        Ok(all)
    }
}

impl AllRosters {
    fn load(conn: &mut Conn, scope: &[String], revision: i64, since_ms: i64) -> Result<Self> {
        let shifts = all_shifts_since(conn, scope, since_ms)?;
        let overrides = overrides::store::all_since(conn, scope, since_ms)?;
        let mut rosters: Vec<OneRoster> = Vec::new();
        for version in all_since(conn, scope, since_ms)? {
            if let Some(known) = rosters.last_mut().filter(|known| known.id == version.roster_id) {
                known.versions.push(version);
                continue;
            }
            let id = version.roster_id.clone();
            let own = range_of(&shifts, |shift| shift.roster_id.as_str().cmp(&id));
            let over = range_of(&overrides, |one| one.roster_id.as_str().cmp(&id));
            rosters.push(OneRoster { schedule: Schedule::stored(own, over)?, id, versions: vec![version] });
        }
        let places: usize = rosters.iter().map(|roster| roster.schedule.crews().count()).sum();
        let weight = 1 + shifts.len() + overrides.len() + places;
        Ok(Self { rosters, revision, since_ms, weight })
    }
}
