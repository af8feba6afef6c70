//! From GoAlert: answers of its GraphQL interface. Which file has which is in `docs/moving-in.md`.

mod on_call;
mod people;
mod policies;
mod schedules;

use std::collections::BTreeMap;

use calendar::Rotation;
use serde_json::Value;

use crate::{
    clock::{Clock, instant},
    conversion::{Conversion, object},
    export::Export,
    json::{id, list, number, text},
    roster::{self, Place, Staff},
    source_schedule::SourceSchedule,
    week::{DAY, Week},
};

/// How schedules are read where there is a choice.
pub const ASSUMPTIONS: [&str; 4] = [
    "The export was made at the instant of the conversion (--now): GoAlert keeps whose turn it is, so a rotation \
     begins with the turn that goes on then, and nothing is known of turns before it.",
    "All rules of a schedule count together. A turn goes on while no rule is active.",
    "Turns of days and weeks, and rules, follow the clocks of the zone.",
    "In an hour that the clocks repeat GoAlert ends a rule the second time that the clocks show its end, Muster the \
     first time.",
];

/// Objects of an installation, by their ids.
#[derive(Debug, Default)]
struct Directory<'e> {
    /// Login names of users.
    users: BTreeMap<String, String>,
    rotations: BTreeMap<String, &'e Value>,
    /// Names of the rosters of schedules.
    schedules: BTreeMap<String, String>,
    /// Names of the rosters of rotations that steps tell, made when they are needed.
    rotation_rosters: BTreeMap<String, String>,
    policies: BTreeMap<String, String>,
}

impl Directory<'_> {
    fn user(&self, id: &str) -> Result<String, String> {
        self.users.get(id).cloned().ok_or_else(|| format!("the user {id:?} is not among the users"))
    }

    /// Those of a rotation who take turns, each with the times of the week that are theirs alone: where turns of hours
    /// fill the day, everybody has the same hours each day, and nobody takes turns.
    fn staff(&self, rotation: &str, clock: &Clock, conversion: &Conversion) -> Result<Vec<(Week, Staff)>, String> {
        let found = self.rotations.get(rotation).ok_or_else(|| format!("the rotation {rotation:?} is not there"))?;
        let name = text(found, "name").unwrap_or("?");
        self.turns(found, clock, conversion).map_err(|reason| format!("rotation {name:?}: {reason}"))
    }

    fn turns(&self, rotation: &Value, clock: &Clock, conversion: &Conversion) -> Result<Vec<(Week, Staff)>, String> {
        let mut users: Vec<String> = list(rotation, "userIDs")
            .iter()
            .filter_map(Value::as_str)
            .map(|id| self.user(id))
            .collect::<Result<_, _>>()?;
        let place = |user: &String| Place::user(user.clone());
        if users.windows(2).all(|pair| pair.first() == pair.last()) {
            let same = Staff::Same(users.first().map(place).unwrap_or_default());
            return Ok(vec![(Week::all(), same)]);
        }
        let zone = text(rotation, "timeZone").unwrap_or("UTC");
        if zone != clock.zone.name() {
            return Err(format!(
                "it hands over by the clocks of {zone}, and its roster would by those of {}",
                clock.zone.name()
            ));
        }
        let active = number(rotation, "activeUserIndex").and_then(|index| usize::try_from(index).ok());
        let active = active.filter(|index| *index < users.len()).ok_or("it does not say whose turn it is")?;
        users.rotate_left(active);
        let start = text(rotation, "start").and_then(instant).ok_or("it does not say when turns begin")?;
        // Seconds do not count.
        let start = base::Timestamp::from_millis(start.millis().div_euclid(60_000) * 60_000);
        let count = number(rotation, "shiftLength").unwrap_or(1).max(1);
        let now = conversion.settings.now;
        let length = match text(rotation, "type").unwrap_or_default() {
            "weekly" => roster::days(count.saturating_mul(7))?,
            "daily" => roster::days(count)?,
            "hourly" => {
                let rotation = clock.turns_around(start, roster::hours(count)?, now)?;
                let cycle = count.saturating_mul(i64::try_from(users.len()).unwrap_or(i64::MAX));
                if 24 % cycle.max(1) == 0 {
                    return Ok(hours_of_each(&users, count, rotation));
                }
                if clock.changes_after(start) {
                    return Err(format!(
                        "turns of {count} hours move with the clocks of {zone}, which change; a roster counts hours as \
                         they pass"
                    ));
                }
                let places = users.iter().map(place).collect();
                return Ok(vec![(Week::all(), Staff::turns(places, Ok(rotation))?)]);
            }
            "monthly" => return Err("a turn of months is not of weeks, days or hours".to_owned()),
            other => return Err(format!("a rotation of the type {other:?} is not known")),
        };
        let rotation = clock.turns_around(start, length, now)?;
        Ok(vec![(Week::all(), Staff::turns(users.iter().map(place).collect(), Ok(rotation))?)])
    }
}

/// Turns of hours, of which a whole number of rounds fills a day: the times of each user.
fn hours_of_each(users: &[String], hours: i64, rotation: Rotation) -> Vec<(Week, Staff)> {
    let hour = |hours: i64| u32::try_from(hours).unwrap_or_default() * 3_600;
    let text = rotation.start.to_string();
    let begin = text.split_once('T').and_then(|(_, time)| calendar::TimeOfDay::parse(time));
    let begin = begin.and_then(|time| u32::try_from(time.seconds()).ok()).unwrap_or_default();
    let length = hour(hours);
    let mut all: BTreeMap<&String, Week> = BTreeMap::new();
    for (turn, user) in (0..DAY / length.max(1)).zip(users.iter().cycle()) {
        let week = Week::daily((begin + turn * length) % DAY, length);
        let times = all.entry(user).or_default();
        *times = times.union(&week);
    }
    let staff = |user: &String| Staff::Same(Place::user(user.clone()));
    all.into_iter().map(|(user, week)| (week, staff(user))).collect()
}

/// Converts an installation.
pub fn convert(export: &Export, conversion: &mut Conversion) {
    let mut directory = directory(export, conversion);
    schedules::schedules(export, conversion, &mut directory);
    policies::policies(export, conversion, &mut directory);
    policies::services(export, conversion, &directory);
    for (key, rotation) in &directory.rotations {
        let name = text(rotation, "name").unwrap_or("?");
        let reason = match directory.rotation_rosters.get(key) {
            Some(_) => "a step of an escalation policy tells it, so it has a roster of its own",
            None => "it is a part of the schedules that use it",
        };
        conversion.report.omitted(object("rotation", name), reason);
    }
}

/// Users and rotations, of which users become objects.
fn directory<'e>(export: &'e Export, conversion: &mut Conversion) -> Directory<'e> {
    let mut directory = Directory::default();
    people::users(export, conversion, &mut directory);
    for rotation in export.list("rotations") {
        directory.rotations.extend(id(rotation, "id").map(|id| (id, rotation)));
    }
    directory
}

/// Who is on call by its schedules, and by its rotations that steps tell.
pub fn on_call<'e>(export: &'e Export, conversion: &mut Conversion) -> Vec<SourceSchedule<'e>> {
    let directory = directory(export, conversion);
    on_call::schedules(export, &directory, conversion.settings.now)
}
