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
    overrides,
    overrides::wire::Reference,
    people::RosterPeople,
    revisions::Revisions,
    roster::versions,
    schedule::{Schedule, look_back, range_of},
};

/// How many shifts and overrides all boards together may have; those that nobody asks for go first.
const MOST_SHIFTS: u64 = 200_000;

/// How far the instant of a question may lie from the one that a board was read for, before it is read again.
const REACH_MS: i64 = 86_400_000;

/// The boards that were asked for lately.
pub struct OnCallCache(Cache<Vec<String>, Arc<Board>>);

impl Default for OnCallCache {
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
    staff: RosterPeople,
    rosters: Vec<OfRoster>,
    weight: usize,
    /// What was told last: mostly, the next question is about the same time.
    last: Mutex<Option<Arc<Told>>>,
}

struct OfRoster {
    id: String,
    /// Its names, with from when until when: none before it was there, none after it was deleted.
    names: Vec<(i64, i64, String)>,
    schedule: Schedule,
}

/// What is asked of a board.
pub struct Asked {
    /// The tenants whose rosters are meant.
    pub scope: Vec<String>,
    /// Those whose people may stand in them.
    pub tenants: Vec<String>,
    /// When.
    pub at: Timestamp,
    /// Whom alone is asked for.
    pub user: Option<String>,
}

/// From when until when the elements of a roster hold; with them its name, folded.
type Held = (Timestamp, Timestamp, Arc<(String, Elements)>);

/// The elements of each roster, which hold in `[from, until)`.
struct Told {
    holds: Vec<Held>,
    /// The places of the rosters, by their names then.
    order: Vec<usize>,
    /// In which all of them hold.
    from: Timestamp,
    until: Timestamp,
}

impl OnCallCache {
    /// Who is on call, as JSON.
    pub async fn answer(self: Arc<Self>, db: &Db, people: Arc<dyn People>, asked: Asked) -> Result<Vec<u8>> {
        let Asked { scope, tenants, at, user } = asked;
        let (asked, of_people, answers) = (scope.clone(), tenants.clone(), Arc::clone(&people));
        let revisions = db.point(move |conn| Revisions::read(conn, &*answers, &asked, &of_people)).await?;
        if user.is_none()
            && let Some(board) = self.0.get(&scope)
            && board.revisions == revisions
            && let Some(told) = board.told(at)
        {
            return Ok(told.answer(at));
        }
        // Reading rows and asking calendars takes longer than a worker may.
        db.read(move |conn| {
            let revisions = Revisions::read(conn, &*people, &scope, &tenants)?;
            let known = self.0.get(&scope).filter(|board| board.revisions == revisions && board.reaches(at));
            let board = match known {
                Some(board) => board,
                None => {
                    let board = Arc::new(Board::load(conn, &*people, &scope, &tenants, at, revisions)?);
                    self.0.insert(scope, Arc::clone(&board));
                    board
                }
            };
            Ok(match user {
                Some(user) => board.tell_of(&user, at),
                None => board.tell(at).answer(at),
            })
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
        let shifts = versions::all_shifts_since(conn, scope, since_ms)?;
        let overrides = overrides::store::all_since(conn, scope, since_ms)?;
        let weight = 1 + shifts.len() + overrides.len();
        let mut rosters: Vec<OfRoster> = Vec::new();
        for version in versions::all_since(conn, scope, since_ms)? {
            let until = version.valid_until_ms.unwrap_or(i64::MAX);
            let named = (version.valid_from_ms, until, version.name);
            if let Some(known) = rosters.last_mut().filter(|known| known.id == version.roster_id) {
                known.names.push(named);
                continue;
            }
            let id = version.roster_id;
            let own = range_of(&shifts, |shift| shift.roster_id.as_str().cmp(&id));
            let over = range_of(&overrides, |one| one.roster_id.as_str().cmp(&id));
            rosters.push(OfRoster { schedule: Schedule::stored(own, over)?, id, names: vec![named] });
        }
        let crews = rosters.iter().flat_map(|of| of.schedule.crews());
        let users = rosters.iter().flat_map(|of| of.schedule.users());
        let since = Some(Timestamp::from_millis(at.millis().saturating_sub(REACH_MS)));
        let staff = RosterPeople::since(conn, people, tenants, (crews, users), since)?;
        let places = rosters.iter().flat_map(|of| of.schedule.crews()).count();
        let weight = weight + places;
        Ok(Self { revisions, since_ms, staff, rosters, weight, last: Mutex::default() })
    }

    /// Does it know all that a question about an instant needs?
    fn reaches(&self, at: Timestamp) -> bool {
        self.since_ms <= look_back(at)
    }

    /// What was told last, when it holds.
    fn told(&self, at: Timestamp) -> Option<Arc<Told>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|told| told.from <= at && at < told.until).cloned()
    }

    /// Of one user alone.
    fn tell_of(&self, user: &str, at: Timestamp) -> Vec<u8> {
        let tell = |of: &OfRoster| of.tell(&self.staff, at, Some(user));
        let mut told: Vec<_> =
            self.rosters.iter().filter(|of| of.schedule.may_name(user, &self.staff)).map(tell).collect();
        told.sort_by(|(_, one, _), (_, other, _)| one.cmp(other));
        render::answer(at, told.iter().map(|(_, _, elements)| elements))
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
            let (until, name, elements) = of.tell(&self.staff, at, None);
            holds.push((at, until, Arc::new((name, elements))));
        }
        let mut order: Vec<usize> = (0..holds.len()).collect();
        order.sort_by_key(|place| holds.get(*place).map(|(_, _, told)| (&told.0, *place)));
        let from = holds.iter().map(|(from, _, _)| *from).max().unwrap_or(at);
        let until = holds.iter().map(|(_, until, _)| *until).min();
        let until = until.unwrap_or(Timestamp::from_millis(at.millis() + REACH_MS));
        let told = Arc::new(Told { holds, order, from, until });
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&told));
        told
    }
}

impl Told {
    fn answer(&self, at: Timestamp) -> Vec<u8> {
        let told = |place: &usize| self.holds.get(*place).map(|(_, _, told)| &told.1);
        render::answer(at, self.order.iter().filter_map(told))
    }
}

impl OfRoster {
    /// Until when what is told of an instant holds, the roster's name then, folded, and the elements.
    fn tell(&self, staff: &RosterPeople, at: Timestamp, user: Option<&str>) -> (Timestamp, String, Elements) {
        let holds = |(from, until, _): &&(i64, i64, String)| *from <= at.millis() && at.millis() < *until;
        let Some((_, named_until, name)) = self.names.iter().find(holds) else {
            let begins = self.names.iter().map(|(from, ..)| *from).filter(|from| *from > at.millis()).min();
            return (Timestamp::from_millis(begins.unwrap_or(i64::MAX)), String::new(), Elements::default());
        };
        let roster = Reference { id: self.id.clone(), name: name.clone() };
        let of = render::Of { roster: &roster, schedule: &self.schedule, staff, user };
        let (until, elements) = render::elements(of, at);
        let until = until.unwrap_or(at).min(Timestamp::from_millis(*named_until));
        (until, base::fold(name), elements)
    }
}
