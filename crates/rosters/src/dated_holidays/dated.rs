//! The days of holiday calendars, as they were known when. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::timestamp::Timestamp;
use calendar::{Day, Interval, Rule, Zone};

use super::row::{DayRow, ShiftHolidays};

/// The days of some calendars.
#[derive(Clone, Debug, Default)]
pub struct DatedHolidays {
    calendars: HashMap<String, BTreeMap<Day, Vec<KnownHoliday>>>,
}

/// That a day was known to be a holiday.
#[derive(Clone, Debug)]
struct KnownHoliday {
    from_ms: i64,
    until_ms: Option<i64>,
    name: String,
}

/// A holiday in a zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolidayTime {
    /// Its date.
    pub day: Day,
    /// From midnight to midnight.
    pub time: Interval,
    /// What people call it; may be empty.
    pub name: String,
}

impl KnownHoliday {
    fn holds(&self, at: Timestamp) -> bool {
        self.from_ms <= at.millis() && self.until_ms.is_none_or(|until| at.millis() < until)
    }
}

impl DatedHolidays {
    /// From rows of any calendars.
    pub fn of(rows: Vec<DayRow>) -> Self {
        let mut all = Self::default();
        for row in rows {
            let days = all.calendars.entry(row.calendar_id).or_default();
            let known = KnownHoliday { from_ms: row.known_from_ms, until_ms: row.known_until_ms, name: row.name };
            days.entry(Day::of_number(row.day)).or_default().push(known);
        }
        all
    }

    /// A rule without the occurrences that a shift leaves out: those that start on a date that was known to be a
    /// holiday then.
    pub fn rule(&self, rule: Rule, zone: Zone, holidays: Option<&ShiftHolidays>) -> Rule {
        let Some(holidays) = holidays.filter(|holidays| holidays.skips) else { return rule };
        let days = self.days(holidays);
        if days.is_empty() {
            return rule;
        }
        rule.without(zone, &days, |day, at| self.known(holidays, day, at).is_some())
    }

    /// The days of a shift's calendars that were known to be holidays when they began.
    pub fn times(&self, zone: Zone, holidays: &ShiftHolidays) -> Vec<HolidayTime> {
        let time = |day: Day| {
            let time = day.within(zone)?;
            let known = self.known(holidays, day, time.start())?;
            Some(HolidayTime { day, time, name: known.name.clone() })
        };
        self.days(holidays).into_iter().filter_map(time).collect()
    }

    fn days(&self, holidays: &ShiftHolidays) -> BTreeSet<Day> {
        let calendars = holidays.calendars.iter().filter_map(|id| self.calendars.get(id));
        calendars.flat_map(|days| days.keys().copied()).collect()
    }

    /// What is known of a day at an instant; rather something with a name.
    fn known<'s>(&'s self, holidays: &ShiftHolidays, day: Day, at: Timestamp) -> Option<&'s KnownHoliday> {
        let calendars = holidays.calendars.iter().filter_map(|id| self.calendars.get(id));
        let rows = calendars.filter_map(|days| days.get(&day)).flatten();
        rows.filter(|row| row.holds(at)).min_by_key(|row| row.name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn row(day: &str, known: (&str, Option<&str>), name: &str) -> DayRow {
        DayRow {
            tenant_id: "client_1".to_owned(),
            calendar_id: "HOL-1".to_owned(),
            day: Day::parse(day).unwrap().number(),
            known_from_ms: at(known.0).millis(),
            known_until_ms: known.1.map(|until| at(until).millis()),
            name: name.to_owned(),
        }
    }

    #[test]
    fn what_was_known_when_a_day_began_decides() {
        let first = "2026-01-01T00:00:00Z";
        let all = DatedHolidays::of(vec![
            row("2026-12-24", (first, None), "Eve"),
            row("2026-12-25", (first, Some("2026-12-24T23:30:00Z")), "Christmas"),
            row("2026-12-26", ("2026-12-26T00:00:01Z", None), "Boxing Day"),
        ]);
        let holidays = ShiftHolidays { calendars: vec!["HOL-1".to_owned(), "HOL-2".to_owned()], skips: true };
        let names = |zone: &str| {
            let times = all.times(Zone::find(zone).unwrap(), &holidays);
            times.into_iter().map(|one| one.name).collect::<Vec<_>>()
        };
        assert_eq!(names("GMT"), ["Eve"]);
        assert_eq!(names("Europe/Paris"), ["Eve", "Christmas"], "the day begins an hour earlier there");
        assert_eq!(names("America/New_York"), ["Eve", "Boxing Day"]);
    }
}
