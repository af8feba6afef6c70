//! From pieces to the answer. A year has some thousand entries, so what repeats in them is written once.

use std::collections::HashMap;

use base::{problem::Problem, timestamp::Timestamp};
use calendar::{Interval, sets};
use ports::Person;
use serde::Serialize;

use super::wire::{TimelineShift, TimelineUser};
use crate::{
    crowd::Crowd,
    lines::{Label, Piece, Who},
    schedule::Schedule,
};

/// The largest answer, in bytes.
const LARGEST: usize = 32 << 20;

/// The timeline of a schedule within a range, as JSON. `off` is when nobody needs to be on call; `saved` says whether
/// the shifts have ids.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn timeline(
    schedule: &Schedule,
    crowd: &Crowd,
    range: Interval,
    off: &[Interval],
    saved: bool,
) -> Result<Vec<u8>, Problem> {
    let pieces: Vec<Piece> = schedule
        .lines
        .pieces(range)
        .into_iter()
        .filter_map(|piece| Some(Piece { time: piece.time.intersection(range)?, ..piece }))
        .collect();
    let mut texts = Texts { schedule, crowd, saved, users: HashMap::new(), shifts: HashMap::new() };
    let mut out = Vec::with_capacity(256 + pieces.len() * 192);
    out.extend_from_slice(b"{\"from\":");
    instant(&mut out, range.start());
    out.extend_from_slice(b",\"to\":");
    instant(&mut out, range.end());
    out.extend_from_slice(b",\"entries\":[");
    let mut staffed = Vec::with_capacity(pieces.len());
    let mut instants = Instants::default();
    for (index, piece) in pieces.iter().enumerate() {
        comma(&mut out, index);
        instants.stretch(&mut out, piece.time);
        if let Some(shift) = texts.shift(piece) {
            out.extend_from_slice(b",\"shift\":");
            out.extend_from_slice(shift);
        }
        let (users, somebody) = texts.users(piece.who);
        out.extend_from_slice(b",\"users\":");
        out.extend_from_slice(users);
        out.extend_from_slice(match piece.who {
            Who::Shift(_) => b",\"reason\":\"shift\"}",
            Who::Override(_) => b",\"reason\":\"override\"}",
        });
        if somebody {
            staffed.push(piece.time);
        }
        if out.len() > LARGEST {
            return Err(Problem::field("to", "makes the answer too large: ask for a shorter range"));
        }
    }
    out.extend_from_slice(b"],\"gaps\":[");
    let wanted = sets::subtract([range], off.iter().copied());
    let gaps = sets::subtract(wanted.iter().copied(), staffed);
    for (index, gap) in gaps.iter().enumerate() {
        comma(&mut out, index);
        stretch(&mut out, *gap);
        out.push(b'}');
    }
    out.extend_from_slice(b"],\"overlaps\":[");
    overlaps(&mut out, &pieces, &mut texts);
    out.extend_from_slice(b"],\"coverage\":");
    append(&mut out, &coverage(sets::covered_millis(wanted), sets::covered_millis(gaps)));
    out.push(b'}');
    Ok(out)
}

/// How much of the wanted time is not missing, in percent.
fn coverage(wanted: u64, missing: u64) -> f64 {
    if wanted == 0 {
        return 100.0;
    }
    let covered = u128::from(wanted.saturating_sub(missing)) * 10_000 / u128::from(wanted);
    // At most 10,000, which a float holds exactly.
    covered as f64 / 100.0
}

fn overlaps(out: &mut Vec<u8>, pieces: &[Piece], texts: &mut Texts<'_>) {
    let on_shifts: Vec<&Piece> = pieces.iter().filter(|piece| piece.shift != Label::None).collect();
    // They are in order, so in most rosters each begins when those before it have ended.
    let mut end = Timestamp::from_millis(i64::MIN);
    let mut apart = true;
    for piece in &on_shifts {
        apart &= end <= piece.time.start();
        end = end.max(piece.time.end());
    }
    if apart {
        return;
    }
    let times: Vec<Interval> = on_shifts.iter().map(|piece| piece.time).collect();
    for (index, overlap) in sets::overlaps(&times).into_iter().enumerate() {
        comma(out, index);
        stretch(out, overlap.interval);
        out.extend_from_slice(b",\"shifts\":[");
        for (index, piece) in overlap.members.iter().filter_map(|place| on_shifts.get(*place)).enumerate() {
            comma(out, index);
            if let Some(shift) = texts.shift(piece) {
                out.extend_from_slice(shift);
            }
        }
        out.extend_from_slice(b"]}");
    }
}

/// What repeats in the entries, as JSON.
struct Texts<'s> {
    schedule: &'s Schedule,
    crowd: &'s Crowd,
    saved: bool,
    users: HashMap<Who, (Vec<u8>, bool)>,
    shifts: HashMap<Label, Vec<u8>>,
}

impl Texts<'_> {
    fn users(&mut self, who: Who) -> (&[u8], bool) {
        let (schedule, crowd) = (self.schedule, self.crowd);
        let (text, somebody) = self.users.entry(who).or_insert_with(|| {
            let users: Vec<TimelineUser> = schedule.people(who, crowd).into_iter().map(shown).collect();
            (json(&users), !users.is_empty())
        });
        (text, *somebody)
    }

    fn shift(&mut self, piece: &Piece) -> Option<&[u8]> {
        let (id, name) = self.schedule.shift(piece)?;
        let saved = self.saved;
        let text = self
            .shifts
            .entry(piece.shift)
            .or_insert_with(|| json(&TimelineShift { id: saved.then(|| id.to_owned()), name: name.to_owned() }));
        Some(text)
    }
}

fn shown(person: &Person) -> TimelineUser {
    TimelineUser {
        id: person.id.clone(),
        login_name: person.login_name.clone(),
        first_name: person.first_name.clone(),
        last_name: person.last_name.clone(),
    }
}

/// Writes stretches of which one often begins when another has ended: that instant is worked out once.
#[derive(Default)]
struct Instants {
    last: Option<Timestamp>,
    text: Vec<u8>,
}

impl Instants {
    fn stretch(&mut self, out: &mut Vec<u8>, time: Interval) {
        out.extend_from_slice(b"{\"start\":\"");
        self.write(out, time.start());
        out.extend_from_slice(b"\",\"end\":\"");
        self.write(out, time.end());
        out.push(b'"');
    }

    fn write(&mut self, out: &mut Vec<u8>, at: Timestamp) {
        if self.last != Some(at) {
            self.last = Some(at);
            self.text.clear();
            at.write_to(&mut self.text);
        }
        out.extend_from_slice(&self.text);
    }
}

fn stretch(out: &mut Vec<u8>, time: Interval) {
    out.extend_from_slice(b"{\"start\":");
    instant(out, time.start());
    out.extend_from_slice(b",\"end\":");
    instant(out, time.end());
}

/// An instant as JSON.
pub fn instant(out: &mut Vec<u8>, at: Timestamp) {
    out.push(b'"');
    at.write_to(out);
    out.push(b'"');
}

/// A comma before every element but the first.
pub fn comma(out: &mut Vec<u8>, index: usize) {
    if index > 0 {
        out.push(b',');
    }
}

/// A value as JSON. Texts, numbers and lists of them cannot fail to be written.
pub fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn append<T: Serialize>(out: &mut Vec<u8>, value: &T) {
    out.extend(json(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_rounded_down() {
        assert_eq!(coverage(0, 0), 100.0);
        assert_eq!(coverage(1_000, 25), 97.5);
        assert_eq!(coverage(1_000_000, 1), 99.99);
        assert_eq!(coverage(7, 7), 0.0);
    }
}
