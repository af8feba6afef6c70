//! From shifts and overrides to what is planned when. Pure, and without people: which of them there are, `duty` says.
//!
//! Each shift is a line of its own, cut into pieces wherever something changes: the shift takes place or not, an edit,
//! a hand-over of its rotation, an override. An override covers its shift when that took place as it was when the
//! override was made; one of the whole roster covers each line that something takes place on, and what it covers while
//! nothing does is on no line.

mod line;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use base::timestamp::Timestamp;
use calendar::{Interval, Rule, Turns, sets};
use serde::Serialize;
use utoipa::ToSchema;

use crate::moves::Moves;

/// Whether somebody is called first, or when the first does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema, api::Request)]
#[serde(rename_all = "lowercase")]
#[schema(as = RosterLevel)]
pub enum Level {
    /// Called first.
    #[default]
    Primary,
    /// Called when the first does not answer.
    Secondary,
}

/// A version of a shift.
#[derive(Clone, Debug)]
pub struct Version {
    /// The shift's id.
    pub id: String,
    /// The shift's name in this version.
    pub name: String,
    /// The shift's level, when it has one.
    pub level: Option<Level>,
    /// When it takes place.
    pub rule: Rule,
    /// Who takes turns in it.
    pub places: Option<Places>,
    /// From when until when the shift is like this.
    pub valid: Interval,
}

/// Places that take turns.
#[derive(Clone, Debug)]
pub struct Places {
    /// When they hand over.
    pub turns: Turns,
    /// The post of each place, in the order of the turns; places with the same people have the same.
    pub posts: Vec<usize>,
    /// Until when somebody else has the turn, and the post of it.
    pub kept: Option<(Timestamp, usize)>,
    /// The turns that moved because people are away.
    pub moves: Moves,
    /// The post of the first of those; the others follow.
    pub first_moved: usize,
}

/// Somebody takes a shift, or the whole roster, for a time.
#[derive(Clone, Debug)]
pub struct Override {
    pub time: Interval,
    /// The shift as it was when the override was made; `None` for the whole roster.
    pub shift: Option<Overridden>,
    /// Is it about one person, beside whom others stay on call?
    pub of_one: bool,
}

/// The shift that an override is about, as it was when the override was made.
#[derive(Clone, Debug)]
pub struct Overridden {
    /// The shift's id.
    pub id: String,
    /// The shift's name then.
    pub name: String,
    /// The shift's level then, when it had one.
    pub level: Option<Level>,
    /// When it took place then.
    pub rule: Rule,
}

/// A stretch of time of a line through which nothing changes in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub time: Interval,
    pub shift: Label,
    /// Who stands there by the plan; `None` when there are overrides alone.
    pub post: Option<Assignment>,
    /// The overrides of it, by their places, in the order in which they were made.
    pub over: Vec<usize>,
}

/// The shift of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Of this version, by its place.
    Version(usize),
    /// The one that this override is about.
    Override(usize),
    /// None: an override of the whole roster while no shift takes place.
    None,
}

/// Those who stand in a shift, or have a turn in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Assignment {
    /// The version of the shift, by its place.
    pub version: usize,
    /// 0 for those who stand in it beside the person whose turn it is; n for the n-th place, one more for a kept turn,
    /// then those of turns that moved.
    pub number: usize,
}

/// The versions of a roster's shifts, and its overrides in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// In the order of the shifts.
    pub versions: Vec<Version>,
    /// The last one wins.
    pub overrides: Vec<Override>,
}

/// Which lines are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSelection<'i> {
    /// All.
    All,
    /// Those of a level.
    Level(Level),
    /// That of a shift.
    Shift(&'i str),
}

/// Pieces, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Them.
    pub list: Vec<Segment>,
    /// Are there more, which were too many to be worked out?
    pub cut: bool,
}

/// How many pieces are worked out at most.
const MOST_PIECES: usize = 200_000;

/// How far beyond what is asked for pieces are followed to their ends, in milliseconds, where overrides cut them.
const FURTHER_MS: i64 = 400 * 86_400_000;

impl Lines {
    /// All pieces that have a part in a range, in order.
    pub fn pieces(&self, range: Interval, of: LineSelection<'_>) -> Pieces {
        let over_all: Vec<(usize, Interval)> = (0..)
            .zip(&self.overrides)
            .filter(|(_, one)| one.shift.is_none() && !one.of_one)
            .filter_map(|(place, one)| one.time.intersection(range).map(|_| (place, one.time)))
            .collect();
        let outside = !over_all.is_empty() && matches!(of, LineSelection::All | LineSelection::Level(Level::Primary));
        let asked = if outside { widened(range, over_all.iter().map(|(_, time)| *time)) } else { range };
        let mut found = Pieces::default();
        for (id, versions) in self.ids() {
            if outside || self.may_be_of(id, &versions, of, asked) {
                self.line(id, &versions, asked, &mut found);
            }
        }
        let covered: Vec<Interval> = if outside { found.list.iter().map(|piece| piece.time).collect() } else { vec![] };
        if let LineSelection::Level(level) = of {
            found.list.retain(|piece| self.level(piece.shift).unwrap_or_default() == level);
        }
        if outside {
            self.on_no_line(asked, &covered, &mut found.list);
        }
        found.list.retain(|piece| piece.time.intersection(range).is_some());
        found.list.sort_by_key(order);
        found
    }

