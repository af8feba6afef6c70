//! Reads the days of an iCalendar text: events of whole days, and those that repeat yearly.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::RangeInclusive,
};

use jiff::civil::Date;

use crate::local::Day;

/// The most events of a text.
const MOST_EVENTS: usize = 5_000;
/// The longest event, in days.
const LONGEST_DAYS: i64 = 366;
/// The most characters of a text in a message.
const LONGEST_SHOWN: usize = 60;
/// The most occurrences that a rule may ask for.
const MOST_COUNT: usize = 1_000;
/// The weekdays of a rule, from Sunday on.
const WEEKDAYS: [&str; 7] = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];

/// An event, as far as its days matter.
#[derive(Debug, Default)]
struct WholeDayEvent {
    uid: String,
    summary: String,
    start: Option<Date>,
    end: Option<Date>,
    days: Option<i64>,
    rule: Option<String>,
    further: Vec<Date>,
    excluded: Vec<Date>,
    /// The date of the occurrence that this event replaces.
    replaces: Option<Date>,
    is_cancelled: bool,
    /// Does it have a `DTSTART`? `start` is left out for one at a time of day.
    begins: bool,
    /// The first value that should be a date and is none.
    no_date: Option<String>,
}

/// The dates of an event that repeats yearly.
#[derive(Debug, Default)]
struct YearlyRule {
    every: i16,
    count: Option<usize>,
    until: Option<Date>,
    months: Vec<i8>,
    month_days: Vec<i8>,
    /// The number in the month, from its end when it is negative, 0 for each; and the weekday.
    weekdays: Vec<(i8, u8)>,
}

/// The days of the events of a text within a range that are of whole days, with their names; those of one day are
/// joined. Events at times of day are left out, and so are those that were cancelled.
///
/// # Errors
/// What is wrong with the text, to be read after its name: it is none or not whole, an event has no date, is too long
/// or repeats otherwise than yearly, or it has more than `most` days.
pub fn whole_days(text: &str, range: RangeInclusive<Day>, most: usize) -> Result<BTreeMap<Day, String>, String> {
    let events = events(text)?;
    let mut replaced: HashMap<&str, BTreeSet<Date>> = HashMap::new();
    for event in &events {
        if let Some(date) = event.replaces {
            replaced.entry(&event.uid).or_default().insert(date);
        }
    }
    let mut days: BTreeMap<Day, String> = BTreeMap::new();
    for event in &events {
        let Some(start) = event.start.filter(|_| !event.is_cancelled) else { continue };
        let length = event.length(start)?;
        let first = range.start().plus(-length);
        let mut dates = match &event.rule {
            Some(rule) => YearlyRule::parse(rule)
                .ok_or_else(|| format!("has an event that repeats otherwise than yearly: {}", event.name()))?
                .dates(start, &(first..=*range.end())),
            None => vec![start],
        };
        dates.extend(&event.further);
        let others = replaced.get(event.uid.as_str()).filter(|_| event.replaces.is_none());
        dates.retain(|date| !event.excluded.contains(date) && !others.is_some_and(|dates| dates.contains(date)));
        for day in dates.into_iter().flat_map(|date| (0..length).map(move |after| Day::of(date).plus(after))) {
            if !range.contains(&day) {
                continue;
            }
            match days.get_mut(&day) {
                Some(name) if name.split(", ").any(|one| one == event.summary) => {}
                Some(name) => *name = format!("{name}, {}", event.summary),
                None => drop(days.insert(day, event.summary.clone())),
            }
            if days.len() > most {
                return Err(format!("has more than {most} days"));
            }
        }
    }
    Ok(days)
}

fn events(text: &str) -> Result<Vec<WholeDayEvent>, String> {
    let lines = unfolded(text);
    let mut lines = lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty());
    let is_calendar = lines.next().is_some_and(|line| line.eq_ignore_ascii_case("BEGIN:VCALENDAR"));
    if !is_calendar {
        return Err("must be an iCalendar text, which begins with BEGIN:VCALENDAR".to_owned());
    }
    let mut events = Vec::new();
    let mut event: Option<WholeDayEvent> = None;
    // How many parts are open inside of the event, such as alarms.
    let mut inside = 0_usize;
    let mut is_open = true;
    for line in lines {
        let Some((name, value)) = property(line) else { continue };
        let part = value.to_ascii_uppercase();
        match (name.as_str(), part.as_str(), &mut event) {
            ("BEGIN", "VCALENDAR", None) => is_open = true,
            ("END", "VCALENDAR", None) => is_open = false,
            ("END", "VCALENDAR", Some(event)) => return Err(event.has_no_end()),
            ("BEGIN", "VEVENT", None) => event = Some(WholeDayEvent::default()),
            ("BEGIN", _, Some(_)) => inside += 1,
            ("END", "VEVENT", Some(_)) if inside == 0 => {
                if let Some(event) = event.take() {
                    events.push(event.checked()?);
                }
                if events.len() > MOST_EVENTS {
                    return Err(format!("has more than {MOST_EVENTS} events"));
                }
            }
            ("END", _, Some(_)) => inside = inside.saturating_sub(1),
            (_, _, Some(event)) if inside == 0 => event.set(&name, value),
            _ => {}
        }
    }
    if is_open {
        return Err("is cut off: it has no END:VCALENDAR".to_owned());
    }
    event.map_or(Ok(events), |event| Err(event.has_no_end()))
}

