//! The days of holiday calendars, as they were known when. Pure.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use base::timestamp::Timestamp;
use calendar::{Day, Interval, Rule, Zone};

use super::row::{DayRow, ShiftHolidays};

/// The days of some calendars. Copies of it share them.
#[derive(Clone, Debug, Default)]
pub struct DatedHolidays(Arc<HashMap<String, DatedCalendar>>);

/// The days of a calendar.
#[derive(Clone, Debug, Default)]
struct DatedCalendar {
    tenant_id: String,
    /// What it is called; empty for one that is gone.
    name: String,
    days: BTreeMap<Day, Vec<KnownHoliday>>,
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

/// Why a shift does not take place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedHoliday<'s> {
    pub day: Day,
    /// What people call it; may be empty.
    pub name: &'s str,
    pub calendar_id: &'s str,
    /// The tenant of the calendar.
    pub tenant_id: &'s str,
    /// What the calendar is called; empty for one that is gone.
    pub calendar_name: &'s str,
}

impl<'s> SkippedHoliday<'s> {
    /// The calendar's name where a roster of this tenant is shown: a client sees a calendar of its partner by its id.
    pub fn name_for(&self, tenant: &str) -> Option<&'s str> {
        Some(self.calendar_name).filter(|name| self.tenant_id == tenant && !name.is_empty())
    }
}

impl KnownHoliday {
    fn holds(&self, at: Timestamp) -> bool {
        self.from_ms <= at.millis() && self.until_ms.is_none_or(|until| at.millis() < until)
    }
}

impl DatedHolidays {
    /// From rows of any calendars, and the names of these by their ids.
    pub fn of(rows: Vec<DayRow>, names: &HashMap<String, String>) -> Self {
        let mut all: HashMap<String, DatedCalendar> = HashMap::new();
        for row in rows {
            let name = || names.get(&row.calendar_id).cloned().unwrap_or_default();
            let calendar = all.entry(row.calendar_id.clone()).or_insert_with(|| DatedCalendar {
                tenant_id: row.tenant_id,
                name: name(),
                days: BTreeMap::new(),
            });
            let known = KnownHoliday { from_ms: row.known_from_ms, until_ms: row.known_until_ms, name: row.name };
            calendar.days.entry(Day::of_number(row.day)).or_default().push(known);
        }
        Self(Arc::new(all))
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

    /// The parts within a range of the days of a shift's calendars that were known to be holidays when they began.
    pub fn times(&self, zone: Zone, holidays: &ShiftHolidays, range: Interval) -> Vec<HolidayTime> {
        let time = |day: Day| {
            let whole = day.within(zone)?;
            let time = whole.intersection(range)?;
            let known = self.known(holidays, day, whole.start())?;
            Some(HolidayTime { day, time, name: known.name.clone() })
        };
        let (first, last) = (Day::at(zone, range.start()), Day::at(zone, range.end()));
        self.days(holidays).range(first..=last).filter_map(|day| time(*day)).collect()
    }

    /// The holiday for which an occurrence that starts at an instant is left out.
    pub fn skipped(&self, zone: Zone, holidays: &ShiftHolidays, start: Timestamp) -> Option<SkippedHoliday<'_>> {
        let date = Day::at(zone, start);
        // When the clocks skip the hour before midnight, what should start in it starts at midnight, a date later.
        let is_midnight = date.within(zone).is_some_and(|day| day.start() == start);
        let before = is_midnight.then(|| date.plus(-1));
        [date].into_iter().chain(before).find_map(|day| {
            let (calendar_id, calendar, known) = self.known_of(holidays, day, start)?;
            let DatedCalendar { tenant_id, name: calendar_name, .. } = calendar;
            Some(SkippedHoliday { day, name: &known.name, calendar_id, tenant_id, calendar_name })
        })
    }

    fn calendars<'s>(&'s self, holidays: &ShiftHolidays) -> impl Iterator<Item = (&'s str, &'s DatedCalendar)> {
        let found = holidays.calendars.iter().filter_map(|id| self.0.get_key_value(id));
        found.map(|(id, calendar)| (id.as_str(), calendar))
    }

    fn days(&self, holidays: &ShiftHolidays) -> BTreeSet<Day> {
        self.calendars(holidays).flat_map(|(_, calendar)| calendar.days.keys().copied()).collect()
    }

    /// What is known of a day at an instant; rather something with a name.
    fn known(&self, holidays: &ShiftHolidays, day: Day, at: Timestamp) -> Option<&KnownHoliday> {
        self.known_of(holidays, day, at).map(|(_, _, known)| known)
    }

    /// The same with its calendar.
    fn known_of<'s>(
        &'s self,
        holidays: &ShiftHolidays,
        day: Day,
        at: Timestamp,
    ) -> Option<(&'s str, &'s DatedCalendar, &'s KnownHoliday)> {
        let rows = self.calendars(holidays).flat_map(|(id, calendar)| {
            calendar.days.get(&day).into_iter().flatten().map(move |row| (id, calendar, row))
        });
        rows.filter(|(_, _, row)| row.holds(at)).min_by_key(|(_, _, row)| row.name.is_empty())
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
        let rows = vec![
            row("2026-12-24", (first, None), "Eve"),
            row("2026-12-25", (first, Some("2026-12-24T23:30:00Z")), "Christmas"),
            row("2026-12-26", ("2026-12-26T00:00:01Z", None), "Boxing Day"),
        ];
        let all = DatedHolidays::of(rows, &HashMap::from([("HOL-1".to_owned(), "Days off".to_owned())]));
        let holidays = ShiftHolidays { calendars: vec!["HOL-1".to_owned(), "HOL-2".to_owned()], skips: true };
        let always = Interval::new(Timestamp::from_millis(0), Timestamp::from_millis(i64::MAX)).unwrap();
        let names = |zone: &str| {
            let times = all.times(Zone::find(zone).unwrap(), &holidays, always);
            times.into_iter().map(|one| one.name).collect::<Vec<_>>()
        };
        assert_eq!(names("GMT"), ["Eve"]);
        assert_eq!(names("Europe/Paris"), ["Eve", "Christmas"], "the day begins an hour earlier there");
        assert_eq!(names("America/New_York"), ["Eve", "Boxing Day"]);
        // A shift knows what is known when it starts.
        let skipped = |start: &str| {
            let found = all.skipped(Zone::GMT, &holidays, at(start))?;
            Some(format!("{} {} {} {}", found.day, found.name, found.calendar_id, found.calendar_name))
        };
        assert_eq!(skipped("2026-12-26T08:00:00Z").as_deref(), Some("2026-12-26 Boxing Day HOL-1 Days off"));
        assert_eq!(skipped("2026-12-25T08:00:00Z"), None);
        assert_eq!(skipped("2026-12-26T00:00:00Z"), None);
    }
}
