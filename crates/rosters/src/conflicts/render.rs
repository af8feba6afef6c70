//! From rosters to the answer.

use std::collections::{BTreeMap, HashMap};

use base::{problem::Problem, timestamp::Timestamp};
use calendar::{Day, Interval, Zone, sets};

use super::{
    rules::{self, Away, Limits, Nights, Parts, Place, RosterConflict, Search, Stretch},
    wire::{Conflict, ConflictShift, Kind},
};
use crate::{
    cache::OneRoster,
    coverage::{Cover, too_large, wanted},
    dated_holidays::own::{OwnHoliday, OwnHolidays},
    duty::{Duties, Duty},
    lines::LineSelection,
    overrides::wire::Reference,
    people::RosterPeople,
    roster::{row::Version, wire::TimelineUser},
    schedule::{self, Schedule},
    time_off::row::TimeOff,
    zone_history::ZoneHistory,
};

/// How many duties of all rosters are looked at at most.
const MOST_DUTIES: usize = 400_000;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    pub range: Interval,
    pub limits: Limits,
    pub about: ConflictSelection,
}

/// Which conflicts are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictSelection {
    /// All.
    Everything,
    /// Those of this user.
    User(String),
    /// Those of the first roster: its gaps, and what its shifts have a part in.
    FirstRoster,
    /// Those of people of this partner that no tenant sees for itself.
    AcrossTenants(String),
}

/// A roster in whose plan conflicts are looked for.
#[derive(Debug)]
pub struct PlannedRoster<'r> {
    pub tenant: &'r str,
    pub id: &'r str,
    pub name: &'r str,
    pub schedule: &'r Schedule,
    /// Everybody who stands in it.
    pub staff: &'r RosterPeople,
    /// Whose clocks it follows when.
    pub zones: ZoneHistory,
    /// When nobody needs to be on call, or it is not there.
    pub off: Vec<Interval>,
}

/// When people are away.
#[derive(Clone, Copy, Debug)]
pub struct WhoIsAway<'s> {
    pub times_off: &'s [TimeOff],
    pub holidays: &'s OwnHolidays,
}

impl<'r> PlannedRoster<'r> {
    /// One that is stored, for a range.
    ///
    /// # Errors
    /// 500 when something that was stored cannot be read.
    pub fn stored(
        (name, roster): (&'r str, &'r OneRoster),
        staff: &'r RosterPeople,
        range: Interval,
    ) -> Result<Self, Problem> {
        let stored = &roster.stored;
        Self::of((stored.tenant_id(), stored.id(), name), (&stored.schedule, staff), &stored.versions, range)
    }

