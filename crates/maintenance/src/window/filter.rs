//! Which windows a search means. Pure.

use base::{fold, problem::Problem, query_string, text::listed, timestamp::Timestamp};
use ports::{PlaceKey, PlaceKind};

use super::wire::window_id;
use crate::course::{Course, State};

/// The variables of a search. Those of a pair are two names of the same.
const VARIABLES: [&str; 24] = listed(
    "id uniqueId name isEquals state status resourceId deviceUniqueId hostName deviceName deviceGroupId deviceGroup \
    deviceGroupName siteId site siteName startTime startDate endTime endDate startCreationDate endCreationDate \
    startUpdationDate endUpdationDate",
);

/// Which windows a search means; what is empty says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// `SM-<uuid>`, in the stored letter case.
    pub ids: Vec<String>,
    /// Folded.
    pub names: Vec<String>,
    /// Is a name all of the window's name?
    pub exact: bool,
    /// Any of these, now.
    pub states: Vec<State>,
    /// Those that cover one of these resources.
    pub resources: Vec<String>,
    /// Those that cover a resource with one of these host names.
    pub hosts: Vec<String>,
    /// Those that have one of these places among their targets.
    pub places: Vec<(PlaceKind, Vec<PlaceKey>)>,
    /// Those that are open after this instant.
    pub from: Option<Timestamp>,
    /// Those that are open before this instant.
    pub until: Option<Timestamp>,
    /// When they were created: not before, not after.
    pub created: (Option<Timestamp>, Option<Timestamp>),
    /// When they changed last: not before, not after.
    pub updated: (Option<Timestamp>, Option<Timestamp>),
}

impl Filter {
    /// Reads a `queryString`.
    ///
    /// # Errors
    /// 400 on `queryString` that names what is wrong.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let mut filter = Self::default();
        for term in query_string::parse(text, &VARIABLES)? {
            let folded = || term.values.iter().map(|text| fold(text)).collect::<Vec<_>>();
            let given_twice = match term.name {
                "id" | "uniqueId" => !filter.ids.is_empty(),
                "state" | "status" => !filter.states.is_empty(),
                "resourceId" | "deviceUniqueId" => !filter.resources.is_empty(),
                "hostName" | "deviceName" => !filter.hosts.is_empty(),
                "startTime" | "startDate" => filter.from.is_some(),
                "endTime" | "endDate" => filter.until.is_some(),
                _ => false,
            };
            if given_twice {
                return Err(term.wrong("is given by its other name as well"));
            }
            match term.name {
                "id" | "uniqueId" => filter.ids = term.values.iter().map(|id| window_id(id)).collect(),
                "name" => filter.names = folded(),
                "state" | "status" => {
                    let states = term.values.iter().map(|word| State::parse(word)).collect::<Option<Vec<_>>>();
                    filter.states =
                        states.ok_or_else(|| term.wrong(format_args!("must be one of {}", State::WORDS.join(", "))))?;
                }
                "resourceId" | "deviceUniqueId" => filter.resources = folded(),
                "hostName" | "deviceName" => filter.hosts = folded(),
                "deviceGroupId" => filter.places.push((PlaceKind::DeviceGroup, ids_of_places(&term.values))),
                "siteId" => filter.places.push((PlaceKind::Location, ids_of_places(&term.values))),
                "deviceGroup" | "deviceGroupName" => {
                    filter.places.push((PlaceKind::DeviceGroup, folded().into_iter().map(PlaceKey::Name).collect()));
                }
                "site" | "siteName" => {
                    filter.places.push((PlaceKind::Location, folded().into_iter().map(PlaceKey::Name).collect()));
                }
                "startTime" | "startDate" => filter.from = Some(term.time()?),
                "endTime" | "endDate" => filter.until = Some(term.time()?),
                "startCreationDate" => filter.created.0 = Some(term.time()?),
                "endCreationDate" => filter.created.1 = Some(term.time()?),
                "startUpdationDate" => filter.updated.0 = Some(term.time()?),
                "endUpdationDate" => filter.updated.1 = Some(term.time()?),
                _ => filter.exact = term.boolean()?,
            }
        }
        Ok(filter)
    }

    /// Does a window have to be worked out to be told whether it is meant?
    pub fn asks_for_times(&self) -> bool {
        !self.states.is_empty() || self.from.is_some() || self.until.is_some()
    }

    /// Are the times of a window those that are meant?
    pub fn takes(&self, course: &Course, now: Timestamp) -> bool {
        let first = Timestamp::from_millis(i64::MIN / 4);
        let last = Timestamp::from_millis(253_402_300_799_000);
        let ranged = self.from.is_some() || self.until.is_some();
        (self.states.is_empty() || self.states.contains(&course.state(now)))
            && (!ranged || course.open(self.from.unwrap_or(first)..self.until.unwrap_or(last)).next().is_some())
    }
}

/// Numbers, or unique ids.
fn ids_of_places(values: &[String]) -> Vec<PlaceKey> {
    values.iter().map(|id| id.parse().map_or_else(|_| PlaceKey::UniqueId(id.clone()), PlaceKey::Id)).collect()
}
