//! The dates of a pattern, found without walking through those before.

use jiff::civil::Date;

use crate::{
    count,
    local::Day,
    months::{InMonths, Month, bits, bits_descending, highest, lowest},
    pattern::{OnDay, Pattern},
};

/// The dates on or after an anchor on which a pattern repeats. Endless, but for the end of the calendar in 9999.
///
/// Time is cut into periods of equal step (days, weeks or months), the anchor being in the first, so each question
/// starts with a division. Daylight saving time plays no part here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dates {
    anchor: Day,
    periods: Periods,
}

#[derive(Clone, Copy, Debug)]
enum Periods {
    /// Every so many days from the anchor.
    Days(i64),
    /// `days` (bit 0 is Sunday) of every so many weeks from the one that begins on `first`.
    Weeks { first: Day, step: i64, days: u32 },
    /// Every so many months from `first`.
    Months { first: Month, step: i64, on: InMonths },
}

impl Dates {
    pub(crate) fn new(pattern: Pattern, anchor: Day) -> Self {
        let step = |every: u16| i64::from(every.max(1));
        // An anchor beyond the calendar has no dates after it either, whatever the month.
        let civil = anchor.civil().unwrap_or(Date::MAX);
        let month = Month::of(civil);
        let or_anchors = |on: OnDay| match on {
            OnDay::Days(days) if days.is_empty() => OnDay::Days(u8::try_from(civil.day()).into_iter().collect()),
            on => on,
        };
        let periods = match pattern {
            Pattern::Daily { every } => Periods::Days(step(every)),
            Pattern::Weekly { every, days } => Periods::Weeks {
                first: anchor.plus(-i64::from(anchor.weekday())),
                step: step(every),
                days: if days.is_empty() { 1 << anchor.weekday() } else { days.bits() },
            },
            Pattern::Monthly { every, on } => {
                Periods::Months { first: month, step: step(every), on: InMonths { months: 1, days: or_anchors(on) } }
            }
            Pattern::Yearly { every, months, on } => Periods::Months {
                first: month.first_of_year(),
                step: 12 * step(every),
                on: InMonths {
                    months: if months.is_empty() { 1 << month.of_year() } else { months.bits() >> 1 },
                    days: or_anchors(on),
                },
            },
        };
        Self { anchor, periods }
    }

    /// Is every date from the anchor on one?
    pub(crate) fn are_all(&self) -> bool {
        match self.periods {
            Periods::Days(step) => step == 1,
            Periods::Weeks { step, days, .. } => step == 1 && days == 0b111_1111,
            // A pattern for every day is written in days or weeks, not in months.
            Periods::Months { .. } => false,
        }
    }

    /// The first date on or after a day; `None` past the end of the calendar.
    pub(crate) fn first_from(&self, day: Day) -> Option<Day> {
        let from = day.max(self.anchor);
        match self.periods {
            Periods::Days(step) => {
                let passed = from.since(self.anchor).saturating_add(step - 1) / step;
                Some(self.anchor.plus(passed * step))
            }
            Periods::Weeks { first, step, days } => {
                let period = from.since(first) / (7 * step);
                [period, period + 1].into_iter().find_map(|period| {
                    let week = first.plus(period * 7 * step);
                    let skipped = from.since(week).clamp(0, 7);
                    lowest(days >> skipped << skipped).map(|day| week.plus(day))
                })
            }
            Periods::Months { first, step, on } => {
                let from_month = Month::of(from.civil()?);
                let period = from_month.since(first) / step;
                [period, period + 1].into_iter().find_map(|period| {
                    let begin = first.plus(period * step);
                    let skipped = from_month.since(begin).clamp(0, 12);
                    bits(on.months >> skipped << skipped).find_map(|offset| {
                        let month = begin.plus(offset);
                        let (start, length) = month.start_and_length()?;
                        let days = on.days_of(start, length);
                        // Bit 1 is the first of the month.
                        let skipped = (from.since(start) + 1).clamp(0, 31);
                        lowest(days >> skipped << skipped).map(|day| start.plus(day - 1))
                    })
                })
            }
        }
    }

