//! Hours by category: which part of a stretch of time is in the working hours of a zone, which in its evenings, nights
//! and weekends.
//!
//! Each instant has exactly one category, so the parts of a stretch are together as long as the stretch. A bound is
//! where the clocks first show it, as with shifts ([`crate::local`]): an hour that the clocks leave out is in no
//! category, and one that they show twice counts twice.

use base::Timestamp;

use crate::{
    interval::Interval,
    local::{Day, TimeOfDay},
    pattern::{Weekday, Weekdays},
    zones::Zone,
};

/// What kind of time somebody works in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HourCategory {
    /// The day of a weekday.
    Working,
    /// The evening of a weekday.
    Evening,
    /// The night of a weekday, before its day and after its evening.
    Night,
    /// All of a day of the weekend.
    Weekend,
    /// A holiday.
    Holiday,
}

impl HourCategory {
    /// How many there are.
    pub const COUNT: usize = 5;
}

/// Milliseconds by category, in the order of [`HourCategory`].
pub type MillisByCategory = [u64; HourCategory::COUNT];

/// Where the categories begin, in the local time of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HourCategories {
    /// When the working hours of a weekday begin, and its night ends.
    pub working_from: TimeOfDay,
    /// When its evening begins.
    pub evening_from: TimeOfDay,
    /// When its night begins; where that is earlier in the day than the working hours, its evening goes on until then.
    pub night_from: TimeOfDay,
    /// The days of the weekend.
    pub weekend: Weekdays,
}

impl Default for HourCategories {
    /// Monday to Friday working hours from 8 to 18 and evenings until 22.
    fn default() -> Self {
        let hour = |hour: u32| TimeOfDay::of_minute(hour * 60);
        let weekend = [Weekday::Saturday, Weekday::Sunday].into_iter().collect();
        Self { working_from: hour(8), evening_from: hour(18), night_from: hour(22), weekend }
    }
}

impl HourCategories {
    /// Do working hours, evening and night follow each other in this order? An evening may be missing.
    pub fn are_in_order(&self) -> bool {
        let [working, evening, night] = [self.working_from, self.evening_from, self.night_from].map(TimeOfDay::seconds);
        let after = |at: i64| (at - working).rem_euclid(SECONDS_PER_DAY);
        0 < after(evening) && after(evening) <= after(night)
    }

    /// What of a range is in which category.
    pub fn within(&self, zone: Zone, range: Interval) -> CategorizedTime {
        let first = zone.local(range.start()).day.plus(-1);
        let last = zone.local(range.end()).day.plus(1);
        let mut parts: Vec<(Timestamp, HourCategory)> = Vec::new();
        let mut day = first;
        while day <= last {
            for (time, category) in self.of_day(day) {
                let Some(at) = zone.instant(day, time) else { continue };
                // What begins no later than this one has no time: the clocks jump over it.
                while parts.last().is_some_and(|(before, _)| *before >= at) {
                    parts.pop();
                }
                parts.push((at, category));
            }
            day = day.plus(1);
        }
        CategorizedTime::of(&parts, range)
    }

    fn is_weekend(&self, day: Day) -> bool {
        self.weekend.bits() & (1 << day.weekday()) != 0
    }

    /// When categories begin on a day, from midnight on.
    fn of_day(&self, day: Day) -> Vec<(TimeOfDay, HourCategory)> {
        if self.is_weekend(day) {
            return vec![(TimeOfDay::MIDNIGHT, HourCategory::Weekend)];
        }
        let bounds = [
            (self.working_from, HourCategory::Working),
            (self.evening_from, HourCategory::Evening),
            (self.night_from, HourCategory::Night),
        ];
        // Of those at the same time the last one has some.
        let mut of_day = bounds.to_vec();
        of_day.sort_by_key(|(time, _)| *time);
        let at_midnight = of_day.last().map_or(HourCategory::Night, |(_, category)| *category);
        of_day.insert(0, (TimeOfDay::MIDNIGHT, at_midnight));
        of_day
    }
}

const SECONDS_PER_DAY: i64 = 86_400;

/// A range by category, for questions about any stretch of it.
#[derive(Clone, Debug)]
pub struct CategorizedTime {
    /// From when on which category holds and how much of each there was before, in order.
    parts: Vec<(Timestamp, HourCategory, MillisByCategory)>,
}

impl CategorizedTime {
    /// From what begins when; the first one holds at the start of the range.
    fn of(begins: &[(Timestamp, HourCategory)], range: Interval) -> Self {
        let mut parts: Vec<(Timestamp, HourCategory, MillisByCategory)> = Vec::with_capacity(begins.len() + 1);
        // Beyond the calendar there are no days.
        let start = begins.first().map_or(range.start(), |(at, _)| (*at).min(range.start()));
        parts.push((
            start,
            begins.first().map_or(HourCategory::Working, |(_, category)| *category),
            Default::default(),
        ));
        for (at, category) in begins {
            let Some((since, held, before)) = parts.last() else { continue };
            let sums = added(*before, *held, *since, *at);
            parts.push((*at, *category, sums));
        }
        Self { parts }
    }

    /// The milliseconds of a stretch of the range, by category: together as many as the stretch has.
    pub fn millis(&self, stretch: Interval) -> MillisByCategory {
        let from = self.until(stretch.start());
        let mut sums = self.until(stretch.end());
        sums.iter_mut().zip(from).for_each(|(sum, before)| *sum = sum.saturating_sub(before));
        sums
    }

    /// The category of an instant, and since when it holds.
    pub fn at(&self, instant: Timestamp) -> Option<(HourCategory, Timestamp)> {
        let place = self.parts.partition_point(|(begins, ..)| *begins <= instant).checked_sub(1)?;
        let (_, category, _) = self.parts.get(place)?;
        // A night goes on over midnight.
        let same = self.parts.iter().take(place + 1).rev().take_while(|(_, held, _)| held == category);
        Some((*category, same.last()?.0))
    }

    /// What there was before an instant.
    fn until(&self, at: Timestamp) -> MillisByCategory {
        let place = self.parts.partition_point(|(begins, ..)| *begins <= at).saturating_sub(1);
        let Some((since, held, before)) = self.parts.get(place) else { return Default::default() };
        added(*before, *held, *since, at)
    }
}

fn added(mut sums: MillisByCategory, held: HourCategory, since: Timestamp, until: Timestamp) -> MillisByCategory {
    let more = u64::try_from(until.millis().saturating_sub(since.millis())).unwrap_or_default();
    if let Some(sum) = sums.get_mut(held as usize) {
        *sum = sum.saturating_add(more);
    }
    sums
}

#[cfg(test)]
mod tests;
