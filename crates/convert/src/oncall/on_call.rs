//! Who is on call by the schedules of Grafana OnCall, by the events of their shifts.

use std::collections::BTreeMap;

use base::Timestamp;
use jiff::{Span, civil::DateTime};
use serde_json::Value;

use super::{
    Directory,
    schedules::{is_override, shifts_of, zone_of},
};
use crate::{
    export::Export,
    json::{cut, list, number, text},
    source_schedule::{Edges, People, Reading, SourceSchedule, Term},
    wall_clock::{WallClock, passed, second_of_day},
};

const DAY: i64 = 86_400;
const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// Schedules, as far as their shifts are known.
pub fn schedules<'e>(export: &'e Export, directory: &Directory) -> Vec<SourceSchedule<'e>> {
    let named = export.list("schedules").into_iter().filter_map(|schedule| Some((text(schedule, "name")?, schedule)));
    named
        .map(|(name, schedule)| SourceSchedule { name: cut(name, 200), reading: read(schedule, export, directory) })
        .collect()
}

struct Shift {
    clock: WallClock,
    level: i64,
    events: Events,
    /// The people of each turn.
    groups: Vec<People>,
}

/// When a shift takes place.
enum Events {
    Once(Term),
    /// Every so many hours that pass, around the clock.
    Hourly {
        from: Timestamp,
        hours: i64,
    },
    /// Every so many days, at the time of day of the first.
    Days {
        start: DateTime,
        days: i64,
        duration: i64,
    },
    /// On some days of every so many weeks; weeks begin at a date.
    Weekdays {
        start: DateTime,
        week: DateTime,
        weeks: i64,
        days: Vec<i64>,
        duration: i64,
    },
}

fn read<'e>(schedule: &Value, export: &Export, directory: &Directory) -> Result<Reading<'e>, String> {
    if text(schedule, "type") == Some("ical") {
        return Err("it is a calendar of another program".to_owned());
    }
    let (values, missing) = shifts_of(schedule, export);
    if missing > 0 {
        return Err(format!("{missing} of its shifts are not in the export"));
    }
    let mut edges = Edges::default();
    let mut shifts = Vec::new();
    for value in values {
        let zone = zone_of(value, schedule);
        let clock = WallClock::find(zone)?;
        let name = text(value, "name").unwrap_or("Shift");
        let shift = shift(value, clock, directory).map_err(|reason| format!("shift {name:?}: {reason}"))?;
        match &shift.events {
            Events::Once(term) => edges.instants.extend(term.ends()),
            Events::Hourly { from, .. } => edges.instants.push(*from),
            Events::Days { start, duration, .. } | Events::Weekdays { start, duration, .. } => {
                let second = second_of_day(*start);
                edges.add_times(zone, &shift.clock, [second, second + duration]);
                edges.instants.push(shift.clock.first(*start));
            }
        }
        shifts.push(shift);
    }
    Ok(Reading { on_call: Box::new(move |at| on_call(&shifts, at)), edges })
}

/// The people of the highest level that has any.
fn on_call(shifts: &[Shift], at: Timestamp) -> People {
    let mut levels: BTreeMap<i64, People> = BTreeMap::new();
    for shift in shifts {
        let turn = shift.events.turn(at, &shift.clock);
        let count = i64::try_from(shift.groups.len()).unwrap_or(i64::MAX).max(1);
        let place = turn.and_then(|turn| usize::try_from(turn.rem_euclid(count)).ok());
        if let Some(people) = place.and_then(|place| shift.groups.get(place)).filter(|people| !people.is_empty()) {
            levels.entry(shift.level).or_default().extend(people.iter().cloned());
        }
    }
    levels.into_values().next_back().unwrap_or_default()
}

impl Events {
    /// The number of the turn whose event goes on.
    fn turn(&self, at: Timestamp, clock: &WallClock) -> Option<i64> {
        match self {
            Self::Once(term) => term.contains(at).then_some(0),
            Self::Hourly { from, hours } => (*from <= at).then(|| (at.millis() - from.millis()) / (hours * 3_600_000)),
            Self::Days { start, days, duration } => {
                let local = clock.reading(at);
                let turn = passed(*start, local, days * DAY);
                let within = start.duration_until(local).as_secs() - turn * days * DAY;
                (turn >= 0 && within < *duration).then_some(turn)
            }
            Self::Weekdays { start, week, weeks, days, duration } => {
                let local = clock.reading(at);
                // An event of yesterday may go on.
                [0, 1].into_iter().find_map(|back| {
                    let date = local.date().checked_sub(Span::new().days(back)).ok()?;
                    let begun = date.to_datetime(start.time());
                    let of_week = i64::from(date.weekday().to_monday_zero_offset());
                    let number = passed(*week, begun, 7 * DAY);
                    let goes_on = begun <= local && begun.duration_until(local).as_secs() < *duration;
                    let takes_place = begun >= *start && days.contains(&of_week) && number % weeks == 0;
                    (goes_on && takes_place).then_some(number / weeks)
                })
            }
        }
    }
}

