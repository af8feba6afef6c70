//! Patterns of repeating dates.

use std::fmt;

/// A pattern of repeating local dates, counted from an anchor: the first date that counts.
///
/// `every` n means every n days, weeks, months or years from the anchor's own; 0 is taken for 1. Weeks start on Sunday.
/// An empty set stands for what the anchor has: its weekday, its day of the month, its month.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Every n days.
    Daily {
        /// Days from one date to the next.
        every: u16,
    },
    /// On some weekdays of every n-th week.
    Weekly {
        /// Weeks from one that counts to the next.
        every: u16,
        /// The weekdays; none stands for the anchor's.
        days: Weekdays,
    },
    /// On some days of every n-th month.
    Monthly {
        /// Months from one that counts to the next.
        every: u16,
        /// Which days of the month.
        on: OnDay,
    },
    /// On some days of some months of every n-th year.
    Yearly {
        /// Years from one that counts to the next.
        every: u16,
        /// The months; none stands for the anchor's.
        months: Months,
        /// Which days of each of these months.
        on: OnDay,
    },
}

/// Which days of a month.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnDay {
    /// By number. In a month that is shorter, 29 to 31 stand for its last day, once; none stands for the anchor's day.
    Days(MonthDays),
    /// By weekday: the second Tuesday, the last Friday. Each month has exactly one.
    Nth(WeekIndex, Weekday),
}

impl OnDay {
    /// By weekday where one is named, else by number.
    pub fn of(nth: Option<(WeekIndex, Weekday)>, days: Option<MonthDays>) -> Self {
        nth.map_or_else(|| Self::Days(days.unwrap_or_default()), |(index, weekday)| Self::Nth(index, weekday))
    }
}

/// A day of the week.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weekday {
    /// The first day of the week.
    Sunday,
    /// The day after Sunday.
    Monday,
    /// The day after Monday.
    Tuesday,
    /// The day after Tuesday.
    Wednesday,
    /// The day after Wednesday.
    Thursday,
    /// The day after Thursday.
    Friday,
    /// The last day of the week.
    Saturday,
}

impl Weekday {
    /// All seven, from Sunday.
    pub const ALL: [Weekday; 7] = [
        Weekday::Sunday,
        Weekday::Monday,
        Weekday::Tuesday,
        Weekday::Wednesday,
        Weekday::Thursday,
        Weekday::Friday,
        Weekday::Saturday,
    ];
    /// The names on the wire, from `Sunday`.
    pub const NAMES: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// The weekday of a name in any letter case.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|day| day.name().eq_ignore_ascii_case(name))
    }
}

/// Which one of the weekdays of a month.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WeekIndex {
    /// The first.
    First,
    /// The second.
    Second,
    /// The third.
    Third,
    /// The fourth.
    Fourth,
    /// The last, be it the fourth or the fifth.
    Last,
}

impl WeekIndex {
    /// All five.
    pub const ALL: [WeekIndex; 5] =
        [WeekIndex::First, WeekIndex::Second, WeekIndex::Third, WeekIndex::Fourth, WeekIndex::Last];
    /// The names on the wire.
    pub const NAMES: [&str; 5] = ["First", "Second", "Third", "Fourth", "Last"];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// The index of a name in any letter case.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|index| index.name().eq_ignore_ascii_case(name))
    }
}

/// Which days a daily pattern of a maintenance window or a job has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frequency {
    /// All of them.
    Everyday,
    /// Monday to Friday.
    EveryWeekday,
    /// Every so many.
    Recurrence,
}

impl Frequency {
    /// All three.
    pub const ALL: [Frequency; 3] = [Frequency::Everyday, Frequency::EveryWeekday, Frequency::Recurrence];
    /// The names on the wire.
    pub const NAMES: [&str; 3] = ["everyday", "every weekday", "recurrence"];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// The frequency of a name in any letter case.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|frequency| frequency.name().eq_ignore_ascii_case(name))
    }
}

/// A set of weekdays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Weekdays(u32);

impl Weekdays {
    /// Monday to Friday: what `every weekday` means.
    pub const MONDAY_TO_FRIDAY: Weekdays = Weekdays(0b011_1110);

    /// Reads names separated by commas, in any letter case.
    pub fn parse(text: &str) -> Option<Self> {
        text.split(',').map(|name| Weekday::find(name.trim())).collect()
    }

    /// In the order of the week, from Sunday.
    pub fn iter(self) -> impl Iterator<Item = Weekday> {
        Weekday::ALL.into_iter().filter(move |day| self.0 & (1 << *day as u32) != 0)
    }

    /// Whether the set stands for the anchor's weekday.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Bit 0 for Sunday to bit 6 for Saturday.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

impl FromIterator<Weekday> for Weekdays {
    fn from_iter<I: IntoIterator<Item = Weekday>>(days: I) -> Self {
        Self(days.into_iter().fold(0, |bits, day| bits | 1 << day as u32))
    }
}

/// A set of days of the month.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MonthDays(u32);

impl MonthDays {
    /// Reads numbers from 1 to 31, separated by commas.
    pub fn parse(text: &str) -> Option<Self> {
        let day = |text: &str| text.trim().parse().ok().filter(|day| (1..=31).contains(day));
        text.split(',').map(day).collect()
    }

