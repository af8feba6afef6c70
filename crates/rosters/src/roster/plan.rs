//! What a create and an update do to a roster and to the versions of its shifts. Pure.

use std::collections::{HashMap, HashSet};

use base::{
    problem::{FieldErrors, Problem},
    text::fold,
    timestamp::Timestamp,
};
use calendar::rotation::Length;
use db::Json;
use serde_json::json;

use super::{
    input::{
        ConflictRecipient, NewRoster, NewRotation, NewShift, OffHours, RosterChange, ShiftChange, group_ids, user_ids,
    },
    rotation::{Calendar, CrewRotation},
    row::{Roster, Shift, Version},
    rules::{self, effective_ms},
    wire::LATEST_MS,
};
use crate::{
    crew::Crew,
    dated_holidays::{dated::DatedHolidays, row::ShiftHolidays},
    lines::Level,
    moves::Moves,
};

/// A roster that is new, and its shifts, which hold as if they had always been. `id` names what is new.
pub fn created(new: &NewRoster, tenant: &str, mut id: impl FnMut() -> String, now: Timestamp) -> (Roster, Vec<Shift>) {
    let roster = Roster {
        tenant_id: tenant.to_owned(),
        id: format!("ES-{}", id()),
        version: 1,
        name: new.name.clone(),
        name_key: fold(&new.name),
        description: new.description.clone(),
        zone: new.time_zone.zone.name().to_owned(),
        off_hours: Json(OffHours::to_json(&new.off_hours)),
        created_ms: now.millis(),
        updated_ms: None,
        sequence: 0,
        modified_ms: now.millis(),
        deleted_ms: None,
        conflicts_to: ConflictRecipient::crew(&new.conflicts_to).map(Json),
    };
    let shifts = (0..)
        .zip(&new.shifts)
        .map(|(position, shift)| row(&roster, shift, format!("ESD-{}", id()), position, (0, now)));
    let shifts = shifts.collect();
    (roster, shifts)
}

/// A new shift, whose turns depend on who is away from an instant on.
fn row(roster: &Roster, shift: &NewShift, id: String, position: i64, (from_ms, away): (i64, Timestamp)) -> Shift {
    Shift {
        tenant_id: roster.tenant_id.clone(),
        roster_id: roster.id.clone(),
        id,
        valid_from_ms: from_ms,
        valid_until_ms: None,
        position,
        name: shift.name.clone(),
        zone: roster.zone.clone(),
        schedule: Json(json!(shift.schedule)),
        crew: Json(shift.crew()),
        rotation: rotation(shift.rotation.as_ref(), away),
        level: shift.level.map(level),
        holidays: shift.shift_holidays().map(Json),
    }
}

fn rotation(new: Option<&NewRotation>, away: Timestamp) -> Option<Json<CrewRotation>> {
    new.and_then(|new| new.stored(away)).map(Json)
}

/// What is stored of a level.
fn level(level: Level) -> String {
    match level {
        Level::Primary => "primary".to_owned(),
        Level::Secondary => "secondary".to_owned(),
    }
}

/// Adds the shifts of a new roster whose names others have already to what is wrong.
pub fn check_names(shifts: &[NewShift], wrong: &mut FieldErrors) {
    let names = (0..).zip(shifts).map(|(place, shift)| (place, shift.name.as_str()));
    distinct(names.filter(|(_, name)| !name.is_empty()), wrong);
}

/// The same, of names with the places of their shifts.
fn distinct<'n>(names: impl Iterator<Item = (i64, &'n str)>, wrong: &mut FieldErrors) {
    let mut seen: HashMap<String, i64> = HashMap::new();
    for (place, name) in names {
        let first = *seen.entry(fold(name)).or_insert(place);
        if first != place {
            let message = format!("must be unique in the roster; shiftDetails[{first}] has the name \"{name}\" too");
            wrong.add(&format!("shiftDetails[{place}].name"), message);
        }
    }
}

/// From when on an update holds.
///
/// # Errors
/// 400 when that is past, or beyond the calendar.
pub fn effective_from(change: &RosterChange, now: Timestamp) -> Result<i64, Problem> {
    let now_ms = effective_ms(now);
    let Some(from) = change.from else { return Ok(now_ms) };
    if from.millis() < now_ms {
        return Err(Problem::field("effectiveFrom", "must not lie in the past: who was on call stays as it is"));
    }
    if from.millis() > LATEST_MS {
        return Err(Problem::field("effectiveFrom", "must lie in the years 1970 to 9998"));
    }
    Ok(from.millis())
}

