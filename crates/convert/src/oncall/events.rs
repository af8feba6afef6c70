//! What a shift means: who has which times of the week, from when on.

use base::Timestamp;
use calendar::{Rotation, rotation};
use serde_json::Value;

use super::Directory;
use crate::{
    clock::Clock,
    conversion::Settings,
    json::{list, number, text},
    roster::{self, Layer, Place, Staff},
    week::{DAY, WEEK, Week},
};

/// How often a shift takes place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Frequency {
    Hourly,
    Daily,
    Weekly,
}

/// A local time of a zone, `2026-11-23T09:00:00`, as an instant.
///
/// # Errors
/// When it is not one.
pub fn local(text: &str, clock: &Clock) -> Result<Timestamp, String> {
    let start = rotation::Start::parse(text).map_err(|_| format!("{text:?} is not a local time"))?;
    Ok(start.at(clock.zone))
}

/// The layer of a shift that people have at its level; [`None`] when it is over.
///
/// # Errors
/// When a roster cannot say it.
pub fn layer(shift: &Value, clock: &Clock, settings: Settings, directory: &Directory) -> Result<Option<Layer>, String> {
    let name = text(shift, "name").unwrap_or("Shift").to_owned();
    let start = text(shift, "start").ok_or("it does not say when it begins")?;
    let from = local(start, clock)?;
    let duration = number(shift, "duration").filter(|seconds| *seconds > 0).ok_or("it does not say how long it is")?;
    let users = |all: &[Value]| -> Result<Place, String> {
        let users = all.iter().filter_map(Value::as_str).map(|user| directory.user(user));
        Ok(Place { users: users.collect::<Result<_, _>>()?, groups: Vec::new() })
    };
    if text(shift, "type") == Some("single_event") {
        let until = Timestamp::from_millis(from.millis().saturating_add(duration.saturating_mul(1_000)));
        let staff = Staff::Same(users(list(shift, "users"))?);
        let layer = Layer { name, week: Week::all(), from, until: Some(until), staff };
        return Ok(Some(layer).filter(|_| until > settings.now));
    }
    if let Some(until) = text(shift, "until") {
        let until = local(until, &Clock::find("UTC")?)?;
        // What began before its end goes on after it.
        if until.millis().saturating_add(duration.saturating_mul(1_000)) <= settings.now.millis() {
            return Ok(None);
        }
        return Err("it ends later (until), and what begins before its end goes on after it".to_owned());
    }
    for field in ["by_month", "by_monthday"] {
        if !list(shift, field).is_empty() {
            return Err(format!("it takes place on some days of the month or of the year ({field})"));
        }
    }
    let frequency = match text(shift, "frequency").unwrap_or_default() {
        "hourly" => Frequency::Hourly,
        "daily" => Frequency::Daily,
        "weekly" => Frequency::Weekly,
        other => return Err(format!("it takes place {other:?}")),
    };
    let every = number(shift, "interval").unwrap_or(1).max(1);
    let second = u32::try_from(clock.zone.time_of_day(from).seconds()).unwrap_or_default();
    let times = Times { start, second, duration, frequency, every };
    let days = weekdays(shift)?;
    let week = times.week(&days, clock)?;
    let staff = match text(shift, "type").unwrap_or_default() {
        "recurrent_event" => Staff::Same(users(list(shift, "users"))?),
        "rolling_users" => {
            if text(shift, "rotation_start").is_some_and(|rotation| rotation != start) {
                return Err("its rotation begins later than the shift (rotation_start)".to_owned());
            }
            let mut places = Vec::new();
            for group in list(shift, "rolling_users") {
                places.push(users(group.as_array().map(Vec::as_slice).unwrap_or_default())?);
            }
            let first = number(shift, "start_rotation_from_user_index").and_then(|first| usize::try_from(first).ok());
            let first = first.unwrap_or(0).checked_rem(places.len()).unwrap_or(0);
            places.rotate_left(first);
            Staff::turns(places, times.turns(&days, shift, from, clock, settings))?
        }
        other => return Err(format!("a shift of the type {other:?} is not known")),
    };
    Ok(Some(Layer { name, week, from, until: None, staff }))
}

/// The days of the week of a shift, from Monday 0.
fn weekdays(shift: &Value) -> Result<Vec<u32>, String> {
    let days = list(shift, "by_day").iter().filter_map(Value::as_str).map(weekday);
    days.collect()
}

