//! All rosters of some tenants with everybody who stands in them, kept in memory.
//!
//! To ask thousands of rosters at once, their rows must not be read and understood each time. Numbers of the database
//! tell which tenants have changed rosters or people since; only rosters that have changed are read again, so what is
//! kept is never out of date, no matter which gateway changed something.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use moka::sync::Cache;
use ports::People;

use crate::{
    absences::Absences,
    crew::Crew,
    dated_holidays, overrides,
    people::RosterPeople,
    revisions::Revisions,
    roster::{
        row::Version,
        store::{State, states},
        versions::{Selection, all_shifts_since, all_since},
    },
    schedule::{Schedule, look_back, named_holidays, range_of},
};

/// How many shifts, places, overrides and people all of them together may have; those that nobody asks for go first.
const MOST_SHIFTS: u64 = 200_000;

/// How much further back than asked rosters are read, so that the next question needs no other ones.
const REACH_MS: i64 = 86_400_000;

/// When more rosters than this have changed, all of them are read.
const MOST_CHANGED: usize = 2_000;

/// The rosters that were asked for lately, by the tenants that own them.
#[derive(Clone)]
pub struct RosterCache(Cache<Vec<String>, Arc<Snapshot>>);

impl Default for RosterCache {
    fn default() -> Self {
        let weigh = |_: &Vec<String>, all: &Arc<Snapshot>| u32::try_from(all.weight()).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(MOST_SHIFTS).weigher(weigh).build())
    }
}

/// All rosters of some tenants, and everybody who stands in them, as of some revisions.
pub struct Snapshot {
    /// By their ids.
    pub rosters: Vec<OneRoster>,
    pub staff: RosterPeople,
    pub revisions: Revisions,
    /// Of those whose absence moves turns.
    absences: Absences,
    /// Questions about this instant and later ones can be answered.
    since: Timestamp,
    /// The people are known since then.
    people_since: Timestamp,
}

/// A roster, with a number that is another one whenever the roster, or anybody who stands in it, has changed.
#[derive(Clone)]
pub struct OneRoster {
    pub stamp: u64,
    pub stored: Arc<StoredRoster>,
}

/// What is stored of a roster.
#[derive(Clone)]
pub struct StoredRoster {
    state: State,
    /// Its versions, oldest first: none for the time before it was there, none for that after it was deleted.
    pub versions: Vec<Version>,
    pub schedule: Schedule,
    /// The holiday calendars of its shifts and overrides, each with its version; `None` for one that is gone.
    calendars: Vec<(String, Option<i64>)>,
}

impl RosterCache {
    /// All rosters of the tenants of a scope, in which people of `tenants` may stand, for questions about an instant
    /// and later ones.
    pub fn read(
        &self,
        conn: &mut Conn,
        people: &dyn People,
        (scope, tenants): (&[String], &[String]),
        since: Timestamp,
    ) -> Result<Arc<Snapshot>> {
        // Before the rows: what is newer than they say is read again.
        let revisions = Revisions::read(conn, people, tenants)?;
        let kept = self.0.get(scope).filter(|kept| kept.since <= since);
        let snapshot = match kept {
            Some(kept) if kept.revisions == revisions => return Ok(kept),
            Some(kept) => kept.renewed(conn, people, (scope, tenants), revisions)?,
            None => {
                let since = Timestamp::from_millis(since.millis().saturating_sub(REACH_MS));
                Snapshot::load(conn, people, (scope, tenants), revisions, since)?
            }
        };
        let snapshot = Arc::new(snapshot);
        self.0.insert(scope.to_vec(), Arc::clone(&snapshot));
        Ok(snapshot)
    }
}

impl Snapshot {
    fn load(
        conn: &mut Conn,
        people: &dyn People,
        (scope, tenants): (&[String], &[String]),
        revisions: Revisions,
        since: Timestamp,
    ) -> Result<Self> {
        let states = states(conn, scope)?;
        let mut rosters = OneRoster::load(conn, Selection::Tenants(scope), tenants, states, since)?;
        let people_since = look_back(since);
        let people_since = away_since(&rosters).map_or(people_since, |away| away.min(people_since));
        let staff = RosterPeople::since(conn, people, tenants, named(&rosters), Some(people_since))?;
        let users = may_be_away(&rosters, &staff);
        let absences = Absences::load(conn, people, tenants, users, people_since)?;
        rosters.iter_mut().for_each(|one| one.move_turns(&staff, &absences));
        Ok(Self { rosters, staff, revisions, absences, since, people_since })
    }