/// What an update does.
#[derive(Debug, PartialEq)]
pub struct Plan {
    /// The roster afterwards.
    pub roster: Roster,
    /// When it is made.
    pub now_ms: i64,
    /// From when on.
    pub from_ms: i64,
    /// How the roster is after `now_ms`, oldest first; the first one may have begun before.
    pub versions: Vec<Version>,
    /// What becomes of the shifts; `None` when nothing was said of who is on call when.
    pub shifts: Option<ShiftPlan>,
    /// The shifts from `from_ms` on, in their order.
    pub after: Vec<Shift>,
}

/// What becomes of the shifts of a roster. Whatever was planned to begin later than they does not begin.
#[derive(Debug, Default, PartialEq)]
pub struct ShiftPlan {
    /// The shifts whose version ends.
    pub end: Vec<String>,
    /// Those that stay as they are, with no end, and maybe in another place.
    pub kept: Vec<Shift>,
    /// The versions that begin.
    pub begin: Vec<Shift>,
}

/// A roster that is to be updated.
#[derive(Clone, Copy, Debug)]
pub struct RosterBefore<'r> {
    /// The roster.
    pub roster: &'r Roster,
    /// How it is after now, oldest first.
    pub versions: &'r [Version],
    /// Its shifts, as they are when the update takes effect.
    pub shifts: &'r [Shift],
    /// The days of their holiday calendars, and of those that the update names.
    pub holidays: &'r DatedHolidays,
    /// Of the rotations of shifts, by the ids of these, which turns move because people are away; for an update that
    /// keeps who is on call.
    pub moves: &'r HashMap<String, Moves>,
}

/// Works out what an update of a roster does. What is as it was keeps its version, so that history is cut only where
/// something changed. Of what was planned for later, an update of the plan leaves nothing. A name and a description
/// hold from now on, the rest from `from_ms`. `wrong` is what the body was found to have wrong so far.
///
/// # Errors
/// 400 for that, for a shift id that is not one of the roster's or is given twice, and for two shifts of one name.
pub fn planned(
    old: RosterBefore<'_>,
    change: RosterChange,
    mut wrong: FieldErrors,
    mut id: impl FnMut() -> String,
    now: Timestamp,
) -> Result<Plan, Problem> {
    let now_ms = effective_ms(now);
    let from_ms = wrong.take(effective_from(&change, now))?.unwrap_or(now_ms);
    let of_plan = change.is_of_plan();
    // What was entered in the second in which the update is made is known.
    let away = now.max(Timestamp::from_millis(from_ms));
    let keeps_current = change.keep_current.unwrap_or_default();
    let versions = rewritten(old.versions, &change, now_ms, from_ms);
    let last = versions.last().ok_or_else(|| Problem::internal())?;
    let name = change.name.unwrap_or_else(|| old.roster.name.clone());
    let roster = Roster {
        version: old.roster.version + 1,
        name_key: fold(&name),
        name,
        description: change.description.unwrap_or_else(|| old.roster.description.clone()),
        zone: last.zone.clone(),
        off_hours: last.off_hours.clone(),
        updated_ms: Some(now.millis()),
        sequence: old.roster.sequence + 1,
        modified_ms: now.millis(),
        conflicts_to: match &change.conflicts_to {
            Some(recipients) => ConflictRecipient::crew(recipients).map(Json),
            None => old.roster.conflicts_to.clone(),
        },
        ..old.roster.clone()
    };
    let wanted = change.shifts.unwrap_or_else(|| old.shifts.iter().map(kept).collect());
    let mut after = Vec::new();
    let mut taken = HashSet::new();
    let mut complete = true;
    let unmoved = Moves::default();
    for (position, shift) in (0..).zip(wanted) {
        let path = |field: &str| format!("shiftDetails[{position}].{field}");
        let Some(shift_id) = shift.id.clone() else {
            match shift.complete() {
                Some(new) => {
                    let new = row(&roster, &new, format!("ESD-{}", id()), position, (from_ms, away));
                    // When a change is undone, a shift has the id that it had.
                    let known = old.shifts.iter().find(|known| known.id == new.id);
                    let rotation = known.map_or_else(|| new.rotation.clone(), |known| with_kept(&new.rotation, known));
                    after.push(Shift { rotation, ..new });
                }
                // The reader has noted what it lacks, unless it had enough by then.
                None => complete = false,
            }
            continue;
        };
        let Some(known) = old.shifts.iter().find(|known| known.id == shift_id) else {
            let message = format!("names no shift of the roster: {}", base::problem::shorten(&shift_id));
            wrong.add(&path("id"), message);
            continue;
        };
        if !taken.insert(shift_id) {
            wrong.add(&path("id"), "is given more than once");
            continue;
        }
        let zone = if of_plan { &roster.zone } else { &known.zone };
        let moves = keeps_current.then(|| old.moves.get(&known.id).unwrap_or(&unmoved));
        after.push(changed(known, shift, (zone, moves, old.holidays), position, (from_ms, away))?);
    }
    distinct(after.iter().map(|shift: &Shift| (shift.position, shift.name.as_str())), &mut wrong);
    wrong.check()?;
    if !complete {
        return Err(Problem::internal());
    }
    let shifts = of_plan.then(|| shift_plan(old.shifts, &after));
    Ok(Plan { roster, now_ms, from_ms, versions, shifts, after })
}

