//! From duties to the answer. A year has some thousand entries, so what repeats in them is written once.

use std::collections::{BTreeMap, HashMap};

use base::{problem::Problem, timestamp::Timestamp};
use calendar::{Interval, sets};
use ports::Person;
use serde::Serialize;

use super::wire::{OnCallOverride, TimelineGap, TimelineShift, TimelineUser};
use crate::{
    duty::{Duties, Duty},
    lines::{Label, Level, Of},
    people::RosterPeople,
    schedule::Schedule,
};

/// The largest answer, in bytes.
pub const LARGEST: usize = 8 << 20;

/// A shift in it is no shorter than this, in bytes.
const SHIFT: usize = 16;

/// What of a roster is shown.
#[derive(Clone, Copy)]
pub struct Asked<'s> {
    pub schedule: &'s Schedule,
    /// Everybody who stands in it.
    pub staff: &'s RosterPeople,
    /// When.
    pub range: Interval,
    /// When nobody needs to be on call, or the roster is not there.
    pub off: &'s [Interval],
    /// Have the shifts ids?
    pub saved: bool,
}

/// When somebody is on call, and when somebody should be.
#[derive(Debug, Default)]
pub struct Cover {
    /// When somebody is on call.
    pub staffed: Vec<Interval>,
    /// When somebody should be.
    pub wanted: Vec<Interval>,
}

/// The timeline of a schedule within a range, as JSON.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn timeline(asked: Asked<'_>) -> Result<Vec<u8>, Problem> {
    let mut out = Vec::with_capacity(1 << 12);
    out.extend_from_slice(b"{\"from\":");
    instant(&mut out, asked.range.start());
    out.extend_from_slice(b",\"to\":");
    instant(&mut out, asked.range.end());
    out.push(b',');
    parts(&mut out, asked)?;
    out.push(b'}');
    Ok(out)
}

/// Writes `entries`, `gaps`, `overlaps` and `coverage`.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn parts(out: &mut Vec<u8>, asked: Asked<'_>) -> Result<Cover, Problem> {
    let (mut duties, cut) = Duties::new(asked.schedule, asked.staff).within(asked.range, Of::All);
    if cut {
        return Err(too_large());
    }
    duties.retain_mut(|duty| {
        let part = duty.time.intersection(asked.range);
        duty.time = part.unwrap_or(duty.time);
        part.is_some()
    });
    let mut texts = Texts { asked, users: HashMap::new(), shifts: HashMap::new() };
    out.reserve(128 + duties.len() * 192);
    out.extend_from_slice(b"\"entries\":[");
    let mut instants = Instants::default();
    for (index, duty) in duties.iter().enumerate() {
        comma(out, index);
        instants.stretch(out, duty.time);
        texts.entry(out, duty);
        if out.len() > LARGEST {
            return Err(too_large());
        }
    }
    let staffed = duties.iter().filter(|duty| !duty.users.is_empty()).map(|duty| duty.time).collect();
    let cover = Cover { staffed, wanted: sets::subtract([asked.range], asked.off.iter().copied()) };
    out.push(b']');
    out.extend_from_slice(b",\"overlaps\":[");
    overlaps(out, &duties, &mut texts)?;
    out.push(b']');
    gaps(out, &cover);
    Ok(cover)
}

/// What a range is refused with that has too much in it.
pub fn too_large() -> Problem {
    Problem::field("to", "makes the answer too large: ask for a shorter range")
}

