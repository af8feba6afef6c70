//! Who is on call, kept until it changes.
//!
//! What was told last is good as long as neither the rosters nor the people of its tenants have changed, which two numbers
//! of the database tell, and nobody has handed over; of the rosters where somebody has, it is worked out again.

use std::sync::{Arc, Mutex, PoisonError};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use moka::sync::Cache;
use ports::People;

use super::render::{self, Elements};
use crate::{
    cache::{AllRosters, OneRoster, RosterCache},
    overrides::wire::Reference,
    people::RosterPeople,
    revisions::Revisions,
    schedule::look_back,
};

/// How many rosters all boards together may have; those that nobody asks for go first.
const MOST_ROSTERS: u64 = 40_000;

/// How far the instant of a question may lie before the one that a board was read for, before it is read again.
const REACH_MS: i64 = 86_400_000;

/// The boards that were asked for lately.
pub struct OnCallCache {
    boards: Cache<Vec<String>, Arc<Board>>,
    rosters: RosterCache,
}

/// The rosters of some tenants, and those who stand in them.
struct Board {
    revisions: Revisions,
    /// It was read for this instant.
    at: Timestamp,
    staff: RosterPeople,
    all: Arc<AllRosters>,
    /// What was told last: mostly, the next question is about the same time.
    last: Mutex<Option<Arc<Told>>>,
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
    /// Of the rosters that are kept there.
    pub fn new(rosters: RosterCache) -> Self {
        let weigh =
            |_: &Vec<String>, board: &Arc<Board>| u32::try_from(1 + board.all.rosters.len()).unwrap_or(u32::MAX);
        Self { boards: Cache::builder().max_capacity(MOST_ROSTERS).weigher(weigh).build(), rosters }
    }

    /// Who is on call, as JSON.
    pub async fn answer(self: Arc<Self>, db: &Db, people: Arc<dyn People>, asked: Asked) -> Result<Vec<u8>> {
        let Asked { scope, tenants, at, user } = asked;
        let (asked, of_people, answers) = (scope.clone(), tenants.clone(), Arc::clone(&people));
        let revisions = db.point(move |conn| Revisions::read(conn, &*answers, &asked, &of_people)).await?;
        if user.is_none()
            && let Some(board) = self.boards.get(&scope)
            && board.revisions == revisions
            && let Some(told) = board.told(at)
        {
            return Ok(told.answer(at));
        }
        // Reading rows and asking calendars takes longer than a worker may.
        db.read(move |conn| {
            let revisions = Revisions::read(conn, &*people, &scope, &tenants)?;
            let known = self.boards.get(&scope).filter(|board| board.revisions == revisions && board.reaches(at));
            let board = match known {
                Some(board) => board,
                None => {
                    let all = self.rosters.read(conn, &scope, look_back(at).saturating_sub(REACH_MS))?;
                    let board = Arc::new(Board::load(conn, &*people, all, &tenants, at, revisions)?);
                    self.boards.insert(scope, Arc::clone(&board));
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
        all: Arc<AllRosters>,
        tenants: &[String],
        at: Timestamp,
        revisions: Revisions,
    ) -> Result<Self> {
        let crews = all.rosters.iter().flat_map(|of| of.schedule.crews());
        let users = all.rosters.iter().flat_map(|of| of.schedule.users());
        let since = Some(Timestamp::from_millis(at.millis().saturating_sub(REACH_MS)));
        let staff = RosterPeople::since(conn, people, tenants, (crews, users), since)?;
        Ok(Self { revisions, at, staff, all, last: Mutex::default() })
    }

    /// Does it know all that a question about an instant needs?
    fn reaches(&self, at: Timestamp) -> bool {
        self.at.millis().saturating_sub(REACH_MS) <= at.millis()
    }

    /// What was told last, when it holds.
    fn told(&self, at: Timestamp) -> Option<Arc<Told>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|told| told.from <= at && at < told.until).cloned()
    }

    /// Of one user alone.
    fn tell_of(&self, user: &str, at: Timestamp) -> Vec<u8> {
        let tell = |of: &OneRoster| of.tell(&self.staff, at, Some(user));
        let mut told: Vec<_> =
            self.all.rosters.iter().filter(|of| of.schedule.may_name(user, &self.staff)).map(tell).collect();
        told.sort_by(|(_, one, _), (_, other, _)| one.cmp(other));
        render::answer(at, told.iter().map(|(_, _, elements)| elements))
    }

    fn tell(&self, at: Timestamp) -> Arc<Told> {
        if let Some(told) = self.told(at) {
            return told;
        }
        let before = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut holds = Vec::with_capacity(self.all.rosters.len());
        for (place, of) in self.all.rosters.iter().enumerate() {
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

impl OneRoster {
    /// Until when what is told of an instant holds, the roster's name then, folded, and the elements.
    fn tell(&self, staff: &RosterPeople, at: Timestamp, user: Option<&str>) -> (Timestamp, String, Elements) {
        let Some(version) = self.versions.iter().find(|version| version.holds(at.millis())) else {
            let begins = self.versions.iter().map(|version| version.valid_from_ms).filter(|from| *from > at.millis());
            return (Timestamp::from_millis(begins.min().unwrap_or(i64::MAX)), String::new(), Elements::default());
        };
        let roster = Reference { id: self.id.clone(), name: version.name.clone() };
        let of = render::Of { roster: &roster, schedule: &self.schedule, staff, user };
        let (until, elements) = render::elements(of, at);
        let version_ends = Timestamp::from_millis(version.valid_until_ms.unwrap_or(i64::MAX));
        (until.unwrap_or(at).min(version_ends), base::fold(&version.name), elements)
    }
}
