//! The questions that a rule answers. Each begins near the instant asked about, not at the rule's start.

use std::ops::Range;

use base::Timestamp;

use crate::{
    interval::Interval,
    local::Day,
    rule::{Recurrence, Rule},
};

/// How many occurrences a stretch is followed in either direction. Rosters need few: a week without a gap that has an
/// end is one of every other week.
const MOST_STEPS: usize = 400;

impl Rule {
    /// The occurrences that have a part in `range` (its start belongs to it, its end does not), whole and in order.
    ///
    /// Lazy: each costs the same, and none outside the range is looked for. Ranges that meet share the occurrence that
    /// runs across the border; [`Interval::intersection`] cuts it.
    pub fn occurrences(&self, range: Range<Timestamp>) -> Occurrences<'_> {
        if range.is_empty() {
            return Occurrences { source: Source::OneTime(None), after: range.start, until: Some(range.end) };
        }
        self.ending_after(range.start, Some(range.end))
    }

    /// The stretches of time that have a part in `range`, whole and in order, in which the rule takes place without a
    /// gap: occurrences that touch are one. A stretch without an end ends at the last instant that there is.
    pub fn stretches(&self, range: Range<Timestamp>) -> Vec<Interval> {
        let rule = match self {
            Rule::Recurring(rule) if rule.is_whole_days() => rule,
            _ => return self.occurrences(range).collect(),
        };
        if let Some(dates) = rule.all_dates() {
            return rule.runs(dates, &range);
        }
        let mut stretches: Vec<Interval> = Vec::new();
        for occurrence in self.occurrences(range) {
            let mut start = occurrence.start();
            let mut end = occurrence.end();
            if stretches.last().is_some_and(|last| end <= last.end()) {
                continue;
            }
            for _ in 0..MOST_STEPS {
                let Some(before) = self.previous(start).filter(|before| before.end() == start) else { break };
                start = before.start();
            }
            for _ in 0..MOST_STEPS {
                let Some(after) = self.contains(end).filter(|after| after.start() == end) else { break };
                end = after.end();
            }
            stretches.extend(Interval::new(start, end));
        }
        stretches
    }

    /// The occurrence that contains an instant.
    pub fn contains(&self, at: Timestamp) -> Option<Interval> {
        self.ending_after(at, None).next().filter(|occurrence| occurrence.contains(at))
    }

    /// The next `n` occurrences that start after an instant; fewer when the rule ends. One that starts at it is not
    /// the next one but the current one, which [`Rule::contains`] answers.
    pub fn next(&self, n: usize, after: Timestamp) -> Vec<Interval> {
        self.ending_after(after, None).filter(|occurrence| occurrence.start() > after).take(n).collect()
    }

    /// The last occurrence that ended at or before an instant.
    pub fn previous(&self, at: Timestamp) -> Option<Interval> {
        let rule = match self {
            Rule::OneTime(interval) => return Some(*interval).filter(|interval| interval.end() <= at),
            Rule::LeftOut(_) => return None,
            Rule::Recurring(rule) => rule,
        };
        // When the clocks go back over midnight, what has begun and ended may be of the next date.
        let mut date = rule.date_until(rule.day(at).plus(1));
        while let Some(day) = date {
            if let Some((start, end)) = rule.start(day).zip(rule.end(day))
                && end <= at
                && let Some(interval) = Interval::new(start, end)
            {
                return Some(interval);
            }
            date = rule.date_until(day.plus(-1));
        }
        None
    }

    /// Every start after an instant, in order: what a job is due at. Here an occurrence counts even if nothing is left
    /// of it.
    pub fn starts(&self, after: Timestamp) -> impl Iterator<Item = Timestamp> {
        let (once, recurring) = match self {
            Rule::OneTime(interval) => (Some(interval.start()), None),
            Rule::LeftOut(_) => (None, None),
            Rule::Recurring(rule) => {
                // A start after an instant lies after the local time of that instant.
                let first = rule.date_from(rule.day(after));
                let dates = std::iter::successors(first, |date| rule.date_from(date.plus(1)));
                (None, Some(dates.map_while(|date| rule.start(date))))
            }
        };
        once.into_iter().chain(recurring.into_iter().flatten()).skip_while(move |start| *start <= after)
    }

    /// How many occurrences start before an instant, without a walk over them. As in [`End::Occurrences`], one of which
    /// the clocks leave nothing counts.
    ///
    /// [`End::Occurrences`]: crate::End::Occurrences
    pub fn count_before(&self, at: Timestamp) -> i64 {
        match self {
            Rule::OneTime(interval) => i64::from(interval.start() < at),
            Rule::LeftOut(_) => 0,
            Rule::Recurring(rule) => rule.count_before(at),
        }
    }

    /// When the occurrence with a position starts, the first having 0; [`None`] when there are fewer. Counts as
    /// [`Rule::count_before`] does.
    pub fn nth_start(&self, position: i64) -> Option<Timestamp> {
        match self {
            Rule::OneTime(interval) => (position == 0).then(|| interval.start()),
            Rule::LeftOut(_) => None,
            Rule::Recurring(rule) => rule.start(rule.nth(position)?),
        }
    }

    fn ending_after(&self, after: Timestamp, until: Option<Timestamp>) -> Occurrences<'_> {
        let source = match self {
            Rule::OneTime(interval) => Source::OneTime(Some(*interval)),
            Rule::LeftOut(_) => Source::OneTime(None),
            Rule::Recurring(rule) => {
                // An end after an instant lies after the local time of that instant, and at most so many dates after
                // its start.
                Source::Recurring(rule, rule.date_from(rule.day(after).plus(-rule.longest_days())))
            }
        };
        Occurrences { source, after, until }
    }
}

/// Occurrences of one rule, in order; made by [`Rule::occurrences`].
#[derive(Clone, Debug)]
pub struct Occurrences<'r> {
    source: Source<'r>,
    /// What ends at or before this is left out.
    after: Timestamp,
    /// What starts at or after this is left out.
    until: Option<Timestamp>,
}

#[derive(Clone, Debug)]
enum Source<'r> {
    OneTime(Option<Interval>),
    Recurring(&'r Recurrence, Option<Day>),
}

impl Occurrences<'_> {
    /// The next one that ends after `after`.
    fn advance(&mut self) -> Option<Interval> {
        match &mut self.source {
            Source::OneTime(interval) => interval.take().filter(|interval| interval.end() > self.after),
            Source::Recurring(rule, date) => loop {
                let day = (*date)?;
                *date = rule.date_from(day.plus(1));
                // Only the end of the calendar has no instant, and nothing follows it.
                let end = rule.end(day)?;
                if end <= self.after {
                    continue;
                }
                if let Some(interval) = Interval::new(rule.start(day)?, end) {
                    return Some(interval);
                }
            },
        }
    }
}

impl Iterator for Occurrences<'_> {
    type Item = Interval;

    fn next(&mut self) -> Option<Interval> {
        let found = self.advance().filter(|found| self.until.is_none_or(|until| found.start() < until));
        if found.is_none() {
            self.source = Source::OneTime(None);
        }
        found
    }
}

impl std::iter::FusedIterator for Occurrences<'_> {}
