//! What a plan asks too much of one person. Pure.

use std::collections::{BTreeMap, BTreeSet};

use base::{
    problem::Problem,
    timestamp::{DAY_MS, Timestamp},
};
use calendar::{End, Interval, Pattern, Recurring, Rule, TimeOfDay, Zone, sets};

use super::wire::Kind;
use crate::coverage::too_large;

/// How many conflicts are told at most.
const MOST: usize = 10_000;
/// How many shifts are told at most as parts of double bookings.
const MOST_OTHERS: usize = 40_000;
/// A shift that goes on within a minute has not ended: some end at 23:59:59.
const PAUSE_MS: i64 = 60_000;
/// Who is on call for so long of a night works in it, in milliseconds.
const OF_NIGHT_MS: u64 = 3 * 3_600_000;
/// When a night begins and ends, on the clocks of the roster's zone.
const NIGHT: [&str; 2] = ["22:00:00", "06:00:00"];

/// A shift, by the places of its roster and of itself among those that are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place<'r> {
    pub roster: usize,
    /// Id and name; `None` for an override of the whole roster while no shift takes place.
    pub shift: Option<(&'r str, &'r str)>,
}

/// A time through which a person is on call. Where the zone changes one ends, and the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'r> {
    pub time: Interval,
    pub place: Place<'r>,
    pub zone: Zone,
}

/// A time through which a person is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Away<'r> {
    pub time: Interval,
    /// The time off; `None` for holidays.
    pub id: Option<&'r str>,
    /// Holidays are those of a zone: of the shifts of its rosters alone.
    pub zone: Option<Zone>,
}

/// What is too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Less than so many milliseconds between two shifts.
    pub rest_ms: i64,
    /// More than so many nights in a row.
    pub nights: usize,
}

impl Default for Limits {
    /// The rest of the European directive on working time, eleven hours; and as many nights as a week on call has.
    fn default() -> Self {
        Self { rest_ms: 11 * 3_600_000, nights: 7 }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterConflict<'r> {
    pub kind: Kind,
    pub from: Timestamp,
    pub to: Timestamp,
    pub place: Place<'r>,
    pub user: Option<&'r str>,
    pub others: Vec<Place<'r>>,
    pub away: Option<&'r str>,
}

/// The nights of each zone within the time that is looked at.
#[derive(Debug, Default)]
pub struct Nights(BTreeMap<&'static str, Vec<Interval>>);

/// What has to be looked at to know all conflicts of a range: a rest, and nights in a row, begin before it.
pub fn looked_at(range: Interval, limits: Limits) -> Interval {
    let nights = i64::try_from(limits.nights).unwrap_or(0).saturating_add(2).saturating_mul(DAY_MS);
    let by = nights.max(limits.rest_ms.saturating_add(PAUSE_MS));
    let moved = |at: Timestamp, by: i64| Timestamp::from_millis(at.millis().saturating_add(by).max(0));
    Interval::new(moved(range.start(), -by), moved(range.end(), by)).unwrap_or(range)
}

/// Which conflicts are looked for, by the rosters of the shifts that have a part in them.
#[derive(Clone, Copy, Debug)]
pub enum Parts<'s> {
    /// All.
    All,
    /// What this roster has a part in.
    Roster(usize),
    /// What none of these tenants of rosters sees for itself: shifts of several tenants, and time off of people of the
    /// partner in rosters of others.
    AcrossTenants { of_rosters: &'s [&'s str], partner: &'s str },
}

impl Parts<'_> {
    /// Is a conflict of this kind looked for in which these rosters have a part?
    fn has(self, kind: Kind, mut rosters: impl Iterator<Item = usize>) -> bool {
        match self {
            Self::All => true,
            Self::Roster(asked) => rosters.any(|roster| roster == asked),
            Self::AcrossTenants { of_rosters, partner } => {
                let tenants: BTreeSet<&str> = rosters.filter_map(|roster| of_rosters.get(roster).copied()).collect();
                tenants.len() > 1 || (kind == Kind::TimeOff && !tenants.contains(partner))
            }
        }
    }
}