fn weekday(name: &str) -> Result<u32, String> {
    const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
    let place = DAYS.iter().position(|day| day.eq_ignore_ascii_case(name.get(..2).unwrap_or_default()));
    place.and_then(|place| u32::try_from(place).ok()).ok_or_else(|| format!("{name:?} is not a day of the week"))
}

/// When a shift takes place.
struct Times<'s> {
    /// The local time of the first one.
    start: &'s str,
    /// The second of the day at which each begins.
    second: u32,
    duration: i64,
    frequency: Frequency,
    every: i64,
}

impl Times<'_> {
    /// How long it is from one to the next, in seconds.
    fn period(&self) -> i64 {
        let unit = match self.frequency {
            Frequency::Hourly => 3_600,
            Frequency::Daily => i64::from(DAY),
            Frequency::Weekly => i64::from(WEEK),
        };
        unit * self.every
    }

    /// The day of the week of the first one, from Monday 0.
    fn first_weekday(&self) -> Result<u32, String> {
        let date: jiff::civil::DateTime = self.start.parse().map_err(|_| format!("{:?} is not a time", self.start))?;
        Ok(date.weekday().to_monday_zero_offset().unsigned_abs().into())
    }

    /// At which times of the week it takes place.
    fn week(&self, days: &[u32], clock: &Clock) -> Result<Week, String> {
        let first = self.first_weekday()?;
        if !days.is_empty() && !days.contains(&first) {
            return Err("its first day is not one of its days (by_day)".to_owned());
        }
        if days.is_empty() && self.duration == self.period() {
            return Ok(Week::all());
        }
        if self.frequency == Frequency::Hourly || self.every > 1 {
            return Err(format!(
                "it takes place in every {} of several days, weeks or hours only for a part of them, and shifts of a \
                 roster in {} have a turn in all of them",
                self.every,
                clock.zone.name()
            ));
        }
        let length = u32::try_from(self.duration).ok().filter(|length| *length <= WEEK);
        let length = length.filter(|length| *length <= DAY || (days.is_empty() && self.frequency == Frequency::Weekly));
        let length = length.ok_or("one begins before the one before it ends")?;
        Ok(match (self.frequency, days) {
            (Frequency::Daily, []) => Week::daily(self.second, length),
            (_, []) => Week::stretch(first * DAY + self.second, length),
            (_, days) => {
                let stretches = days.iter().map(|day| Week::stretch(day * DAY + self.second, length));
                stretches.fold(Week::default(), |all, one| all.union(&one))
            }
        })
    }

    /// When the turns of a rotation hand over.
    fn turns(
        &self,
        days: &[u32],
        shift: &Value,
        from: Timestamp,
        clock: &Clock,
        settings: Settings,
    ) -> Result<Rotation, String> {
        match (self.frequency, days) {
            (Frequency::Hourly, _) if clock.changes_after(from) && !settings.elapsed_hours => Err(format!(
                "turns of {} hours in {}, where the clocks change; --elapsed-hours takes them as hours that pass",
                self.every,
                clock.zone.name()
            )),
            (Frequency::Hourly, _) => clock.turns_from(from, roster::hours(self.every)?),
            (Frequency::Daily, []) => clock.turns_from(from, roster::days(self.every)?),
            (Frequency::Daily, _) => Err("people take turns day by day on some days of the week".to_owned()),
            (Frequency::Weekly, []) => clock.turns_from(from, roster::days(self.every.saturating_mul(7))?),
            (Frequency::Weekly, days) => {
                // A turn is a week of the calendar: it begins with the first day of the shift in that week.
                let week_start = weekday(text(shift, "week_start").unwrap_or("MO"))?;
                let since = |day: u32| (day + 7 - week_start) % 7;
                let begin = days.iter().map(|day| since(*day)).min().unwrap_or(0);
                let back = i64::from(since(self.first_weekday()?) - begin);
                let date: jiff::civil::DateTime =
                    self.start.parse().map_err(|_| format!("{:?} is not a time", self.start))?;
                let first = date.checked_sub(jiff::Span::new().days(back)).map_err(|error| error.to_string())?;
                let start = rotation::Start::parse(&first.strftime("%Y-%m-%dT%H:%M:%S").to_string());
                let start = start.map_err(|_| format!("{first} does not lie in the years 1970 to 9998"))?;
                Ok(Rotation { length: roster::days(7)?, start })
            }
        }
    }
}
