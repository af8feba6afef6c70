//! Who is on call, for other domains.

use std::sync::Arc;

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{KnownRoster, OnCall, OnCallPerson, People};

use crate::{
    lines::Piece,
    overrides,
    roster::{http::tenants_of, store},
    schedule::{Schedule, look_back},
};

/// Answers [`OnCall`] from the rosters of a tenant.
pub struct Rosters {
    people: Arc<dyn People>,
}

impl Rosters {
    /// With those who know the people.
    pub fn new(people: Arc<dyn People>) -> Self {
        Self { people }
    }
}

impl OnCall for Rosters {
    fn on_call(&self, conn: &mut Conn, tenant: &str, partner: &str, at: Timestamp) -> Result<Vec<OnCallPerson>> {
        let (scope, since) = ([tenant.to_owned()], look_back(at));
        let tenants = tenants_of(tenant, partner);
        let mut found = Vec::new();
        for (id, _) in store::names(conn, &scope)? {
            let shifts = store::shifts_since(conn, tenant, &id, since)?;
            let overrides = overrides::store::since(conn, tenant, &id, since)?;
            let schedule = Schedule::stored(&shifts, &overrides)?;
            let crowd = schedule.crowd(conn, &*self.people, &tenants)?;
            for piece in schedule.lines.state(at, |_| true).current {
                let Piece { time, who, .. } = piece;
                let shift_id = schedule.shift(&piece).map(|(id, _)| id.to_owned());
                found.extend(schedule.people(who, &crowd).into_iter().map(|person| OnCallPerson {
                    person: person.clone(),
                    roster_id: id.clone(),
                    shift_id: shift_id.clone(),
                    since: time.start(),
                    until: time.end(),
                }));
            }
        }
        Ok(found)
    }

    fn roster(&self, conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<KnownRoster>> {
        let found = store::find(conn, tenants, id)?;
        Ok(found.map(|roster| KnownRoster { tenant_id: roster.tenant_id, name: roster.name }))
    }
}
