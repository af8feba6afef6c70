//! Schedules with their layers and overrides, as rosters.

use std::collections::BTreeMap;

use base::Timestamp;
use calendar::rotation::Length;
use serde_json::Value;

use super::Directory;
use crate::{
    clock::{Clock, interval, optional_instant, required_instant},
    conversion::Conversion,
    export::Export,
    json::{cut, id, list, number, text},
    layers::visible,
    overrides,
    roster::{self, Layer, Place, Roster, Schedule, Staff},
    week::{DAY, WEEK, Week},
};

/// Schedules by their ids, each with its path and its name: as a whole where it was asked for, or else as it is listed.
pub fn each(export: &Export) -> Vec<(String, &Value, &str)> {
    let listed = export.list("schedules");
    let mut all: BTreeMap<String, Option<&Value>> = BTreeMap::new();
    all.extend(listed.into_iter().filter_map(|one| Some((format!("schedules/{}", id(one, "id")?), Some(one)))));
    for path in export.below("schedules") {
        all.insert(path.to_owned(), export.object(path));
    }
    let named = all.into_iter().filter_map(|(path, schedule)| {
        let schedule = schedule?;
        Some((path, schedule, text(schedule, "name").or_else(|| text(schedule, "summary"))?))
    });
    named.collect()
}

/// Schedules and their overrides.
pub fn schedules(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for (path, schedule, name) in each(export) {
        let mut notes = Vec::new();
        let made = read(schedule, &path, name, conversion, directory, &mut notes);
        let overrides = export.list(&format!("{path}/overrides"));
        let description = text(schedule, "description").unwrap_or_default();
        let source = Schedule { name, description, overrides: overrides.len() };
        if roster::add(&source, made, notes, conversion).is_none() {
            continue;
        }
        let schedule_id = path.trim_start_matches("schedules/").to_owned();
        directory.schedules.insert(schedule_id, cut(name, 200));
        let named = overrides.into_iter().map(|one| (id(one, "id").unwrap_or_default(), one));
        let time = |value: &Value| Ok((interval(value, "start", "end")?, Vec::new()));
        let all = overrides::read(named, name, conversion, time);
        let why = ", and the reference does not say which of them counts";
        overrides::add(&all, name, conversion, why, |one| {
            let user = directory.user(one.value.get("user").unwrap_or(&Value::Null))?;
            Ok(vec![overrides::user(&user)])
        });
    }
}

fn read(
    schedule: &Value,
    path: &str,
    name: &str,
    conversion: &Conversion,
    directory: &Directory,
    notes: &mut Vec<String>,
) -> Result<Roster, String> {
    if schedule.get("schedule_layers").is_none() {
        return Err(format!("its layers are not in the export ({path}.json)"));
    }
    let clock = Clock::find(text(schedule, "time_zone").unwrap_or("UTC"))?;
    let mut layers = Vec::new();
    for (place, value) in list(schedule, "schedule_layers").iter().enumerate() {
        let layer_name = text(value, "name").map_or_else(|| format!("Layer {}", place + 1), ToOwned::to_owned);
        let layer = layer(value, &layer_name, &clock, conversion, directory, notes);
        let layer = layer.map_err(|reason| format!("layer {layer_name:?}: {reason}"))?;
        layers.extend(layer.map(|layer| vec![layer]));
    }
    let (visible, over) = visible(&layers, conversion.settings.now);
    if over {
        notes.push(format!("what ended before {} is left out of the past of {name:?}", conversion.settings.now));
    }
    let shifts = roster::shifts(&visible, &clock, conversion.settings.now)?;
    Ok((clock, shifts))
}

fn layer(
    value: &Value,
    name: &str,
    clock: &Clock,
    conversion: &Conversion,
    directory: &Directory,
    notes: &mut Vec<String>,
) -> Result<Option<Layer>, String> {
    let from = required_instant(value, "start")?;
    let until = optional_instant(value, "end")?;
    if until.is_some_and(|until| until <= from) {
        return Ok(None);
    }
    // A layer that is over may name users that are gone.
    if until.is_some_and(|until| until <= conversion.settings.now) {
        notes.push(format!("the layer {name:?} is over and left out"));
        return Ok(None);
    }
    let mut places = Vec::new();
    for user in list(value, "users") {
        let user = user.get("user").unwrap_or(user);
        places.push(Place::user(directory.user(user)?));
    }
    if places.is_empty() {
        return Ok(None);
    }
    let week = restrictions(list(value, "restrictions"))?;
    let virtual_start = optional_instant(value, "rotation_virtual_start")?.unwrap_or(from);
    let turns = length(value, virtual_start, clock, conversion).and_then(|length| {
        if virtual_start > from {
            return Err(
                "it begins before its rotation, and the reference does not say who is on call until then".to_owned()
            );
        }
        clock.turns_from(virtual_start, length)
    });
    let staff = Staff::turns(places, turns)?;
    let mut bounds = week.bounds();
    bounds.extend(staff.hand_over(clock));
    notes.extend(clock.ambiguous_note(name, &bounds, conversion.settings.now));
    Ok(Some(Layer { name: name.to_owned(), week, from, until, staff }))
}

fn length(value: &Value, from: Timestamp, clock: &Clock, conversion: &Conversion) -> Result<Length, String> {
    let seconds = number(value, "rotation_turn_length_seconds").filter(|seconds| *seconds > 0);
    let seconds = seconds.ok_or("it does not say how long a turn is")?;
    if seconds % i64::from(DAY) == 0 {
        return roster::days(seconds / i64::from(DAY));
    }
    if seconds % 3_600 != 0 {
        return Err(format!("a turn of {seconds} seconds is not of whole hours"));
    }
    if clock.changes_after(from) && !conversion.settings.elapsed_hours {
        return Err(format!(
            "turns of {} hours in {}, where the clocks change: the reference does not say whether they move with the \
             clocks; --elapsed-hours takes them as hours that pass",
            seconds / 3_600,
            clock.zone.name()
        ));
    }
    roster::hours(seconds / 3_600)
}

/// At which times of the week a layer takes place.
fn restrictions(all: &[Value]) -> Result<Week, String> {
    if all.is_empty() {
        return Ok(Week::all());
    }
    all.iter().try_fold(Week::default(), |week, one| {
        let start = start_of_day(text(one, "start_time_of_day").unwrap_or_default())?;
        let seconds = number(one, "duration_seconds").unwrap_or_default();
        let within = |most: u32| {
            let length = u32::try_from(seconds).ok().filter(|length| (1..=most).contains(length));
            length.ok_or_else(|| format!("a restriction of {seconds} seconds is not a part of its day or week"))
        };
        let one = match text(one, "type").unwrap_or_default() {
            "daily_restriction" => Week::daily(start, within(DAY)?),
            "weekly_restriction" => {
                let day = number(one, "start_day_of_week").filter(|day| (1..=7).contains(day));
                let day = day.ok_or("a restriction does not say on which day of the week it begins")?;
                let before = u32::try_from(day - 1).unwrap_or_default();
                Week::stretch(before * DAY + start, within(WEEK)?)
            }
            other => return Err(format!("a restriction of the type {other:?} is not known")),
        };
        Ok(week.union(&one))
    })
}

fn start_of_day(time: &str) -> Result<u32, String> {
    let read = calendar::TimeOfDay::parse(time).and_then(|time| u32::try_from(time.seconds()).ok());
    read.ok_or_else(|| format!("start_time_of_day {time:?} is not a time of day"))
}
