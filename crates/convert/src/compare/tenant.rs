//! Rosters of a tenant and who is on call by them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::ensure;
use base::Timestamp;
use calendar::Interval;
use cli::{ReadError, Reader};
use serde_json::Value;

use crate::{
    clock::interval,
    json::{id, list, text},
    source_schedule::People,
};

/// What the service answers when a timeline is too large.
const BAD_REQUEST: u16 = 400;
/// The shortest range that is asked for, in milliseconds.
const SHORTEST_MS: u64 = 86_400_000;
/// The most people that all entries of a timeline name.
const MOST_NAMES: usize = 2_000_000;

/// A tenant.
pub struct Tenant<'t, 'r, 'd> {
    reader: &'t mut Reader<'r, 'd>,
    /// Ids by names in small letters.
    rosters: BTreeMap<String, String>,
    /// Login names of the source.
    logins: BTreeSet<&'t str>,
    /// Email addresses by the ids of users, read when a user has another login name than in the source.
    emails: Option<BTreeMap<String, String>>,
}

/// Who is on call by a roster in a range.
#[derive(Default)]
pub struct Timeline {
    entries: Vec<(Interval, People)>,
    /// From each instant on, the entries that go on.
    steps: Vec<(Timestamp, Vec<usize>)>,
}

impl<'t, 'r, 'd> Tenant<'t, 'r, 'd> {
    /// Reads the names of its rosters.
    ///
    /// # Errors
    /// When the service does not answer them.
    pub fn read(reader: &'t mut Reader<'r, 'd>, logins: &'t [String]) -> anyhow::Result<Self> {
        let rows = reader.rows("searchRosters", &[("allList", "false")]).map_err(failure)?;
        let named = rows.iter().filter_map(|row| Some((text(row, "name")?.to_lowercase(), id(row, "id")?)));
        let logins = logins.iter().map(String::as_str).collect();
        Ok(Self { rosters: named.collect(), logins, reader, emails: None })
    }

    /// The id of the roster of a name.
    pub fn roster(&self, name: &str) -> Option<String> {
        self.rosters.get(&name.to_lowercase()).cloned()
    }

    /// The timeline of a roster, asked for as a whole, or in parts where that would be too large.
    ///
    /// # Errors
    /// When the service does not answer it, or names too many people.
    pub fn timeline(&mut self, roster: &str, range: Interval) -> anyhow::Result<Timeline> {
        let mut entries: Vec<(Interval, People)> = Vec::new();
        let mut names = 0;
        let mut ranges = vec![range];
        while let Some(range) = ranges.pop() {
            let (from, to) = (range.start().to_string(), range.end().to_string());
            match self.reader.object("getRosterTimeline", &[roster], &[("from", &from), ("to", &to)]) {
                Ok(answer) => {
                    for entry in list(&answer, "entries") {
                        let time = interval(entry, "start", "end").map_err(anyhow::Error::msg)?;
                        let people = self.people(entry)?;
                        names += people.len().max(1);
                        ensure!(names <= MOST_NAMES, "the timeline of {roster} names more than {MOST_NAMES} people");
                        entries.push((time, people));
                    }
                }
                Err(ReadError { status: Some(BAD_REQUEST), .. }) if range.millis() > SHORTEST_MS => {
                    ranges.extend(halves(range));
                }
                Err(error) => return Err(failure(error)),
            }
        }
        Ok(Timeline::new(entries))
    }

    /// The people of an entry, as the source calls them.
    fn people(&mut self, entry: &Value) -> anyhow::Result<People> {
        let mut people = People::new();
        for user in list(entry, "users") {
            let login = text(user, "loginName").unwrap_or_default().to_lowercase();
            if self.logins.contains(login.as_str()) {
                people.insert(login);
                continue;
            }
            let email = match &self.emails {
                Some(emails) => emails,
                None => {
                    let rows = self.reader.rows("searchUsers", &[]).map_err(failure)?;
                    let emails =
                        rows.iter().filter_map(|row| Some((id(row, "id")?, text(row, "email")?.to_lowercase())));
                    self.emails.insert(emails.collect())
                }
            };
            let email =
                id(user, "id").and_then(|id| email.get(&id)).filter(|email| self.logins.contains(email.as_str()));
            people.insert(email.cloned().unwrap_or(login));
        }
        Ok(people)
    }
}

fn halves(range: Interval) -> Vec<Interval> {
    let half = i64::try_from(range.millis() / 2_000).unwrap_or_default() * 1_000;
    let middle = Timestamp::from_millis(range.start().millis().saturating_add(half));
    [Interval::new(range.start(), middle), Interval::new(middle, range.end())].into_iter().flatten().collect()
}

fn failure(error: ReadError) -> anyhow::Error {
    anyhow::Error::msg(error.text)
}

impl Timeline {
    fn new(entries: Vec<(Interval, People)>) -> Self {
        let mut ends: Vec<(Timestamp, usize, bool)> = Vec::new();
        for (place, (time, _)) in entries.iter().enumerate() {
            ends.extend([(time.start(), place, true), (time.end(), place, false)]);
        }
        ends.sort_unstable();
        let mut active = BTreeSet::new();
        let mut steps: Vec<(Timestamp, Vec<usize>)> = Vec::new();
        for same in ends.chunk_by(|one, next| one.0 == next.0) {
            for (_, place, begins) in same {
                if *begins {
                    active.insert(*place)
                } else {
                    active.remove(place)
                };
            }
            steps.extend(same.first().map(|(at, _, _)| (*at, active.iter().copied().collect())));
        }
        Self { entries, steps }
    }

    /// When it changes.
    pub fn edges(&self) -> impl Iterator<Item = Timestamp> {
        self.steps.iter().map(|(at, _)| *at)
    }

    /// Who is on call at an instant.
    pub fn on_call(&self, at: Timestamp) -> People {
        let behind = self.steps.partition_point(|(step, _)| *step <= at);
        let active = behind.checked_sub(1).and_then(|place| self.steps.get(place));
        let places = active.into_iter().flat_map(|(_, places)| places);
        places.filter_map(|place| self.entries.get(*place)).flat_map(|(_, people)| people.iter().cloned()).collect()
    }
}