/// Writes `gaps` and `coverage`.
pub fn gaps(out: &mut Vec<u8>, cover: &Cover) {
    let gaps = sets::subtract(cover.wanted.iter().copied(), cover.staffed.iter().copied());
    let told: Vec<_> = gaps.iter().map(|gap| TimelineGap { start: gap.start(), end: gap.end() }).collect();
    out.extend_from_slice(b",\"gaps\":");
    out.extend(json(&told));
    out.extend_from_slice(b",\"coverage\":");
    let wanted = sets::covered_millis(cover.wanted.iter().copied());
    out.extend(json(&coverage(wanted, sets::covered_millis(gaps))));
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

/// Shifts of one level that take place at the same time.
fn overlaps(out: &mut Vec<u8>, duties: &[Duty<'_>], texts: &mut Texts<'_>) -> Result<(), Problem> {
    let schedule = texts.asked.schedule;
    // Of each shift its time as one, whoever shares or takes it.
    let mut shifts: BTreeMap<(Level, &str), (Label, Vec<Interval>)> = BTreeMap::new();
    for duty in duties {
        let Some((id, _)) = schedule.shift(duty.shift) else { continue };
        let level = schedule.level(duty.shift).unwrap_or_default();
        shifts.entry((level, id)).or_insert((duty.shift, Vec::new())).1.push(duty.time);
    }
    let mut found = Vec::new();
    for level in [Level::Primary, Level::Secondary] {
        let of_level = shifts.iter().filter(|((of, _), _)| *of == level);
        let times: Vec<(Label, Interval)> = of_level
            .flat_map(|(_, (label, times))| sets::union(times.iter().copied()).into_iter().map(|time| (*label, time)))
            .collect();
        let intervals: Vec<Interval> = times.iter().map(|(_, time)| *time).collect();
        for overlap in sets::overlaps(&intervals, LARGEST / SHIFT).ok_or_else(too_large)? {
            let mut labels: Vec<Label> =
                overlap.members.iter().filter_map(|place| times.get(*place)).map(|(label, _)| *label).collect();
            labels.sort_unstable();
            found.push((overlap.interval, labels));
        }
    }
    found.sort_by_key(|(time, _)| *time);
    for (index, (time, labels)) in found.into_iter().enumerate() {
        comma(out, index);
        stretch(out, time);
        out.extend_from_slice(b",\"shifts\":[");
        for (index, label) in labels.into_iter().enumerate() {
            comma(out, index);
            if let Some(shift) = texts.shift(label) {
                out.extend_from_slice(shift);
            }
        }
        out.extend_from_slice(b"]}");
        if out.len() > LARGEST {
            return Err(too_large());
        }
    }
    Ok(())
}

/// What repeats in the entries, as JSON.
struct Texts<'s> {
    asked: Asked<'s>,
    users: HashMap<Vec<&'s str>, Vec<u8>>,
    shifts: HashMap<Label, Vec<u8>>,
}

impl<'s> Texts<'s> {
    /// The rest of an entry, behind its time.
    fn entry(&mut self, out: &mut Vec<u8>, duty: &Duty<'s>) {
        let Asked { schedule, staff, .. } = self.asked;
        if let Some(shift) = self.shift(duty.shift) {
            out.extend_from_slice(b",\"shift\":");
            out.extend_from_slice(shift);
        }
        if let Some(level) = schedule.level(duty.shift) {
            out.extend_from_slice(b",\"level\":");
            out.extend(json(&level));
        }
        out.extend_from_slice(b",\"users\":");
        let at = duty.time.start();
        let users = || json(&duty.users.iter().filter_map(|id| staff.user_at(id, at)).map(shown).collect::<Vec<_>>());
        if staff.is_steady() {
            out.extend_from_slice(self.users.entry(duty.users.clone()).or_insert_with(users));
        } else {
            out.extend(users());
        }
        match OnCallOverride::of(schedule, staff, duty, at) {
            None => out.extend_from_slice(b",\"reason\":\"shift\"}"),
            Some(relief) => {
                out.extend_from_slice(b",\"reason\":\"override\",\"override\":");
                out.extend(json(&relief));
                out.push(b'}');
            }
        }
    }

    fn shift(&mut self, label: Label) -> Option<&[u8]> {
        let (id, name) = self.asked.schedule.shift(label)?;
        let saved = self.asked.saved;
        let text = self
            .shifts
            .entry(label)
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
