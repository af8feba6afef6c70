//! Rules of schedules: one interval, or one that repeats in local time.

use std::{collections::BTreeSet, sync::Arc};

use base::Timestamp;

use crate::{
    dates::Dates,
    interval::Interval,
    local::{Day, TimeOfDay},
    pattern::Pattern,
    zones::Zone,
};

/// When a shift, a maintenance window or a job takes place ("Time zones and calendars" of `docs/interface.md`).
///
/// A recurring rule is one in local time of its zone: on each date of its pattern an occurrence runs from a time of day
/// to another one, on the next date when that is not later. A local time that does not exist (the clocks go forward)
/// moves to the first instant that does; one that occurs twice (the clocks go back) is taken once, at its first
/// occurrence; for starts and ends alike, so that shifts that touch keep touching. An occurrence of which nothing is
/// left that way, start and end both lying in the hour that is skipped, does not take place; as one of a given number
/// of occurrences it still counts, because that number counts dates. A maintenance window ([`Rule::repeated`]) takes
/// place all the same: it lasts as long as otherwise, from the first instant that exists.
///
/// Occurrences contain their start and not their end, never overlap and come in order. Nothing takes place after the
/// year 9999.
#[derive(Clone, Debug)]
pub enum Rule {
    /// Once.
    OneTime(Interval),
    /// Again and again.
    Recurring(Recurrence),
    /// It would take place once, and was left out.
    LeftOut(Interval),
}

/// A recurring rule as a roster's shift has it (operation 11 of `docs/interface.md`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Recurring {
    /// Whose clocks count.
    pub zone: Zone,
    /// The anchor is the first local date on which `start_time` is at or after this instant.
    pub start_date: Timestamp,
    /// When an occurrence starts.
    pub start_time: TimeOfDay,
    /// When it ends: on the next date when this is not after `start_time`.
    pub end_time: TimeOfDay,
    /// On which dates.
    pub pattern: Pattern,
    /// For how long.
    pub end: End,
}

/// A recurring rule as a maintenance window has it (operation 14 of `docs/interface.md`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Repeated {
    /// Whose clocks count.
    pub zone: Zone,
    /// Its local date is the anchor, and its local time of day that of every start.
    pub start: Timestamp,
    /// Its local time of day is that of every end. Unless the rule is perpetual, no occurrence starts at or after it.
    /// When a monthly or yearly pattern has no date before it, and it is within a week after `start`, both are the ends
    /// of a window, which repeats without an end.
    pub end: Timestamp,
    /// On which dates.
    pub pattern: Pattern,
    /// Whether the date of `end` does not count.
    pub perpetual: bool,
}

/// A window that is longer than a day lasts so long at most.
const LONGEST_MS: i64 = 7 * 86_400_000;

/// When a recurring rule stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Never.
    Never,
    /// After so many dates.
    Occurrences(u32),
    /// Before this instant: an occurrence that began earlier runs to its end, and none begins at it.
    Date(Timestamp),
}

/// A recurring rule, worked out: it knows its anchor and its last date, so that no question has to count again.
#[derive(Clone, Debug)]
pub struct Recurrence {
    zone: Zone,
    start_time: TimeOfDay,
    end_time: TimeOfDay,
    /// How many days after the date of an occurrence it ends.
    end_days: i64,
    /// Does an occurrence of which the clocks leave nothing take place all the same?
    keeps_length: bool,
    dates: Dates,
    /// The first date that could be one, and the last; none when the last is earlier.
    bounds: (Day, Day),
    /// Dates that are left out, in order.
    left_out: Arc<[LeftOutDate]>,
}

/// A date of a rule that is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LeftOutDate {
    day: Day,
    /// Its position among all dates of the rule.
    position: i64,
    /// How many dates before it are not left out.
    kept_before: i64,
}

impl Rule {
    /// The rule of a roster's shift.
    pub fn recurring(rule: Recurring) -> Self {
        let Recurring { zone, start_time, .. } = rule;
        // When the clocks skip the hour before midnight, what should start in it starts at midnight, a date later.
        let mut anchor = zone.local(rule.start_date).day.plus(-1);
        while zone.instant(anchor, start_time).is_some_and(|start| start < rule.start_date) {
            anchor = anchor.plus(1);
        }
        Self::Recurring(Recurrence::new(
            zone,
            (start_time, rule.end_time),
            Dates::new(rule.pattern, anchor),
            anchor,
            rule.end,
        ))
    }

