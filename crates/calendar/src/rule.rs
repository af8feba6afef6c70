//! Rules of schedules: one interval, or one that repeats in local time.

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
#[derive(Clone, Copy, Debug)]
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
            return Self::Recurring(Recurrence { end_days: end.day.since(start.day), ..make(End::Never) });
        }
        Self::Recurring(recurrence)
    }
}

impl Recurrence {
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
        Self { zone, start_time, end_time, end_days, keeps_length: false, dates, bounds: (anchor, last) }
    }

    /// The first date on or after a day.
    pub(crate) fn date_from(&self, day: Day) -> Option<Day> {
        self.dates.first_from(day).filter(|date| *date <= self.bounds.1)
    }

    /// The last date on or before a day.
    pub(crate) fn date_until(&self, day: Day) -> Option<Day> {
        self.dates.last_until(day.min(self.bounds.1)).filter(|date| *date >= self.bounds.0)
    }

    /// The date with a position, the first having 0.
    pub(crate) fn nth(&self, position: i64) -> Option<Day> {
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
        self.dates.before(next.unwrap_or(self.bounds.1.plus(1)))
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
        if end > start && self.end_days <= 1 {
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