/// The lines of a text; one that goes on is one.
fn unfolded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(rest),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Name and value of a line, without the parameters between them.
fn property(line: &str) -> Option<(String, &str)> {
    let mut is_quoted = false;
    let colon = line.char_indices().find(|(_, letter)| {
        is_quoted ^= *letter == '"';
        *letter == ':' && !is_quoted
    });
    let (head, value) = line.split_at(colon?.0);
    let name = head.split(';').next().unwrap_or_default();
    Some((name.to_ascii_uppercase(), value.get(1..)?.trim()))
}

/// `20261225`.
fn date(text: &str) -> Option<Date> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i16>().ok();
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Date::new(number(0, 4)?, i8::try_from(number(4, 6)?).ok()?, i8::try_from(number(6, 8)?).ok()?).ok()
}

/// Does a value name a time of day, such as `20261225T090000Z`?
fn is_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(day, _)| date(day).is_some())
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n' | 'N') => plain.push(' '),
                Some(other) => plain.push(other),
                None => {}
            },
            (letter, _) if letter.is_control() => plain.push(' '),
            (letter, _) => plain.push(letter),
        }
    }
    plain.trim().to_owned()
}

impl WholeDayEvent {
    fn set(&mut self, name: &str, value: &str) {
        match name {
            "UID" => self.uid = value.to_owned(),
            "SUMMARY" => self.summary = unescaped(value),
            "DTSTART" => {
                self.begins = true;
                self.start = self.date(value);
            }
            "DTEND" => self.end = self.date(value),
            "DURATION" => self.days = whole_duration(value),
            "RRULE" => self.rule = Some(value.to_ascii_uppercase()),
            "RDATE" => {
                let further = self.dates(value);
                self.further.extend(further);
            }
            "EXDATE" => {
                let excluded = self.dates(value);
                self.excluded.extend(excluded);
            }
            "RECURRENCE-ID" => self.replaces = self.date(value),
            "STATUS" => self.is_cancelled = value.eq_ignore_ascii_case("CANCELLED"),
            _ => {}
        }
    }

    /// Reads a date; `None` for a time of day and for what is neither, which is noted.
    fn date(&mut self, value: &str) -> Option<Date> {
        let found = date(value);
        if found.is_none() && !is_time(value) && self.no_date.is_none() {
            self.no_date = Some(value.chars().take(LONGEST_SHOWN).collect());
        }
        found
    }

    fn dates(&mut self, values: &str) -> Vec<Date> {
        values.split(',').filter_map(|value| self.date(value.trim())).collect()
    }

    /// # Errors
    /// It has no date, or one that no calendar has.
    fn checked(self) -> Result<Self, String> {
        if let Some(value) = &self.no_date {
            return Err(format!("has an event with a date that is none, {value}: {}", self.name()));
        }
        if !self.begins && !self.is_cancelled {
            return Err(format!("has an event without DTSTART: {}", self.name()));
        }
        Ok(self)
    }

    /// What people know it by.
    fn name(&self) -> String {
        let names = [self.summary.as_str(), self.uid.as_str()];
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or("it has no name");
        name.chars().take(LONGEST_SHOWN).collect()
    }

    fn has_no_end(&self) -> String {
        format!("is cut off: it has an event without END:VEVENT: {}", self.name())
    }

    /// How many days it lasts.
    ///
    /// # Errors
    /// It lasts too long.
    fn length(&self, start: Date) -> Result<i64, String> {
        let until = self.end.map(|end| Day::of(end).since(Day::of(start)));
        let days = until.or(self.days).unwrap_or(1).max(1);
        if days > LONGEST_DAYS {
            return Err(format!("has an event of more than {LONGEST_DAYS} days: {}", self.name()));
        }
        Ok(days)
    }
}

