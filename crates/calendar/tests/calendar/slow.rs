//! The same rules the slow way: every local day is looked at, and local times are found by reading the clock minute by
//! minute. Of the fast implementation it shares the words and the time zone database, nothing else.

use std::ops::Range;

use base::Timestamp;
use calendar::{End, Interval, OnDay, Pattern, Recurring, TimeOfDay, Weekday, Zone};
use jiff::{
    civil::{Date, DateTime, Time},
    tz::{TimeZone, TimeZoneDatabase},
};

/// The zone in the bundled database.
pub fn time_zone(zone: Zone) -> TimeZone {
    let name = if zone.name() == "Pacific/Asia" { "Pacific/Pago_Pago" } else { zone.name() };
    TimeZoneDatabase::bundled().get(name).unwrap()
}

/// The occurrences that have a part in the range. Times of day have to be whole minutes.
pub fn occurrences(rule: &Recurring, range: Range<Timestamp>) -> Vec<Interval> {
    all(rule, range, None)
}

/// The same of a maintenance window that ends so many dates after its own. It lasts as long as otherwise when the
/// clocks leave nothing of it, and ends when the next one begins.
pub fn windows(rule: &Recurring, days: i64, range: Range<Timestamp>) -> Vec<Interval> {
    all(rule, range, Some(days))
}

fn all(rule: &Recurring, range: Range<Timestamp>, window_days: Option<i64>) -> Vec<Interval> {
    let clock = Clock { zone: time_zone(rule.zone) };
    let mut anchor = clock.shows(rule.start_date).date().yesterday().unwrap().yesterday().unwrap();
    while clock.first(anchor, rule.start_time) < rule.start_date {
        anchor = anchor.tomorrow().unwrap();
    }
    let from = near(&clock, range.start, -3 - window_days.unwrap_or_default());
    let until = near(&clock, range.end, 3);
    let mut found = Vec::new();
    let mut count = 0;
    let mut date = anchor;
    while date <= until {
        if matches(rule.pattern, anchor, date) {
            count += 1;
            match rule.end {
                End::Occurrences(most) if count > most => break,
                // Far from the end date there is no need to read the clock.
                End::Date(end) if date > near(&clock, end, 3) => break,
                End::Date(end) if date > near(&clock, end, -3) && clock.first(date, rule.start_time) >= end => break,
                _ => {}
            }
            if date >= from {
                let days = window_days.unwrap_or_default().max(i64::from(rule.end_time <= rule.start_time));
                let last = date.saturating_add(jiff::SignedDuration::from_hours(24 * days));
                let start = clock.first(date, rule.start_time);
                let mut end = clock.first(last, rule.end_time);
                if window_days.is_some() {
                    let length = days * 86_400 + rule.end_time.seconds() - rule.start_time.seconds();
                    if end <= start {
                        end = Timestamp::from_millis(start.millis() + length * 1_000);
                    }
                    let mut next = date.tomorrow().unwrap();
                    while !matches(rule.pattern, anchor, next) {
                        next = next.tomorrow().unwrap();
                    }
                    end = end.min(clock.first(next, rule.start_time));
                }
                if let Some(interval) = Interval::new(start, end)
                    && start < range.end
                    && end > range.start
                {
                    found.push(interval);
                }
            }
        }
        date = date.tomorrow().unwrap();
    }
    found
}

fn near(clock: &Clock, at: Timestamp, days: i64) -> Date {
    clock.shows(at).date().saturating_add(jiff::SignedDuration::from_hours(24 * days))
}

fn matches(pattern: Pattern, anchor: Date, date: Date) -> bool {
    let divides = |every: u16, number: i64| number % i64::from(every) == 0;
    let years = i64::from(date.year()) - i64::from(anchor.year());
    let months = years * 12 + i64::from(date.month()) - i64::from(anchor.month());
    match pattern {
        Pattern::Daily { every } => divides(every, days_between(anchor, date)),
        Pattern::Weekly { every, days } => {
            let weeks = days_between(sunday(anchor), sunday(date)) / 7;
            let mut wanted = days.iter().map(|day| day as i8);
            let is_wanted = if days.is_empty() {
                date.weekday() == anchor.weekday()
            } else {
                wanted.any(|day| day == weekday(date))
            };
            divides(every, weeks) && is_wanted
        }
        Pattern::Monthly { every, on } => divides(every, months) && is_on(on, anchor, date),
        Pattern::Yearly { every, months, on } => {
            let is_wanted = if months.is_empty() {
                date.month() == anchor.month()
            } else {
                months.iter().any(|month| i64::from(month) == i64::from(date.month()))
            };
            divides(every, years) && is_wanted && is_on(on, anchor, date)
        }
    }
}

fn is_on(on: OnDay, anchor: Date, date: Date) -> bool {
    let is_clamped = |day: i8| day.min(date.days_in_month()) == date.day();
    match on {
        OnDay::Days(days) if days.is_empty() => is_clamped(anchor.day()),
        OnDay::Days(days) => days.iter().any(|day| is_clamped(day as i8)),
        OnDay::Nth(index, day) => {
            let ordinal = (date.day() - 1) / 7;
            let is_last = date.day() + 7 > date.days_in_month();
            let is_nth = if index == calendar::WeekIndex::Last { is_last } else { ordinal == index as i8 };
            is_nth && day == Weekday::ALL[usize::try_from(weekday(date)).unwrap()]
        }
    }
}

fn weekday(date: Date) -> i8 {
    date.weekday().to_sunday_zero_offset()
}

fn sunday(mut date: Date) -> Date {
    while weekday(date) != 0 {
        date = date.yesterday().unwrap();
    }
    date
}

fn days_between(from: Date, to: Date) -> i64 {
    i64::from(from.until(to).unwrap().get_days())
}

struct Clock {
    zone: TimeZone,
}

impl Clock {
    fn shows(&self, at: Timestamp) -> DateTime {
        self.zone.to_datetime(jiff::Timestamp::from_millisecond(at.millis()).unwrap())
    }

    /// The first instant at which the clock shows a time, or the first at which it shows a later one.
    fn first(&self, date: Date, time: TimeOfDay) -> Timestamp {
        let wanted = date.to_datetime(Time::MIN) + jiff::SignedDuration::from_secs(time.seconds());
        let as_if_utc = TimeZone::UTC.to_timestamp(wanted).unwrap().as_millisecond();
        // No clock is further than this from that of Greenwich.
        let minutes = || (-15 * 60..15 * 60).map(|minute| Timestamp::from_millis(as_if_utc + minute * 60_000));
        let exact = minutes().find(|at| self.shows(*at) == wanted);
        exact.or_else(|| minutes().find(|at| self.shows(*at) > wanted)).unwrap()
    }
}
