//! The schedules of all rosters of a tenant, kept in memory between two changes.
//!
//! To ask a thousand rosters at once who is on call, their rows must not be read and understood each time. A board is
//! good as long as neither the rosters nor the people of its tenants have changed, which two numbers of the database
//! tell; so it is never out of date, no matter which gateway changed something.

use std::sync::{Arc, Mutex, PoisonError};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use moka::sync::Cache;
use ports::People;

use super::render::{self, Elements};
use crate::{
    crowd::Crowd,
    overrides,
    overrides::wire::Reference,
    revisions::Revisions,
    roster::store,
    schedule::{Schedule, look_back},
};

/// How many shifts and overrides all boards together may have; those that nobody asks for go first.
const MOST_SHIFTS: u64 = 200_000;

/// How far the instant of a question may lie from the one that a board was read for, before it is read again.
const REACH_MS: i64 = 86_400_000;

/// The boards that were asked for lately.
pub struct Boards(Cache<Vec<String>, Arc<Board>>);

impl Default for Boards {
    fn default() -> Self {
        let weigh = |_: &Vec<String>, board: &Arc<Board>| u32::try_from(board.weight).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(MOST_SHIFTS).weigher(weigh).build())
    }
}

/// The rosters of some tenants.
struct Board {
    revisions: Revisions,
    /// It knows what ended after this instant.
    since_ms: i64,
    crowd: Crowd,
    rosters: Vec<OfRoster>,
    weight: usize,
    /// What was told last: mostly, the next question is about the same time.
    last: Mutex<Option<Arc<Told>>>,
}

struct OfRoster {
    roster: Reference,
    schedule: Schedule,
}

/// The elements of each roster, which hold in `[from, until)`.
struct Told {
    holds: Vec<(Timestamp, Timestamp, Arc<Elements>)>,
    /// In which all of them hold.
    from: Timestamp,
    until: Timestamp,
}

impl Boards {
    /// Who is on call at an instant in these tenants, with people of those others, as JSON.
    pub async fn answer(
        self: Arc<Self>,
        db: &Db,
        people: Arc<dyn People>,
        scope: Vec<String>,
        tenants: Vec<String>,
        at: Timestamp,
    ) -> Result<Vec<u8>> {
        let (asked, of_people, answers) = (scope.clone(), tenants.clone(), Arc::clone(&people));
        let revisions = db.point(move |conn| Revisions::read(conn, &*answers, &asked, &of_people)).await?;
        if let Some(board) = self.0.get(&scope)
            && board.revisions == revisions
            && let Some(told) = board.told(at)
        {
            return Ok(told.answer(at));
        }
        // Reading rows and asking calendars takes longer than a worker may.
        db.read(move |conn| {
            let revisions = Revisions::read(conn, &*people, &scope, &tenants)?;
            let known =
                self.0.get(&scope).filter(|board| board.revisions == revisions && board.since_ms <= look_back(at));
            let board = match known {
                Some(board) => board,
                None => {
                    let board = Arc::new(Board::load(conn, &*people, &scope, &tenants, at, revisions)?);
                    self.0.insert(scope, Arc::clone(&board));
                    board
                }
            };
            Ok(board.tell(at).answer(at))
        })
        .await
    }
}

impl Board {
    fn load(
        conn: &mut Conn,
        people: &dyn People,
        scope: &[String],
        tenants: &[String],
        at: Timestamp,
        revisions: Revisions,
    ) -> Result<Self> {
        let since_ms = look_back(at).saturating_sub(REACH_MS);
        let shifts = store::all_shifts_since(conn, scope, since_ms)?;
        let overrides = overrides::store::all_since(conn, scope, since_ms)?;
        let weight = 1 + shifts.len() + overrides.len();
        let mut rosters = Vec::new();
        for (id, name) in store::names(conn, scope)? {
            let own = range_of(&shifts, |shift| shift.roster_id.as_str().cmp(&id));
            let over = range_of(&overrides, |one| one.roster_id.as_str().cmp(&id));
            rosters.push(OfRoster { schedule: Schedule::stored(own, over)?, roster: Reference { id, name } });
        }
        let crews = rosters.iter().flat_map(|of| &of.schedule.crews);
        let users = rosters.iter().flat_map(|of| of.schedule.users.iter().cloned());
        let crowd = Crowd::load(conn, people, tenants, crews, users)?;
        rosters.sort_by_cached_key(|of| (base::fold(&of.roster.name), of.roster.id.clone()));
        Ok(Self { revisions, since_ms, crowd, rosters, weight, last: Mutex::default() })
    }

    /// What was told last, when it holds.
    fn told(&self, at: Timestamp) -> Option<Arc<Told>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|told| told.from <= at && at < told.until).cloned()
    }

    fn tell(&self, at: Timestamp) -> Arc<Told> {
        if let Some(told) = self.told(at) {
            return told;
        }
        let before = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut holds = Vec::with_capacity(self.rosters.len());
        for (place, of) in self.rosters.iter().enumerate() {
            // Most rosters have not changed since.
            let known = before.as_ref().and_then(|told| told.holds.get(place));
            if let Some(hold) = known.filter(|(from, until, _)| *from <= at && at < *until) {
                holds.push(hold.clone());
                continue;
            }
            let (state, elements) = render::elements(&of.roster, &of.schedule, &self.crowd, at);
            holds.push((at, state.until.unwrap_or(at), Arc::new(elements)));
        }
        let from = holds.iter().map(|(from, _, _)| *from).max().unwrap_or(at);
        let until = holds.iter().map(|(_, until, _)| *until).min();
        let until = until.unwrap_or(Timestamp::from_millis(at.millis() + REACH_MS));
        let told = Arc::new(Told { holds, from, until });
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&told));
        told
    }
}

impl Told {
    fn answer(&self, at: Timestamp) -> Vec<u8> {
        render::answer(at, self.holds.iter().map(|(_, _, elements)| &**elements))
    }
}

/// The elements of a sorted slice that compare equal.
fn range_of<T>(all: &[T], compare: impl Fn(&T) -> std::cmp::Ordering) -> &[T] {
    let start = all.partition_point(|one| compare(one).is_lt());
    let end = all.partition_point(|one| compare(one).is_le());
    all.get(start..end).unwrap_or_default()
}
