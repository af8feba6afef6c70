//! Which turns of a rotation move because people are away. What was known when a turn began decides it, and what is
//! known now decides turns to come; so nothing that is entered later changes a turn that has begun.

use std::collections::{BTreeSet, HashMap};

use base::timestamp::Timestamp;
use calendar::{Interval, Rule, Turns, Zone, sets};

use crate::{
    absences::{Absence, Absences},
    crew::Crew,
    moves::{Moves, Presence, WhenAway},
    people::RosterPeople,
};

/// How many turns of places are compared with absences at most; beyond it, no turn moves.
const MOST_COMPARED: usize = 20_000;
/// A turn without an end is looked at so far.
const LONGEST_MS: i64 = 400 * 86_400_000;

/// A rotation whose turns move when people are away.
#[derive(Clone, Debug)]
pub struct AwayRule {
    pub mode: WhenAway,
    /// Turns that end before this instant are as if nobody was away. One that is under way at it is decided for the
    /// rest of it.
    pub since: Timestamp,
    /// The zone of the roster: holidays are dates of it.
    pub zone: Zone,
    /// Those of each place.
    pub order: Vec<Crew>,
}

/// Why somebody has a turn of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    pub mode: WhenAway,
    /// The ids of those who would have it.
    pub instead_of: Vec<String>,
    /// The ids of the time off, of people of the roster's tenant.
    pub time_off: Vec<String>,
}

/// A rotation in its calendar, with the people in it.
pub struct AwayTurns<'r> {
    rule: &'r AwayRule,
    turns: &'r Turns,
    schedule: &'r Rule,
    staff: &'r RosterPeople,
    absences: HashMap<&'r str, Vec<Absence>>,
    /// The first turn that may move.
    first: i64,
    /// Of each place the turns in which somebody of it may be away, from and to.
    ranges: Vec<Vec<(i64, i64)>>,
}

/// When the shift of a turn takes place, and when it is decided who has it.
struct TurnTime {
    decided: Timestamp,
    shift: Vec<Interval>,
    millis: u64,
}

impl<'r> AwayTurns<'r> {
    /// Of a rotation whose turns are those of a schedule.
    pub fn new(
        rule: &'r AwayRule,
        (turns, schedule): (&'r Turns, &'r Rule),
        staff: &'r RosterPeople,
        absences: &Absences,
    ) -> Self {
        let users: BTreeSet<&str> = rule.order.iter().flat_map(|crew| staff.ever(crew)).collect();
        let absences = users.into_iter().map(|user| (user, absences.of(user, rule.zone))).collect();
        let first = turns.at(rule.since).unwrap_or_default();
        let mut own = Self { rule, turns, schedule, staff, absences, first, ranges: Vec::new() };
        own.ranges = rule.order.iter().map(|crew| own.ranges(crew)).collect();
        own
    }

    /// Decides the turns.
    pub fn moves(&self) -> Moves {
        let mut compared = 0;
        let mut last: Option<(i64, Option<TurnTime>)> = None;
        let presence = |place: usize, turn: i64| {
            if last.as_ref().is_none_or(|(number, _)| *number != turn) {
                last = Some((turn, self.time(turn)));
            }
            let Some(time) = last.as_ref().and_then(|(_, time)| time.as_ref()) else { return Presence::Empty };
            let Some(crew) = self.rule.order.get(place) else { return Presence::Empty };
            let people = self.staff.on_call(crew, time.decided);
            if people.is_empty() {
                return Presence::Empty;
            }
            if !self.may_be_away(place, turn) {
                return Presence::There;
            }
            compared += 1;
            if compared > MOST_COMPARED {
                // Nobody is to have a turn, or lose one.
                return Presence::Empty;
            }
            let is_away = people.iter().all(|user| self.is_away(user, time));
            if is_away { Presence::Away } else { Presence::There }
        };
        let turns = self.touched().into_iter().flatten();
        let may_be_away = |place, turn| self.may_be_away(place, turn);
        Moves::decide(self.rule.mode, self.rule.order.len(), turns, may_be_away, presence)
    }

    fn may_be_away(&self, place: usize, turn: i64) -> bool {
        let ranges = self.ranges.get(place).map(Vec::as_slice).unwrap_or_default();
        ranges.get(ranges.partition_point(|(_, to)| *to < turn)).is_some_and(|(from, _)| *from <= turn)
    }

