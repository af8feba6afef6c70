//! The rosters of some tenants that were there in a range, with everybody who stands in them.

use base::{text::fold, timestamp::Timestamp};
use calendar::Interval;
use db::{Conn, Result};
use ports::People;

use crate::{
    overrides,
    people::RosterPeople,
    roster::{crew::Crew, row::Version, versions},
    schedule::{Schedule, range_of},
};

/// A roster.
pub struct Loaded {
    /// Its id.
    pub id: String,
    /// Its versions, oldest first.
    pub versions: Vec<Version>,
    /// Its schedule.
    pub schedule: Schedule,
}

impl Loaded {
    /// Its name at the end of a range.
    pub fn name(&self, range: Interval) -> &str {
        let last = self.versions.iter().rev().find(|version| version.valid_from_ms < range.end().millis());
        last.map_or("", |version| version.name.as_str())
    }
}

/// Which rosters are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Those whose name contains this, folded.
    pub name: Option<String>,
    /// Those in which this user may be on call.
    pub user: Option<String>,
    /// Those that name this group.
    pub group: Option<String>,
}

/// Those that a filter means, by name, and their people.
pub fn load(
    conn: &mut Conn,
    people: &dyn People,
    (scope, tenants): (&[String], &[String]),
    range: Interval,
    filter: &Filter,
) -> Result<(Vec<Loaded>, RosterPeople)> {
    let since = range.start().millis();
    let shifts = versions::all_shifts_since(conn, scope, since)?;
    let overrides = overrides::store::all_since(conn, scope, since)?;
    let mut rosters: Vec<Loaded> = Vec::new();
    for version in versions::all_since(conn, scope, since)? {
        if version.valid_from_ms >= range.end().millis() {
            continue;
        }
        if let Some(known) = rosters.last_mut().filter(|known| known.id == version.roster_id) {
            known.versions.push(version);
            continue;
        }
        let id = version.roster_id.clone();
        let own = range_of(&shifts, |shift| shift.roster_id.as_str().cmp(&id));
        let over = range_of(&overrides, |one| one.roster_id.as_str().cmp(&id));
        rosters.push(Loaded { schedule: Schedule::stored(own, over)?, id, versions: vec![version] });
    }
    if let Some(name) = &filter.name {
        rosters.retain(|roster| fold(roster.name(range)).contains(name.as_str()));
    }
    if let Some(group) = &filter.group {
        let names = |crew: &Crew| crew.groups.contains(group);
        rosters.retain(|roster| roster.schedule.crews().any(names));
    }
    let crews = rosters.iter().flat_map(|roster| roster.schedule.crews());
    let users = rosters.iter().flat_map(|roster| roster.schedule.users());
    let staff = RosterPeople::since(conn, people, tenants, (crews, users), Some(Timestamp::from_millis(since)))?;
    if let Some(user) = &filter.user {
        rosters.retain(|roster| roster.schedule.may_name(user, &staff));
    }
    rosters.sort_by_cached_key(|roster| (fold(roster.name(range)), roster.id.clone()));
    Ok((rosters, staff))
}