    /// The same as of newer revisions.
    fn renewed(
        &self,
        conn: &mut Conn,
        people: &dyn People,
        (whole_scope, tenants): (&[String], &[String]),
        revisions: Revisions,
    ) -> Result<Self> {
        let (of_rosters, of_people) = revisions.changed(&self.revisions);
        let scope: Vec<String> =
            whole_scope.iter().filter(|tenant| of_rosters.contains(tenant.as_str())).cloned().collect();
        let known: HashMap<&str, &OneRoster> = self.rosters.iter().map(|one| (one.stored.id(), one)).collect();
        let mut states = if scope.is_empty() { Vec::new() } else { states(conn, &scope)? };
        let with_others = if of_rosters.is_empty() { HashSet::new() } else { self.with_other_holidays(conn, tenants)? };
        let is_same = |one: &OneRoster| !with_others.contains(one.stored.id());
        let (mut rosters, others): (Vec<&OneRoster>, Vec<&OneRoster>) = self
            .rosters
            .iter()
            .filter(|one| !of_rosters.contains(one.stored.tenant_id()))
            .partition(|one| is_same(one));
        states.retain(|state| {
            let same = known.get(state.id.as_str()).filter(|one| one.stored.state == *state && is_same(one));
            rosters.extend(same);
            same.is_none()
        });
        states.extend(others.iter().map(|one| one.stored.state.clone()));
        let mut rosters: Vec<OneRoster> = rosters.into_iter().cloned().collect();
        let keys: Vec<(String, String)> =
            states.iter().map(|state| (state.tenant_id.clone(), state.id.clone())).collect();
        let of_keys: BTreeSet<&String> = keys.iter().map(|(tenant, _)| tenant).collect();
        let of_keys: Vec<String> = of_keys.into_iter().cloned().collect();
        let selection =
            if keys.len() > MOST_CHANGED { Selection::Tenants(&of_keys) } else { Selection::Rosters(&keys) };
        let mut read =
            if keys.is_empty() { Vec::new() } else { OneRoster::load(conn, selection, tenants, states, self.since)? };
        if away_since(&read).is_some_and(|away| away < self.people_since) {
            return Self::load(conn, people, (whole_scope, tenants), revisions, self.since);
        }
        // Only people of these tenants can be others, or stand in a roster that they did not stand in.
        let partner = tenants.iter().filter(|tenant| tenant.starts_with("msp_"));
        let concerned = of_people.iter().chain(&of_rosters).map(|tenant| (*tenant).to_owned());
        let concerned: Vec<String> = concerned.chain(partner.cloned()).collect();
        let asked = (concerned.as_slice(), &of_people);
        let (staff, mut others) = self.staff.renewed(conn, people, asked, named(&read), self.people_since)?;
        let depends = |all: &[OneRoster]| all.iter().any(|one| one.stored.schedule.away_since().is_some());
        // With holiday calendars the number of changes to rosters is another one, too.
        let is_other = !others.is_empty() || !of_rosters.is_empty() || revisions.has_other_time_off(&self.revisions);
        let absences = if is_other && (depends(&read) || depends(&rosters)) {
            let users = may_be_away(rosters.iter().chain(&read), &staff);
            Absences::load(conn, people, tenants, users, self.people_since)?
        } else {
            self.absences.clone()
        };
        others.extend(absences.others(&self.absences));
        if !others.is_empty() {
            for one in rosters.iter_mut().filter(|one| one.stored.schedule.concerns(&others, &staff)) {
                one.stamp = next_stamp();
                one.move_turns(&staff, &absences);
            }
        }
        read.iter_mut().for_each(|one| one.move_turns(&staff, &absences));
        rosters.extend(read);
        rosters.sort_by(|one, other| one.stored.id().cmp(other.stored.id()));
        Ok(Self { rosters, staff, revisions, absences, since: self.since, people_since: self.people_since })
    }

