//! When a window is open: its schedule, and what was said of its occurrences since. Pure.

use std::ops::Range;

use base::{body::Request as _, problem::Problem, timestamp::Timestamp};
use calendar::{Interval, Rule};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schedule::WindowSchedule;

#[cfg(test)]
mod tests;

/// Before and after everything that takes place.
const FIRST: Timestamp = Timestamp::from_millis(-86_400_000);
const LAST: Timestamp = Timestamp::from_millis(253_402_300_799_000);

/// The most entries of a kind that are kept of what was said of a window, beside occurrences that are under way. Those
/// that are over make room for others.
const MOST_KEPT: usize = 500;

/// What became of a window since its schedule was made. Instants are milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holds {
    /// From when until when it is suspended; without an end until it is resumed. In order, without overlaps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspensions: Vec<(i64, Option<i64>)>,
    /// Occurrences, by their start, that end at another time; at their start: that do not take place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<(i64, i64)>,
    /// When the whole window was ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<i64>,
}

/// What a window is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It is open.
    Active,
    /// It is not open, and will be.
    Pending,
    /// It would be open or pending, and somebody suspended it, now or all that is to come of it.
    Suspended,
    /// It was ended, or nothing of it is left.
    Completed,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Active, Self::Pending, Self::Suspended, Self::Completed];

    /// The words on the wire.
    pub const WORDS: [&str; 4] = ["Active", "Pending", "Suspended", "Completed"];

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        Self::WORDS.get(self as usize).copied().unwrap_or_default()
    }

    /// Reads a word, in any letter case.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word().eq_ignore_ascii_case(word.trim()))
    }
}

/// When a window is open.
#[derive(Clone, Debug)]
pub struct Course {
    rule: Rule,
    holds: Holds,
}

/// The whole second that an instant lies in: what clients see of it.
pub fn second(at: Timestamp) -> i64 {
    at.millis().div_euclid(1_000) * 1_000
}

/// Removes as many entries that are over, the first ones, as there are more than `most`.
fn forget<T>(entries: &mut Vec<T>, most: usize, is_over: impl Fn(&T) -> bool, kind: &str) -> Result<(), Problem> {
    let mut more = entries.len().saturating_sub(most);
    entries.retain(|entry| {
        let goes = more > 0 && is_over(entry);
        more -= usize::from(goes);
        !goes
    });
    if more > 0 {
        return Err(Problem::conflict(format!("The maintenance window has at most {MOST_KEPT} {kind}.")));
    }
    Ok(())
}

impl Course {
    /// Of a schedule, and what was said since.
    pub fn new(schedule: &WindowSchedule, holds: Holds) -> Self {
        Self { rule: schedule.rule(), holds }
    }

    /// The same, without the oldest of what is over where more was said than is kept.
    ///
    /// # Errors
    /// 409 when more of it is to come than is kept.
    pub fn within_limits(mut self, now: Timestamp) -> Result<Self, Problem> {
        let mut holds = std::mem::take(&mut self.holds);
        let is_over = |(_, until): &(i64, Option<i64>)| until.is_some_and(|until| until <= now.millis());
        forget(&mut holds.suspensions, MOST_KEPT, is_over, "suspensions to come; resume takes back all of them")?;
        // One under way is extended and ended however many are to come.
        let planned = self.rule.contains(now).map(|planned| planned.start().millis());
        let is_over = |(start, end): &(i64, i64)| *end <= now.millis() && Some(*start) != planned;
        let is_under_way = |entry: &&(i64, i64)| entry.0 <= now.millis() && !is_over(entry);
        let most = MOST_KEPT + holds.ends.iter().filter(is_under_way).count();
        forget(&mut holds.ends, most, is_over, "occurrences to come that were skipped; unskip takes one back")?;
        self.holds = holds;
        Ok(self)
    }

    /// What was said of its occurrences.
    pub fn holds(&self) -> &Holds {
        &self.holds
    }

    /// The first and the last instant of all occurrences, suspended or not; `None` when there are none at all.
    pub fn bounds(&self) -> Option<Interval> {
        let first = self.rule.occurrences(FIRST..LAST).next()?.start();
        let last = self.rule.previous(LAST)?.end().millis();
        let last = self.holds.ends.iter().map(|(_, end)| *end).fold(last, i64::max);
        let last = self.holds.ended.map_or(last, |ended| ended.min(last));
        // One that was ended before it began has an instant left, so that it has a place in lists.
        Interval::new(first, Timestamp::from_millis(last.max(first.millis() + 1)))
    }

