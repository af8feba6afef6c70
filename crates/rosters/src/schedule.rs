//! A roster's shifts and overrides, from rows to [`Lines`].

use base::{problem::Problem, timestamp::Timestamp};
use calendar::{Interval, Zone};
use db::{Conn, Result};
use ports::{People, Person};

use crate::{
    crowd::Crowd,
    lines::{Label, Lines, Overridden, Override, Piece, Version, Who},
    overrides,
    roster::{rules, rules::Crew, store, wire::NewRoster},
};

/// How long after its end a version of a shift, or an override, may show in who is on call now: in `since`.
const LOOK_BACK_MS: i64 = 366 * 86_400_000;

/// When the first instant of a look back from `at` is.
pub fn look_back(at: Timestamp) -> i64 {
    at.millis().saturating_sub(LOOK_BACK_MS)
}

/// The lines of a roster, and who stands in them.
#[derive(Debug, Default)]
pub struct Schedule {
    /// When.
    pub lines: Lines,
    /// Those of each version, by its place.
    pub crews: Vec<Crew>,
    /// The user of each override, by its place.
    pub users: Vec<String>,
    /// The id of each override, by its place.
    pub override_ids: Vec<String>,
}

impl Schedule {
    /// From rows of one roster: versions in the order of the shifts, overrides in the order in which they were made.
    pub fn stored(shifts: &[store::Shift], overrides: &[overrides::store::Override]) -> Result<Self, Problem> {
        let mut schedule = Self::default();
        for shift in shifts {
            let from = Timestamp::from_millis(shift.valid_from_ms);
            let until = Timestamp::from_millis(shift.valid_until_ms.unwrap_or(i64::MAX));
            let Some(valid) = Interval::new(from, until) else { continue };
            let rule = rules::schedule(&shift.schedule)?.rule(rules::zone(&shift.zone)?);
            schedule.lines.versions.push(Version { id: shift.id.clone(), name: shift.name.clone(), rule, valid });
            schedule.crews.push(Crew::from_json(&shift.crew)?);
        }
        for one in overrides {
            let (start, end) = (Timestamp::from_millis(one.start_ms), Timestamp::from_millis(one.end_ms));
            let Some(time) = Interval::new(start, end) else { continue };
            let shift = match (&one.shift_id, &one.shift_name, &one.zone, &one.schedule) {
                (Some(id), Some(name), Some(zone), Some(schedule)) => {
                    let rule = rules::schedule(schedule)?.rule(rules::zone(zone)?);
                    Some(Overridden { id: id.clone(), name: name.clone(), rule })
                }
                _ => None,
            };
            schedule.lines.overrides.push(Override { time, shift });
            schedule.users.push(one.user_id.clone());
            schedule.override_ids.push(one.id.clone());
        }
        Ok(schedule)
    }

    /// Of a roster that is not stored. Its shifts have no ids.
    pub fn unsaved(new: &NewRoster) -> Self {
        let mut schedule = Self::default();
        for shift in &new.shifts {
            let (from, until) = (Timestamp::from_millis(0), Timestamp::from_millis(i64::MAX));
            let Some(valid) = Interval::new(from, until) else { continue };
            let (id, name) = (format!("{}", schedule.crews.len()), shift.name.clone());
            schedule.lines.versions.push(Version { id, name, rule: shift.schedule.rule(new.zone), valid });
            schedule.crews.push(Crew::new(&shift.users, &shift.groups));
        }
        schedule
    }

    /// Everybody who stands in it.
    pub fn crowd(&self, conn: &mut Conn, people: &dyn People, tenants: &[String]) -> Result<Crowd> {
        Crowd::load(conn, people, tenants, &self.crews, self.users.iter().cloned())
    }

    /// Those who are on call in a piece.
    pub fn people<'c>(&'c self, who: Who, crowd: &'c Crowd) -> Vec<&'c Person> {
        match who {
            Who::Shift(place) => self.crews.get(place).map(|crew| crowd.on_call(crew)).unwrap_or_default(),
            Who::Override(place) => {
                let user = self.users.get(place).and_then(|id| crowd.user(id));
                user.filter(|person| person.activated).into_iter().collect()
            }
        }
    }

    /// Id and name of the shift of a piece.
    pub fn shift(&self, piece: &Piece) -> Option<(&str, &str)> {
        match piece.shift {
            Label::Version(place) => {
                self.lines.versions.get(place).map(|version| (version.id.as_str(), version.name.as_str()))
            }
            Label::Override(place) => {
                let shift = self.lines.overrides.get(place)?.shift.as_ref()?;
                Some((shift.id.as_str(), shift.name.as_str()))
            }
            Label::None => None,
        }
    }
}

/// When nobody needs to be on call, as intervals within a range.
pub fn off_hours(hours: &[crate::roster::wire::OffHours], zone: Zone, range: Interval) -> Vec<Interval> {
    let rules: Vec<_> = hours.iter().map(|hours| hours.schedule.rule(zone)).collect();
    let occurrences = rules.iter().flat_map(|rule| rule.occurrences(range.start()..range.end()));
    occurrences.filter_map(|occurrence| occurrence.intersection(range)).collect()
}