    /// The ids of the rosters whose holiday calendars are not as they were.
    fn with_other_holidays(&self, conn: &mut Conn, tenants: &[String]) -> Result<HashSet<String>> {
        let ids: BTreeSet<&String> = self.rosters.iter().flat_map(|one| one.stored.schedule.calendars()).collect();
        let now = dated_holidays::store::versions(conn, tenants, &ids.into_iter().cloned().collect::<Vec<_>>())?;
        let is_other = |one: &&OneRoster| one.stored.calendars.iter().any(|(id, then)| now.get(id).copied() != *then);
        Ok(self.rosters.iter().filter(is_other).map(|one| one.stored.id().to_owned()).collect())
    }

    fn weight(&self) -> usize {
        let of = |one: &OneRoster| {
            let schedule = &one.stored.schedule;
            // Numbers are small beside names.
            1 + schedule.crews().count() + schedule.overrides.len() + schedule.moved_len() / 16
        };
        self.staff.len() + self.absences.len() + self.rosters.iter().map(of).sum::<usize>()
    }
}

impl OneRoster {
    /// Those of a selection, which are in these states, with all that questions about an instant and later ones need.
    fn load(
        conn: &mut Conn,
        of: Selection<'_>,
        tenants: &[String],
        states: Vec<State>,
        since: Timestamp,
    ) -> Result<Vec<Self>> {
        let since_ms = look_back(since).millis();
        let shifts = all_shifts_since(conn, of, since_ms)?;
        let overrides = overrides::store::all_since(conn, of, since_ms)?;
        let named = named_holidays(&shifts, &overrides);
        let calendars: BTreeSet<&String> = named.flat_map(|holidays| &holidays.calendars).collect();
        let calendars: Vec<String> = calendars.into_iter().cloned().collect();
        // Before their days: what is newer is read again.
        let known = dated_holidays::store::versions(conn, tenants, &calendars)?;
        let holidays = dated_holidays::store::dated_of(conn, tenants, &calendars)?;
        let mut versions: HashMap<String, Vec<Version>> = HashMap::new();
        for version in all_since(conn, of, since_ms)? {
            versions.entry(version.roster_id.clone()).or_default().push(version);
        }
        let mut rosters = Vec::with_capacity(versions.len());
        for state in states {
            let Some(versions) = versions.remove(&state.id) else { continue };
            let own = range_of(&shifts, |shift| shift.roster_id.cmp(&state.id));
            let over = range_of(&overrides, |one| one.roster_id.cmp(&state.id));
            let schedule = Schedule::stored(own, over, &holidays)?;
            let calendars = schedule.calendars().iter().map(|id| (id.clone(), known.get(id).copied())).collect();
            let stored = StoredRoster { state, versions, schedule, calendars };
            rosters.push(Self { stamp: next_stamp(), stored: Arc::new(stored) });
        }
        rosters.sort_by(|one, other| one.stored.id().cmp(other.stored.id()));
        Ok(rosters)
    }
}

impl OneRoster {
    /// Decides which of its turns move because people are away.
    fn move_turns(&mut self, staff: &RosterPeople, absences: &Absences) {
        if self.stored.schedule.away_since().is_some() {
            let stored = Arc::make_mut(&mut self.stored);
            stored.schedule.move_turns(staff, absences, &stored.state.tenant_id);
        }
    }
}

impl StoredRoster {
    pub fn tenant_id(&self) -> &str {
        &self.state.tenant_id
    }

    pub fn id(&self) -> &str {
        &self.state.id
    }
}

/// Whom these rosters name: in crews, and in overrides.
fn named(rosters: &[OneRoster]) -> (impl Iterator<Item = &Crew>, impl Iterator<Item = String>) {
    let crews = rosters.iter().flat_map(|one| one.stored.schedule.crews());
    (crews, rosters.iter().flat_map(|one| one.stored.schedule.users()))
}

/// Since when the turns of any of these rosters depend on who is away.
fn away_since(rosters: &[OneRoster]) -> Option<Timestamp> {
    rosters.iter().filter_map(|one| one.stored.schedule.away_since()).min()
}

/// The ids of those whose absence may move turns of these rosters.
fn may_be_away<'r>(rosters: impl IntoIterator<Item = &'r OneRoster>, staff: &RosterPeople) -> Vec<String> {
    let users = rosters.into_iter().flat_map(|one| one.stored.schedule.may_be_away(staff));
    let users: BTreeSet<String> = users.collect();
    users.into_iter().collect()
}

fn next_stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}
