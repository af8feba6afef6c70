//! Who is on call by the schedules of PagerDuty, by its documentation.

use base::Timestamp;
use serde_json::Value;

use super::{Directory, schedules::each, shown};
use crate::{
    clock::{optional_instant, required_instant},
    export::Export,
    json::{cut, list, number, text},
    source_schedule::{Edges, People, Reading, SourceSchedule, Term, TurnLength, Turns},
    wall_clock::{WallClock, second_of_day, second_of_week},
};

const DAY: i64 = 86_400;

/// Schedules.
pub fn schedules<'e>(export: &'e Export, directory: &Directory) -> Vec<SourceSchedule<'e>> {
    let all = each(export).into_iter();
    all.map(|(path, schedule, name)| SourceSchedule {
        name: cut(name, 200),
        reading: read(schedule, &export.list(&format!("{path}/overrides")), directory),
    })
    .collect()
}

struct Layer {
    term: Term,
    turns: Turns,
    users: Vec<String>,
    restrictions: Vec<Restriction>,
}

/// Seconds of the day, or of the week, and how many.
enum Restriction {
    Daily(i64, i64),
    Weekly(i64, i64),
}

fn read<'e>(schedule: &Value, overrides: &[&Value], directory: &Directory) -> Result<Reading<'e>, String> {
    if schedule.get("schedule_layers").is_none() {
        return Err("its layers are not in the export".to_owned());
    }
    let zone = text(schedule, "time_zone").unwrap_or("UTC");
    let clock = WallClock::find(zone)?;
    let layers = list(schedule, "schedule_layers").iter().map(|value| layer(value, directory));
    let layers: Vec<Layer> = layers.collect::<Result<_, _>>()?;
    let relief = |value: &&Value| {
        let term = Term { from: required_instant(value, "start")?, until: optional_instant(value, "end")? };
        Ok::<_, String>((term, login(value.get("user").unwrap_or(&Value::Null), directory)))
    };
    let overrides: Vec<(Term, String)> = overrides.iter().map(relief).collect::<Result<_, _>>()?;
    let mut edges = Edges::default();
    for layer in &layers {
        let bounds = layer.restrictions.iter().flat_map(|one| match one {
            Restriction::Daily(start, length) | Restriction::Weekly(start, length) => [*start, start + length],
        });
        edges.add_times(zone, &clock, bounds.chain([second_of_day(clock.shown(layer.turns.start))]));
    }
    let terms = layers.iter().map(|layer| layer.term).chain(overrides.iter().map(|(term, _)| *term));
    edges.instants.extend(terms.flat_map(Term::ends));
    Ok(Reading { on_call: Box::new(move |at| on_call(&layers, &overrides, &clock, at)), edges })
}

fn on_call(layers: &[Layer], overrides: &[(Term, String)], clock: &WallClock, at: Timestamp) -> People {
    let active = overrides.iter().filter(|(term, _)| term.contains(at));
    let people: People = active.map(|(_, user)| user.clone()).collect();
    if !people.is_empty() {
        return people;
    }
    let local = clock.reading(at);
    let allows = |one: &Restriction| match one {
        Restriction::Daily(start, length) => (second_of_day(local) - start).rem_euclid(DAY) < *length,
        Restriction::Weekly(start, length) => (second_of_week(local) - start).rem_euclid(7 * DAY) < *length,
    };
    let takes_place = |layer: &&Layer| {
        let is_allowed = layer.restrictions.is_empty() || layer.restrictions.iter().any(allows);
        is_allowed && layer.term.contains(at) && !layer.users.is_empty()
    };
    let layer = layers.iter().find(takes_place);
    layer.and_then(|layer| layer.turns.place(clock, at, local, &layer.users)).into_iter().cloned().collect()
}

/// The login name of a user; of one that is not converted, what PagerDuty calls the user.
fn login(reference: &Value, directory: &Directory) -> String {
    directory.user(reference).unwrap_or_else(|_| shown(reference).to_owned()).to_lowercase()
}

fn layer(value: &Value, directory: &Directory) -> Result<Layer, String> {
    let from = required_instant(value, "start")?;
    let term = Term { from, until: optional_instant(value, "end")? };
    let start = optional_instant(value, "rotation_virtual_start")?.unwrap_or(from);
    if start > from {
        return Err("a layer begins before its rotation".to_owned());
    }
    let seconds = number(value, "rotation_turn_length_seconds").filter(|seconds| (1..1 << 40).contains(seconds));
    let seconds = seconds.ok_or("a layer does not say how long a turn is")?;
    let length = if seconds % DAY == 0 { TurnLength::Local(seconds) } else { TurnLength::Elapsed(seconds) };
    let users = list(value, "users").iter().map(|user| login(user.get("user").unwrap_or(user), directory)).collect();
    let restrictions = list(value, "restrictions").iter().map(|one| {
        let time: jiff::civil::Time = text(one, "start_time_of_day")
            .unwrap_or_default()
            .parse()
            .map_err(|_| "a restriction does not say when it begins".to_owned())?;
        let start = second_of_day(jiff::civil::Date::MIN.to_datetime(time));
        let length = number(one, "duration_seconds").unwrap_or(0);
        Ok(match number(one, "start_day_of_week") {
            Some(day) => Restriction::Weekly((day - 1) * DAY + start, length),
            None => Restriction::Daily(start, length),
        })
    });
    let restrictions = restrictions.collect::<Result<_, String>>()?;
    Ok(Layer { term, turns: Turns { start, length }, users, restrictions })
}
