//! What conflicts are looked for in: the rosters of some tenants, and when their people are away.

use std::{collections::HashSet, sync::Arc};

use api::RequestScope;
use base::problem::Problem;
use db::{Conn, Result};
use ports::People;

use super::{
    render::{self, ConflictSelection, PlannedRoster, Question, WhoIsAway},
    rules::looked_at,
    wire::Conflict,
};
use crate::{
    cache::{RosterCache, Snapshot},
    coverage::too_large,
    dated_holidays::own::OwnHolidays,
    duty::Duties,
    filter::{Filter, chosen},
    lines::LineSelection,
    time_off::{self, row::TimeOff},
};

/// The rosters of some tenants, and when their people are away.
pub struct TenantPlans {
    all: Arc<Snapshot>,
    times_off: Vec<TimeOff>,
    /// `None` when there are too many.
    holidays: Option<OwnHolidays>,
}

impl TenantPlans {
    /// Those that a request may read.
    pub fn load(
        conn: &mut Conn,
        people: &dyn People,
        known: &RosterCache,
        scope: &RequestScope,
        asked: &Question,
    ) -> Result<Self> {
        Self::of(conn, people, known, (&scope.scope(), &scope.scope_and_partner()), asked)
    }

    /// Those of the tenants of a scope, in whose rosters people of `tenants` may stand.
    pub fn of(
        conn: &mut Conn,
        people: &dyn People,
        known: &RosterCache,
        (scope, tenants): (&[String], &[String]),
        asked: &Question,
    ) -> Result<Self> {
        let since = looked_at(asked.range, asked.limits).start();
        let all = known.read(conn, people, (scope, tenants), since)?;
        let times_off = time_off::store::within(conn, scope, asked.range, time_off::store::MOST_AT_ONCE)?;
        let holidays = OwnHolidays::load(conn, people, scope, since)?;
        Ok(Self { all, times_off, holidays })
    }

    /// What is wrong in all rosters.
    ///
    /// # Errors
    /// 400 when it is too much.
    pub fn conflicts(&self, asked: &Question) -> Result<Vec<Conflict>, Problem> {
        let user = match &asked.about {
            ConflictSelection::User(user) => Some(user.clone()),
            _ => None,
        };
        let filter = Filter { user, ..Filter::default() };
        let rosters = chosen(&self.all, looked_at(asked.range, asked.limits), &filter);
        let rosters = rosters.into_iter().map(|roster| PlannedRoster::stored(roster, &self.all.staff, asked.range));
        render::conflicts(&rosters.collect::<Result<Vec<_>, _>>()?, &self.who_is_away()?, asked)
    }

    /// What is wrong in a roster, which stands in for the stored one of its id, and in the plans of its people because
    /// of it.
    ///
    /// # Errors
    /// 400 when it is too much.
    pub fn conflicts_of(&self, roster: PlannedRoster<'_>, asked: &Question) -> Result<Vec<Conflict>, Problem> {
        let whole = looked_at(asked.range, asked.limits);
        let (duties, _) = Duties::new(roster.schedule, roster.staff).within(whole, LineSelection::All);
        let users: HashSet<String> = duties.iter().flat_map(|duty| &duty.users).map(|id| (*id).to_owned()).collect();
        let id = roster.id;
        let mut rosters = vec![roster];
        for (name, other) in chosen(&self.all, whole, &Filter::default()) {
            if other.stored.id() != id && other.stored.schedule.concerns(&users, &self.all.staff) {
                rosters.push(PlannedRoster::stored((name, other), &self.all.staff, asked.range)?);
            }
        }
        let asked = Question { about: ConflictSelection::FirstRoster, ..asked.clone() };
        render::conflicts(&rosters, &self.who_is_away()?, &asked)
    }

    /// What is wrong in the plans of a partner's people, and none of the tenants sees in its own rosters.
    ///
    /// # Errors
    /// 400 when it is too much.
    pub fn conflicts_across(&self, partner: &str, asked: &Question) -> Result<Vec<Conflict>, Problem> {
        let people = self.all.staff.of_tenant(partner);
        let mut rosters = Vec::new();
        for (name, roster) in chosen(&self.all, looked_at(asked.range, asked.limits), &Filter::default()) {
            if roster.stored.schedule.concerns(&people, &self.all.staff) {
                rosters.push(PlannedRoster::stored((name, roster), &self.all.staff, asked.range)?);
            }
        }
        let asked = Question { about: ConflictSelection::AcrossTenants(partner.to_owned()), ..asked.clone() };
        render::conflicts(&rosters, &self.who_is_away()?, &asked)
    }

    /// Does one of the rosters name somebody of this tenant?
    pub fn has_people_of(&self, tenant: &str) -> bool {
        !self.all.staff.of_tenant(tenant).is_empty()
    }

    fn who_is_away(&self) -> Result<WhoIsAway<'_>, Problem> {
        // Of more than were read some may be missing.
        let most = usize::try_from(time_off::store::MOST_AT_ONCE).unwrap_or(usize::MAX);
        let holidays = self.holidays.as_ref().filter(|_| self.times_off.len() < most).ok_or_else(too_large)?;
        Ok(WhoIsAway { times_off: &self.times_off, holidays })
    }
}