fn shift_plan(before: &[Shift], after: &[Shift]) -> ShiftPlan {
    let same = |one: &Shift, other: &Shift| {
        Shift { position: other.position, valid_until_ms: other.valid_until_ms, ..one.clone() } == *other
    };
    let mut plan = ShiftPlan { end: before.iter().map(|shift| shift.id.clone()).collect(), ..ShiftPlan::default() };
    for shift in after {
        if before.iter().any(|known| same(known, shift)) {
            plan.end.retain(|id| *id != shift.id);
            plan.kept.push(shift.clone());
        } else {
            plan.begin.push(shift.clone());
        }
    }
    plan
}

/// The versions of shifts, as a plan leaves them, in the order of the shifts.
pub fn shifts_after(known: &[Shift], plan: &Plan) -> Vec<Shift> {
    let Some(shifts) = &plan.shifts else { return known.to_vec() };
    let stays =
        |row: &Shift| shifts.kept.iter().find(|kept| kept.id == row.id && kept.valid_from_ms == row.valid_from_ms);
    let left = |row: &Shift| match stays(row) {
        Some(kept) => Some(kept.clone()),
        None if row.valid_from_ms >= plan.from_ms => None,
        None => {
            let until = row.valid_until_ms.map_or(plan.from_ms, |until| until.min(plan.from_ms));
            Some(Shift { valid_until_ms: Some(until), ..row.clone() })
        }
    };
    let mut after: Vec<Shift> = known.iter().filter_map(left).chain(shifts.begin.iter().cloned()).collect();
    after.sort_by(|one, other| {
        (one.position, &one.id, one.valid_from_ms).cmp(&(other.position, &other.id, other.valid_from_ms))
    });
    after
}

/// The versions of a roster, as a plan leaves them, oldest first.
pub fn versions_after(known: &[Version], plan: &Plan) -> Vec<Version> {
    let over = known.iter().filter(|version| version.valid_until_ms.is_some_and(|until| until <= plan.now_ms));
    over.chain(&plan.versions).cloned().collect()
}

/// How a roster is after an update, of which a name holds from now on and the rest from an instant.
fn rewritten(versions: &[Version], change: &RosterChange, now_ms: i64, from_ms: i64) -> Vec<Version> {
    let mut all = versions.to_vec();
    if let Some(name) = &change.name {
        cut(&mut all, now_ms);
        let later = all.iter_mut().filter(|version| version.valid_from_ms >= now_ms);
        later.for_each(|version| version.name.clone_from(name));
    }
    if change.is_of_plan() {
        cut(&mut all, from_ms);
        all.retain(|version| version.valid_from_ms <= from_ms);
        if let Some(last) = all.last_mut() {
            last.valid_until_ms = None;
            if let Some(named) = &change.time_zone {
                last.zone = named.zone.name().to_owned();
            }
            if let Some(hours) = &change.off_hours {
                last.off_hours = Json(OffHours::to_json(hours));
            }
        }
    }
    let mut told: Vec<Version> = Vec::with_capacity(all.len());
    for version in all {
        let before = told.last_mut().filter(|before| before.says_what(&version));
        match before {
            Some(before) => before.valid_until_ms = version.valid_until_ms,
            None => told.push(version),
        }
    }
    told
}

