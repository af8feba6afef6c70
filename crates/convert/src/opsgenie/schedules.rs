//! Schedules with their rotations and overrides, as rosters.

use base::Timestamp;
use calendar::{Interval, sets};
use serde_json::{Map, Value, json};

use super::Directory;
use crate::{
    clock::{Clock, interval, optional_instant, required_instant},
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, part, text},
    overrides::{self, Override},
    roster::{self, Layer, Place, Roster, Schedule, Staff},
    week::{DAY, WEEK, Week},
};

/// Schedules and their overrides.
pub fn schedules(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for schedule in export.list("schedules") {
        let Some(name) = conversion.required(schedule, "schedule", &["name"], "name") else { continue };
        if flag(schedule, "enabled") == Some(false) {
            conversion.report.omitted(object("schedule", name), "it is disabled");
            continue;
        }
        let (mut rotations, mut notes) = (Vec::new(), Vec::new());
        let made = read(schedule, conversion, directory, &mut rotations, &mut notes);
        let overrides = export.list(&format!("schedules/{}/overrides", id(schedule, "id").unwrap_or_default()));
        let source = Schedule {
            name,
            description: text(schedule, "description").unwrap_or_default(),
            overrides: overrides.len(),
        };
        let Some(roster) = roster::add(&source, made, notes, conversion) else { continue };
        let names = [id(schedule, "id"), Some(name.to_owned())].into_iter().flatten();
        directory.schedules.extend(names.map(|known| (known.to_lowercase(), cut(name, 200))));
        let named = overrides.into_iter().map(|one| (text(one, "alias").unwrap_or("unnamed").to_owned(), one));
        let all = overrides::read(named, name, conversion, |value| time_and_layers(value, &rotations));
        let why = ", and the reference does not say which of them counts";
        overrides::add(&all, name, conversion, why, |one| people(one, &roster, directory));
    }
}

/// The roster of the rotations that have not ended, and these rotations in the order of its layers.
fn read<'v>(
    schedule: &'v Value,
    conversion: &Conversion,
    directory: &Directory,
    rotations: &mut Vec<&'v Value>,
    notes: &mut Vec<String>,
) -> Result<Roster, String> {
    if schedule.get("rotations").is_none() {
        return Err("its rotations are not in the export: ask for schedules with expand=rotation".to_owned());
    }
    let clock = Clock::find(text(schedule, "timezone").unwrap_or("UTC"))?;
    let mut layers = Vec::new();
    for (place, rotation) in list(schedule, "rotations").iter().enumerate() {
        let name = text(rotation, "name").map_or_else(|| format!("Rotation {}", place + 1), ToOwned::to_owned);
        let of_rotation = |reason: String| format!("rotation {name:?}: {reason}");
        let from = required_instant(rotation, "startDate").map_err(of_rotation)?;
        let until = optional_instant(rotation, "endDate").map_err(of_rotation)?;
        if until.is_some_and(|until| until <= conversion.settings.now) {
            notes.push(format!("the rotation {name:?} is over and left out"));
            continue;
        }
        let week = restriction(rotation).map_err(of_rotation)?;
        let staff = staff(rotation, from, &clock, conversion, directory).map_err(of_rotation)?;
        let mut bounds = week.bounds();
        bounds.extend(staff.hand_over(&clock));
        notes.extend(clock.ambiguous_note(&name, &bounds, conversion.settings.now));
        layers.push(Layer { name, week, from, until, staff });
        rotations.push(rotation);
    }
    if layers.is_empty() {
        return Err("it has no rotation that goes on: nobody is ever on call".to_owned());
    }
    let shifts = roster::shifts(&layers, &clock, conversion.settings.now)?;
    Ok((clock, shifts))
}

/// Who takes turns.
fn staff(
    rotation: &Value,
    from: Timestamp,
    clock: &Clock,
    conversion: &Conversion,
    directory: &Directory,
) -> Result<Staff, String> {
    let mut places = Vec::new();
    for participant in list(rotation, "participants") {
        let mut place = Place::default();
        match text(participant, "type").unwrap_or("user") {
            "user" => place.users.push(directory.user(participant)?),
            "team" => place.groups.push(directory.team(participant)?),
            "none" => {}
            "escalation" => {
                return Err("an escalation takes a turn, and a roster names people; escalate in a policy".to_owned());
            }
            other => return Err(format!("a participant of the type {other:?} is not known")),
        }
        places.push(place);
    }
    let length = number(rotation, "length").unwrap_or(1);
    if length < 1 {
        return Err(format!("a turn of {length} is not a length of time"));
    }
    let turns = match text(rotation, "type").unwrap_or("weekly") {
        "weekly" => roster::days(length.saturating_mul(7)),
        "daily" => roster::days(length),
        "hourly" if clock.changes_after(from) && !conversion.settings.elapsed_hours => Err(format!(
            "turns of {length} hours in {}, where the clocks change: the reference does not say whether they move with \
             the clocks; --elapsed-hours takes them as hours that pass",
            clock.zone.name()
        )),
        "hourly" => roster::hours(length),
        other => Err(format!("a rotation of the type {other:?} is not known")),
    };
    Staff::turns(places, turns.and_then(|length| clock.turns_from(from, length)))
}