    /// The rule of a maintenance window.
    pub fn repeated(rule: Repeated) -> Self {
        let zone = rule.zone;
        let start = zone.local(rule.start);
        let end = zone.local(rule.end);
        let until = if rule.perpetual {
            End::Never
        } else {
            // Of an hour that occurs twice, occurrences know the first only; so must the end, or one would start at it.
            End::Date(zone.instant(end.day, end.time).unwrap_or(rule.end))
        };
        let make = |until| {
            let dates = Dates::new(rule.pattern, start.day);
            Recurrence { keeps_length: true, ..Recurrence::new(zone, (start.time, end.time), dates, start.day, until) }
        };
        let recurrence = make(until);
        let is_rare = matches!(rule.pattern, Pattern::Monthly { .. } | Pattern::Yearly { .. });
        let length = rule.end.millis().saturating_sub(rule.start.millis());
        if is_rare && (1..=LONGEST_MS).contains(&length) && recurrence.date_from(start.day).is_none() {
            // Where the clocks go back, an end on the date of the start may have an earlier time of day.
            let end_days = end.day.since(start.day).max(recurrence.end_days);
            return Self::Recurring(Recurrence { end_days, ..make(End::Never) });
        }
        Self::Recurring(recurrence)
    }
}

impl Rule {
    /// The same without the occurrences that start on some dates: those of `days` of which `is_left_out` says so, with
    /// when the occurrence starts. The date of one that takes place once is that of a zone. What is left out counts in
    /// a number of occurrences after which the rule ends.
    #[must_use]
    pub fn without(self, zone: Zone, days: &BTreeSet<Day>, is_left_out: impl Fn(Day, Timestamp) -> bool) -> Self {
        match self {
            Self::OneTime(interval) => {
                let day = Day::at(zone, interval.start());
                let out = days.contains(&day) && is_left_out(day, interval.start());
                if out { Self::LeftOut(interval) } else { self }
            }
            Self::Recurring(rule) => Self::Recurring(rule.without(days, is_left_out)),
            Self::LeftOut(_) => self,
        }
    }

    /// The occurrences that were left out and have a part in a range, whole and in order.
    pub fn left_out(&self, range: Interval) -> Vec<Interval> {
        match self {
            Self::OneTime(_) => Vec::new(),
            Self::LeftOut(interval) => interval.intersection(range).map(|_| *interval).into_iter().collect(),
            Self::Recurring(rule) => {
                let first = rule.day(range.start()).plus(-rule.longest_days() - 1);
                let near = rule.left_out.partition_point(|out| out.day < first);
                let found = rule.left_out.iter().skip(near).map_while(|out| {
                    let start = rule.start(out.day).filter(|start| *start < range.end())?;
                    Some(Interval::new(start, rule.end(out.day)?))
                });
                found.flatten().filter(|time| time.intersection(range).is_some()).collect()
            }
        }
    }
}

impl Recurrence {
    fn without(self, days: &BTreeSet<Day>, is_left_out: impl Fn(Day, Timestamp) -> bool) -> Self {
        let (first, last) = self.bounds;
        if first > last {
            return self;
        }
        let mut left_out = Vec::new();
        for day in days.range(first..=last).filter(|day| self.dates.first_from(**day) == Some(**day)) {
            if self.start(*day).is_some_and(|start| is_left_out(*day, start)) {
                let position = self.dates.before(*day);
                let kept_before = position - i64::try_from(left_out.len()).unwrap_or(i64::MAX);
                left_out.push(LeftOutDate { day: *day, position, kept_before });
            }
        }
        Self { left_out: left_out.into(), ..self }
    }

    fn is_left_out(&self, day: Day) -> bool {
        self.left_out.binary_search_by_key(&day, |out| out.day).is_ok()
    }

    /// Of a rule of all dates, the runs of dates that are not interrupted and have a part in a range; the last one has
    /// no end when the rule has none.
    pub(crate) fn runs(&self, (first, last): (Day, Day), range: &std::ops::Range<Timestamp>) -> Vec<Interval> {
        let near = self.day(range.start).plus(-2);
        let mut next = self.left_out.partition_point(|out| out.day < near);
        let before = next.checked_sub(1).and_then(|before| self.left_out.get(before));
        let mut from = before.map_or(first, |out| out.day.plus(1));
        let mut runs = Vec::new();
        loop {
            let until = self.left_out.get(next).map_or(last, |out| out.day.plus(-1));
            if from <= until {
                let never = Timestamp::from_millis(i64::MAX);
                let end = self.end(until).filter(|_| until < Day::LAST).unwrap_or(never);
                let Some(start) = self.start(from).filter(|start| *start < range.end) else { return runs };
                runs.extend(Interval::new(start, end).filter(|run| range.start < run.end()));
            }
            match self.left_out.get(next) {
                Some(out) => from = out.day.plus(1),
                None => return runs,
            }
            next += 1;
        }
    }