/// Where the search for conflicts of a person stands.
pub struct Search<'s, 'r> {
    pub range: Interval,
    pub limits: Limits,
    pub parts: Parts<'s>,
    pub nights: &'s mut Nights,
    /// How many shifts are told as parts of double bookings.
    pub others: usize,
    pub found: &'s mut Vec<RosterConflict<'r>>,
}

impl<'r> Search<'_, 'r> {
    /// Adds what is wrong in the plan of a person, who is on call in these stretches and away in those times.
    ///
    /// # Errors
    /// 400 when it is too much.
    pub fn person(&mut self, user: &'r str, stretches: Vec<Stretch<'r>>, away: &[Away<'r>]) -> Result<(), Problem> {
        let in_zones = joined(stretches, |one, other| one.zone == other.zone);
        let shifts = joined(in_zones.clone(), |_, _| true);
        let (holidays, times_off): (Vec<Away<'r>>, _) = away.iter().partition(|away| away.zone.is_some());
        self.double_bookings(user, &shifts)?;
        self.times_off(user, &shifts, &times_off)?;
        self.times_off(user, &in_zones, &holidays)?;
        self.rests(user, &shifts)?;
        self.nights(user, &in_zones)
    }

    /// Adds one, if it is asked for.
    ///
    /// # Errors
    /// 400 when there are too many.
    pub fn add(&mut self, found: RosterConflict<'r>) -> Result<(), Problem> {
        // Nights know their shift alone: who adds them has looked at the others.
        let rosters = std::iter::once(found.place).chain(found.others.iter().copied()).map(|place| place.roster);
        if found.kind != Kind::Nights && !self.parts.has(found.kind, rosters) {
            return Ok(());
        }
        self.others += found.others.len();
        if self.found.len() >= MOST || self.others > MOST_OTHERS {
            return Err(too_large());
        }
        self.found.push(found);
        Ok(())
    }

    fn double_bookings(&mut self, user: &'r str, shifts: &[Stretch<'r>]) -> Result<(), Problem> {
        // What lies before and behind is not told, and does not count as too much.
        let in_range = shifts.iter().filter_map(|shift| Some((shift, shift.time.intersection(self.range)?)));
        let (here, times): (Vec<&Stretch<'r>>, Vec<Interval>) = in_range.unzip();
        for overlap in sets::overlaps(&times, MOST_OTHERS).ok_or_else(too_large)? {
            let mut members: Vec<&Stretch<'r>> =
                overlap.members.iter().filter_map(|place| here.get(*place).copied()).collect();
            members.sort_by_key(|shift| (shift.time.start(), shift.place));
            let Some(later) = members.pop() else { continue };
            let others = members.iter().map(|shift| shift.place).collect();
            self.add(RosterConflict { others, ..found(Kind::DoubleBooking, overlap.interval, later.place, user) })?;
        }
        Ok(())
    }

    fn times_off(&mut self, user: &'r str, shifts: &[Stretch<'r>], away: &[Away<'r>]) -> Result<(), Problem> {
        for shift in shifts {
            // They are in the order in which they begin.
            let here = away.iter().take_while(|away| away.time.start() < shift.time.end());
            for time_off in here.filter(|away| away.zone.is_none_or(|zone| zone == shift.zone)) {
                let part = shift.time.intersection(time_off.time).and_then(|part| part.intersection(self.range));
                if let Some(time) = part {
                    let found = found(Kind::TimeOff, time, shift.place, user);
                    self.add(RosterConflict { away: time_off.id, ..found })?;
                }
            }
        }
        Ok(())
    }

    fn rests(&mut self, user: &'r str, shifts: &[Stretch<'r>]) -> Result<(), Problem> {
        let mut last: Option<&Stretch<'r>> = None;
        for shift in shifts {
            let start = shift.time.start();
            if let Some(before) = last.filter(|last| last.time.end() <= start && self.range.contains(start)) {
                let end = before.time.end();
                if start.millis().saturating_sub(end.millis()) < self.limits.rest_ms {
                    let others = vec![before.place];
                    let rest = found(Kind::Rest, shift.time, shift.place, user);
                    self.add(RosterConflict { from: end, to: start, others, ..rest })?;
                }
            }
            if last.is_none_or(|last| last.time.end() < shift.time.end()) {
                last = Some(shift);
            }
        }
        Ok(())
    }

    fn nights(&mut self, user: &'r str, shifts: &[Stretch<'r>]) -> Result<(), Problem> {
        let mut zones: BTreeMap<&str, Zone> = BTreeMap::new();
        for shift in shifts {
            zones.insert(shift.zone.name(), shift.zone);
        }
        let limits = self.limits;
        let whole = looked_at(self.range, limits);
        for zone in zones.into_values() {
            let here: Vec<&Stretch<'r>> = shifts.iter().filter(|shift| shift.zone == zone).collect();
            let busy = sets::union(here.iter().map(|shift| shift.time));
            let nights = self.nights.of(zone, whole).to_vec();
            let mut first = 0;
            for end in 0..=nights.len() {
                if nights.get(end).is_some_and(|night| covered(&busy, *night) >= OF_NIGHT_MS) {
                    continue;
                }
                let run = nights.get(first..end).unwrap_or_default();
                first = end + 1;
                let (Some(too_many), Some(start), Some(last)) = (run.get(limits.nights), run.first(), run.last())
                else {
                    continue;
                };
                let in_run = |shift: &&&Stretch<'_>| run.iter().any(|night| shift.time.intersection(*night).is_some());
                if !self.parts.has(Kind::Nights, here.iter().filter(in_run).map(|shift| shift.place.roster)) {
                    continue;
                }
                let time = Interval::new(start.start(), last.end()).and_then(|time| time.intersection(self.range));
                let shift = here.iter().find(|shift| shift.time.intersection(*too_many).is_some());
                if let Some((time, shift)) = time.zip(shift) {
                    self.add(found(Kind::Nights, time, shift.place, user))?;
                }
            }
        }
        Ok(())
    }
}

