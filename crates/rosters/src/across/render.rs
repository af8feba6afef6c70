//! From several rosters to the answers.

use base::problem::Problem;
use calendar::{Interval, sets};

use super::wire::UserShift;
use crate::{
    cache::OneRoster,
    duty::{Duties, Duty},
    lines::Of,
    on_call,
    overrides::wire::Reference,
    people::RosterPeople,
    schedule,
    timeline::{
        render::{Asked, Cover, LARGEST, comma, gaps, instant, json, parts, too_large},
        wire::{OnCallOverride, Reason},
    },
};

fn range_of(out: &mut Vec<u8>, range: Interval) {
    out.extend_from_slice(b"{\"from\":");
    instant(out, range.start());
    out.extend_from_slice(b",\"to\":");
    instant(out, range.end());
}

/// The timelines of rosters, and what they cover together, as JSON.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn timelines(rosters: &[(&str, &OneRoster)], staff: &RosterPeople, range: Interval) -> Result<Vec<u8>, Problem> {
    let mut out = Vec::with_capacity(1 << 12);
    range_of(&mut out, range);
    out.extend_from_slice(b",\"rosters\":[");
    let mut together = Cover::default();
    for (index, (name, roster)) in rosters.iter().enumerate() {
        comma(&mut out, index);
        out.extend_from_slice(b"{\"roster\":");
        out.extend(json(&Reference { id: roster.id.clone(), name: (*name).to_owned() }));
        out.push(b',');
        let off = schedule::free(&roster.versions, range)?;
        let asked = Asked { schedule: &roster.schedule, staff, range, off: &off, saved: true };
        let Cover { staffed, wanted } = parts(&mut out, asked)?;
        out.push(b'}');
        together.staffed = sets::union(together.staffed.into_iter().chain(staffed));
        together.wanted = sets::union(together.wanted.into_iter().chain(wanted));
        if out.len() > LARGEST {
            return Err(too_large());
        }
    }
    out.push(b']');
    gaps(&mut out, &together);
    out.push(b'}');
    Ok(out)
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
    let mut out = Vec::with_capacity(1 << 12);
    range_of(&mut out, range);
    out.extend_from_slice(b",\"userId\":");
    out.extend(json(&user));
    out.extend_from_slice(b",\"shifts\":[");
    for (index, (name, roster, duty)) in found.iter().enumerate() {
        comma(&mut out, index);
        out.extend(json(&shift(name, roster, duty, staff)));
        if out.len() > LARGEST {
            return Err(too_large());
        }
    }
    out.extend_from_slice(b"]}");
    Ok(out)
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
