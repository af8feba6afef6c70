//! Schedules with their rules, temporary schedules and overrides, as rosters.

use base::Timestamp;
use calendar::{Interval, TimeOfDay, rotation::Length};
use serde_json::{Value, json};

use super::Directory;
use crate::{
    clock::{Clock, instant},
    conversion::{Conversion, object},
    export::Export,
    json::{cut, id, list, part, text},
    roster::{self, Layer, Place, Shift, Staff},
    week::{DAY, Week},
};

/// So long before the conversion rules begin: what they cut then is over.
const EARLIER_MS: i64 = 8 * 86_400_000;

/// Schedules and their overrides.
pub fn schedules(export: &Export, conversion: &mut Conversion, directory: &mut Directory<'_>) {
    for schedule in export.list("schedules") {
        let Some(name) = text(schedule, "name") else { continue };
        let source = object("schedule", name);
        let mut notes = Vec::new();
        let made = read(schedule, conversion, directory, &mut notes);
        let made = made.and_then(|made| conversion.claim("Roster", name).map(|()| made));
        match made {
            Ok((clock, shifts)) => {
                let description = text(schedule, "description").unwrap_or_default();
                let becomes = conversion.add("Roster", name, roster::body(name, description, &clock, &shifts));
                conversion.report.converted(source, vec![becomes], notes);
                directory.schedules.extend(id(schedule, "id").map(|id| (id, cut(name, 200))));
                overrides(export, schedule, name, conversion, directory);
            }
            Err(reason) => conversion.report.refused(source, format!("{reason}; so are its overrides")),
        }
    }
}

/// A temporary schedule: its time, and the shifts of it.
type Temporary = (Interval, Vec<(Interval, String)>);

fn read(
    schedule: &Value,
    conversion: &Conversion,
    directory: &Directory<'_>,
    notes: &mut Vec<String>,
) -> Result<(Clock, Vec<(usize, Shift)>), String> {
    let now = conversion.settings.now;
    let clock = Clock::find(text(schedule, "timeZone").unwrap_or("UTC"))?;
    let temporary = temporary(schedule, now, directory)?;
    let mut layers = Vec::new();
    for target in list(schedule, "targets") {
        let rules = rules(list(target, "rules"))?;
        if rules.is_empty() {
            continue;
        }
        let reference = part(target, &["target"]).unwrap_or(target);
        let key = id(reference, "id").unwrap_or_default();
        let name = text(reference, "name").unwrap_or("Rule");
        let staff = match text(reference, "type").unwrap_or_default() {
            "user" => {
                vec![(Week::all(), Staff::Same(Place { users: vec![directory.user(&key)?], groups: Vec::new() }))]
            }
            "rotation" => directory.staff(&key, &clock, conversion)?,
            other => return Err(format!("a rule names a {other:?}, which is not known")),
        };
        let mut bounds = rules.bounds();
        for (times, staff) in staff {
            if let Staff::Turns(_, rotation) = &staff
                && !matches!(rotation.length, Length::Hours(_))
            {
                let first = rotation.turns(clock.zone).first();
                bounds.extend(u32::try_from(clock.zone.time_of_day(first).seconds()));
            }
            bounds.extend(times.bounds());
            let week = rules.within(&times);
            if !week.is_empty() {
                layers.extend(layers_between(&temporary, now, name, &week, &staff));
            }
        }
        notes.extend(clock.ambiguous_note(name, &bounds, now));
    }
    for (_, shifts) in &temporary {
        for (time, user) in shifts {
            let staff = Staff::Same(Place { users: vec![user.clone()], groups: Vec::new() });
            let name = format!("Temporary: {user}");
            layers.push(Layer { name, week: Week::all(), from: time.start(), until: Some(time.end()), staff });
        }
    }
    Ok((clock.clone(), roster::shifts(&layers, &clock, now)?))
}

/// A layer for each time between temporary schedules.
fn layers_between(temporary: &[Temporary], now: Timestamp, name: &str, week: &Week, staff: &Staff) -> Vec<Layer> {
    let mut from = Timestamp::from_millis(now.millis().saturating_sub(EARLIER_MS));
    let mut layers = Vec::new();
    let mut add = |from: Timestamp, until: Option<Timestamp>| {
        if until.is_none_or(|until| from < until) {
            layers.push(Layer { name: name.to_owned(), week: week.clone(), from, until, staff: staff.clone() });
        }
    };
    for (time, _) in temporary {
        add(from, Some(time.start()));
        from = from.max(time.end());
    }
    add(from, None);
    layers
}

fn rules(all: &[Value]) -> Result<Week, String> {
    all.iter().try_fold(Week::default(), |week, rule| {
        let time = |name: &str| {
            let found = text(rule, name).unwrap_or_default();
            let whole = if found.len() == 5 { format!("{found}:00") } else { found.to_owned() };
            let read = TimeOfDay::parse(&whole).and_then(|time| u32::try_from(time.seconds()).ok());
            read.ok_or_else(|| format!("{name} {found:?} of a rule is not a time of day"))
        };
        let (start, end) = (time("start")?, time("end")?);
        let length = if end > start { end - start } else { end + DAY - start };
        // The first of seven is Sunday.
        let days = list(rule, "weekdayFilter").iter().map(|day| day.as_bool().unwrap_or(day.as_i64() == Some(1)));
        let days: Vec<bool> = days.collect();
        if days.len() != 7 {
            return Err("a rule does not say on which of seven days it is active".to_owned());
        }
        let on = (0..7_u32).zip(days).filter(|(_, on)| *on);
        Ok(on.fold(week, |week, (day, _)| week.union(&Week::stretch((day + 6) % 7 * DAY + start, length))))
    })
}