    /// The level of a shift, when it has one.
    pub fn level(&self, shift: Label) -> Option<Level> {
        match shift {
            Label::Version(place) => self.versions.get(place)?.level,
            Label::Override(place) => self.overrides.get(place)?.shift.as_ref()?.level,
            Label::None => None,
        }
    }

    /// The levels that shifts have.
    pub fn levels(&self) -> Vec<Level> {
        let of_versions = self.versions.iter().map(|version| version.level);
        let of_overrides = self.overrides.iter().filter_map(|one| Some(one.shift.as_ref()?.level));
        let mut levels: Vec<Level> = of_versions.chain(of_overrides).map(Option::unwrap_or_default).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// Can a piece of a shift, whose versions are given, be one of those that are asked for within a range?
    fn may_be_of(&self, id: &str, versions: &[usize], of: LineSelection<'_>, range: Interval) -> bool {
        match of {
            LineSelection::All => true,
            LineSelection::Shift(wanted) => wanted == id,
            LineSelection::Level(level) => {
                let of_versions = versions.iter().filter_map(|place| self.versions.get(*place));
                let of_versions = of_versions.map(|version| (version.valid, version.level));
                let of_overrides = self.overrides.iter().filter_map(|one| Some((one.time, one.shift.as_ref()?)));
                let of_overrides =
                    of_overrides.filter(|(_, shift)| shift.id == id).map(|(time, shift)| (time, shift.level));
                let mut levels = of_versions.chain(of_overrides).filter(|(time, _)| time.intersection(range).is_some());
                levels.any(|(_, own)| own.unwrap_or_default() == level)
            }
        }
    }

    /// The shifts that there are, with the places of their versions.
    fn ids(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut ids: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, version) in self.versions.iter().enumerate() {
            ids.entry(&version.id).or_default().push(place);
        }
        for shift in self.overrides.iter().filter_map(|one| one.shift.as_ref()) {
            ids.entry(&shift.id).or_default();
        }
        ids
    }

    /// What overrides of the whole roster cover while nothing takes place.
    fn on_no_line(&self, asked: Interval, covered: &[Interval], pieces: &mut Vec<Segment>) {
        let all: Vec<(usize, Interval)> = (0..)
            .zip(&self.overrides)
            .filter(|(_, one)| one.shift.is_none() && !one.of_one)
            .filter_map(|(place, one)| Some((place, one.time.intersection(asked)?)))
            .collect();
        let free = sets::subtract(all.iter().map(|(_, time)| *time), covered.iter().copied());
        for (last, time) in last_made(&all) {
            let first = free.partition_point(|free| free.end() <= time.start());
            let parts = free.iter().skip(first).map_while(|free| free.intersection(time));
            // Anyone who is relieved of nothing is not told of.
            let piece = |time| Segment { time, shift: Label::None, post: None, over: vec![last] };
            pieces.extend(parts.map(piece));
        }
    }
}

/// Of overrides, by their places, the last one that was made at each time, as long as it is that one.
fn last_made(overrides: &[(usize, Interval)]) -> Vec<(usize, Interval)> {
    let edges = |(place, time): &(usize, Interval)| [(time.start(), true, *place), (time.end(), false, *place)];
    let mut changes: Vec<(Timestamp, bool, usize)> = overrides.iter().flat_map(edges).collect();
    changes.sort_unstable();
    let mut found: Vec<(usize, Interval)> = Vec::new();
    let mut open = BTreeSet::new();
    for ((at, begins, place), (next, ..)) in changes.iter().zip(changes.iter().skip(1)) {
        if *begins {
            open.insert(*place);
        } else {
            open.remove(place);
        }
        let (Some(last), Some(time)) = (open.last().copied(), Interval::new(*at, *next)) else { continue };
        match found.last_mut().filter(|(known, before)| *known == last && before.end() == time.start()) {
            Some((_, whole)) => *whole = Interval::new(whole.start(), time.end()).unwrap_or(*whole),
            None => found.push((last, time)),
        }
    }
    found
}

fn order(piece: &Segment) -> (Timestamp, Timestamp, bool, Label) {
    (piece.time.start(), piece.time.end(), !piece.over.is_empty(), piece.shift)
}