    /// Why a turn moved: who would have it, and the time off of those of another place in a turn.
    pub fn reason(&self, instead_of: (usize, i64), away: (usize, i64), tenant: &str) -> Reason {
        let people = |(place, turn): (usize, i64)| {
            let time = self.time(turn);
            let crew = self.rule.order.get(place);
            let found = time.as_ref().zip(crew).map(|(time, crew)| self.staff.on_call(crew, time.decided));
            (time, found.unwrap_or_default())
        };
        let (time, absent) = people(away);
        let known = absent.iter().flat_map(|user| {
            let here = time.iter().flat_map(|time| self.known(user, time).map(move |absence| (absence, time)));
            here.filter(|(absence, time)| time.shift.iter().any(|shift| shift.intersection(absence.time).is_some()))
        });
        let own = known.map(|(absence, _)| absence).filter(|absence| absence.tenant_id == tenant);
        let time_off: BTreeSet<String> = own.filter_map(|absence| absence.time_off.clone()).collect();
        let instead_of = people(instead_of).1.into_iter().map(ToOwned::to_owned).collect();
        Reason { mode: self.rule.mode, instead_of, time_off: time_off.into_iter().collect() }
    }

    fn of(&self, user: &str) -> &[Absence] {
        self.absences.get(user).map(Vec::as_slice).unwrap_or_default()
    }

    /// The turns of a crew in which somebody may be away.
    fn ranges(&self, crew: &Crew) -> Vec<(i64, i64)> {
        let users = self.staff.ever(crew);
        let absences = users.iter().flat_map(|user| self.of(user));
        let mut ranges: Vec<(i64, i64)> = absences.filter_map(|absence| self.range(absence)).collect();
        ranges.sort_unstable();
        merged(ranges)
    }

    /// The turns that an absence may have a part in, as far as it was known when they began.
    fn range(&self, absence: &Absence) -> Option<(i64, i64)> {
        let Absence { time, known, .. } = absence;
        let last_of = |end: Timestamp| self.turns.at(Timestamp::from_millis(end.millis().saturating_sub(1)));
        if known.end() <= self.rule.since {
            return None;
        }
        let known_from = if known.start() <= self.rule.since {
            self.first
        } else {
            last_of(known.start()).map_or(0, |before| before + 1)
        };
        let from = self.turns.at(time.start()).unwrap_or_default().max(self.first).max(known_from);
        let to = last_of(time.end())?.min(last_of(known.end())?);
        (from <= to).then_some((from, to))
    }

    /// The turns in which anybody may be away, in order.
    fn touched(&self) -> Vec<std::ops::RangeInclusive<i64>> {
        let mut ranges: Vec<(i64, i64)> = self.ranges.iter().flatten().copied().collect();
        ranges.sort_unstable();
        merged(ranges).into_iter().map(|(from, to)| from..=to).collect()
    }

    fn time(&self, turn: i64) -> Option<TurnTime> {
        let start = self.turns.start(turn)?;
        let decided = start.max(self.rule.since);
        let latest = Timestamp::from_millis(start.millis().saturating_add(LONGEST_MS));
        let whole = Interval::new(decided, self.turns.start(turn + 1).unwrap_or(latest))?;
        let occurrences = self.schedule.occurrences(whole.start()..whole.end());
        let shift: Vec<Interval> = occurrences.filter_map(|occurrence| occurrence.intersection(whole)).collect();
        Some(TurnTime { decided, millis: shift.iter().map(|part| part.millis()).sum(), shift })
    }

    /// The absences of a user that were known when a turn was decided.
    fn known(&self, user: &str, time: &TurnTime) -> impl Iterator<Item = &Absence> {
        let decided = time.decided;
        self.of(user).iter().filter(move |absence| absence.known.contains(decided))
    }

    /// Is a user away for at least half of the shift time of a turn?
    fn is_away(&self, user: &str, time: &TurnTime) -> bool {
        let away = sets::intersection(time.shift.iter().copied(), self.known(user, time).map(|absence| absence.time));
        let millis: u64 = away.iter().map(|part| part.millis()).sum();
        time.millis > 0 && 2 * millis >= time.millis
    }
}

/// Ranges of numbers that are in order, those that touch as one.
fn merged(ranges: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    let mut merged: Vec<(i64, i64)> = Vec::with_capacity(ranges.len());
    for (from, to) in ranges {
        match merged.last_mut().filter(|(_, last)| from <= last.saturating_add(1)) {
            Some((_, last)) => *last = to.max(*last),
            None => merged.push((from, to)),
        }
    }
    merged
}