fn interval(value: &Value) -> Result<Interval, String> {
    let bound = |name: &str| {
        let found = text(value, name).unwrap_or_default();
        let at = instant(found).filter(|at| at.millis() >= 0);
        at.ok_or_else(|| format!("{name} {found:?} is not an instant after 1970"))
    };
    Interval::new(bound("start")?, bound("end")?).ok_or_else(|| "it ends before it begins".to_owned())
}

/// Temporary schedules that are not over, in order.
fn temporary(schedule: &Value, now: Timestamp, directory: &Directory<'_>) -> Result<Vec<Temporary>, String> {
    let mut all = Vec::new();
    for one in list(schedule, "temporarySchedules") {
        let time = interval(one)?;
        if time.end() <= now {
            continue;
        }
        let mut shifts = Vec::new();
        for shift in list(one, "shifts") {
            let user = text(shift, "userID").unwrap_or_default();
            if let Some(part) = interval(shift)?.intersection(time) {
                shifts.push((part, directory.user(user)?));
            }
        }
        all.push((time, shifts));
    }
    all.sort_by_key(|(time, _)| time.start());
    Ok(all)
}

fn overrides(export: &Export, schedule: &Value, roster: &str, conversion: &mut Conversion, directory: &Directory<'_>) {
    let schedule_id = id(schedule, "id");
    let temporary = temporary(schedule, conversion.settings.now, directory).unwrap_or_default();
    let mut read: Vec<(String, &Value, Interval)> = Vec::new();
    for value in export.list("userOverrides") {
        if part(value, &["target"]).and_then(|target| id(target, "id")) != schedule_id {
            continue;
        }
        let source = object("override", &format!("{} of {roster}", id(value, "id").unwrap_or_default()));
        match interval(value) {
            Ok(time) if time.end() <= conversion.settings.now => conversion.report.omitted(source, "it is over"),
            Ok(time) => read.push((source, value, time)),
            Err(reason) => conversion.report.refused(source, reason),
        }
    }
    for (place, (source, value, time)) in read.iter().enumerate() {
        let mut others = read.iter().enumerate().filter(|(other, _)| *other != place);
        let met = others.find(|(_, (_, _, other))| other.intersection(*time).is_some());
        let users = || {
            let user = |name: &str| text(value, name).map(|id| directory.user(id)).transpose();
            match (user("addUserID")?, user("removeUserID")?) {
                (Some(added), Some(removed)) => Ok((added, removed)),
                (Some(_), None) => Err("it adds somebody beside those who are on call, and an override of a roster \
                                        puts somebody in their place"
                    .to_owned()),
                _ => {
                    Err("it takes somebody off call, and an override of a roster puts somebody in their place"
                        .to_owned())
                }
            }
        };
        let made = match met {
            Some((_, (other, ..))) => Err(format!(
                "it overlaps the {other}; the two are applied side by side there, \
                                                   and one upon the other in a roster"
            )),
            None if temporary.iter().any(|(one, _)| one.intersection(*time).is_some()) => {
                Err("it overlaps a temporary schedule, to which overrides do not apply".to_owned())
            }
            None => users(),
        };
        match made {
            Ok((added, removed)) => {
                let mut becomes = Vec::new();
                for part in roster::override_parts(*time) {
                    let body = json!({
                        "roster": {"name": roster}, "user": {"loginName": added}, "replaces": {"loginName": removed},
                        "start": part.start().to_string(), "end": part.end().to_string(),
                    });
                    becomes.push(conversion.add("RosterOverride", roster, body));
                }
                conversion.report.converted(source.clone(), becomes, Vec::new());
            }
            Err(reason) => conversion.report.refused(source.clone(), reason),
        }
    }
}

/// The name of a roster of a rotation alone, around the clock; it is made when there is none.
///
/// # Errors
/// When a roster cannot say it.
pub fn of_rotation(
    rotation_id: &str,
    conversion: &mut Conversion,
    directory: &mut Directory<'_>,
) -> Result<String, String> {
    if let Some(name) = directory.rotation_rosters.get(rotation_id) {
        return Ok(name.clone());
    }
    let rotation =
        *directory.rotations.get(rotation_id).ok_or_else(|| format!("the rotation {rotation_id:?} is not there"))?;
    let name = cut(&format!("Rotation: {}", text(rotation, "name").unwrap_or("unnamed")), 200);
    let clock = Clock::find(text(rotation, "timeZone").unwrap_or("UTC"))?;
    let staff = directory.staff(rotation_id, &clock, conversion)?;
    let from = Timestamp::from_millis(conversion.settings.now.millis().saturating_sub(EARLIER_MS));
    let layer = |(week, staff)| Layer { name: "Turns".to_owned(), week, from, until: None, staff };
    let layers: Vec<Layer> = staff.into_iter().map(layer).collect();
    let shifts = roster::shifts(&layers, &clock, conversion.settings.now)?;
    conversion.claim("Roster", &name)?;
    conversion.add("Roster", &name, roster::body(&name, "", &clock, &shifts));
    directory.rotation_rosters.insert(rotation_id.to_owned(), name.clone());
    Ok(name)
}