    /// The stretches in which it is open that have a part in a range, whole and in order.
    pub fn open(&self, range: Range<Timestamp>) -> impl Iterator<Item = Interval> + '_ {
        // An occurrence that was extended into the range ended before it by its rule.
        let started = |(start, end): &&(i64, i64)| *start < range.start.millis() && *end > range.start.millis();
        let from = self.holds.ends.iter().filter(started).map(|(start, _)| *start).min();
        let from = from.map_or(range.start, Timestamp::from_millis).min(range.start);
        self.occurrences(from..range.end)
            .flat_map(|occurrence| self.parts(occurrence))
            .filter(move |part| part.end() > range.start && part.start() < range.end)
    }

    /// The occurrences that have a part in a range by the schedule, without those that a suspension leaves nothing of,
    /// but for the first of such.
    fn occurrences(&self, range: Range<Timestamp>) -> impl Iterator<Item = Interval> + '_ {
        let until = self.limit().min(range.end);
        let mut occurrences = self.rule.occurrences(range.start..until);
        std::iter::from_fn(move || {
            let occurrence = occurrences.next()?;
            if let Some(resumed) = self.resumed_after(occurrence) {
                occurrences = self.rule.occurrences(resumed..until);
            }
            Some(occurrence)
        })
    }

    /// Where to go on after an occurrence that lies wholly in a suspension: what is suspended for years is not gone
    /// through day by day. `None` for any other.
    fn resumed_after(&self, occurrence: Interval) -> Option<Timestamp> {
        let said = self.said(occurrence)?;
        let (start, end) = (said.start().millis(), said.end().millis());
        let mut ended = self.holds.suspensions.iter().filter_map(|(from, until)| Some((*from, (*until)?)));
        let (_, until) = ended.find(|(from, until)| *from <= start && end <= *until)?;
        // One that begins in the suspension and was extended beyond its end is over by its rule.
        let extended = self.holds.ends.iter().filter(|(other, end)| start < *other && *other < until && until < *end);
        let resumed = extended.map(|(start, _)| *start).min().unwrap_or(until);
        Some(Timestamp::from_millis(resumed).max(occurrence.end()))
    }

    /// Nothing takes place after this instant.
    fn limit(&self) -> Timestamp {
        let forever = self.holds.suspensions.iter().filter(|(_, until)| until.is_none()).map(|(from, _)| *from);
        forever.chain(self.holds.ended).min().map_or(LAST, Timestamp::from_millis)
    }

    /// When an occurrence takes place, after what was said of it; `None` when it does not.
    fn kept(&self, occurrence: Interval) -> Option<Interval> {
        let said = self.said(occurrence)?;
        // It was extended over others that were suspended, and are not any more.
        let following = (said.end() > occurrence.end()).then(|| self.following(occurrence.start())).flatten();
        Interval::new(said.start(), following.map_or(said.end(), |following| said.end().min(following)))
    }

    /// The same, whatever others take place meanwhile.
    fn said(&self, occurrence: Interval) -> Option<Interval> {
        let start = occurrence.start();
        let changed = self.holds.ends.iter().find(|(known, _)| *known == start.millis());
        let end = changed.map_or(occurrence.end(), |(_, end)| Timestamp::from_millis(*end));
        let end = self.holds.ended.map_or(end, |ended| end.min(Timestamp::from_millis(ended)));
        Interval::new(start, end)
    }

    /// What is left of an occurrence between suspensions.
    fn parts(&self, occurrence: Interval) -> Vec<Interval> {
        self.kept(occurrence).map(|kept| self.unsuspended(kept)).unwrap_or_default()
    }

    fn unsuspended(&self, kept: Interval) -> Vec<Interval> {
        let mut from = kept.start();
        let mut parts = Vec::new();
        for (start, until) in &self.holds.suspensions {
            let start = Timestamp::from_millis(*start);
            let until = until.map_or(LAST, Timestamp::from_millis);
            if until <= from || start >= kept.end() {
                continue;
            }
            parts.extend(Interval::new(from, start));
            from = until;
        }
        parts.extend(Interval::new(from, kept.end()));
        parts
    }

    /// The stretch that an instant lies in, when it is open then.
    pub fn open_at(&self, at: Timestamp) -> Option<Interval> {
        let next = Timestamp::from_millis(at.millis() + 1);
        self.open(at..next).find(|part| part.contains(at))
    }

    /// The next stretch that starts after an instant.
    pub fn next(&self, at: Timestamp) -> Option<Interval> {
        self.open(at..LAST).find(|part| part.start() > at)
    }

    /// The occurrence that an instant lies in, suspended or not, or the next one.
    pub fn occurrence(&self, at: Timestamp) -> Option<Interval> {
        let unsuspended =
            Self { rule: self.rule.clone(), holds: Holds { suspensions: Vec::new(), ..self.holds.clone() } };
        unsuspended.open(at..LAST).next()
    }

    /// The occurrence that starts at an instant, as the schedule has it.
    pub fn starting_at(&self, start: Timestamp) -> Option<Interval> {
        self.rule.contains(start).filter(|occurrence| occurrence.start() == start)
    }

    /// The occurrence, as the schedule has it, that starts at an instant or goes on then after a suspension, whatever
    /// was said of its end.
    pub fn going_on_at(&self, start: Timestamp) -> Option<Interval> {
        let goes_on = self.holds.suspensions.iter().any(|(_, until)| *until == Some(start.millis()));
        self.rule.contains(start).filter(|occurrence| goes_on || occurrence.start() == start)
    }

    /// The occurrences that are not over, as the schedule has them, and were skipped or ended early; in order.
    pub fn skipped(&self, at: Timestamp) -> impl Iterator<Item = Interval> + '_ {
        let under_way = self.rule.contains(at);
        let planned = move |start: Timestamp| match start > at {
            true => self.starting_at(start),
            false => under_way.filter(|occurrence| occurrence.start() == start),
        };
        let cut = move |(start, end): &(i64, i64)| {
            planned(Timestamp::from_millis(*start)).filter(|occurrence| *end < occurrence.end().millis())
        };
        self.holds.ends.iter().filter(|_| self.holds.ended.is_none()).filter_map(cut)
    }

    /// Does an occurrence before this one, which was extended, go on when this one begins?
    pub fn runs_into(&self, occurrence: Interval) -> bool {
        let start = occurrence.start().millis();
        self.holds.ends.iter().any(|(other, end)| *other < start && *end > start)
    }

    /// The start of the first occurrence after an instant of which something takes place.
    pub fn following(&self, at: Timestamp) -> Option<Timestamp> {
        let after = Timestamp::from_millis(at.millis() + 1);
        let mut following = self.occurrences(after..LAST).filter(|next| next.start() > at);
        let takes_place = |next: &Interval| self.said(*next).is_some_and(|said| !self.unsuspended(said).is_empty());
        following.find(takes_place).map(|next| next.start())
    }

    /// What it is doing.
    pub fn state(&self, at: Timestamp) -> State {
        if self.holds.ended.is_some_and(|ended| ended <= at.millis()) || self.occurrence(at).is_none() {
            State::Completed
        } else if self.suspension(at).is_some() {
            State::Suspended
        } else if self.open_at(at).is_some() {
            State::Active
        } else if self.next(at).is_some() {
            State::Pending
        } else {
            State::Suspended
        }
    }

    /// The suspension that an instant lies in.
    pub fn suspension(&self, at: Timestamp) -> Option<(i64, Option<i64>)> {
        let at = at.millis();
        self.holds.suspensions.iter().copied().find(|(from, until)| *from <= at && until.is_none_or(|until| at < until))
    }
}

