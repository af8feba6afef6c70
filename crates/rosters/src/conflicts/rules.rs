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

/// A time through which a person is on call.
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
        let shifts = joined(stretches);
        self.double_bookings(user, &shifts)?;
        self.times_off(user, &shifts, away)?;
        self.rests(user, &shifts)?;
        self.nights(user, &shifts)
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

/// Of each shift the times through which it goes on, by when they begin.
fn joined(mut stretches: Vec<Stretch<'_>>) -> Vec<Stretch<'_>> {
    stretches.sort_by_key(|stretch| (stretch.place, stretch.time));
    let mut joined: Vec<Stretch<'_>> = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let goes_on = |last: &&mut Stretch<'_>| {
            last.place == stretch.place
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
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    const HOUR: i64 = 3_600_000;
    const SHIFTS: [(&str, &str); 3] = [("A", "a"), ("B", "b"), ("C", "c")];
    /// A midnight of GMT.
    const MIDNIGHT: i64 = 1_795_132_800_000;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_millis(MIDNIGHT + hour * HOUR)
    }

    fn time(from: i64, to: i64) -> Interval {
        Interval::new(at(from), at(to)).unwrap()
    }

    fn stretch(shift: usize, from: i64, to: i64) -> Stretch<'static> {
        let place = Place { roster: shift, shift: Some(SHIFTS[shift]) };
        Stretch { time: time(from, to), place, zone: Zone::GMT }
    }

    /// What is wrong in a month in the plan of a person, or of it what a roster has a part in.
    fn found_in(
        stretches: &[Stretch<'static>],
        away: &[Away<'static>],
        limits: Limits,
        parts: Parts<'_>,
    ) -> Vec<RosterConflict<'static>> {
        let mut found = Vec::new();
        let mut nights = Nights::default();
        let range = time(0, 720);
        let mut search = Search { range, limits, parts, nights: &mut nights, others: 0, found: &mut found };
        search.person("USR1", stretches.to_vec(), away).unwrap();
        found
    }

    /// Kind and time of what is wrong in a month, in hours of it.
    fn told(stretches: &[Stretch<'static>], away: &[Away<'static>], limits: Limits) -> Vec<(Kind, i64, i64)> {
        let found = found_in(stretches, away, limits, Parts::All);
        let hour = |at: Timestamp| (at.millis() - MIDNIGHT) / HOUR;
        found.iter().map(|one| (one.kind, hour(one.from), hour(one.to))).collect()
    }

    const LIMITS: Limits = Limits { rest_ms: 11 * HOUR, nights: 3 };

    #[test]
    fn two_shifts_at_once_are_a_double_booking() {
        let found = told(&[stretch(0, 8, 16), stretch(1, 12, 20)], &[], LIMITS);
        assert_eq!(found, [(Kind::DoubleBooking, 12, 16)]);
        assert_eq!(told(&[stretch(0, 8, 12), stretch(0, 12, 16)], &[], LIMITS), [], "one shift that goes on");
    }

    #[test]
    fn too_many_are_refused() {
        let mut found = Vec::new();
        let mut nights = Nights::default();
        let range = time(0, 30_000);
        let mut search =
            Search { range, limits: LIMITS, parts: Parts::All, nights: &mut nights, others: 0, found: &mut found };
        let often =
            (0..MOST as i64).flat_map(|hour| [stretch(0, hour * 2, hour * 2 + 1), stretch(1, hour * 2, hour * 2 + 1)]);
        assert!(search.person("USR1", often.collect(), &[]).is_err());
        search.others = MOST_OTHERS;
        search.found.clear();
        assert!(search.person("USR1", vec![stretch(0, 0, 9), stretch(1, 0, 9)], &[]).is_err());
    }

    #[test]
    fn what_is_before_the_range_is_not_too_much() {
        let often = (1..20_100_i64).flat_map(|hour| [0, 1].map(|shift| stretch(shift, -hour * 2, -hour * 2 + 1)));
        let none = Limits { rest_ms: 0, nights: 31 };
        let all: Vec<_> = often.chain([stretch(0, -1, 4), stretch(1, -1, 8)]).collect();
        let mut found = told(&all, &[], none);
        found.retain(|(kind, ..)| *kind == Kind::DoubleBooking);
        assert_eq!(found, [(Kind::DoubleBooking, 0, 4)]);
    }

    #[test]
    fn time_off_is_cut_to_the_shift() {
        let away = |from: i64, to: i64| Away { time: time(from, to), id: Some("TOF-1"), zone: None };
        let found = told(&[stretch(0, 8, 20)], &[away(10, 14), away(15, 30)], LIMITS);
        assert_eq!(found, [(Kind::TimeOff, 10, 14), (Kind::TimeOff, 15, 20)]);
    }

    #[test]
    fn holidays_are_those_of_the_zone_of_the_shift() {
        let holiday = |zone: Zone| Away { time: time(0, 24), id: None, zone: Some(zone) };
        assert_eq!(told(&[stretch(0, 8, 30)], &[holiday(Zone::GMT)], LIMITS), [(Kind::TimeOff, 8, 24)]);
        let paris = holiday(Zone::find("Europe/Paris").unwrap());
        assert_eq!(told(&[stretch(0, 8, 30)], &[paris], LIMITS), []);
    }

    #[test]
    fn the_rest_before_a_shift_counts() {
        let found = told(&[stretch(0, -6, -2), stretch(0, 8, 16), stretch(1, 27, 30)], &[], LIMITS);
        assert_eq!(found, [(Kind::Rest, -2, 8)], "eleven hours are enough");
        assert_eq!(told(&[stretch(0, 8, 16), stretch(1, 16, 20)], &[], LIMITS), [(Kind::Rest, 16, 16)]);
        let none = Limits { rest_ms: 0, ..LIMITS };
        assert_eq!(told(&[stretch(0, 8, 16), stretch(1, 16, 20)], &[], none), []);
        assert_eq!(
            told(&[stretch(0, 0, 20), stretch(1, 2, 4), stretch(1, 32, 40)], &[], LIMITS),
            [(Kind::DoubleBooking, 2, 4)],
            "the shift that ended last counts"
        );
    }

    #[test]
    fn nights_in_a_row_are_counted_beyond_the_range() {
        // Five nights, of which two are before the range.
        let nights: Vec<_> = (-2..3).map(|day| stretch(0, day * 24 + 22, day * 24 + 30)).collect();
        let found = told(&nights, &[], LIMITS);
        assert_eq!(found, [(Kind::Nights, 0, 78)]);
        assert_eq!(told(&nights, &[], Limits { nights: 5, ..LIMITS }), []);
        let short: Vec<_> = (0..9).map(|day| stretch(0, day * 24 + 14, day * 24 + 24)).collect();
        assert_eq!(told(&short, &[], LIMITS), [], "two hours of a night are none");
        assert_eq!(told(&[stretch(0, 0, 100_000)], &[], LIMITS), [(Kind::Nights, 0, 720)], "without an end");
    }
    #[test]
    fn nights_are_of_each_roster_that_has_a_part_in_them() {
        let night = |shift: usize, day: i64| stretch(shift, day * 24 + 22, day * 24 + 30);
        let nights: Vec<_> = (0..5).map(|day| night(usize::from(day == 2), day)).collect();
        let all = [nights, vec![stretch(2, 8, 9)]].concat();
        let of = |roster: usize| {
            let all = found_in(&all, &[], Limits { rest_ms: 0, ..LIMITS }, Parts::Roster(roster));
            all.iter().map(|one| one.kind).collect::<Vec<_>>()
        };
        assert_eq!([of(0), of(1), of(2)], [vec![Kind::Nights], vec![Kind::Nights], vec![]]);
    }

    #[test]
    fn across_tenants_is_what_no_tenant_sees_for_itself() {
        let across = |stretches: &[Stretch<'static>], away: &[Away<'static>]| {
            let parts = Parts::AcrossTenants { of_rosters: &["msp_1", "client_2", "client_2"], partner: "msp_1" };
            let all = found_in(stretches, away, Limits { rest_ms: 4 * HOUR, ..LIMITS }, parts);
            all.iter().map(|one| one.kind).collect::<Vec<_>>()
        };
        let both = |one: usize, other: usize| [stretch(one, 8, 16), stretch(other, 12, 20)];
        assert_eq!(across(&both(0, 1), &[]), [Kind::DoubleBooking]);
        assert_eq!(across(&both(1, 2), &[]), [], "the client sees both");
        assert_eq!(across(&[stretch(0, 8, 16), stretch(1, 17, 20)], &[]), [Kind::Rest]);
        assert_eq!(across(&[stretch(1, 8, 16), stretch(2, 17, 20)], &[]), []);
        let away = [Away { time: time(8, 9), id: Some("TOF-1"), zone: None }];
        assert_eq!(across(&[stretch(1, 8, 16)], &away), [Kind::TimeOff], "a client does not see it");
        assert_eq!(across(&[stretch(0, 8, 16)], &away), []);
        let nights = |roster: fn(i64) -> usize| {
            let nights = (0..4).map(|day| stretch(roster(day), day * 24 + 22, day * 24 + 30));
            across(&nights.collect::<Vec<_>>(), &[])
        };
        assert_eq!(nights(|day| usize::from(day > 1)), [Kind::Nights]);
        assert_eq!(nights(|_| 1), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Hour by hour: a night is of the rosters through which the person is on call in it.
        #[test]
        fn of_a_roster_is_told_what_it_has_a_part_in(
            plan in vec((0..3_usize, 0..660_i64, 1..30_i64), 0..40),
            away in vec((0..700_i64, 1..50_i64), 0..4),
        ) {
            let stretches = plan.iter().map(|(shift, from, hours)| stretch(*shift, *from, from + hours));
            let stretches: Vec<_> = stretches.collect();
            let mut away: Vec<_> = away.iter().map(|(from, hours)| time(*from, from + hours)).collect();
            away.sort_unstable();
            let away: Vec<_> = away.into_iter().map(|time| Away { time, id: Some("TOF-1"), zone: None }).collect();
            let all = found_in(&stretches, &away, LIMITS, Parts::All);
            let at_night = |at: i64| !(6..22).contains(&at.rem_euclid(24));
            for roster in 0..SHIFTS.len() {
                let is_on_call = |at: i64| plan.iter().any(|(shift, from, hours)| {
                    *shift == roster && (*from..from + hours).contains(&at)
                });
                let has_part = |found: &&RosterConflict<'_>| {
                    let [from, to] = [found.from, found.to].map(|at| (at.millis() - MIDNIGHT) / HOUR);
                    let named = found.place.roster == roster || found.others.iter().any(|one| one.roster == roster);
                    match found.kind {
                        Kind::Nights => (from..to).any(|at| at_night(at) && is_on_call(at)),
                        _ => named,
                    }
                };
                let expected: Vec<_> = all.iter().filter(has_part).cloned().collect();
                prop_assert_eq!(found_in(&stretches, &away, LIMITS, Parts::Roster(roster)), expected);
            }
        }
    }
}
