//! Who is on call, for other domains.

use std::sync::Arc;

use api::clock;
use base::timestamp::Timestamp;
use calendar::Interval;
use db::{Conn, Result};
use ports::{Author, OnCall, OnCallPerson, OwnShift, People, RosterSummary, SkippedShift};

use crate::{
    cache::RosterCache,
    duty::{Duties, Duty, NEVER},
    filter::{Filter, chosen},
    lines::{Label, Level, LineSelection},
    roster::{row, rules::tenants_of, store, versions},
    schedule::Schedule,
};

/// Answers [`OnCall`] from the rosters of a tenant.
pub struct Rosters {
    people: Arc<dyn People>,
    known: RosterCache,
}

impl Rosters {
    /// With those who know the people.
    pub fn new(people: Arc<dyn People>) -> Self {
        Self { people, known: RosterCache::default() }
    }

    /// Those on call through a roster; these tenants' people stand in it.
    fn through(
        &self,
        conn: &mut Conn,
        roster: &row::Roster,
        tenants: &[String],
        at: Timestamp,
    ) -> Result<Vec<OnCallPerson>> {
        let mut schedule = Schedule::load(conn, roster, tenants, at)?;
        let staff = schedule.people(conn, &*self.people, tenants, at)?;
        let mut found = Vec::new();
        for duty in Duties::new(&schedule, &staff).state(at).current {
            let shift_id = schedule.shift(duty.shift).map(|(id, _)| id.to_owned());
            let level = level(&schedule, duty.shift);
            let author = |id: &String| staff.user_at(id, at).map(Author::from);
            let instead_of: Vec<Author> =
                duty.why.iter().flat_map(|why| why.instead_of.iter().filter_map(author)).collect();
            let people = duty.users.iter().filter_map(|id| staff.user_at(id, at));
            found.extend(people.map(|person| OnCallPerson {
                person: person.clone(),
                roster_id: roster.id.clone(),
                shift_id: shift_id.clone(),
                level,
                since: duty.time.start(),
                until: duty.time.end(),
                instead_of: instead_of.clone(),
            }));
        }
        Ok(found)
    }
}

/// 1 for a shift that is called first, 2 for one that is when the first does not answer.
fn level(schedule: &Schedule, shift: Label) -> i64 {
    match schedule.level(shift).unwrap_or_default() {
        Level::Primary => 1,
        Level::Secondary => 2,
    }
}

impl OnCall for Rosters {
    fn on_call(&self, conn: &mut Conn, tenant: &str, partner: &str, at: Timestamp) -> Result<Vec<OnCallPerson>> {
        let tenants = tenants_of(tenant, partner);
        let mut found = Vec::new();
        for roster in store::all(conn, tenant)? {
            found.extend(self.through(conn, &roster, &tenants, at)?);
        }
        Ok(found)
    }

    fn on_call_of(
        &self,
        conn: &mut Conn,
        tenant: &str,
        partner: &str,
        roster: &str,
        at: Timestamp,
    ) -> Result<Vec<OnCallPerson>> {
        match store::find(conn, &[tenant.to_owned()], roster)? {
            Some(roster) => self.through(conn, &roster, &tenants_of(tenant, partner), at),
            None => Ok(Vec::new()),
        }
    }

    fn skipped_of(
        &self,
        conn: &mut Conn,
        tenant: &str,
        partner: &str,
        roster: &str,
        at: Timestamp,
    ) -> Result<Vec<SkippedShift>> {
        let Some(roster) = store::find(conn, &[tenant.to_owned()], roster)? else { return Ok(Vec::new()) };
        let schedule = Schedule::load(conn, &roster, &tenants_of(tenant, partner), at)?;
        let found = schedule.skipped(at).into_iter().filter_map(|skipped| {
            let (id, name) = schedule.shift(skipped.shift)?;
            let holiday = skipped.holiday;
            Some(SkippedShift {
                shift_id: id.to_owned(),
                shift_name: name.to_owned(),
                level: level(&schedule, skipped.shift),
                date: holiday.day.to_string(),
                holiday: holiday.name.to_owned(),
                calendar_id: holiday.calendar_id.to_owned(),
                calendar: holiday.name_for(tenant).map(ToOwned::to_owned),
            })
        });
        Ok(found.collect())
    }

    fn roster(&self, conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<RosterSummary>> {
        let Some(roster) = store::find(conn, tenants, id)? else { return Ok(None) };
        // Its row has the zone that is planned.
        let now = versions::as_of(conn, vec![roster.clone()], clock::now().millis())?.pop().unwrap_or(roster);
        Ok(Some(RosterSummary { tenant_id: now.tenant_id, name: now.name, time_zone: now.zone }))
    }

    fn shifts_of(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        user: &str,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<OwnShift>> {
        let Some(range) = Interval::new(from, to) else { return Ok(Vec::new()) };
        let filter = Filter { user: Some(user.to_owned()), ..Filter::default() };
        let all = self.known.read(conn, &*self.people, (tenants, tenants), from)?;
        let mut found = Vec::new();
        for (name, roster) in chosen(&all, range, &filter) {
            let mut duties = Duties::new(&roster.stored.schedule, &all.staff);
            let own = duties.within(range, LineSelection::All).0.into_iter().filter(|duty| duty.users.contains(&user));
            let own: Vec<Duty<'_>> = own.collect();
            found.extend(own.into_iter().map(|duty| {
                let time = duties.whole_of(duty, range).time;
                OwnShift {
                    roster_id: roster.stored.id().to_owned(),
                    roster_name: name.to_owned(),
                    since: time.start(),
                    until: Some(time.end()).filter(|end| *end < NEVER),
                }
            }));
        }
        Ok(found)
    }
}