fn shift(value: &Value, clock: WallClock, directory: &Directory) -> Result<Shift, String> {
    let local = |name: &str| text(value, name).and_then(|text| text.parse::<DateTime>().ok());
    let start = local("start").ok_or("it does not say when it begins")?;
    let duration = number(value, "duration").filter(|seconds| (1..1 << 40).contains(seconds));
    let duration = duration.ok_or("it does not say how long it is")?;
    let from = clock.first(start);
    let people = |users: &Value| -> People {
        let ids = users.as_array().into_iter().flatten().filter_map(Value::as_str);
        ids.map(|id| directory.user(id).unwrap_or_else(|_| id.to_owned()).to_lowercase()).collect()
    };
    let kind = text(value, "type").unwrap_or_default();
    let rolls = kind == "rolling_users";
    let mut groups = match rolls {
        true => list(value, "rolling_users").iter().map(people).collect(),
        false => vec![value.get("users").map(people).unwrap_or_default()],
    };
    let first = number(value, "start_rotation_from_user_index").and_then(|first| usize::try_from(first).ok());
    let first = first.filter(|_| rolls).unwrap_or(0).checked_rem(groups.len()).unwrap_or(0);
    groups.rotate_left(first);
    let level = if is_override(value) { i64::MAX } else { number(value, "level").unwrap_or(0) };
    let events = if is_override(value) || kind == "single_event" {
        let until = Timestamp::from_millis(from.millis().saturating_add(duration.saturating_mul(1_000)));
        Events::Once(Term { from, until: Some(until) })
    } else {
        events(value, start, from, duration, rolls)?
    };
    Ok(Shift { clock, level, events, groups })
}

fn events(value: &Value, start: DateTime, from: Timestamp, duration: i64, rolls: bool) -> Result<Events, String> {
    let is_set =
        |name: &&&str| value.get(**name).is_some_and(|field| !field.is_null() && *field != Value::Array(Vec::new()));
    if let Some(field) = ["until", "by_month", "by_monthday"].iter().find(is_set) {
        return Err(format!("what it says by {field} is not compared"));
    }
    if rolls && text(value, "rotation_start").is_some_and(|rotation| Some(rotation) != text(value, "start")) {
        return Err("its rotation begins later than the shift".to_owned());
    }
    let every = number(value, "interval").unwrap_or(1).clamp(1, 10_000);
    let weekday = |name: &str| (0..).zip(DAYS).find(|(_, day)| *day == name).map(|(place, _)| place);
    let days: Vec<i64> = list(value, "by_day").iter().filter_map(Value::as_str).filter_map(weekday).collect();
    let of_period = |days: i64| {
        let fits = duration <= days * DAY;
        let events = Events::Days { start, days, duration };
        if fits { Ok(events) } else { Err("one begins before the one before it ends".to_owned()) }
    };
    match (text(value, "frequency").unwrap_or_default(), days.is_empty()) {
        ("hourly", true) if duration == every * 3_600 => Ok(Events::Hourly { from, hours: every }),
        ("daily", true) => of_period(every),
        ("weekly", true) => of_period(7 * every),
        ("weekly", false) | ("daily", false) if duration <= DAY => {
            let daily = text(value, "frequency") == Some("daily");
            if daily && (rolls || every > 1) {
                return Err("turns by the day on some days of the week are not compared".to_owned());
            }
            let begin = text(value, "week_start").and_then(weekday).unwrap_or(0);
            let back = (i64::from(start.weekday().to_monday_zero_offset()) - begin).rem_euclid(7);
            let week = start.date().checked_sub(Span::new().days(back)).map_err(|error| error.to_string())?;
            let week = week.to_datetime(jiff::civil::Time::midnight());
            Ok(Events::Weekdays { start, week, weeks: if daily { 1 } else { every }, days, duration })
        }
        (other, _) => Err(format!("events that are {other:?} are not compared")),
    }
}