    fn new(zone: Zone, (start_time, end_time): (TimeOfDay, TimeOfDay), dates: Dates, anchor: Day, end: End) -> Self {
        let end_days = if end_time <= start_time { 1 } else { 0 };
        let nothing = anchor.plus(-1);
        let last = match end {
            End::Never => Day::LAST,
            End::Occurrences(0) => nothing,
            End::Occurrences(count) => dates.nth(count - 1).unwrap_or(Day::LAST),
            End::Date(end) => {
                // When the clocks go back over midnight, what began before may be of the next date.
                let mut last = zone.local(end).day.plus(1);
                while last >= anchor && zone.instant(last, start_time).is_none_or(|start| start >= end) {
                    last = last.plus(-1);
                }
                last
            }
        };
        let left_out = Arc::new([]);
        Self { zone, start_time, end_time, end_days, keeps_length: false, dates, bounds: (anchor, last), left_out }
    }

    /// The first date on or after a day.
    pub(crate) fn date_from(&self, day: Day) -> Option<Day> {
        let mut date = self.dates.first_from(day)?;
        while self.is_left_out(date) {
            date = self.dates.first_from(date.plus(1))?;
        }
        Some(date).filter(|date| *date <= self.bounds.1)
    }

    /// The last date on or before a day.
    pub(crate) fn date_until(&self, day: Day) -> Option<Day> {
        let mut date = self.dates.last_until(day.min(self.bounds.1))?;
        while self.is_left_out(date) {
            date = self.dates.last_until(date.plus(-1))?;
        }
        Some(date).filter(|date| *date >= self.bounds.0)
    }

    /// The date with a position, the first having 0.
    pub(crate) fn nth(&self, position: i64) -> Option<Day> {
        // Each date that is left out before it moves it by one.
        let moved = self.left_out.partition_point(|out| out.kept_before <= position);
        let position = position.checked_add(i64::try_from(moved).ok()?)?;
        self.dates.nth(u32::try_from(position).ok()?).filter(|date| *date <= self.bounds.1)
    }

    /// How many dates have an occurrence that starts before an instant.
    pub(crate) fn count_before(&self, at: Timestamp) -> i64 {
        // What starts at or after an instant is of the local date of the instant before it, or of a later one.
        let day = self.day(Timestamp::from_millis(at.millis().saturating_sub(1)));
        let mut next = self.date_from(day);
        while let Some(date) = next.filter(|date| self.start(*date).is_some_and(|start| start < at)) {
            next = self.date_from(date.plus(1));
        }
        let all = self.dates.before(next.unwrap_or(self.bounds.1.plus(1)));
        let left_out = self.left_out.partition_point(|out| out.position < all);
        all - i64::try_from(left_out).unwrap_or(i64::MAX)
    }

    /// When the occurrence of a date starts.
    pub(crate) fn start(&self, date: Day) -> Option<Timestamp> {
        self.zone.instant(date, self.start_time)
    }

    /// When the occurrence of a date ends.
    pub(crate) fn end(&self, date: Day) -> Option<Timestamp> {
        let end = self.zone.instant(date.plus(self.end_days), self.end_time)?;
        if !self.keeps_length {
            return Some(end);
        }
        let start = self.start(date)?;
        // What ends by the time of day of its start on the next date ends before another one starts.
        let is_within_a_day = self.end_days == 0 || (self.end_days == 1 && self.end_time <= self.start_time);
        if end > start && is_within_a_day {
            return Some(end);
        }
        let length = self.end_days * 86_400 + self.end_time.seconds() - self.start_time.seconds();
        let end = if end > start { end } else { Timestamp::from_millis(start.millis() + length * 1_000) };
        let next = self.date_from(date.plus(1)).and_then(|date| self.start(date));
        Some(next.map_or(end, |next| end.min(next)))
    }

    /// How many days after its date an occurrence ends at most.
    pub(crate) fn longest_days(&self) -> i64 {
        self.end_days.max(1)
    }

    /// Does each occurrence end when one of the next date starts?
    pub(crate) fn is_whole_days(&self) -> bool {
        self.start_time == self.end_time
    }

    /// From the first date to the last, when all dates between them are dates of the rule. Without an end, the last
    /// instant is none that a calendar knows.
    pub(crate) fn all_dates(&self) -> Option<(Day, Day)> {
        let first = self.dates.are_all().then(|| self.date_from(self.bounds.0))??;
        Some((first, self.bounds.1))
    }

    /// The local date of an instant.
    pub(crate) fn day(&self, at: Timestamp) -> Day {
        self.zone.local(at).day
    }
}
