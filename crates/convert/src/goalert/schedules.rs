//! Schedules with their rules, temporary schedules and overrides, as rosters.

use base::Timestamp;
use calendar::{Interval, TimeOfDay};
use serde_json::{Map, Value, json};

use super::Directory;
use crate::{
    clock::{Clock, interval},
    conversion::Conversion,
    export::Export,
    json::{cut, id, list, part, text},
    overrides::{self, Override},
    roster::{self, Layer, Place, Roster, Schedule, Staff},
    week::{DAY, Week},
};

/// So long before the conversion rules begin: what they cut then is over.
const EARLIER_MS: i64 = 8 * 86_400_000;

/// Schedules and their overrides.
pub fn schedules(export: &Export, conversion: &mut Conversion, directory: &mut Directory<'_>) {
    for schedule in export.list("schedules") {
        let Some(name) = conversion.required(schedule, "schedule", &["name"], "name") else { continue };
        let mut notes = Vec::new();
        let made = read(schedule, conversion, directory, &mut notes);
        let key = id(schedule, "id");
        let mut overrides = export.list("userOverrides");
        overrides.retain(|one| part(one, &["target"]).and_then(|target| id(target, "id")) == key);
        let description = text(schedule, "description").unwrap_or_default();
        let source = Schedule { name, description, overrides: overrides.len() };
        if roster::add(&source, made, notes, conversion).is_none() {
            continue;
        }
        directory.schedules.extend(key.map(|key| (key, cut(name, 200))));
        let temporary = temporary(schedule, conversion.settings.now, directory).unwrap_or_default();
        let named = overrides.into_iter().map(|one| (id(one, "id").unwrap_or_default(), one));
        let time = |value: &Value| Ok((interval(value, "start", "end")?, Vec::new()));
        let all = overrides::read(named, name, conversion, time);
        let why = "; the two are applied side by side there, and one upon the other in a roster";
        overrides::add(&all, name, conversion, why, |one| people(one, &temporary, directory));
    }
}

/// A temporary schedule: its time, and the shifts of it.
type TemporarySchedule = (Interval, Vec<(Interval, String)>);

fn read(
    schedule: &Value,
    conversion: &Conversion,
    directory: &Directory<'_>,
    notes: &mut Vec<String>,
) -> Result<Roster, String> {
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
            "user" => vec![(Week::all(), Staff::Same(Place::user(directory.user(&key)?)))],
            "rotation" => directory.staff(&key, &clock, conversion)?,
            other => return Err(format!("a rule names a {other:?}, which is not known")),
        };
        let mut bounds = rules.bounds();
        for (times, staff) in staff {
            bounds.extend(staff.hand_over(&clock));
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
            let staff = Staff::Same(Place::user(user.clone()));
            let name = format!("Temporary: {user}");
            layers.push(Layer { name, week: Week::all(), from: time.start(), until: Some(time.end()), staff });
        }
    }
    let shifts = roster::shifts(&layers, &clock, now)?;
    Ok((clock, shifts))
}

/// A layer for each time between temporary schedules.
fn layers_between(
    temporary: &[TemporarySchedule],
    now: Timestamp,
    name: &str,
    week: &Week,
    staff: &Staff,
) -> Vec<Layer> {
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

/// Temporary schedules that are not over, in order.
fn temporary(schedule: &Value, now: Timestamp, directory: &Directory<'_>) -> Result<Vec<TemporarySchedule>, String> {
    let mut all = Vec::new();
    for one in list(schedule, "temporarySchedules") {
        let time = interval(one, "start", "end")?;
        if time.end() <= now {
            continue;
        }
        let mut shifts = Vec::new();
        for shift in list(one, "shifts") {
            let user = text(shift, "userID").unwrap_or_default();
            if let Some(part) = interval(shift, "start", "end")?.intersection(time) {
                shifts.push((part, directory.user(user)?));
            }
        }
        all.push((time, shifts));
    }
    all.sort_by_key(|(time, _)| time.start());
    Ok(all)
}

/// Who is on call by an override, and in whose place.
fn people(
    one: &Override<'_>,
    temporary: &[TemporarySchedule],
    directory: &Directory<'_>,
) -> Result<Vec<Map<String, Value>>, String> {
    if temporary.iter().any(|(time, _)| time.intersection(one.time).is_some()) {
        return Err("it overlaps a temporary schedule, to which overrides do not apply".to_owned());
    }
    let user = |name: &str| text(one.value, name).map(|id| directory.user(id)).transpose();
    match (user("addUserID")?, user("removeUserID")?) {
        (Some(added), Some(removed)) => {
            let mut fields = overrides::user(&added);
            fields.insert("replaces".to_owned(), json!({"loginName": removed}));
            Ok(vec![fields])
        }
        (Some(_), None) => Err("it adds somebody beside those who are on call, and an override of a roster puts \
                                somebody in their place"
            .to_owned()),
        _ => Err("it takes somebody off call, and an override of a roster puts somebody in their place".to_owned()),
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
