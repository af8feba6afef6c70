//! The forms of the texts of schedules, as patterns for documents: what the readers of this crate take, in its
//! documented spelling.

/// An instant that a schedule may name: a time of the years 1970 to 9998.
pub const INSTANT: &str = concat!(
    "^(19[7-9][0-9]|[2-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])",
    "-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))",
    "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](Z|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])$",
);
/// A local time of these years, in no zone.
pub const LOCAL_TIME: &str = concat!(
    r"^\s*(19[7-9][0-9]|[2-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])",
    "-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))",
    r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\s*$",
);
/// A date of these years.
pub const DATE: &str = concat!(
    "^(19[7-9][0-9]|[2-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])",
    "-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))$",
);
/// A time of day.
pub const TIME_OF_DAY: &str = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$";
/// Weekdays, separated by commas; nothing is none.
pub const WEEKDAYS: &str = concat!(
    "^( *(Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday)",
    "( *, *(Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday))*)? *$",
);
/// Days of the month, separated by commas; nothing is none.
pub const MONTH_DAYS: &str = "^( *(0?[1-9]|[12][0-9]|3[01])( *, *(0?[1-9]|[12][0-9]|3[01]))*)? *$";
/// Months by their names or numbers, separated by commas; nothing is none.
pub const MONTHS: &str = concat!(
    "^( *(January|February|March|April|May|June|July|August|September|October|November|December|0?[1-9]|1[0-2])",
    "( *, *(January|February|March|April|May|June|July|August|September|October|November|December|0?[1-9]|1[0-2]))*)? \
     *$",
);

#[cfg(test)]
mod tests {
    use base::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::{Instant, MonthDays, Months, TimeOfDay, Weekdays, rotation::Start};

    /// Without the signs for its beginning and end, as proptest wants it.
    const fn form(pattern: &'static str) -> &'static str {
        pattern.split_at(1).1.split_at(pattern.len() - 2).0
    }

    proptest! {
        #[test]
        fn instants_are_read(text in form(INSTANT)) {
            // Which years have a leap day, and which an offset leads out of, no pattern tells.
            let excepted = text.contains("-02-29T") || text.starts_with("1970-01-01") || text.starts_with("9998-12-31");
            let at = Timestamp::parse(&text).map(Instant::of);
            prop_assert!(excepted || at.is_some_and(|at| at.is_ok()), "{text}");
        }

        #[test]
        fn local_times_are_read(text in form(LOCAL_TIME)) {
            prop_assert!(text.contains("-02-29T") || Start::parse(&text).is_ok(), "{text:?}");
        }

        #[test]
        fn times_of_day_are_read(text in form(TIME_OF_DAY)) {
            prop_assert!(TimeOfDay::parse(&text).is_some(), "{text}");
        }

        #[test]
        fn lists_are_read(days in form(WEEKDAYS), numbers in form(MONTH_DAYS), months in form(MONTHS)) {
            let is_blank = |text: &str| text.trim().is_empty();
            prop_assert!(is_blank(&days) || Weekdays::parse(&days).is_some(), "{days:?}");
            prop_assert!(is_blank(&numbers) || MonthDays::parse(&numbers).is_some(), "{numbers:?}");
            prop_assert!(is_blank(&months) || Months::parse(&months).is_some(), "{months:?}");
        }
    }
}
