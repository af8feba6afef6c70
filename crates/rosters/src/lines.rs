//! From shifts and overrides to who is on call when. Pure.
//!
//! Each shift is a line of its own. On a line, the last override that is about its shift, or about the whole roster,
//! takes the time that it covers; the shift keeps the rest. What an override of the whole roster covers while no shift
//! takes place is on no line.

use std::collections::{BTreeMap, BTreeSet};

use base::timestamp::Timestamp;
use calendar::{Interval, Rule, sets};

/// A version of a shift.
#[derive(Clone, Debug)]
pub struct Version {
    /// The shift's id.
    pub id: String,
    /// The shift's name in this version.
    pub name: String,
    /// When it takes place.
    pub rule: Rule,
    /// From when until when the shift is like this.
    pub valid: Interval,
}

/// Somebody takes a shift, or the whole roster, for a time.
#[derive(Clone, Debug)]
pub struct Override {
    /// The time.
    pub time: Interval,
    /// The shift as it was when the override was made; `None` for the whole roster.
    pub shift: Option<Overridden>,
}

/// The shift that an override is about, as it was when the override was made.
#[derive(Clone, Debug)]
pub struct Overridden {
    /// The shift's id.
    pub id: String,
    /// The shift's name then.
    pub name: String,
    /// When it took place then.
    pub rule: Rule,
}

/// A stretch of time through which the same people are on call for the same reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The time: a whole occurrence, but for what overrides and edits cut off.
    pub time: Interval,
    /// Which shift.
    pub shift: Label,
    /// Who.
    pub who: Who,
}

/// The shift of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// Of this version, by its place.
    Version(usize),
    /// The one that this override is about.
    Override(usize),
    /// None: an override of the whole roster while no shift takes place.
    None,
}

/// Those who are on call in a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// The people of this version of a shift, by its place.
    Shift(usize),
    /// The user of this override, by its place.
    Override(usize),
}

/// How far ahead the next one is looked for, in days; a step is taken when the one before it found nothing.
const AHEAD: [i64; 4] = [2, 35, 400, 4_020];

const DAY: i64 = 86_400_000;

/// The versions of a roster's shifts, and its overrides in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// In the order of the shifts.
    pub versions: Vec<Version>,
    /// The last one wins.
    pub overrides: Vec<Override>,
}

/// Who is on call at an instant, and who is next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Those on call.
    pub current: Vec<Piece>,
    /// Those whose time begins next, all at the same instant.
    pub next: Vec<Piece>,
    /// Nothing of this changes before then.
    pub until: Option<Timestamp>,
}

impl Lines {
    /// All pieces that have a part in a range, in order.
    pub fn pieces(&self, range: Interval) -> Vec<Piece> {
        let mut pieces = if self.overrides.is_empty() { self.plain(range) } else { self.overridden(range) };
        pieces.retain(|piece| piece.time.intersection(range).is_some());
        pieces.sort_by_key(|piece| (piece.time.start(), piece.time.end(), piece.who));
        pieces
    }

    /// What is so at an instant, of the pieces for which somebody is there.
    pub fn state(&self, at: Timestamp, somebody: impl Fn(&Piece) -> bool) -> State {
        let ahead = |days: i64| Interval::new(at, Timestamp::from_millis(at.millis() + days * DAY));
        let mut state = State::default();
        for range in AHEAD.into_iter().filter_map(ahead) {
            let pieces = self.pieces(range);
            let (mut current, later): (Vec<Piece>, Vec<Piece>) =
                pieces.into_iter().partition(|piece| piece.time.contains(at));
            let ends = current.iter().map(|piece| piece.time.end());
            let starts = later.iter().map(|piece| piece.time.start());
            // People may come and go without a change here, so all pieces count.
            state.until = ends.chain(starts).chain([range.end()]).min();
            current.retain(&somebody);
            state.current = current;
            let first = later.iter().filter(|piece| somebody(piece)).map(|piece| piece.time.start()).min();
            if let Some(first) = first {
                state.next = later.into_iter().filter(|piece| piece.time.start() == first && somebody(piece)).collect();
                break;
            }
        }
        state
    }

    fn of_version(&self, place: usize, range: Interval) -> impl Iterator<Item = Interval> {
        let version = self.versions.get(place);
        let asked = version.and_then(|version| Some((version, version.valid.intersection(range)?)));
        asked.into_iter().flat_map(|(version, asked)| {
            let occurrences = version.rule.occurrences(asked.start()..asked.end());
            occurrences.filter_map(|occurrence| occurrence.intersection(version.valid))
        })
    }

