//! Schedules with their rotations and overrides, as rosters.

use base::Timestamp;
use calendar::{Interval, sets};
use serde_json::{Value, json};

use super::Directory;
use crate::{
    clock::{Clock, instant},
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, part, text},
    roster::{self, Layer, Place, Shift, Staff},
    week::{DAY, WEEK, Week},
};

/// Schedules and their overrides.
pub fn schedules(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for schedule in export.list("schedules") {
        let Some(name) = text(schedule, "name") else { continue };
        let source = object("schedule", name);
        if flag(schedule, "enabled") == Some(false) {
            conversion.report.omitted(source, "it is disabled");
            continue;
        }
        let mut notes = Vec::new();
        let read = layers(schedule, conversion, directory, &mut notes);
        let made = read.and_then(|(clock, layers)| {
            let plain: Vec<Layer> = layers.iter().map(|(_, layer)| layer.clone()).collect();
            let shifts = roster::shifts(&plain, &clock, conversion.settings.now)?;
            conversion.claim("Roster", name)?;
            Ok((clock, layers, shifts))
        });
        let (clock, layers, shifts) = match made {
            Ok(made) => made,
            Err(reason) => {
                let overrides = export.list(&overrides_of(schedule)).len();
                let also = if overrides > 0 { format!("; so are its {overrides} overrides") } else { String::new() };
                conversion.report.refused(source, format!("{reason}{also}"));
                continue;
            }
        };
        let description = text(schedule, "description").unwrap_or_default();
        let becomes = conversion.add("Roster", name, roster::body(name, description, &clock, &shifts));
        conversion.report.converted(source, vec![becomes], notes);
        let names = [id(schedule, "id"), Some(name.to_owned())].into_iter().flatten();
        directory.schedules.extend(names.map(|known| (known.to_lowercase(), cut(name, 200))));
        let roster = Converted { name, clock, layers, shifts };
        overrides(export, schedule, &roster, conversion, directory);
    }
}

/// Rotations, each with the layer that it is.
type Rotations<'v> = Vec<(&'v Value, Layer)>;

/// A roster that was made of a schedule.
struct Converted<'v> {
    name: &'v str,
    clock: Clock,
    layers: Rotations<'v>,
    /// With the place of the layer.
    shifts: Vec<(usize, Shift)>,
}

fn overrides_of(schedule: &Value) -> String {
    format!("schedules/{}/overrides", id(schedule, "id").unwrap_or_default())
}

/// The rotations that have not ended.
fn layers<'v>(
    schedule: &'v Value,
    conversion: &Conversion,
    directory: &Directory,
    notes: &mut Vec<String>,
) -> Result<(Clock, Rotations<'v>), String> {
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
        if let Staff::Turns(_, rotation) = &staff
            && !matches!(rotation.length, calendar::rotation::Length::Hours(_))
        {
            bounds.extend(u32::try_from(clock.zone.time_of_day(from).seconds()));
        }
        notes.extend(clock.ambiguous_note(&name, &bounds, conversion.settings.now));
        layers.push((rotation, Layer { name, week, from, until, staff }));
    }
    if layers.is_empty() {
        return Err("it has no rotation that goes on: nobody is ever on call".to_owned());
    }
    Ok((clock, layers))
}

fn required_instant(value: &Value, name: &str) -> Result<Timestamp, String> {
    optional_instant(value, name)?.ok_or_else(|| format!("it has no {name}"))
}

fn optional_instant(value: &Value, name: &str) -> Result<Option<Timestamp>, String> {
    let Some(found) = text(value, name) else { return Ok(None) };
    let at = instant(found).ok_or_else(|| format!("{name} {found:?} is not an instant"))?;
    if at.millis() % 1_000 != 0 || at.millis() < 0 {
        return Err(format!("{name} {found:?} is not a whole second after 1970"));
    }
    Ok(Some(at))
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

/// An override, as far as it is read.
struct Override<'v> {
    source: String,
    value: &'v Value,
    time: Interval,
    /// The places of the layers that it is about; of all where there are none.
    layers: Vec<usize>,
}

