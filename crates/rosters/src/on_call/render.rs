//! From the state of a roster to the answer.

use base::timestamp::Timestamp;

use super::wire::OnCallEntry;
use crate::{
    duty::{Duties, Duty, NEVER},
    overrides::wire::Reference,
    people::RosterPeople,
    roster::wire::User,
    schedule::Schedule,
    timeline::{
        render::{comma, instant, json},
        wire::{OnCallOverride, Reason},
    },
};

/// The elements of `onCall` and of `next` of one roster, separated by commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// Of `onCall`.
    pub current: Vec<u8>,
    /// Of `next`.
    pub next: Vec<u8>,
}

/// A roster of which is told.
#[derive(Clone, Copy)]
pub struct Of<'s> {
    /// Its id and its name at the instant.
    pub roster: &'s Reference,
    pub schedule: &'s Schedule,
    /// Everybody who stands in it.
    pub staff: &'s RosterPeople,
    /// Whom alone is asked for.
    pub user: Option<&'s str>,
}

/// The elements of a roster at an instant, and until when they hold.
pub fn elements(of: Of<'_>, at: Timestamp) -> (Option<Timestamp>, Elements) {
    let state = Duties::new(of.schedule, of.staff).state(at);
    let write = |duties: &[Duty<'_>]| {
        let mut out = Vec::new();
        duties.iter().for_each(|duty| element(&mut out, of, duty, at));
        out
    };
    (state.until, Elements { current: write(&state.current), next: write(&state.next) })
}

fn element(out: &mut Vec<u8>, of: Of<'_>, duty: &Duty<'_>, at: Timestamp) {
    let Of { roster, schedule, staff, .. } = of;
    let wanted = |id: &&str| of.user.is_none_or(|user| user == *id);
    for person in duty.users.iter().copied().filter(wanted).filter_map(|id| staff.user_at(id, at)) {
        comma(out, out.len());
        let relief = OnCallOverride::of(schedule, staff, duty, at);
        out.extend(json(&OnCallEntry {
            user: User::full(person),
            roster: roster.clone(),
            shift: shift(schedule, duty),
            level: schedule.level(duty.shift),
            since: duty.time.start(),
            until: until(duty),
            reason: Reason::of(relief.as_ref()),
            r#override: relief,
        }));
    }
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
    let length: usize = rosters.clone().map(|elements| elements.current.len() + elements.next.len() + 2).sum();
    let mut out = Vec::with_capacity(length + 64);
    out.extend_from_slice(b"{\"at\":");
    instant(&mut out, at);
    out.extend_from_slice(b",\"onCall\":[");
    join(&mut out, rosters.clone().map(|elements| elements.current.as_slice()));
    out.extend_from_slice(b"],\"next\":[");
    join(&mut out, rosters.map(|elements| elements.next.as_slice()));
    out.extend_from_slice(b"]}");
    out
}

fn join<'e>(out: &mut Vec<u8>, lists: impl Iterator<Item = &'e [u8]>) {
    for (index, list) in lists.filter(|list| !list.is_empty()).enumerate() {
        comma(out, index);
        out.extend_from_slice(list);
    }
}