    fn plain(&self, range: Interval) -> Vec<Piece> {
        let of = |place| {
            let (shift, who) = (Label::Version(place), Who::Shift(place));
            self.of_version(place, range).map(move |time| Piece { time, shift, who })
        };
        (0..self.versions.len()).flat_map(of).collect()
    }

    fn overridden(&self, range: Interval) -> Vec<Piece> {
        let range = self.widened(range);
        let mut lines: BTreeMap<&str, Vec<(usize, Interval)>> = BTreeMap::new();
        for (place, version) in self.versions.iter().enumerate() {
            lines.entry(&version.id).or_default().extend(self.of_version(place, range).map(|time| (place, time)));
        }
        let about = self.overrides.iter().filter_map(|one| one.shift.as_ref());
        let ids: BTreeSet<&str> = about.map(|shift| shift.id.as_str()).collect();
        for id in ids {
            lines.entry(id).or_default();
        }
        let mut pieces = Vec::new();
        for (id, own) in lines {
            self.line(id, &own, range, &mut pieces);
        }
        let mut covered: Vec<Interval> = pieces.iter().map(|piece| piece.time).collect();
        for (place, one) in self.overrides.iter().enumerate().rev().filter(|(_, one)| one.shift.is_none()) {
            if one.time.intersection(range).is_none() {
                continue;
            }
            let rest = sets::subtract([one.time], covered.iter().copied());
            covered.push(one.time);
            let (shift, who) = (Label::None, Who::Override(place));
            pieces.extend(rest.into_iter().map(|time| Piece { time, shift, who }));
        }
        pieces
    }

    /// The range with all of the occurrences and overrides that have a part in it, since pieces are whole.
    fn widened(&self, range: Interval) -> Interval {
        let occurrences = (0..self.versions.len()).flat_map(|place| self.of_version(place, range));
        let overrides = self.overrides.iter().map(|one| one.time).filter(|time| time.intersection(range).is_some());
        let touched = occurrences.chain(overrides);
        let (mut start, mut end) = (range.start(), range.end());
        for time in touched {
            start = start.min(time.start());
            end = end.max(time.end());
        }
        Interval::new(start, end).unwrap_or(range)
    }

    /// The pieces of one shift, whose own occurrences are given with their versions.
    fn line(&self, id: &str, own: &[(usize, Interval)], range: Interval, pieces: &mut Vec<Piece>) {
        // What each override of this very shift covers.
        let stretches = |one: &Override| -> Option<Vec<Interval>> {
            let shift = one.shift.as_ref()?;
            let asked = one.time.intersection(range).filter(|_| shift.id == id);
            let Some(asked) = asked else { return Some(Vec::new()) };
            let occurrences = shift.rule.occurrences(asked.start()..asked.end());
            Some(occurrences.filter_map(|occurrence| occurrence.intersection(one.time)).collect())
        };
        let covers: Vec<Option<Vec<Interval>>> = self.overrides.iter().map(stretches).collect();
        let mut taken: Vec<Interval> = Vec::new();
        for (place, (one, cover)) in self.overrides.iter().zip(&covers).enumerate().rev() {
            let who = Who::Override(place);
            let mut add = |time: Interval, shift: Label, taken: &[Interval]| {
                let left = sets::subtract([time], taken.iter().copied());
                pieces.extend(left.into_iter().map(|time| Piece { time, shift, who }));
            };
            if let Some(cover) = cover {
                for time in cover {
                    add(*time, Label::Override(place), &taken);
                }
                taken.extend(cover);
                continue;
            }
            let Some(asked) = one.time.intersection(range) else { continue };
            let mut here = Vec::new();
            for (version, time) in own {
                if let Some(time) = time.intersection(asked) {
                    add(time, Label::Version(*version), &taken);
                    here.push(time);
                }
            }
            taken.extend(here);
            // What earlier overrides of the shift cover beyond its present occurrences.
            for (earlier, cover) in covers.iter().enumerate().take(place) {
                for time in cover.iter().flatten().filter_map(|time| time.intersection(asked)) {
                    add(time, Label::Override(earlier), &taken);
                    taken.push(time);
                }
            }
        }
        let taken = sets::union(taken);
        for (version, time) in own {
            let from = taken.partition_point(|hole| hole.end() <= time.start());
            let holes = taken.iter().skip(from).take_while(|hole| hole.start() < time.end());
            let left = sets::subtract([*time], holes.copied());
            let (shift, who) = (Label::Version(*version), Who::Shift(*version));
            pieces.extend(left.into_iter().map(|time| Piece { time, shift, who }));
        }
    }
}

#[cfg(test)]
mod tests;
