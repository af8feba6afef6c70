//! From the state of a roster to the answer.

use base::timestamp::Timestamp;

use crate::{
    crowd::Crowd,
    lines::{Piece, State, Who},
    overrides::wire::Reference,
    roster::wire::User,
    schedule::Schedule,
    timeline::render::{comma, instant, json},
};

/// The elements of `onCall` and of `next` of one roster, separated by commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Elements {
    /// Of `onCall`.
    pub current: Vec<u8>,
    /// Of `next`.
    pub next: Vec<u8>,
}

/// The state of a roster at an instant, and its elements.
pub fn elements(roster: &Reference, schedule: &Schedule, crowd: &Crowd, at: Timestamp) -> (State, Elements) {
    let state = schedule.lines.state(at, |piece| !schedule.people(piece.who, crowd).is_empty());
    let roster = json(roster);
    let write = |pieces: &[Piece]| {
        let mut out = Vec::new();
        for piece in pieces {
            element(&mut out, &roster, schedule, crowd, piece);
        }
        out
    };
    let elements = Elements { current: write(&state.current), next: write(&state.next) };
    (state, elements)
}

fn element(out: &mut Vec<u8>, roster: &[u8], schedule: &Schedule, crowd: &Crowd, piece: &Piece) {
    for person in schedule.people(piece.who, crowd) {
        comma(out, out.len());
        out.extend_from_slice(b"{\"user\":");
        out.extend(json(&User::full(person)));
        out.extend_from_slice(b",\"roster\":");
        out.extend_from_slice(roster);
        if let Some((id, name)) = schedule.shift(piece) {
            out.extend_from_slice(b",\"shift\":");
            out.extend(json(&Reference { id: id.to_owned(), name: name.to_owned() }));
        }
        out.extend_from_slice(b",\"since\":");
        instant(out, piece.time.start());
        out.extend_from_slice(b",\"until\":");
        instant(out, piece.time.end());
        out.extend_from_slice(match piece.who {
            Who::Shift(_) => b",\"reason\":\"shift\"}",
            Who::Override(_) => b",\"reason\":\"override\"}",
        });
    }
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