/// `P1D` or `P2W` in days.
fn whole_duration(text: &str) -> Option<i64> {
    let rest = text.trim_start_matches('+').strip_prefix('P')?;
    let (number, days) = match (rest.strip_suffix('D'), rest.strip_suffix('W')) {
        (Some(number), _) => (number, 1),
        (_, Some(number)) => (number, 7),
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(days)
}

impl YearlyRule {
    /// Reads `FREQ=YEARLY;BYMONTH=11;BYDAY=4TH`; `None` for what it cannot say.
    fn parse(text: &str) -> Option<Self> {
        let mut rule = Self { every: 1, ..Self::default() };
        let mut is_yearly = false;
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=')?;
            match name {
                "FREQ" => is_yearly = value == "YEARLY",
                "INTERVAL" => rule.every = value.parse().ok().filter(|every| (1..=1_000).contains(every))?,
                "COUNT" => rule.count = Some(value.parse().ok().filter(|count| *count <= MOST_COUNT)?),
                "UNTIL" => rule.until = Some(date(value.get(..8)?)?),
                "BYMONTH" => rule.months = numbers(value, 1..=12)?,
                "BYMONTHDAY" => rule.month_days = numbers(value, -31..=31)?,
                "BYDAY" => rule.weekdays = value.split(',').map(weekday).collect::<Option<_>>()?,
                "WKST" => {}
                _ => return None,
            }
        }
        // A weekday of a whole year is another matter.
        (is_yearly && (rule.weekdays.is_empty() || !rule.months.is_empty())).then_some(rule)
    }

    /// Its dates within a range.
    fn dates(&self, start: Date, range: &RangeInclusive<Day>) -> Vec<Date> {
        let last = range.end().civil().map_or(start.year(), Date::year);
        let mut year = start.year();
        // Without a count, those before the range need not be looked for.
        let first = range.start().civil().map_or(year, Date::year);
        if self.count.is_none() && first > year {
            year += (first - year) / self.every * self.every;
        }
        let mut left = self.count.unwrap_or(usize::MAX);
        let mut found = Vec::new();
        while year <= last && left > 0 {
            for date in self.of_year(start, year).into_iter().filter(|date| *date >= start) {
                if left == 0 || self.until.is_some_and(|until| until < date) {
                    return found;
                }
                left -= 1;
                if range.contains(&Day::of(date)) {
                    found.push(date);
                }
            }
            let Some(next) = year.checked_add(self.every) else { break };
            year = next;
        }
        found
    }

    /// Its dates in a year, in order.
    fn of_year(&self, start: Date, year: i16) -> Vec<Date> {
        // Days of the month are those of every month, unless the rule names months.
        let mut months = match (self.months.is_empty(), self.month_days.is_empty()) {
            (true, true) => vec![start.month()],
            (true, false) => (1..=12).collect(),
            _ => self.months.clone(),
        };
        months.sort_unstable();
        months.dedup();
        let mut dates = Vec::new();
        for first in months.into_iter().filter_map(|month| Date::new(year, month, 1).ok()) {
            let length = first.days_in_month();
            let is_meant = |day: &i8| {
                let by_number = self.month_days.is_empty()
                    || self.month_days.contains(day)
                    || self.month_days.contains(&(day - length - 1));
                let weekday = Day::of(first).plus(i64::from(day - 1)).weekday();
                let by_weekday = self.weekdays.is_empty()
                    || self.weekdays.iter().any(|(number, of)| {
                        let is_number = match number {
                            0 => true,
                            1.. => (day - 1) / 7 + 1 == *number,
                            _ => (length - day) / 7 + 1 == -number,
                        };
                        is_number && *of == weekday
                    });
                let is_plain = self.month_days.is_empty() && self.weekdays.is_empty();
                by_number && by_weekday && (!is_plain || *day == start.day())
            };
            dates.extend((1..=length).filter(is_meant).filter_map(|day| Date::new(year, first.month(), day).ok()));
        }
        dates
    }
}

fn numbers(text: &str, range: RangeInclusive<i8>) -> Option<Vec<i8>> {
    let number = |text: &str| text.trim().parse::<i8>().ok().filter(|number| *number != 0 && range.contains(number));
    text.split(',').map(number).collect()
}

/// `4TH`, `-1MO` or `SU`.
fn weekday(text: &str) -> Option<(i8, u8)> {
    let text = text.trim();
    let at = text.len().checked_sub(2)?;
    let (number, name) = (text.get(..at)?, text.get(at..)?);
    let place = WEEKDAYS.iter().position(|known| *known == name)?;
    let number = if number.is_empty() { 0 } else { number.parse().ok().filter(|number| *number != 0)? };
    (-5..=5).contains(&number).then_some((number, u8::try_from(place).ok()?))
}

#[cfg(test)]
mod tests;