    /// The last date on or before a day; `None` before the anchor.
    pub(crate) fn last_until(&self, day: Day) -> Option<Day> {
        if day < self.anchor {
            return None;
        }
        let found = match self.periods {
            Periods::Days(step) => Some(self.anchor.plus(day.since(self.anchor) / step * step)),
            Periods::Weeks { first, step, days } => {
                let period = day.since(first) / (7 * step);
                [period, period - 1].into_iter().find_map(|period| {
                    let week = first.plus(period * 7 * step);
                    let kept = (day.since(week) + 1).clamp(0, 7);
                    highest(days & ((1 << kept) - 1)).map(|day| week.plus(day))
                })
            }
            Periods::Months { first, step, on } => {
                let day = day.min(Day::of(Date::MAX));
                let period = Month::of(day.civil()?).since(first) / step;
                [period, period - 1].into_iter().find_map(|period| {
                    let begin = first.plus(period * step);
                    bits_descending(on.months).find_map(|offset| {
                        let (start, length) = begin.plus(offset).start_and_length()?;
                        let kept = (day.since(start) + 2).clamp(0, 32);
                        let until = u32::try_from((1_u64 << kept) - 1).unwrap_or(u32::MAX);
                        highest(on.days_of(start, length) & until).map(|day| start.plus(day - 1))
                    })
                })
            }
        };
        found.filter(|found| *found >= self.anchor)
    }

    /// The date with a position, the first having 0; `None` past the end of the calendar.
    pub(crate) fn nth(&self, position: u32) -> Option<Day> {
        let position = i64::from(position);
        match self.periods {
            Periods::Days(step) => Some(self.anchor.plus(position * step)),
            Periods::Weeks { first, step, days } => {
                let before_anchor = (days & ((1 << self.anchor.weekday()) - 1)).count_ones();
                let position = position + i64::from(before_anchor);
                let in_week = i64::from(days.count_ones());
                let week = first.plus(position / in_week * 7 * step);
                bits(days).nth(usize::try_from(position % in_week).ok()?).map(|day| week.plus(day))
            }
            Periods::Months { first, step, on } => {
                let before_anchor = days_of_period(first, on).take_while(|day| *day < self.anchor).count();
                let position = position + i64::try_from(before_anchor).ok()?;
                let (period, before) = count::period_of(first, step, on, position)?;
                days_of_period(first.plus(period * step), on).nth(usize::try_from(position - before).ok()?)
            }
        }
    }

    /// How many dates lie before a day: the position of the first one on or after it.
    pub(crate) fn before(&self, day: Day) -> i64 {
        let day = day.min(Day::LAST);
        if day <= self.anchor {
            return 0;
        }
        match self.periods {
            Periods::Days(step) => (day.since(self.anchor) + step - 1) / step,
            Periods::Weeks { first, step, days } => {
                let until = |weekday: i64| i64::from((days & ((1 << weekday) - 1)).count_ones());
                let period = day.since(first) / (7 * step);
                let here = until(day.since(first.plus(period * 7 * step)).min(7));
                period * i64::from(days.count_ones()) + here - until(i64::from(self.anchor.weekday()))
            }
            Periods::Months { first, step, on } => {
                let Some(civil) = day.civil() else { return 0 };
                let period = Month::of(civil).since(first) / step;
                let until = |period: i64, day: Day| {
                    let here = days_of_period(first.plus(period * step), on).take_while(|date| *date < day).count();
                    count::dates_before(first, step, on, period) + i64::try_from(here).unwrap_or(i64::MAX)
                };
                until(period, day) - until(0, self.anchor)
            }
        }
    }
}

fn days_of_period(begin: Month, on: InMonths) -> impl Iterator<Item = Day> {
    bits(on.months)
        .filter_map(move |offset| begin.plus(offset).start_and_length())
        .flat_map(move |(start, length)| bits(on.days_of(start, length)).map(move |day| start.plus(day - 1)))
}
