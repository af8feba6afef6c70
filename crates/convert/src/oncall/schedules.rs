//! Schedules with their shifts, as rosters.

use std::collections::BTreeMap;

use base::Timestamp;
use calendar::Interval;
use serde_json::Value;

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
    overrides,
    roster::{self, Layer, Place, Roster, Schedule, Staff},
};

/// Schedules.
pub fn schedules(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for schedule in export.list("schedules") {
        let Some(name) = conversion.required(schedule, "schedule", &["name"], "name") else { continue };
        if text(schedule, "type") == Some("ical") {
            let reason = "it is a calendar of another program, of which only the address is known";
            conversion.report.refused(object("schedule", name), reason);
            continue;
        }
        let (all, missing) = shifts_of(schedule, export);
        let mut notes = Vec::new();
        let made = if missing > 0 {
            Err(format!("{missing} of its shifts are not in the export (on_call_shifts.json)"))
        } else {
            read(schedule, &all, conversion, directory, &mut notes)
        };
        let overrides: Vec<&Value> = all.into_iter().filter(|shift| is_override(shift)).collect();
        let source = Schedule { name, description: "", overrides: overrides.len() };
        if roster::add(&source, made, notes, conversion).is_none() {
            continue;
        }
        directory.schedules.extend(id(schedule, "id").map(|key| (key, cut(name, 200))));
        let named = overrides.into_iter().map(|one| (id(one, "id").unwrap_or_default(), one));
        let all = overrides::read(named, name, conversion, |shift| Ok((time_of(shift, schedule)?, Vec::new())));
        let why = ": both are on call there, and one of them in a roster";
        overrides::add(&all, name, conversion, why, |one| {
            let users: Vec<&str> = list(one.value, "users").iter().filter_map(Value::as_str).collect();
            let [user] = users.as_slice() else {
                return Err(format!("it puts {} people on call, and an override of a roster one", users.len()));
            };
            Ok(vec![overrides::user(&directory.user(user)?)])
        });
    }
}

/// The shifts of a schedule, and how many that it names are not in the export.
pub fn shifts_of<'e>(schedule: &Value, export: &'e Export) -> (Vec<&'e Value>, usize) {
    let mut shifts: BTreeMap<String, &Value> = BTreeMap::new();
    for shift in export.list("on_call_shifts") {
        shifts.extend(id(shift, "id").map(|id| (id, shift)));
    }
    let named: Vec<&str> = list(schedule, "shifts").iter().filter_map(Value::as_str).collect();
    let mut all: Vec<&Value> = named.iter().filter_map(|name| shifts.get(*name).copied()).collect();
    let missing = named.len() - all.len();
    // Shifts that are made in the browser name their schedule.
    let key = id(schedule, "id");
    let is_own = |shift: &Value| key.is_some() && id(shift, "schedule") == key;
    let others = shifts.into_iter().filter(|(name, shift)| is_own(shift) && !named.contains(&name.as_str()));
    all.extend(others.map(|(_, shift)| shift));
    (all, missing)
}

/// The zone of a shift.
pub fn zone_of<'v>(shift: &'v Value, schedule: &'v Value) -> &'v str {
    text(shift, "time_zone").or_else(|| text(schedule, "time_zone")).unwrap_or("UTC")
}

/// Is it an override?
pub fn is_override(shift: &Value) -> bool {
    text(shift, "type") == Some("override")
}

fn read(
    schedule: &Value,
    shifts: &[&Value],
    conversion: &Conversion,
    directory: &Directory,
    notes: &mut Vec<String>,
) -> Result<Roster, String> {
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
        bounds.extend(layer.staff.hand_over(&here));
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

fn time_of(shift: &Value, schedule: &Value) -> Result<Interval, String> {
    let clock = Clock::find(zone_of(shift, schedule))?;
    let start = local(text(shift, "start").unwrap_or_default(), &clock)?;
    let seconds = number(shift, "duration").unwrap_or(0);
    let end = Timestamp::from_millis(start.millis().saturating_add(seconds.saturating_mul(1_000)));
    Interval::new(start, end).ok_or_else(|| "it does not say how long it is".to_owned())
}