/// At which times of the week a rotation takes place.
fn restriction(rotation: &Value) -> Result<Week, String> {
    let Some(restriction) = part(rotation, &["timeRestriction"]) else { return Ok(Week::all()) };
    match text(restriction, "type").unwrap_or_default() {
        "time-of-day" => {
            let times = part(restriction, &["restriction"]).ok_or("its time restriction is empty")?;
            let (start, end) = (second(times, "start")?, second(times, "end")?);
            if start == end {
                return Err("its time of day begins when it ends, which may be all day or never".to_owned());
            }
            Ok(Week::daily(start, if end > start { end - start } else { end + DAY - start }))
        }
        "weekday-and-time-of-day" => {
            let all = list(restriction, "restrictions");
            if all.is_empty() {
                return Err("its time restriction is empty".to_owned());
            }
            all.iter().try_fold(Week::default(), |week, one| {
                let start = day(one, "startDay")? * DAY + second(one, "start")?;
                let end = day(one, "endDay")? * DAY + second(one, "end")?;
                if start == end {
                    return Err("a time of the week begins when it ends, which may be all week or never".to_owned());
                }
                if end < start && text(one, "startDay") == text(one, "endDay") {
                    return Err("a time of the week ends on the day on which it begins, before it begins".to_owned());
                }
                let length = if end > start { end - start } else { end + WEEK - start };
                Ok(week.union(&Week::stretch(start, length)))
            })
        }
        other => Err(format!("a time restriction of the type {other:?} is not known")),
    }
}

fn day(value: &Value, name: &str) -> Result<u32, String> {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let found = text(value, name).unwrap_or_default().to_lowercase();
    let place = DAYS.iter().position(|day| *day == found);
    place
        .and_then(|place| u32::try_from(place).ok())
        .ok_or_else(|| format!("{name} {found:?} is not a day of the week"))
}

/// The second of a day of `startHour` and `startMin`, or of `endHour` and `endMin`.
fn second(value: &Value, which: &str) -> Result<u32, String> {
    let part = |name: String, most: i64| {
        let found = number(value, &name).unwrap_or(0);
        u32::try_from(found).ok().filter(|_| found <= most).ok_or_else(|| format!("{name} {found} is not a time"))
    };
    let (hour, minute) = (part(format!("{which}Hour"), 24)?, part(format!("{which}Min"), 59)?);
    // An end of 24:00 is the first instant of the next day.
    let second = hour * 3_600 + minute * 60;
    if second > DAY { Err(format!("{hour}:{minute} is not a time of a day")) } else { Ok(second) }
}

/// When an override takes place, and the places of the layers that it is about.
fn time_and_layers(value: &Value, rotations: &[&Value]) -> Result<(Interval, Vec<usize>), String> {
    let time = interval(value, "startDate", "endDate")?;
    let mut places = Vec::new();
    for reference in list(value, "rotations") {
        let same = |rotation: &&Value| {
            let by = |name: &str| text(reference, name).is_some_and(|known| text(rotation, name) == Some(known));
            by("id") || by("name")
        };
        // Rotations that are over have no layer, and nothing to override.
        places.extend(rotations.iter().position(same));
    }
    if places.is_empty() && !list(value, "rotations").is_empty() {
        return Err("it is of rotations that are not in the roster".to_owned());
    }
    Ok((time, places))
}

/// Who is on call by an override: of the roster, or of each of its shifts that the override is about.
fn people(one: &Override<'_>, roster: &Roster, directory: &Directory) -> Result<Vec<Map<String, Value>>, String> {
    let user = part(one.value, &["user"]).filter(|user| text(user, "type") != Some("none"));
    let user = user.ok_or("it takes everybody off call, and an override of a roster puts somebody on call")?;
    let fields = overrides::user(&directory.user(user)?);
    if one.layers.is_empty() {
        return Ok(vec![fields]);
    }
    let (clock, shifts) = roster;
    let stretches = |shift: &roster::Shift| shift.rule(clock).stretches(one.time.start()..one.time.end());
    for layer in &one.layers {
        let own = shifts.iter().filter(|(place, _)| place == layer);
        let on = own.flat_map(|(_, shift)| stretches(shift)).filter_map(|stretch| stretch.intersection(one.time));
        if !sets::subtract([one.time], on).is_empty() {
            return Err(
                "it is of a rotation that does not take place through all of its time, and the reference does \
                        not say whether the user is on call then"
                    .to_owned(),
            );
        }
    }
    let chosen = shifts.iter().filter(|(place, shift)| one.layers.contains(place) && !stretches(shift).is_empty());
    let of_shift = |(_, shift): &(usize, roster::Shift)| {
        let mut fields = fields.clone();
        fields.insert("shift".to_owned(), json!({"name": shift.name}));
        fields
    };
    Ok(chosen.map(of_shift).collect())
}
