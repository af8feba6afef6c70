//! From several rosters to the answers.

use std::sync::Arc;

use base::problem::Problem;
use calendar::{Interval, sets};

use super::{
    cache::PartCache,
    wire::{OneTimeline, Part, Timelines, UserShift, UserShifts},
};
use crate::{
    cache::OneRoster,
    coverage::{Cover, too_large},
    duty::{Duties, Duty},
    lines::LineSelection,
    on_call,
    overrides::wire::Reference,
    people::RosterPeople,
    pre_serialized::PreSerialized,
    schedule,
    timeline::{
        render::{Room, RosterView, told},
        wire::{OnCallOverride, OnCallWhy, Reason, Timeline, TimelineGap},
    },
};

/// The timelines of rosters, and what they cover together, as JSON.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn timelines(
    rosters: &[(&str, &OneRoster)],
    staff: &RosterPeople,
    range: Interval,
    parts: &PartCache,
) -> Result<Vec<u8>, Problem> {
    let mut room = Room::of(1);
    let mut all: Vec<Arc<Part>> = Vec::with_capacity(rosters.len());
    for (name, roster) in rosters {
        all.push(match parts.get(roster, range) {
            Some(part) => {
                room.take(part.timeline.len())?;
                part
            }
            None => {
                let part = Arc::new(part(name, roster, staff, range, &mut room)?);
                parts.insert(roster, range, Arc::clone(&part));
                part
            }
        });
    }
    let staffed = sets::union(all.iter().flat_map(|part| part.cover.staffed.iter().copied()));
    let wanted = sets::union(all.iter().flat_map(|part| part.cover.wanted.iter().copied()));
    let (gaps, coverage) = Cover { staffed, wanted }.gaps();
    let gaps = TimelineGap::of(&gaps);
    room.answer(&Timelines { from: range.start(), to: range.end(), rosters: all, gaps, coverage })
}

fn part(
    name: &str,
    roster: &OneRoster,
    staff: &RosterPeople,
    range: Interval,
    room: &mut Room,
) -> Result<Part, Problem> {
    let stored = &roster.stored;
    let off = schedule::free(&stored.versions, range)?;
    let asked = RosterView { schedule: &stored.schedule, staff, range, off: &off, saved: true };
    let (Timeline { entries, overlaps, gaps, coverage, .. }, cover) = told(asked, room)?;
    let roster = Reference { id: stored.id().to_owned(), name: name.to_owned() };
    Ok(Part { timeline: PreSerialized::of(&OneTimeline { roster, entries, overlaps, gaps, coverage }), cover })
}

/// When a user is on call through rosters, as JSON.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn shifts(
    rosters: &[(&str, &OneRoster)],
    staff: &RosterPeople,
    range: Interval,
    user: &str,
) -> Result<Vec<u8>, Problem> {
    let mut found: Vec<(&str, &OneRoster, Duty<'_>)> = Vec::new();
    for (name, roster) in rosters {
        let mut duties = Duties::new(&roster.stored.schedule, staff).named_at(range.start());
        let (all, cut) = duties.within(range, LineSelection::All);
        if cut {
            return Err(too_large());
        }
        let own = all.into_iter().filter(|duty| duty.users.contains(&user));
        found.extend(own.map(|duty| (*name, *roster, duties.whole_of(duty, range))));
    }
    found.sort_by_key(|(_, _, duty)| (duty.time.start(), duty.time.end()));
    let mut room = Room::of(1);
    let mut shifts = Vec::with_capacity(found.len());
    for (name, roster, duty) in &found {
        let shift = PreSerialized::of(&shift(name, roster, duty, staff));
        room.take(shift.len())?;
        shifts.push(shift);
    }
    room.answer(&UserShifts { from: range.start(), to: range.end(), user_id: user.to_owned(), shifts })
}

fn shift(name: &str, roster: &OneRoster, duty: &Duty<'_>, staff: &RosterPeople) -> UserShift {
    let schedule = &roster.stored.schedule;
    let since = duty.time.start();
    let relief = OnCallOverride::of(schedule, staff, duty, since);
    UserShift {
        roster: Reference { id: roster.stored.id().to_owned(), name: name.to_owned() },
        shift: on_call::render::shift(schedule, duty),
        level: schedule.level(duty.shift),
        since,
        until: on_call::render::until(duty),
        reason: Reason::of(relief.as_ref()),
        r#override: relief,
        why: OnCallWhy::of(staff, duty, since),
    }
}