impl Nights {
    fn of(&mut self, zone: Zone, whole: Interval) -> &[Interval] {
        self.0.entry(zone.name()).or_insert_with(|| {
            let [start, end] = NIGHT.map(TimeOfDay::parse);
            let Some((start_time, end_time)) = start.zip(end) else { return Vec::new() };
            let start_date = Timestamp::from_millis(whole.start().millis().saturating_sub(2 * DAY_MS));
            let pattern = Pattern::Daily { every: 1 };
            let nights =
                Rule::recurring(Recurring { zone, start_date, start_time, end_time, pattern, end: End::Never });
            nights.occurrences(whole.start()..whole.end()).collect()
        })
    }
}

/// How much of a night these times, which are in order and apart, cover.
fn covered(busy: &[Interval], night: Interval) -> u64 {
    let first = busy.partition_point(|time| time.end() <= night.start());
    let here = busy.iter().skip(first).map_while(|time| time.intersection(night));
    here.map(Interval::millis).sum()
}

fn found<'r>(kind: Kind, time: Interval, place: Place<'r>, user: &'r str) -> RosterConflict<'r> {
    RosterConflict { kind, from: time.start(), to: time.end(), place, user: Some(user), others: Vec::new(), away: None }
}

/// Of each shift the times through which it goes on, by when they begin; `may` says which of them may be one.
fn joined<'r>(mut stretches: Vec<Stretch<'r>>, may: impl Fn(&Stretch<'_>, &Stretch<'_>) -> bool) -> Vec<Stretch<'r>> {
    stretches.sort_by_key(|stretch| (stretch.place, stretch.time));
    let mut joined: Vec<Stretch<'_>> = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let goes_on = |last: &&mut Stretch<'r>| {
            last.place == stretch.place
                && may(last, &stretch)
                && stretch.time.start().millis() <= last.time.end().millis().saturating_add(PAUSE_MS)
        };
        match joined.last_mut().filter(goes_on) {
            Some(last) => {
                let end = last.time.end().max(stretch.time.end());
                last.time = Interval::new(last.time.start(), end).unwrap_or(last.time);
            }
            None => joined.push(stretch),
        }
    }
    joined.sort_by_key(|stretch| (stretch.time, stretch.place));
    joined
}

#[cfg(test)]
mod tests;
