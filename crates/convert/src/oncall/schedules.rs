//! Schedules with their shifts, as rosters.

use std::collections::BTreeMap;

use base::Timestamp;
use calendar::Interval;
use serde_json::{Value, json};

use super::{
    Directory,
    events::{layer, local},
};
use crate::{
    clock::Clock,
    conversion::{Conversion, object},
    export::Export,
    json::{cut, id, list, number, text},
    layers::visible,
    roster::{self, Layer, Place, Shift, Staff},
};

/// Schedules.
pub fn schedules(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    let mut shifts: BTreeMap<String, &Value> = BTreeMap::new();
    for shift in export.list("on_call_shifts") {
        shifts.extend(id(shift, "id").map(|id| (id, shift)));
    }
    for schedule in export.list("schedules") {
        let Some(name) = text(schedule, "name") else { continue };
        let source = object("schedule", name);
        if text(schedule, "type") == Some("ical") {
            conversion
                .report
                .refused(source, "it is a calendar of another program, of which only the address is known");
            continue;
        }
        let key = id(schedule, "id");
        let own = |shift: &&&Value| key.is_some() && id(shift, "schedule") == key;
        let mut all: Vec<&Value> = Vec::new();
        let mut missing = 0;
        for named in list(schedule, "shifts").iter().filter_map(Value::as_str) {
            match shifts.get(named) {
                Some(shift) => all.push(shift),
                None => missing += 1,
            }
        }
        // Shifts that are made in the browser name their schedule.
        let others: Vec<&Value> = shifts.values().filter(own).copied().collect();
        all.extend(
            others.into_iter().filter(|one| !list(schedule, "shifts").iter().any(|id| Some(id) == one.get("id"))),
        );
        let mut notes = Vec::new();
        let made = if missing > 0 {
            Err(format!("{missing} of its shifts are not in the export (on_call_shifts.json)"))
        } else {
            read(schedule, &all, conversion, directory, &mut notes)
        };
        let made = made.and_then(|made| conversion.claim("Roster", name).map(|()| made));
        match made {
            Ok((clock, shifts)) => {
                let becomes = conversion.add("Roster", name, roster::body(name, "", &clock, &shifts));
                conversion.report.converted(source, vec![becomes], notes);
                directory.schedules.extend(key.map(|key| (key, cut(name, 200))));
                overrides(schedule, &all, name, conversion, directory);
            }
            Err(reason) => conversion.report.refused(source, reason),
        }
    }
}

fn zone_of<'v>(shift: &'v Value, schedule: &'v Value) -> &'v str {
    text(shift, "time_zone").or_else(|| text(schedule, "time_zone")).unwrap_or("UTC")
}

fn is_override(shift: &Value) -> bool {
    text(shift, "type") == Some("override")
}

fn read(
    schedule: &Value,
    shifts: &[&Value],
    conversion: &Conversion,
    directory: &Directory,
    notes: &mut Vec<String>,
) -> Result<(Clock, Vec<(usize, Shift)>), String> {
    let settings = conversion.settings;
    let mut clock: Option<Clock> = None;
    let mut levels: BTreeMap<i64, Vec<Layer>> = BTreeMap::new();
    let mut has_gaps = false;
    for shift in shifts.iter().filter(|shift| !is_override(shift)) {
        let name = text(shift, "name").unwrap_or("Shift").to_owned();
        let of_shift = |reason: String| format!("shift {name:?}: {reason}");
        let here = Clock::find(zone_of(shift, schedule)).map_err(of_shift)?;
        let Some(layer) = layer(shift, &here, settings, directory).map_err(of_shift)? else {
            notes.push(format!("the shift {name:?} is over and left out"));
            continue;
        };
        if layer.staff.is_nobody() {
            notes.push(format!("the shift {name:?} names nobody and is left out"));
            continue;
        }
        if let Staff::Turns(places, _) = &layer.staff {
            has_gaps |= places.contains(&Place::default());
        }
        if let Some(other) = clock.as_ref().filter(|other| other.zone.name() != here.zone.name()) {
            return Err(format!(
                "shift {name:?}: it follows the clocks of {}, and another those of {}; a roster has one zone",
                here.zone.name(),
                other.zone.name()
            ));
        }
        let mut bounds = layer.week.bounds();
        if let Staff::Turns(_, rotation) = &layer.staff {
            let first = rotation.turns(here.zone).first();
            bounds.extend(u32::try_from(here.zone.time_of_day(first).seconds()));
        }
        notes.extend(here.ambiguous_note(&name, &bounds, settings.now));
        levels.entry(number(shift, "level").unwrap_or(0)).or_default().push(layer);
        clock = Some(here);
    }
    let Some(clock) = clock else { return Err("nobody is ever on call in it".to_owned()) };
    if has_gaps && levels.len() > 1 {
        return Err(
            "a turn that nobody has shows the people of a lower level, and shifts of a roster do not".to_owned()
        );
    }
    // The highest level comes first.
    let groups: Vec<Vec<Layer>> = levels.into_values().rev().collect();
    let (visible, _) = visible(&groups, settings.now);
    let shifts = roster::shifts(&visible, &clock, settings.now)?;
    Ok((clock, shifts))
}

fn overrides(schedule: &Value, shifts: &[&Value], roster: &str, conversion: &mut Conversion, directory: &Directory) {
    let mut read: Vec<(String, &Value, Interval)> = Vec::new();
    for shift in shifts.iter().copied().filter(|shift| is_override(shift)) {
        let source = object("override", &format!("{} of {roster}", id(shift, "id").unwrap_or_default()));
        match time_of(shift, schedule) {
            Ok(time) if time.end() <= conversion.settings.now => conversion.report.omitted(source, "it is over"),
            Ok(time) => read.push((source, shift, time)),
            Err(reason) => conversion.report.refused(source, reason),
        }
    }
    for (place, (source, shift, time)) in read.iter().enumerate() {
        let mut others = read.iter().enumerate().filter(|(other, _)| *other != place);
        let met = others.find(|(_, (_, _, other))| other.intersection(*time).is_some());
        let users: Vec<&str> = list(shift, "users").iter().filter_map(Value::as_str).collect();
        let login = match (met, users.as_slice()) {
            (Some((_, (other, ..))), _) => {
                Err(format!("it overlaps the {other}: both are on call there, and one of them in a roster"))
            }
            (None, [user]) => directory.user(user),
            (None, users) => Err(format!("it puts {} people on call, and an override of a roster one", users.len())),
        };
        match login {
            Ok(login) => {
                let mut becomes = Vec::new();
                for part in roster::override_parts(*time) {
                    let body = json!({
                        "roster": {"name": roster}, "user": {"loginName": login}, "start": part.start().to_string(),
                        "end": part.end().to_string(),
                    });
                    becomes.push(conversion.add("RosterOverride", roster, body));
                }
                conversion.report.converted(source.clone(), becomes, Vec::new());
            }
            Err(reason) => conversion.report.refused(source.clone(), reason),
        }
    }
}

fn time_of(shift: &Value, schedule: &Value) -> Result<Interval, String> {
    let clock = Clock::find(zone_of(shift, schedule))?;
    let start = local(text(shift, "start").unwrap_or_default(), &clock)?;
    let seconds = number(shift, "duration").unwrap_or(0);
    let end = Timestamp::from_millis(start.millis().saturating_add(seconds.saturating_mul(1_000)));
    Interval::new(start, end).ok_or_else(|| "it does not say how long it is".to_owned())
}
