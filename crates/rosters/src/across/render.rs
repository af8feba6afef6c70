//! From several rosters to the answers.

use base::problem::Problem;
use calendar::{Interval, sets};

use super::wire::{OneTimeline, Timelines, UserShift, UserShifts};
use crate::{
    cache::OneRoster,
    duty::{Duties, Duty},
    lines::Of,
    on_call,
    overrides::wire::Reference,
    people::RosterPeople,
    schedule,
    timeline::{
        render::{Asked, Cover, Room, told, too_large},
        wire::{OnCallOverride, Reason, Timeline},
    },
    written::Written,
};

/// The timelines of rosters, and what they cover together, as JSON.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn timelines(rosters: &[(&str, &OneRoster)], staff: &RosterPeople, range: Interval) -> Result<Vec<u8>, Problem> {
    let (mut room, mut together) = (Room::of(1), Cover::default());
    let mut all = Vec::with_capacity(rosters.len());
    for (name, roster) in rosters {
        let off = schedule::free(&roster.versions, range)?;
        let asked = Asked { schedule: &roster.schedule, staff, range, off: &off, saved: true };
        let (Timeline { entries, overlaps, gaps, coverage, .. }, Cover { staffed, wanted }) = told(asked, &mut room)?;
        let roster = Reference { id: roster.id.clone(), name: (*name).to_owned() };
        all.push(OneTimeline { roster, entries, overlaps, gaps, coverage });
        together.staffed = sets::union(together.staffed.into_iter().chain(staffed));
        together.wanted = sets::union(together.wanted.into_iter().chain(wanted));
    }
    let (gaps, coverage) = together.gaps();
    room.answer(&Timelines { from: range.start(), to: range.end(), rosters: all, gaps, coverage })
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
        let mut duties = Duties::new(&roster.schedule, staff);
        let (all, cut) = duties.within(range, Of::All);
        if cut {
            return Err(too_large());
        }
        let own = all.into_iter().filter(|duty| duty.users.contains(&user));
        found.extend(own.map(|duty| (*name, *roster, duties.whole(duty))));
    }
    found.sort_by_key(|(_, _, duty)| (duty.time.start(), duty.time.end()));
    let mut room = Room::of(1);
    let mut shifts = Vec::with_capacity(found.len());
    for (name, roster, duty) in &found {
        let shift = Written::of(&shift(name, roster, duty, staff));
        room.take(shift.len())?;
        shifts.push(shift);
    }
    room.answer(&UserShifts { from: range.start(), to: range.end(), user_id: user.to_owned(), shifts })
}

fn shift(name: &str, roster: &OneRoster, duty: &Duty<'_>, staff: &RosterPeople) -> UserShift {
    let (schedule, since) = (&roster.schedule, duty.time.start());
    let relief = OnCallOverride::of(schedule, staff, duty, since);
    UserShift {
        roster: Reference { id: roster.id.clone(), name: name.to_owned() },
        shift: on_call::render::shift(schedule, duty),
        level: schedule.level(duty.shift),
        since,
        until: on_call::render::until(duty),
        reason: Reason::of(relief.as_ref()),
        r#override: relief,
    }
}
