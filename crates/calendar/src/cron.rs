//! Cron expressions, which select minutes of local days.

use std::{fmt, sync::Arc};

use base::timestamp::{DAY_MS, MINUTE_MS, Timestamp};
use croner::{
    Cron, Weekday,
    parser::{CronParser, Seconds, Year},
};

use crate::{
    local::{Day, TimeOfDay},
    zones::Zone,
};

/// The longest expression, in bytes.
const LONGEST: usize = 200;

/// How many days are looked at for one that an expression means: the 29th of February falls on each weekday within
/// them.
const MOST_DAYS: i64 = 41 * 366;

/// After this hour no change of the clocks leads back to the day before.
const MORNING: i64 = 3 * 3_600;

/// A cron expression of five fields, in local time of some zone.
///
/// One that names hours runs at local times, by the rule of everything else here: a local time that does not exist is
/// the first instant after it, one that occurs twice is its first occurrence, and times that become one are due once.
/// One whose hours are all hours runs whenever the clocks show one of its minutes, so once in each hour that goes by.
///
/// As in cron itself, a day has to meet both the day of the month and the day of the week when one of these fields
/// begins with a star (`*`, `*/2`) or is `?`; otherwise one of them is enough.
#[derive(Clone)]
pub struct CronExpression(Arc<Fields>);

struct Fields {
    text: String,
    cron: Cron,
    /// A bit for each.
    minutes: u64,
    hours: u32,
    months: u16,
}

const EVERY_HOUR: u32 = (1 << 24) - 1;

impl CronExpression {
    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong with it, to be read behind the name of a field.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.len() > LONGEST {
            return Err(format!("must have at most {LONGEST} bytes"));
        }
        let known = |letter: char| letter.is_ascii_alphanumeric() || " *,-/#?+@".contains(letter);
        if text.is_empty() || !text.chars().all(known) {
            return Err("must be a cron expression: minute, hour, day of the month, month, day of the week".to_owned());
        }
        let narrows = |place: usize| text.split(' ').nth(place).is_some_and(|field| field.starts_with(['*', '?']));
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .dom_and_dow(narrows(2) || narrows(4))
            .build();
        let cron = parser.parse(&text).map_err(|error| format!("is not a cron expression of five fields: {error}"))?;
        let pattern = &cron.pattern;
        let mut minutes = 0_u64;
        let mut hours = 0_u32;
        let mut months = 0_u16;
        for minute in (0..60).filter(|minute| pattern.minute_match(*minute).unwrap_or(false)) {
            minutes |= 1 << minute;
        }
        for hour in (0..24).filter(|hour| pattern.hour_match(*hour).unwrap_or(false)) {
            hours |= 1 << hour;
        }
        for month in (1..=12).filter(|month| pattern.month_match(*month).unwrap_or(false)) {
            months |= 1 << month;
        }
        let expression = Self(Arc::new(Fields { text, cron, minutes, hours, months }));
        // Leap years come around within this time, wherever it starts.
        let some_day = expression.day_from(Day::EPOCH_2000);
        if minutes == 0 || hours == 0 || some_day.is_none() {
            return Err("names no time that there is".to_owned());
        }
        Ok(expression)
    }

    /// The expression as it was given, with single blanks.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Every instant after one at which it is due in a zone, in order.
    pub(crate) fn starts(&self, zone: Zone, after: Timestamp) -> Starts {
        let hourly = self.0.hours == EVERY_HOUR;
        let place = if hourly {
            Position::Instant(first_minute(zone, after))
        } else {
            let day = zone.local(after).day.plus(-1);
            Position::Local(self.day_from(day), 0)
        };
        Starts { expression: self.clone(), zone, last: after, place }
    }

    /// At how many minutes it runs, on a day on which it does.
    pub(crate) fn times_on_a_day(&self) -> u32 {
        self.0.minutes.count_ones() * self.0.hours.count_ones()
    }

    fn is_on(&self, day: Day) -> bool {
        let Some(date) = day.civil() else { return false };
        let month = u32::try_from(date.month()).unwrap_or_default();
        if self.0.months & (1 << month) == 0 {
            return false;
        }
        let weekday = Weekday::from_days_from_sunday(u32::from(day.weekday()));
        let number = u32::try_from(date.day()).unwrap_or_default();
        self.0.cron.pattern.day_match(i32::from(date.year()), month, number, weekday).unwrap_or(false)
    }

    /// The first day on or after one on which it is due.
    fn day_from(&self, day: Day) -> Option<Day> {
        (0..MOST_DAYS).map(|more| day.plus(more)).take_while(|day| *day <= Day::LAST).find(|day| self.is_on(*day))
    }

    /// The first local time of a day, in minutes, from a minute on.
    fn time_from(&self, minute: u32) -> Option<u32> {
        (minute..24 * 60)
            .find(|minute| self.0.hours & (1 << (minute / 60)) != 0 && self.0.minutes & (1 << (minute % 60)) != 0)
    }

    /// How many minutes there are from a minute of the hour to the next that it names, or to the end of the hour.
    fn step(&self, minute: i64) -> i64 {
        let later = (minute + 1..60).find(|minute| self.0.minutes & (1 << minute) != 0);
        later.unwrap_or(60) - minute
    }
}

