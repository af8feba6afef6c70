//! Who is on call, kept until it changes.
//!
//! What was answered last is good as long as neither the rosters nor the people of its tenants have changed, which
//! numbers of the database tell, and nobody has handed over; of the rosters where something has, it is worked out
//! again.

use std::{collections::HashMap, sync::Arc};

use api::RequestContext;
use base::timestamp::Timestamp;
use db::Result;
use moka::sync::Cache;
use ports::People;

use super::{
    render::{self, Elements},
    wire::OfUser,
};
use crate::{
    cache::{OneRoster, RosterCache, Snapshot},
    overrides::wire::Reference,
    people::RosterPeople,
    revisions::Totals,
};

/// How many rosters all boards together may have; those that nobody asks for go first.
const MOST_ROSTERS: u64 = 40_000;

/// How long what is told holds when there is no roster.
const EMPTY_HOLDS_MS: i64 = 86_400_000;

/// The boards that were asked for lately, by the tenants that own the rosters.
pub struct OnCallCache {
    boards: Cache<Vec<String>, Arc<Board>>,
    rosters: RosterCache,
}

/// The elements of each roster, which hold in `[from, until)`.
struct Board {
    snapshot: Arc<Snapshot>,
    totals: Totals,
    holds: Vec<Held>,
    /// The places of the rosters, by their names then.
    order: Vec<usize>,
    /// In which all of them hold.
    from: Timestamp,
    until: Timestamp,
}

/// From when until when the elements of a roster hold; with them its name, folded.
type Held = (Timestamp, Timestamp, Arc<(String, Elements)>);

impl OnCallCache {
    /// Of the rosters that are kept there.
    pub fn new(rosters: RosterCache) -> Self {
        let weigh = |_: &Vec<String>, board: &Arc<Board>| u32::try_from(1 + board.holds.len()).unwrap_or(u32::MAX);
        Self { boards: Cache::builder().max_capacity(MOST_ROSTERS).weigher(weigh).build(), rosters }
    }

    /// Who is on call, as JSON.
    pub async fn answer(self: Arc<Self>, context: &RequestContext<OfUser>, people: Arc<dyn People>) -> Result<Vec<u8>> {
        let OfUser { at, user_id: user } = context.query.clone();
        let scope = context.scope();
        let at = at.unwrap_or(context.now);
        if user.is_none()
            && let Some(totals) = Totals::at_once(context, Arc::clone(&people)).await?
            && let Some(board) = self.boards.get(&scope)
            && board.totals == totals
            && board.holds_at(at)
        {
            return Ok(board.answer(at));
        }
        let tenants = context.scope_and_partner();
        // Reading rows and asking calendars takes longer than a worker may.
        let read = context.db.read(move |conn| {
            let snapshot = self.rosters.read(conn, &*people, (&scope, &tenants), at)?;
            if let Some(user) = user {
                return Ok(answer_of(&user, &snapshot, at));
            }
            let before = self.boards.get(&scope);
            if let Some(board) = before.as_ref().filter(|board| board.is_of(&snapshot) && board.holds_at(at)) {
                return Ok(board.answer(at));
            }
            let board = Arc::new(Board::new(snapshot, before.as_deref(), at));
            self.boards.insert(scope, Arc::clone(&board));
            Ok(board.answer(at))
        });
        read.await
    }
}

/// Of one user alone.
fn answer_of(user: &str, snapshot: &Snapshot, at: Timestamp) -> Vec<u8> {
    let staff = &snapshot.staff;
    let named = snapshot.rosters.iter().filter(|of| of.stored.schedule.may_name(user, staff));
    let mut found: Vec<_> = named.map(|of| of.elements(staff, at, Some(user))).collect();
    found.sort_by(|(_, one, _), (_, other, _)| one.cmp(other));
    render::answer(at, found.iter().map(|(_, _, elements)| elements))
}

impl Board {
    /// Most rosters have not changed since an earlier board, nor has anybody handed over.
    fn new(snapshot: Arc<Snapshot>, before: Option<&Self>, at: Timestamp) -> Self {
        let stamps = before.into_iter().flat_map(|board| board.snapshot.rosters.iter().zip(&board.holds));
        let known: HashMap<u64, &Held> = stamps.map(|(of, held)| (of.stamp, held)).collect();
        let hold = |of: &OneRoster| {
            if let Some(held) = known.get(&of.stamp).filter(|(from, until, _)| *from <= at && at < *until) {
                return (*held).clone();
            }
            let (until, name, elements) = of.elements(&snapshot.staff, at, None);
            (at, until, Arc::new((name, elements)))
        };
        let holds: Vec<Held> = snapshot.rosters.iter().map(hold).collect();
        let mut order: Vec<usize> = (0..holds.len()).collect();
        order.sort_by_key(|place| holds.get(*place).map(|(_, _, held)| (&held.0, *place)));
        let from = holds.iter().map(|(from, _, _)| *from).max().unwrap_or(at);
        let until = holds.iter().map(|(_, until, _)| *until).min();
        let until = until.unwrap_or(Timestamp::from_millis(at.millis() + EMPTY_HOLDS_MS));
        Self { totals: snapshot.revisions.totals(), snapshot, holds, order, from, until }
    }

    fn is_of(&self, snapshot: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.snapshot, snapshot)
    }

    fn holds_at(&self, at: Timestamp) -> bool {
        self.from <= at && at < self.until
    }

    fn answer(&self, at: Timestamp) -> Vec<u8> {
        let elements = |place: &usize| self.holds.get(*place).map(|(_, _, held)| &held.1);
        render::answer(at, self.order.iter().filter_map(elements))
    }
}

impl OneRoster {
    /// Until when the elements of an instant hold, the roster's name then, folded, and the elements.
    fn elements(&self, staff: &RosterPeople, at: Timestamp, user: Option<&str>) -> (Timestamp, String, Elements) {
        let versions = || self.stored.versions.iter();
        let Some(version) = versions().find(|version| version.holds(at.millis())) else {
            let begins = versions().map(|version| version.valid_from_ms).filter(|from| *from > at.millis());
            return (Timestamp::from_millis(begins.min().unwrap_or(i64::MAX)), String::new(), Elements::default());
        };
        let roster = Reference { id: self.stored.id().to_owned(), name: version.name.clone() };
        let tenant = self.stored.tenant_id();
        let of = render::RosterAtInstant { roster: &roster, tenant, schedule: &self.stored.schedule, staff, user };
        let (until, elements) = render::elements(of, at);
        let version_ends = Timestamp::from_millis(version.valid_until_ms.unwrap_or(i64::MAX));
        (until.unwrap_or(at).min(version_ends), base::fold(&version.name), elements)
    }
}