/// A range with all of what touches it.
fn widened(range: Interval, touched: impl Iterator<Item = Interval>) -> Interval {
    let mut start = range.start();
    let mut end = range.end();
    for time in touched {
        start = start.min(time.start());
        end = end.max(time.end());
    }
    let furthest = |at: Timestamp, by: i64| Timestamp::from_millis(at.millis().saturating_add(by));
    let start = start.max(furthest(range.start(), -FURTHER_MS));
    let end = end.min(furthest(range.end(), FURTHER_MS));
    Interval::new(start, end).unwrap_or(range)
}

impl Version {
    /// When the shift takes place in this version and who has its posts then: what has a part in a range, each as long
    /// as nothing changes.
    fn posts(&self, range: Interval, most: usize) -> Vec<(Interval, usize)> {
        let Some(asked) = self.valid.intersection(range) else { return Vec::new() };
        let stretches = self.rule.stretches(asked.start()..asked.end()).into_iter();
        let mut posts = Vec::new();
        let mut known = None;
        for stretch in stretches.filter_map(|stretch| stretch.intersection(self.valid)) {
            match &self.places {
                None => posts.push((stretch, 0)),
                Some(places) => places.cut(stretch, asked, most, &mut known, &mut posts),
            }
            if posts.len() > most {
                break;
            }
        }
        posts
    }
}

/// Turns that follow each other and have the same post.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// From the start of the first until the end of the last; `None` where the calendar ends.
    time: Option<Interval>,
    post: usize,
    /// The turn after the last; `None` when the post is always the same.
    next: Option<i64>,
}

impl Places {
    /// Cuts a stretch at the hand-overs: what has a part in the range that is asked for, whole. `known` is the run that
    /// was found last, which many stretches share: to find one takes several local times.
    fn cut(
        &self,
        stretch: Interval,
        asked: Interval,
        most: usize,
        known: &mut Option<Run>,
        posts: &mut Vec<(Interval, usize)>,
    ) {
        let mut stretch = stretch;
        if let Some((until, post)) = self.kept.filter(|(until, _)| stretch.start() < *until) {
            let kept = Interval::new(stretch.start(), until.min(stretch.end()));
            posts.extend(kept.filter(|kept| kept.intersection(asked).is_some()).map(|kept| (kept, post)));
            let Some(rest) = Interval::new(until, stretch.end()) else { return };
            stretch = rest;
        }
        let first = self.turns.first();
        let Some(asked) = asked.intersection(stretch) else { return };
        if asked.start() < first {
            posts.extend(Interval::new(stretch.start(), first.min(stretch.end())).map(|before| (before, 0)));
        }
        if first >= asked.end() {
            return;
        }
        let begin = asked.start().max(first);
        let same = known.filter(|run| run.time.is_some_and(|time| time.contains(begin)));
        let mut run = same.or_else(|| self.turns.at(begin).map(|number| self.run(number, 0)));
        while let Some(Run { time, post, next }) = run {
            *known = run;
            posts.extend(time.and_then(|time| time.intersection(stretch)).map(|time| (time, post)));
            let done = time.is_some_and(|time| time.end() >= asked.end()) || posts.len() > most;
            run = next.filter(|_| !done).map(|number| self.run(number, number));
        }
    }

    /// The run that a turn is in, from a turn on.
    fn run(&self, number: i64, earliest: i64) -> Run {
        let (post, from, next) = self.same(number, earliest);
        let time = match next {
            Some(next) => self.turns.between(from, next),
            None => Interval::new(self.turns.first(), Timestamp::from_millis(i64::MAX)),
        };
        Run { time, post, next }
    }

    /// The post of a turn.
    pub fn post(&self, turn: i64) -> usize {
        if let Some((moved, _)) = self.moves.turn(turn) {
            return self.first_moved + moved;
        }
        self.posts.get(self.moves.place(turn, self.posts.len())).copied().unwrap_or_default()
    }

    /// The post of a turn, and from which turn, not before the earliest, until before which the post is the same; for
    /// ever when it always is.
    fn same(&self, number: i64, earliest: i64) -> (usize, i64, Option<i64>) {
        let count = i64::try_from(self.posts.len().max(1)).unwrap_or(i64::MAX);
        let post = self.post(number);
        let differs = |turn: &i64| self.post(*turn) != post;
        let later = (number + 1..number + count).find(differs);
        if later.is_none() && self.moves.is_empty() {
            return (post, 0, None);
        }
        // Where turns moved, the same post may go on beyond that: what goes on is joined later.
        let before = (earliest.max(number - count)..number).rev().find(differs);
        let from = before.map_or(earliest.max(number - count), |turn| turn + 1);
        (post, from, Some(later.unwrap_or(number + count)))
    }
}