impl PartialEq for CronExpression {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl fmt::Debug for CronExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CronExpression({})", self.0.text)
    }
}

/// The instants of a cron expression in a zone.
pub(crate) struct Starts {
    expression: CronExpression,
    zone: Zone,
    last: Timestamp,
    place: Position,
}

enum Position {
    /// Where every hour counts: the next instant to look at, a whole minute of the clocks.
    Instant(Timestamp),
    /// Where hours are named: the next day, and the minute of it from which on.
    Local(Option<Day>, u32),
}

/// The first instant after one at which the clocks show a whole minute.
fn first_minute(zone: Zone, after: Timestamp) -> Timestamp {
    let second = Timestamp::from_millis((after.millis().div_euclid(1_000) + 1).saturating_mul(1_000));
    let over = zone.local(second).time.seconds() % 60;
    Timestamp::from_millis(second.millis() + (60 - over) % 60 * 1_000)
}

impl Starts {
    /// The next instant of an expression in which every hour counts.
    fn next_by_minute(&mut self, mut at: Timestamp) -> Option<Timestamp> {
        let expression = self.expression.clone();
        let zone = self.zone;
        let end = at.millis().saturating_add(MOST_DAYS * DAY_MS);
        while at.millis() <= end {
            let local = zone.local(at);
            if local.day > Day::LAST {
                return None;
            }
            let seconds = local.time.seconds();
            // Clocks were once changed by less than a minute.
            if seconds % 60 != 0 {
                at = first_minute(zone, at);
                continue;
            }
            let minute = seconds / 60 % 60;
            let on = expression.is_on(local.day);
            let next = if !on && seconds >= MORNING {
                let day = expression.day_from(local.day.plus(1))?;
                zone.instant(day, TimeOfDay::MIDNIGHT)?
            } else if on {
                forward(zone, at, expression.step(minute))
            } else {
                forward(zone, at, 1)
            };
            // The clocks may have come back to a day that is over.
            let next = if next > at { next } else { forward(zone, at, 1) };
            if on && expression.0.minutes & (1 << minute) != 0 {
                self.place = Position::Instant(next);
                return Some(at);
            }
            at = next;
        }
        None
    }

    /// The next instant of an expression that names hours.
    fn local(&mut self, mut day: Option<Day>, mut minute: u32) -> Option<Timestamp> {
        loop {
            let today = day?;
            let Some(time) = self.expression.time_from(minute) else {
                day = self.expression.day_from(today.plus(1));
                minute = 0;
                continue;
            };
            minute = time + 1;
            let instant = self.zone.instant(today, TimeOfDay::of_minute(time))?;
            if instant > self.last {
                self.place = Position::Local(day, minute);
                return Some(instant);
            }
        }
    }
}

/// So many minutes later; where the clocks change by less than an hour meanwhile, the next minute.
fn forward(zone: Zone, at: Timestamp, minutes: i64) -> Timestamp {
    let offset = |at: Timestamp| (zone.local(at).time.seconds() - at.millis().div_euclid(1_000)).rem_euclid(3_600);
    let later = Timestamp::from_millis(at.millis().saturating_add(minutes * MINUTE_MS));
    if offset(later) == offset(at) {
        return later;
    }
    first_minute(zone, at)
}

impl Iterator for Starts {
    type Item = Timestamp;

    fn next(&mut self) -> Option<Timestamp> {
        let found = match self.place {
            Position::Instant(at) => self.next_by_minute(at),
            Position::Local(day, minute) => self.local(day, minute),
        };
        match found {
            Some(at) => self.last = at,
            None => self.place = Position::Local(None, 0),
        }
        found
    }
}
