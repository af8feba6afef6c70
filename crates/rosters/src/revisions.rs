//! Whether something that was worked out still holds.

use std::{collections::HashSet, sync::Arc};

use api::RequestContext;
use db::{Conn, Result};
use ports::People;

use crate::{absences, roster::store};

/// As many tenants are asked about on a worker thread; more take longer than a worker may.
const FEW_TENANTS: usize = 16;

/// A number of a tenant, which counts changes, in the order of the tenants.
type RevisionsOfTenants = Vec<(String, i64)>;

/// Of each tenant three numbers: of the changes to its rosters and holiday calendars, to its people, and to their
/// time off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revisions {
    rosters: RevisionsOfTenants,
    people: RevisionsOfTenants,
    time_off: RevisionsOfTenants,
}

/// The sums over all tenants: others after each change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    rosters: i64,
    people: i64,
    time_off: i64,
}

impl Revisions {
    /// Those of the rosters, the holiday calendars and the people of some tenants: of those whose rosters are meant
    /// and of those whose people and calendars may stand in them. They are read before the rows are: what is newer than
    /// they say is worked out again.
    pub fn read(conn: &mut Conn, people: &dyn People, tenants: &[String]) -> Result<Self> {
        let time_off = absences::store::revisions(conn, tenants)?;
        Ok(Self { rosters: store::revisions(conn, tenants)?, people: people.revisions(conn, tenants)?, time_off })
    }

    /// The sums.
    pub fn totals(&self) -> Totals {
        let sum = |of: &RevisionsOfTenants| of.iter().fold(0_i64, |sum, (_, revision)| sum.wrapping_add(*revision));
        Totals { rosters: sum(&self.rosters), people: sum(&self.people), time_off: sum(&self.time_off) }
    }

    /// The tenants whose rosters have changed since these, and those whose people have.
    pub fn changed(&self, since: &Self) -> (HashSet<&str>, HashSet<&str>) {
        (newer(&self.rosters, &since.rosters), newer(&self.people, &since.people))
    }

    /// Is anybody's time off another one since these?
    pub fn has_other_time_off(&self, since: &Self) -> bool {
        self.time_off != since.time_off
    }
}

fn newer<'r>(now: &'r RevisionsOfTenants, before: &RevisionsOfTenants) -> HashSet<&'r str> {
    let before: HashSet<&(String, i64)> = before.iter().collect();
    now.iter().filter(|one| !before.contains(one)).map(|(tenant, _)| tenant.as_str()).collect()
}

impl Totals {
    /// Those of what a request sees; `None` where it sees so many tenants that this takes a while.
    pub async fn at_once<Q>(context: &RequestContext<Q>, people: Arc<dyn People>) -> Result<Option<Self>> {
        let scope = context.scope();
        let tenants = context.scope_and_partner();
        if scope.len() > FEW_TENANTS {
            return Ok(None);
        }
        let read = move |conn: &mut Conn| Ok(Revisions::read(conn, &*people, &tenants)?.totals());
        context.db.point(read).await.map(Some)
    }
}
