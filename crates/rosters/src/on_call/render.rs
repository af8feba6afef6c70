//! From the state of a roster to the answer.

use base::timestamp::Timestamp;

use super::wire::{OnCall, OnCallEntry, SkippedCalendar, SkippedDate, SkippedShift};
use crate::{
    duty::{Duties, Duty, NEVER},
    overrides::wire::Reference,
    people::RosterPeople,
    pre_serialized::{PreSerialized, json},
    roster::wire::User,
    schedule::{Schedule, SkippedOccurrence},
    timeline::wire::{OnCallOverride, OnCallWhy, Reason},
};

/// The elements of `onCall` and of `next` of one roster.
#[derive(Default)]
pub struct Elements {
    /// Of `onCall`.
    pub current: Vec<PreSerialized<OnCallEntry>>,
    /// Of `next`.
    pub next: Vec<PreSerialized<OnCallEntry>>,
    /// Of `skipped`.
    pub skipped: Vec<PreSerialized<SkippedShift>>,
}

/// A roster of which is told.
#[derive(Clone, Copy)]
pub struct RosterAtInstant<'s> {
    /// Its id and its name at the instant.
    pub roster: &'s Reference,
    /// Its tenant.
    pub tenant: &'s str,
    pub schedule: &'s Schedule,
    /// Everybody who stands in it.
    pub staff: &'s RosterPeople,
    /// Whom alone is asked for.
    pub user: Option<&'s str>,
}

/// The elements of a roster at an instant, and until when they hold.
pub fn elements(of: RosterAtInstant<'_>, at: Timestamp) -> (Option<Timestamp>, Elements) {
    let state = Duties::new(of.schedule, of.staff).state(at);
    let entries = |duties: &[Duty<'_>]| duties.iter().flat_map(|duty| entries(of, duty, at)).collect();
    // Who asks for one user asks what that one does.
    let skipped = if of.user.is_none() { skipped(of, at) } else { Vec::new() };
    let until = state.until.into_iter().chain(of.schedule.skipped_until(at)).min();
    (until, Elements { current: entries(&state.current), next: entries(&state.next), skipped })
}

fn skipped(of: RosterAtInstant<'_>, at: Timestamp) -> Vec<PreSerialized<SkippedShift>> {
    let shown = of.schedule.skipped(at).into_iter().filter_map(|skipped| {
        let SkippedOccurrence { shift, time, holiday } = skipped;
        let (id, name) = of.schedule.shift(shift)?;
        Some(PreSerialized::of(&SkippedShift {
            roster: of.roster.clone(),
            shift: Reference { id: id.to_owned(), name: name.to_owned() },
            since: time.start(),
            until: time.end(),
            holiday: SkippedDate {
                date: holiday.day.to_string(),
                name: Some(holiday.name.to_owned()).filter(|name| !name.is_empty()),
                calendar: SkippedCalendar {
                    id: holiday.calendar_id.to_owned(),
                    name: holiday.name_for(of.tenant).map(ToOwned::to_owned),
                },
            },
        }))
    });
    shown.collect()
}

fn entries<'d>(
    of: RosterAtInstant<'d>,
    duty: &'d Duty<'_>,
    at: Timestamp,
) -> impl Iterator<Item = PreSerialized<OnCallEntry>> + 'd {
    let RosterAtInstant { roster, schedule, staff, .. } = of;
    let wanted = move |id: &&str| of.user.is_none_or(|user| user == *id);
    let people = duty.users.iter().copied().filter(wanted).filter_map(move |id| staff.user_at(id, at));
    people.map(move |person| {
        let relief = OnCallOverride::of(schedule, staff, duty, at);
        PreSerialized::of(&OnCallEntry {
            user: User::full(person),
            roster: roster.clone(),
            shift: shift(schedule, duty),
            level: schedule.level(duty.shift),
            since: duty.time.start(),
            until: until(duty),
            reason: Reason::of(relief.as_ref()),
            r#override: relief,
            why: OnCallWhy::of(staff, duty, at),
        })
    })
}

/// The shift of a duty.
pub fn shift(schedule: &Schedule, duty: &Duty<'_>) -> Option<Reference> {
    let (id, name) = schedule.shift(duty.shift)?;
    Some(Reference { id: id.to_owned(), name: name.to_owned() })
}

/// When a duty ends, if it does.
pub fn until(duty: &Duty<'_>) -> Option<Timestamp> {
    Some(duty.time.end()).filter(|end| *end < NEVER)
}

/// The whole answer, from the elements of some rosters.
pub fn answer<'e>(at: Timestamp, rosters: impl Iterator<Item = &'e Elements> + Clone) -> Vec<u8> {
    let on_call: Vec<_> = rosters.clone().flat_map(|elements| &elements.current).collect();
    let next: Vec<_> = rosters.clone().flat_map(|elements| &elements.next).collect();
    let skipped: Vec<_> = rosters.flat_map(|elements| &elements.skipped).collect();
    let length: usize = on_call.iter().chain(&next).map(|entry| entry.len() + 1).sum();
    let of_skipped: usize = skipped.iter().map(|entry| entry.len() + 1).sum();
    json(&OnCall { at, on_call, next, skipped }, length + of_skipped + 80)
}
