//! Months, and the days of each month that match a pattern.

use jiff::civil::Date;

use crate::{
    local::Day,
    pattern::{OnDay, WeekIndex},
};

/// Which days of which months of a period.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InMonths {
    /// Bit n is the n-th month of the period.
    pub(crate) months: u32,
    /// Which days of each of them. By number, never none.
    pub(crate) days: OnDay,
}

impl InMonths {
    /// The days of a month that starts on a day and is so long: bit 1 is the first.
    pub(crate) fn days_of(self, start: Day, length: u8) -> u32 {
        match self.days {
            OnDay::Days(days) => clamped(days.bits(), length),
            OnDay::Nth(index, weekday) => {
                let first = 1 + (7 + weekday as u8 - start.weekday()) % 7;
                let nth = first + 7 * index as u8;
                // A fifth one, if there is one, is the last.
                1 << if index == WeekIndex::Last && nth > length { nth - 7 } else { nth }
            }
        }
    }
}

/// The days of a month that is so long, its last day standing for those that it does not have.
pub(crate) fn clamped(days: u32, length: u8) -> u32 {
    let exist = u32::MAX >> (31 - length);
    let last = if days & !exist == 0 { 0 } else { 1 << length };
    days & exist | last
}

/// A month, as months since January of the year 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Month(i64);

impl Month {
    /// December 9999.
    pub(crate) const LAST: Month = Month(9_999 * 12 + 11);

    pub(crate) fn of(date: Date) -> Self {
        Self(i64::from(date.year()) * 12 + i64::from(date.month()) - 1)
    }

    pub(crate) fn plus(self, months: i64) -> Self {
        Self(self.0.saturating_add(months))
    }

    /// Months from another month to this one.
    pub(crate) fn since(self, other: Month) -> i64 {
        self.0.saturating_sub(other.0)
    }

    pub(crate) fn year(self) -> i64 {
        self.0.div_euclid(12)
    }

    /// 0 for January to 11 for December.
    pub(crate) fn of_year(self) -> i64 {
        self.0.rem_euclid(12)
    }

    pub(crate) fn first_of_year(self) -> Self {
        Self(self.0 - self.of_year())
    }

    /// The first day and the number of days; `None` outside the calendar.
    pub(crate) fn start_and_length(self) -> Option<(Day, u8)> {
        let year = i16::try_from(self.year()).ok()?;
        let month = i8::try_from(self.of_year() + 1).ok()?;
        let first = Date::new(year, month, 1).ok()?;
        Some((Day::of(first), u8::try_from(first.days_in_month()).ok()?))
    }
}

/// The position of the lowest bit that is set.
pub(crate) fn lowest(bits: u32) -> Option<i64> {
    (bits != 0).then(|| i64::from(bits.trailing_zeros()))
}

/// The position of the highest bit that is set.
pub(crate) fn highest(bits: u32) -> Option<i64> {
    bits.checked_ilog2().map(i64::from)
}

/// The positions of the bits that are set, ascending.
pub(crate) fn bits(mut set: u32) -> impl Iterator<Item = i64> {
    std::iter::from_fn(move || {
        let bit = lowest(set)?;
        set &= set - 1;
        Some(bit)
    })
}

/// The same, descending.
pub(crate) fn bits_descending(mut set: u32) -> impl Iterator<Item = i64> {
    std::iter::from_fn(move || {
        let bit = highest(set)?;
        set &= !(1 << bit);
        Some(bit)
    })
}
