//! From rosters to the answer.

use std::collections::{BTreeMap, HashMap};

use base::{problem::Problem, timestamp::Timestamp};
use calendar::{Day, Interval, Zone, sets};

use super::{
    rules::{self, Away, Limits, Nights, Place, RosterConflict, Search, Stretch},
    wire::{Conflict, ConflictShift, Conflicts, Kind},
};
use crate::{
    cache::OneRoster,
    dated_holidays::own::{OwnHoliday, OwnHolidays},
    duty::{Duties, Duty},
    lines::Of,
    overrides::wire::Reference,
    people::RosterPeople,
    roster::rules as roster_rules,
    schedule,
    time_off::row::TimeOff,
    timeline::{
        render::{Cover, too_large, wanted},
        wire::TimelineUser,
    },
};

/// How many duties of all rosters are looked at at most.
const MOST_DUTIES: usize = 400_000;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    pub range: Interval,
    pub limits: Limits,
    /// Of this user alone.
    pub user: Option<String>,
}

/// When people are away.
#[derive(Clone, Copy, Debug)]
pub struct WhoIsAway<'s> {
    pub times_off: &'s [TimeOff],
    pub holidays: &'s OwnHolidays,
}

/// What is wrong in rosters, each with its name, whose people are away in these times.
///
/// # Errors
/// 400 when it is too much to be worked out, or to be told.
pub fn conflicts(
    rosters: &[(&str, &OneRoster)],
    staff: &RosterPeople,
    away: &WhoIsAway<'_>,
    asked: &Question,
) -> Result<Conflicts, Problem> {
    let whole = rules::looked_at(asked.range, asked.limits);
    let mut found = Vec::new();
    let mut nights = Nights::default();
    let mut search =
        Search { range: asked.range, limits: asked.limits, nights: &mut nights, others: 0, found: &mut found };
    let mut people: BTreeMap<&str, Vec<Stretch<'_>>> = BTreeMap::new();
    let mut count = 0;
    for (number, (_, roster)) in rosters.iter().enumerate() {
        let (duties, cut) = Duties::new(&roster.stored.schedule, staff).within(whole, Of::All);
        count += duties.len();
        if cut || count > MOST_DUTIES {
            return Err(too_large());
        }
        if asked.user.is_none() {
            gaps(number, roster, &duties, &mut search)?;
        }
        let zone = zone(roster, asked.range)?;
        for duty in &duties {
            let place = place(number, roster, duty);
            let Some(time) = duty.time.intersection(whole) else { continue };
            let users = duty.users.iter().filter(|user| asked.user.as_deref().is_none_or(|wanted| wanted == **user));
            for user in users {
                people.entry(user).or_default().push(Stretch { time, place, zone });
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
        own.extend(holidays(away.holidays.of_user(user), &stretches, &own, asked.range));
        own.sort_by_key(|away| away.time);
        search.person(user, stretches, &own)?;
    }
    found.sort_by(|one, other| {
        let key = |found: &RosterConflict<'_>| (found.from, found.to, found.kind, found.place.roster);
        key(one).cmp(&key(other)).then_with(|| one.user.cmp(&other.user))
    });
    Ok(Conflicts { results: found.iter().map(|one| told(one, rosters, staff)).collect() })
}

/// Adds the times through which nobody is on call and somebody should be.
fn gaps<'r>(
    number: usize,
    roster: &'r OneRoster,
    duties: &[Duty<'r>],
    search: &mut Search<'_, 'r>,
) -> Result<(), Problem> {
    let range = search.range;
    let off = schedule::free(&roster.stored.versions, range)?;
    let staffed = duties.iter().filter(|duty| !duty.users.is_empty());
    let cover = Cover {
        staffed: staffed.filter_map(|duty| duty.time.intersection(range)).collect(),
        wanted: wanted(&roster.stored.schedule, duties, range, &off),
    };
    // A shift that takes place with nobody in it.
    let empty: Vec<&Duty<'r>> = duties.iter().filter(|duty| duty.users.is_empty()).collect();
    for gap in cover.gaps().0 {
        let shift = empty.iter().find(|duty| duty.time.contains(gap.start));
        let place = shift.map_or(Place { roster: number, shift: None }, |duty| place(number, roster, duty));
        let (from, to) = (gap.start, gap.end);
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

fn place<'r>(number: usize, roster: &'r OneRoster, duty: &Duty<'_>) -> Place<'r> {
    Place { roster: number, shift: roster.stored.schedule.shift(duty.shift) }
}

/// Whose clocks a roster follows at the end of a range.
fn zone(roster: &OneRoster, range: Interval) -> Result<Zone, Problem> {
    let there = roster.stored.versions.iter().rev().find(|version| version.valid_from_ms < range.end().millis());
    there.map_or(Ok(Zone::GMT), |version| roster_rules::zone(&version.zone))
}

fn told(found: &RosterConflict<'_>, rosters: &[(&str, &OneRoster)], staff: &RosterPeople) -> Conflict {
    let shift = |place: Place<'_>| {
        let reference = |(id, name): (&str, &str)| Reference { id: id.to_owned(), name: name.to_owned() };
        let roster = rosters.get(place.roster).map(|(name, roster)| (roster.stored.id(), *name)).unwrap_or_default();
        ConflictShift { roster: reference(roster), shift: place.shift.map(reference) }
    };
    let ConflictShift { roster, shift: own } = shift(found.place);
    Conflict {
        kind: found.kind,
        from: found.from,
        to: found.to,
        roster,
        shift: own,
        user: found.user.and_then(|id| staff.user_at(id, found.from)).map(TimelineUser::from),
        others: found.others.iter().map(|place| shift(*place)).collect(),
        time_off_id: found.away.map(str::to_owned),
    }
}
