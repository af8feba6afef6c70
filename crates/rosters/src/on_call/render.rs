//! From the state of a roster to the answer.

use base::timestamp::Timestamp;
use ports::Author;

use crate::{
    duty::{Duties, Duty, NEVER},
    overrides::wire::Reference,
    people::RosterPeople,
    roster::wire::User,
    schedule::Schedule,
    timeline::{
        render::{comma, instant, json},
        wire::OnCallOverride,
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
    let roster = json(of.roster);
    let write = |duties: &[Duty<'_>]| {
        let mut out = Vec::new();
        duties.iter().for_each(|duty| element(&mut out, of, &roster, duty, at));
        out
    };
    (state.until, Elements { current: write(&state.current), next: write(&state.next) })
}

fn element(out: &mut Vec<u8>, of: Of<'_>, roster: &[u8], duty: &Duty<'_>, at: Timestamp) {
    let Of { schedule, staff, .. } = of;
    let wanted = |id: &&str| of.user.is_none_or(|user| user == *id);
    for person in duty.users.iter().copied().filter(wanted).filter_map(|id| staff.user_at(id, at)) {
        comma(out, out.len());
        out.extend_from_slice(b"{\"user\":");
        out.extend(json(&User::full(person)));
        out.extend_from_slice(b",\"roster\":");
        out.extend_from_slice(roster);
        rest(out, schedule, staff, duty, at);
    }
}

/// What is told of a duty behind its roster: shift, level, times, and why it is so; `at` is when people are called as they are.
pub fn rest(out: &mut Vec<u8>, schedule: &Schedule, staff: &RosterPeople, duty: &Duty<'_>, at: Timestamp) {
    if let Some((id, name)) = schedule.shift(duty.shift) {
        out.extend_from_slice(b",\"shift\":");
        out.extend(json(&Reference { id: id.to_owned(), name: name.to_owned() }));
    }
    if let Some(level) = schedule.level(duty.shift) {
        out.extend_from_slice(b",\"level\":");
        out.extend(json(&level));
    }
    out.extend_from_slice(b",\"since\":");
    instant(out, duty.time.start());
    if duty.time.end() < NEVER {
        out.extend_from_slice(b",\"until\":");
        instant(out, duty.time.end());
    }
    let Some(relief) = duty.by.and_then(|place| schedule.overrides.get(place)) else {
        return out.extend_from_slice(b",\"reason\":\"shift\"}");
    };
    let author = |id: &str| {
        staff.user_at(id, at).map_or_else(|| Author { id: id.to_owned(), ..Author::default() }, Author::from)
    };
    out.extend_from_slice(b",\"reason\":\"override\",\"override\":");
    out.extend(json(&OnCallOverride::new(relief, duty, author)));
    out.push(b'}');
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