    /// One with these versions, of which those of all that is looked at are known, for a range.
    ///
    /// # Errors
    /// 500 when something that was stored cannot be read.
    pub fn of(
        (tenant, id, name): (&'r str, &'r str, &'r str),
        (schedule, staff): (&'r Schedule, &'r RosterPeople),
        versions: &[Version],
        range: Interval,
    ) -> Result<Self, Problem> {
        let (zones, off) = (ZoneHistory::of(versions)?, schedule::free(versions, range)?);
        Ok(Self { tenant, id, name, schedule, staff, zones, off })
    }
}

/// What is wrong in rosters whose people are away in these times.
///
/// # Errors
/// 400 when it is too much to be worked out, or to be told.
pub fn conflicts(
    rosters: &[PlannedRoster<'_>],
    away: &WhoIsAway<'_>,
    asked: &Question,
) -> Result<Vec<Conflict>, Problem> {
    let Question { range, limits, about } = asked;
    let whole = rules::looked_at(*range, *limits);
    let mut found = Vec::new();
    let mut nights = Nights::default();
    let tenants: Vec<&str> = rosters.iter().map(|roster| roster.tenant).collect();
    let parts = match about {
        ConflictSelection::Everything | ConflictSelection::User(_) => Parts::All,
        ConflictSelection::FirstRoster => Parts::Roster(0),
        ConflictSelection::AcrossTenants(partner) => Parts::AcrossTenants { of_rosters: &tenants, partner },
    };
    let mut search =
        Search { range: *range, limits: *limits, parts, nights: &mut nights, others: 0, found: &mut found };
    let mut people: BTreeMap<&str, Vec<Stretch<'_>>> = BTreeMap::new();
    let mut count = 0;
    for (number, roster) in rosters.iter().enumerate() {
        let (duties, cut) = Duties::new(roster.schedule, roster.staff).within(whole, LineSelection::All);
        count += duties.len();
        if cut || count > MOST_DUTIES {
            return Err(too_large());
        }
        let has_gaps = match about {
            ConflictSelection::Everything => true,
            ConflictSelection::User(_) | ConflictSelection::AcrossTenants(_) => false,
            ConflictSelection::FirstRoster => number == 0,
        };
        if has_gaps {
            gaps(number, roster, &duties, &mut search)?;
        }
        for duty in &duties {
            let place = Place { roster: number, shift: roster.schedule.shift(duty.shift) };
            let Some(time) = duty.time.intersection(whole) else { continue };
            for user in &duty.users {
                let is_asked = match about {
                    ConflictSelection::Everything => true,
                    ConflictSelection::User(wanted) => wanted == user,
                    ConflictSelection::FirstRoster => number == 0 || people.contains_key(*user),
                    ConflictSelection::AcrossTenants(partner) => roster.staff.is_of(user, partner),
                };
                if is_asked {
                    let parts = roster.zones.parts(time).map(|(time, zone)| Stretch { time, place, zone });
                    people.entry(user).or_default().extend(parts);
                }
            }
        }
    }
    let mut times_off: HashMap<&str, Vec<Away<'_>>> = HashMap::new();
    for row in away.times_off {
        let time = Interval::new(Timestamp::from_millis(row.start_ms), Timestamp::from_millis(row.end_ms));
        let time = time.map(|time| Away { time, id: Some(&row.id), zone: None });
        times_off.entry(&row.user_id).or_default().extend(time);
    }
    for (user, stretches) in people {
        let mut own = times_off.remove(user).unwrap_or_default();
        own.extend(holidays(away.holidays.of_user(user), &stretches, &own, *range));
        own.sort_by_key(|away| away.time);
        search.person(user, stretches, &own)?;
    }
    found.sort_by(|one, other| {
        let roster =
            |found: &RosterConflict<'_>| rosters.get(found.place.roster).map(|roster| (roster.name, roster.id));
        let key = |found: &RosterConflict<'_>| (found.from, found.to, found.kind);
        let same_time = || (roster(one), one.user).cmp(&(roster(other), other.user));
        key(one).cmp(&key(other)).then_with(same_time)
    });
    Ok(found.iter().map(|one| told(one, rosters)).collect())
}

/// Adds the times through which nobody is on call and somebody should be.
fn gaps<'r>(
    number: usize,
    roster: &PlannedRoster<'r>,
    duties: &[Duty<'r>],
    search: &mut Search<'_, 'r>,
) -> Result<(), Problem> {
    let range = search.range;
    let staffed = duties.iter().filter(|duty| !duty.users.is_empty());
    let cover = Cover {
        staffed: staffed.filter_map(|duty| duty.time.intersection(range)).collect(),
        wanted: wanted(roster.schedule, duties, range, &roster.off),
    };
    // A shift that takes place with nobody in it.
    let empty: Vec<&Duty<'r>> = duties.iter().filter(|duty| duty.users.is_empty()).collect();
    for gap in cover.gaps().0 {
        let shift = empty.iter().find(|duty| duty.time.contains(gap.start()));
        let place = Place { roster: number, shift: shift.and_then(|duty| roster.schedule.shift(duty.shift)) };
        let (from, to) = (gap.start(), gap.end());
        search.add(RosterConflict { kind: Kind::Gap, from, to, place, user: None, others: Vec::new(), away: None })?;
    }
    Ok(())
}

/// The holidays of a person in the zones of shifts, without the time off: that is told already.
fn holidays<'r>(
    own: &[OwnHoliday],
    stretches: &[Stretch<'_>],
    times_off: &[Away<'_>],
    range: Interval,
) -> Vec<Away<'r>> {
    let day = |at: Timestamp| Day::at(Zone::GMT, at);
    // A date begins and ends on other days of GMT than it has.
    let days = day(range.start()).plus(-2)..=day(range.end()).plus(2);
    let near: Vec<&OwnHoliday> = own.iter().filter(|one| days.contains(&one.day)).collect();
    if near.is_empty() {
        return Vec::new();
    }
    let zones: BTreeMap<&str, Zone> = stretches.iter().map(|one| (one.zone.name(), one.zone)).collect();
    let mut all = Vec::new();
    for zone in zones.into_values() {
        let times = near.iter().filter_map(|own| own.day.within(zone).filter(|time| own.is_known(time.start())));
        let times = sets::subtract(times, times_off.iter().map(|away| away.time));
        all.extend(times.into_iter().map(|time| Away { time, id: None, zone: Some(zone) }));
    }
    all
}

fn told(found: &RosterConflict<'_>, rosters: &[PlannedRoster<'_>]) -> Conflict {
    let reference = |(id, name): (&str, &str)| Reference { id: id.to_owned(), name: name.to_owned() };
    let shift = |place: Place<'_>| {
        let roster = rosters.get(place.roster).map(|roster| (roster.id, roster.name)).unwrap_or_default();
        ConflictShift { roster: reference(roster), shift: place.shift.map(reference) }
    };
    let ConflictShift { roster, shift: own } = shift(found.place);
    let staff = rosters.get(found.place.roster).map(|roster| roster.staff);
    let user = found.user.and_then(|id| staff?.user_at(id, found.from));
    Conflict {
        kind: found.kind,
        from: found.from,
        to: found.to,
        roster,
        shift: own,
        user: user.map(TimelineUser::from),
        others: found.others.iter().map(|place| shift(*place)).collect(),
        time_off_id: found.away.map(str::to_owned),
    }
}