impl Override<'_> {
    fn meets(&self, other: &Override<'_>) -> bool {
        let share = |one: &[usize], other: &[usize]| one.iter().any(|place| other.contains(place));
        self.time.intersection(other.time).is_some()
            && (self.layers.is_empty() || other.layers.is_empty() || share(&self.layers, &other.layers))
    }
}

fn overrides(
    export: &Export,
    schedule: &Value,
    roster: &Converted<'_>,
    conversion: &mut Conversion,
    directory: &Directory,
) {
    let mut all = Vec::new();
    for value in export.list(&overrides_of(schedule)) {
        let alias = text(value, "alias").unwrap_or("unnamed");
        let source = object("override", &format!("{} of {}", alias, roster.name));
        match read_override(value, roster) {
            Ok(found) if found.0.end() <= conversion.settings.now => conversion.report.omitted(source, "it is over"),
            Ok((time, layers)) => all.push(Override { source, value, time, layers }),
            Err(reason) => conversion.report.refused(source, reason),
        }
    }
    for (place, one) in all.iter().enumerate() {
        let met = all.iter().enumerate().find(|(other, found)| *other != place && one.meets(found));
        let made = match met {
            Some((_, other)) => {
                Err(format!("it overlaps the {}, and the reference does not say which of them counts", other.source))
            }
            None => override_documents(one, roster, directory),
        };
        match made {
            Ok(bodies) => {
                let mut becomes = Vec::new();
                for body in bodies {
                    becomes.push(conversion.add("RosterOverride", roster.name, body));
                }
                conversion.report.converted(one.source.clone(), becomes, Vec::new());
            }
            Err(reason) => conversion.report.refused(one.source.clone(), reason),
        }
    }
}

fn read_override(value: &Value, roster: &Converted<'_>) -> Result<(Interval, Vec<usize>), String> {
    let start = required_instant(value, "startDate")?;
    let end = required_instant(value, "endDate")?;
    let time = Interval::new(start, end).ok_or("it ends before it begins")?;
    let mut places = Vec::new();
    for reference in list(value, "rotations") {
        let same = |rotation: &Value| {
            let by = |name: &str| text(reference, name).is_some_and(|known| text(rotation, name) == Some(known));
            by("id") || by("name")
        };
        // Rotations that are over have no layer, and nothing to override.
        places.extend(roster.layers.iter().position(|(rotation, _)| same(rotation)));
    }
    if places.is_empty() && !list(value, "rotations").is_empty() {
        return Err("it is of rotations that are not in the roster".to_owned());
    }
    Ok((time, places))
}

fn override_documents(one: &Override<'_>, roster: &Converted<'_>, directory: &Directory) -> Result<Vec<Value>, String> {
    let user = part(one.value, &["user"]).cloned().unwrap_or_else(|| json!({"type": "none"}));
    if text(&user, "type") == Some("none") {
        return Err("it takes everybody off call, and an override of a roster puts somebody on call".to_owned());
    }
    let login = directory.user(&user)?;
    let mut shifts: Vec<Option<&str>> = vec![None];
    if !one.layers.is_empty() {
        let chosen = || roster.shifts.iter().filter(|(place, _)| one.layers.contains(place)).map(|(_, shift)| shift);
        for layer in &one.layers {
            let own = roster.shifts.iter().filter(|(place, _)| place == layer);
            let time = one.time;
            let on: Vec<Interval> = own
                .flat_map(|(_, shift)| shift.rule(&roster.clock).stretches(time.start()..time.end()))
                .filter_map(|stretch| stretch.intersection(time))
                .collect();
            if !sets::subtract([time], on).is_empty() {
                return Err("it is of a rotation that does not take place through all of its time, and the reference \
                            does not say whether the user is on call then"
                    .to_owned());
            }
        }
        let touched =
            |shift: &&Shift| !shift.rule(&roster.clock).stretches(one.time.start()..one.time.end()).is_empty();
        shifts = chosen().filter(touched).map(|shift| Some(shift.name.as_str())).collect();
    }
    let mut bodies = Vec::new();
    for part in roster::override_parts(one.time) {
        for shift in &shifts {
            bodies.push(json!({
                "roster": {"name": roster.name}, "user": {"loginName": login}, "start": part.start().to_string(),
                "end": part.end().to_string(), "shift": shift.map(|name| json!({"name": name})),
            }));
        }
    }
    Ok(bodies)
}