    /// Ascending, each from 1 to 31.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (1..=31).filter(move |day| self.0 & (1 << day) != 0)
    }

    /// Whether the set stands for the anchor's day.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Bit 1 for the first day to bit 31.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

impl FromIterator<u8> for MonthDays {
    /// Numbers that are not a day of any month are left out.
    fn from_iter<I: IntoIterator<Item = u8>>(days: I) -> Self {
        Self(days.into_iter().filter(|day| (1..=31).contains(day)).fold(0, |bits, day| bits | 1 << day))
    }
}

/// A set of months.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Months(u32);

impl Months {
    /// The names on the wire, from `January`.
    pub const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];

    /// Reads names in any letter case, or numbers from 1 to 12, separated by commas.
    pub fn parse(text: &str) -> Option<Self> {
        let month = |text: &str| {
            let named = (1..).zip(Self::NAMES).find(|(_, name)| name.eq_ignore_ascii_case(text));
            named.map(|(month, _)| month).or_else(|| text.parse().ok().filter(|month| (1..=12).contains(month)))
        };
        text.split(',').map(|text| month(text.trim())).collect()
    }

    /// Ascending, 1 for January to 12 for December.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (1..=12).filter(move |month| self.0 & (1 << month) != 0)
    }

    /// Whether the set stands for the anchor's month.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Bit 1 for January to bit 12 for December.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

impl FromIterator<u8> for Months {
    /// Numbers that are not a month are left out.
    fn from_iter<I: IntoIterator<Item = u8>>(months: I) -> Self {
        Self(months.into_iter().filter(|month| (1..=12).contains(month)).fold(0, |bits, month| bits | 1 << month))
    }
}

impl fmt::Display for Weekdays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        joined(f, self.iter().map(Weekday::name))
    }
}

impl fmt::Display for MonthDays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        joined(f, self.iter())
    }
}

impl fmt::Display for Months {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        joined(f, self.iter().filter_map(|month| Self::NAMES.get(usize::from(month) - 1)))
    }
}

fn joined<T: fmt::Display>(f: &mut fmt::Formatter<'_>, values: impl Iterator<Item = T>) -> fmt::Result {
    values.enumerate().try_for_each(|(place, value)| write!(f, "{}{value}", if place == 0 { "" } else { "," }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_letter_case() {
        for (day, name) in Weekday::ALL.into_iter().zip(Weekday::NAMES) {
            assert_eq!(day.name(), name);
            assert_eq!(Weekday::find(&name.to_uppercase()), Some(day));
        }
        for (index, name) in WeekIndex::ALL.into_iter().zip(WeekIndex::NAMES) {
            assert_eq!(index.name(), name);
            assert_eq!(WeekIndex::find(&name.to_lowercase()), Some(index));
        }
        assert_eq!(Weekday::find("Sun"), None);
        assert_eq!(WeekIndex::find("Fifth"), None);
    }

    #[test]
    fn what_is_written_is_read() {
        let days: Weekdays = Weekdays::parse(" friday, MONDAY ,friday").unwrap();
        assert_eq!((days.to_string().as_str(), Weekdays::parse(&days.to_string())), ("Monday,Friday", Some(days)));
        let days = MonthDays::parse("31, 1,1").unwrap();
        assert_eq!((days.to_string().as_str(), MonthDays::parse(&days.to_string())), ("1,31", Some(days)));
        let months = Months::parse("december, 1").unwrap();
        assert_eq!(
            (months.to_string().as_str(), Months::parse(&months.to_string())),
            ("January,December", Some(months))
        );
        for wrong in ["", ",", "0", "Munday", "1,,2", "32", "13"] {
            assert_eq!(Weekdays::parse(wrong), None, "{wrong}");
            assert_eq!(MonthDays::parse(wrong).is_some(), wrong == "13", "{wrong}");
            assert_eq!(Months::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sets_are_ordered_and_leave_out_what_does_not_exist() {
        let days: Weekdays = [Weekday::Friday, Weekday::Sunday, Weekday::Friday].into_iter().collect();
        assert_eq!(days.iter().collect::<Vec<_>>(), [Weekday::Sunday, Weekday::Friday]);
        let names: Vec<_> = Weekdays::MONDAY_TO_FRIDAY.iter().map(Weekday::name).collect();
        assert_eq!(names, ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]);
        let days: MonthDays = [31, 0, 32, 255, 1].into_iter().collect();
        assert_eq!(days.iter().collect::<Vec<_>>(), [1, 31]);
        let months: Months = [12, 13, 0, 1].into_iter().collect();
        assert_eq!(months.iter().collect::<Vec<_>>(), [1, 12]);
        assert!(MonthDays::from_iter([0]).is_empty() && Weekdays::default().is_empty());
    }
}
