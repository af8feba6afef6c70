//! The number of dates in a number of months, computed without visiting each date.
//!
//! What makes this more than a multiplication is that days that a month does not have fall on its last one, where they
//! may meet another: the 30th and the 31st are two dates in March and one in February.

use crate::{
    months::{InMonths, Month, bits, clamped},
    pattern::OnDay,
};

/// The period in which the date with a position (from 0) lies, and how many dates lie in the periods before it.
///
/// The first period begins with `first`; each is `step` months after the one before. `None` past the calendar's end.
pub(crate) fn period_of(first: Month, step: i64, on: InMonths, position: i64) -> Option<(i64, i64)> {
    let periods = Month::LAST.since(first) / step + 1;
    let before = |period: i64| dates_before(first, step, on, period);
    if position >= before(periods) {
        return None;
    }
    // Which months are short repeats only after centuries, so the period is looked for instead of calculated: in at
    // most 17 steps, as there are fewer than 2^17 months.
    let mut low = 0;
    let mut high = periods;
    while high - low > 1 {
        let middle = (low + high) / 2;
        if before(middle) <= position { low = middle } else { high = middle }
    }
    Some((low, before(low)))
}

/// How many dates lie in the periods before one.
pub(crate) fn dates_before(first: Month, step: i64, on: InMonths, period: i64) -> i64 {
    bits(on.months).map(|offset| dates_in(first.plus(offset), step, period, on)).sum()
}

/// How many dates the months `first`, `first + step`, … have, `terms` of them.
fn dates_in(first: Month, step: i64, terms: i64, on: InMonths) -> i64 {
    let OnDay::Days(days) = on.days else {
        return terms;
    };
    let in_month_of = |length: u8| i64::from(clamped(days.bits(), length).count_ones());
    if in_month_of(28) == in_month_of(31) {
        return terms * in_month_of(31);
    }
    // The months of the year repeat after `cycle` terms, and the years between are always the same number.
    let cycle = 12 / greatest_common_divisor(step, 12);
    (0..cycle.min(terms))
        .map(|term| {
            let month = first.plus(term * step);
            let terms = (terms - term + cycle - 1) / cycle;
            match month.of_year() {
                1 => {
                    let leap = leap_years(month.year(), step * cycle / 12, terms);
                    leap * in_month_of(29) + (terms - leap) * in_month_of(28)
                }
                3 | 5 | 8 | 10 => terms * in_month_of(30),
                _ => terms * in_month_of(31),
            }
        })
        .sum()
}

/// How many of the years `first`, `first + step`, … are leap years, of `terms` of them.
fn leap_years(first: i64, step: i64, terms: i64) -> i64 {
    let multiples = |of: i64| multiples(first, step, terms, of);
    multiples(4) - multiples(100) + multiples(400)
}

/// How many of the numbers `first`, `first + step`, … are multiples, of `terms` of them.
fn multiples(first: i64, step: i64, terms: i64, of: i64) -> i64 {
    // Remainders repeat after this many terms, and none repeats before.
    let cycle = of / greatest_common_divisor(step, of);
    match (0..cycle).find(|term| (first + term * step) % of == 0) {
        Some(term) if term < terms => (terms - 1 - term) / cycle + 1,
        _ => 0,
    }
}

fn greatest_common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leap_years_are_counted_right() {
        let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for first in [1_900, 1_970, 1_996, 2_000, 2_023, 2_024, 2_100] {
            for step in [1, 2, 3, 4, 5, 7, 8, 10, 25, 100, 300, 400, 1_000] {
                let mut expected = 0;
                for terms in 0..900 {
                    assert_eq!(leap_years(first, step, terms), expected, "{first} {step} {terms}");
                    expected += i64::from(is_leap(first + terms * step));
                }
            }
        }
    }
}
