//! Which of the rosters of some tenants a question is about, of those that were there in a range.

use base::text::fold;
use calendar::Interval;

use crate::{
    cache::{OneRoster, Snapshot},
    crew::Crew,
    roster::row::Version,
};

impl OneRoster {
    /// Its name at the end of a range; `None` when it was not there in it.
    pub fn name(&self, range: Interval) -> Option<&str> {
        let there = |version: &&Version| {
            version.valid_from_ms < range.end().millis()
                && version.valid_until_ms.is_none_or(|until| range.start().millis() < until)
        };
        self.stored.versions.iter().rev().find(there).map(|version| version.name.as_str())
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

/// Those that a filter means, by name, each with that.
pub fn chosen<'r>(all: &'r Snapshot, range: Interval, filter: &Filter) -> Vec<(&'r str, &'r OneRoster)> {
    let named = |roster: &'r OneRoster| Some((roster.name(range)?, roster));
    let mut rosters: Vec<(&str, &OneRoster)> = all.rosters.iter().filter_map(named).collect();
    if let Some(name) = &filter.name {
        rosters.retain(|(own, _)| fold(own).contains(name.as_str()));
    }
    if let Some(group) = &filter.group {
        let names = |crew: &Crew| crew.groups.contains(group);
        rosters.retain(|(_, roster)| roster.stored.schedule.crews().any(names));
    }
    if let Some(user) = &filter.user {
        rosters.retain(|(_, roster)| roster.stored.schedule.may_name(user, &all.staff));
    }
    rosters.sort_by_cached_key(|(name, roster)| (fold(name), roster.stored.id()));
    rosters
}