/// Cuts the version of an instant in two.
fn cut(versions: &mut Vec<Version>, at_ms: i64) {
    let holds =
        |version: &Version| version.valid_from_ms < at_ms && version.valid_until_ms.is_none_or(|until| at_ms < until);
    let Some(place) = versions.iter().position(holds) else { return };
    if let Some(first) = versions.get_mut(place) {
        let second = Version { valid_from_ms: at_ms, ..first.clone() };
        first.valid_until_ms = Some(at_ms);
        versions.insert(place + 1, second);
    }
}

fn kept(shift: &Shift) -> ShiftChange {
    ShiftChange { id: Some(shift.id.clone()), ..ShiftChange::default() }
}

/// The shift after a change: the same version when nothing but its place differs. With the moves of its rotation, it
/// keeps who is on call.
fn changed(
    old: &Shift,
    change: ShiftChange,
    (zone, moves, holidays): (&str, Option<&Moves>, &DatedHolidays),
    position: i64,
    (from_ms, away): (i64, Timestamp),
) -> Result<Shift, Problem> {
    let crew = Crew::new(
        &change.users.map_or_else(|| old.crew.users.clone(), |users| user_ids(&users)),
        &change.groups.map_or_else(|| old.crew.groups.clone(), |groups| group_ids(&groups)),
    );
    let next = Shift {
        position,
        valid_until_ms: None,
        name: change.name.unwrap_or_else(|| old.name.clone()),
        zone: zone.to_owned(),
        schedule: change.schedule.map_or_else(|| old.schedule.clone(), |schedule| Json(json!(schedule))),
        crew: Json(crew),
        rotation: change
            .rotation
            .map_or_else(|| old.rotation.clone(), |new| with_kept(&rotation(Some(&new), away), old)),
        level: change.level.map_or_else(|| old.level.clone(), |new| Some(level(new))),
        holidays: ShiftHolidays::changed(old.holidays.as_deref(), change.holidays.as_deref(), change.on_holidays)
            .map(Json),
        ..old.clone()
    };
    let next = match moves {
        Some(moves) => keeping_current((old, moves), next, holidays, from_ms)?,
        None => next,
    };
    let as_old = Shift { position: old.position, valid_until_ms: old.valid_until_ms, ..next.clone() };
    Ok(Shift { valid_from_ms: if as_old == *old { old.valid_from_ms } else { from_ms }, ..next })
}

/// A rotation, with the turn that somebody kept before when it is still the same one.
fn with_kept(rotation: &Option<Json<CrewRotation>>, old: &Shift) -> Option<Json<CrewRotation>> {
    let is_same = |new: &CrewRotation| old.rotation.as_deref().is_some_and(|known| known.says_what(new));
    if rotation.as_deref().is_some_and(is_same) { old.rotation.clone() } else { rotation.clone() }
}

/// A shift after a change, whose rotation is moved so that those whose turn it is keep it to its end.
fn keeping_current(
    (old, moves): (&Shift, &Moves),
    next: Shift,
    holidays: &DatedHolidays,
    from_ms: i64,
) -> Result<Shift, Problem> {
    let (Some(former), Some(new)) = (&old.rotation, &next.rotation) else { return Ok(next) };
    let is_counted = |length| matches!(length, Length::Occurrences(_));
    let counts_occurrences = is_counted(former.turns.length) || is_counted(new.turns.length);
    let is_same_schedule = (&old.schedule, &old.holidays) == (&next.schedule, &next.holidays);
    let is_same_calendar = old.zone == next.zone && (!counts_occurrences || is_same_schedule);
    if former == new && is_same_calendar {
        return Ok(next);
    }
    let (zone_then, zone) = (rules::zone(&old.zone)?, rules::zone(&next.zone)?);
    let rule_then = rules::schedule(&old.schedule)?.rule(zone_then);
    let rule_then = holidays.rule(rule_then, zone_then, old.holidays.as_deref());
    let rule = holidays.rule(rules::schedule(&next.schedule)?.rule(zone), zone, next.holidays.as_deref());
    let then = Calendar { zone: zone_then, schedule: &rule_then };
    let former = (&former.0, then, moves);
    let now = Calendar { zone, schedule: &rule };
    let at = Timestamp::from_millis(from_ms);
    let moved = new.0.clone().keeping_current(former, now, is_same_calendar, at);
    Ok(Shift { rotation: Some(Json(moved)), ..next })
}

#[cfg(test)]
mod tests;