impl Holds {
    /// Adds a suspension; those that it touches become one with it.
    pub fn suspend(&mut self, from: i64, until: Option<i64>) {
        let end = |until: Option<i64>| until.unwrap_or(i64::MAX);
        let mut from = from;
        let mut until = until;
        self.suspensions.retain(|(start, stop)| {
            let apart = end(*stop) < from || end(until) < *start;
            if !apart {
                from = from.min(*start);
                until = until.zip(*stop).map(|(one, other)| one.max(other));
            }
            apart
        });
        self.suspensions.push((from, until));
        self.suspensions.sort_unstable();
    }

    /// Ends the present suspension, and takes back those to come. Says whether there was any.
    pub fn resume(&mut self, now: i64) -> bool {
        let before = self.suspensions.clone();
        self.suspensions.retain(|(from, _)| *from < now);
        for (_, until) in &mut self.suspensions {
            if until.is_none_or(|until| until > now) {
                *until = Some(now);
            }
        }
        self.suspensions != before
    }

    /// Ends an occurrence at another time.
    pub fn end_occurrence(&mut self, start: i64, end: i64) {
        self.ends.retain(|(known, _)| *known != start);
        self.ends.push((start, end));
        self.ends.sort_unstable();
    }

    /// Lets an occurrence take place as its schedule says, whatever was said of its end. Since when it was closed until
    /// now, it stays so.
    pub fn take_back(&mut self, start: i64, now: i64) {
        let closed = self.ends.iter().find(|(known, _)| *known == start).map(|(_, end)| *end);
        self.ends.retain(|(known, _)| *known != start);
        if let Some(closed) = closed.filter(|closed| *closed < now) {
            self.suspend(closed, Some(now));
        }
    }
}

/// Reads a schedule that was stored.
///
/// # Errors
/// When it cannot be read.
pub fn stored_schedule(stored: &Value) -> Result<WindowSchedule, Problem> {
    WindowSchedule::parse(stored).map_err(|_| Problem::internal())
}
