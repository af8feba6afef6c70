//! What becomes of a window, and which windows a search means. Pure.

use base::{
    problem::{FieldErrors, Problem},
    text::fold,
    timestamp::Timestamp,
};
use calendar::Interval;
use db::Json;
use serde_json::json;

use super::{
    row::Window,
    wire::{NewWindow, WindowChange},
};
use crate::{
    course::{Course, Holds, State, second, stored_schedule},
    schedule::WindowSchedule,
};

/// 409: the state of the window does not allow a change.
fn not_while(state: State, what: &str) -> Problem {
    Problem::conflict(format!("The maintenance window is {}: {what}.", state.word().to_lowercase()))
}

/// What is said of a schedule by which a window never opens.
const NEVER: &str = "takes place never: no date of its pattern lies between startTime and endTime";

fn never() -> Problem {
    Problem::field("schedule", NEVER)
}

/// Adds a schedule by which a window never opens to what is wrong, unless it is wrong already.
pub fn check_opens(schedule: Option<&WindowSchedule>, name: &str, wrong: &mut FieldErrors) {
    let opens = |schedule: &WindowSchedule| Course::new(schedule, Holds::default()).bounds().is_some();
    if !wrong.has(name) && !schedule.is_none_or(opens) {
        wrong.add(name, NEVER);
    }
}

/// The first state of a window.
///
/// # Errors
/// 400 when it would never open.
pub fn created(new: &NewWindow, tenant: &str, id: String, author: &str, now: Timestamp) -> Result<Window, Problem> {
    let bounds = Course::new(&new.schedule, Holds::default()).bounds().ok_or_else(never)?;
    Ok(Window {
        tenant_id: tenant.to_owned(),
        id,
        version: 1,
        name: new.name.clone(),
        name_key: fold(&new.name),
        description: new.description.clone(),
        schedule: Json(json!(new.schedule)),
        holds: Json::default(),
        conditions: new.alert_conditions.clone().flatten().map(Json),
        run_rba: new.run_rba,
        install_patch: new.install_patch,
        run_escalation: new.run_escalation_action,
        opens_ms: bounds.start().millis(),
        closes_ms: bounds.end().millis(),
        created_by: author.to_owned(),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    })
}

/// The next state of a window: what a change leaves out stays. For another schedule, what was skipped, extended or
/// ended before does not count; a suspension does.
///
/// # Errors
/// 400 when it would never open.
pub fn changed(old: &Window, change: WindowChange, now: Timestamp) -> Result<Window, Problem> {
    let mut window = next_version(old, now);
    if let Some(name) = change.name {
        window.name_key = fold(&name);
        window.name = name;
    }
    if let Some(description) = change.description {
        window.description = description;
    }
    if let Some(conditions) = change.alert_conditions {
        window.conditions = conditions.map(Json);
    }
    window.run_rba = change.run_rba.unwrap_or(old.run_rba);
    window.install_patch = change.install_patch.unwrap_or(old.install_patch);
    window.run_escalation = change.run_escalation_action.unwrap_or(old.run_escalation);
    let schedule = change.schedule.filter(|schedule| json!(schedule) != *old.schedule);
    if let Some(schedule) = schedule {
        let suspensions = old.holds.suspensions.clone();
        window.schedule = Json(json!(schedule));
        hold(&mut window, &schedule, Holds { suspensions, ..Holds::default() }, now)?;
    }
    Ok(window)
}

/// The next version of a window.
pub fn next_version(old: &Window, now: Timestamp) -> Window {
    Window { version: old.version + 1, updated_ms: now.millis(), ..old.clone() }
}

/// A window of which other things are said of its occurrences.
///
/// # Errors
/// 400 when it would never open, 409 when more is said of what is to come than is kept.
pub fn with_holds(mut window: Window, holds: Holds, now: Timestamp) -> Result<Window, Problem> {
    let schedule = stored_schedule(&window.schedule)?;
    hold(&mut window, &schedule, holds, now)?;
    Ok(window)
}

/// Notes what is said of a window's occurrences.
fn hold(window: &mut Window, schedule: &WindowSchedule, holds: Holds, now: Timestamp) -> Result<(), Problem> {
    let course = Course::new(schedule, holds).within_limits(now)?;
    let bounds = course.bounds().ok_or_else(never)?;
    window.opens_ms = bounds.start().millis();
    window.closes_ms = bounds.end().millis();
    window.holds = Json(course.holds().clone());
    Ok(())
}

fn held(old: &Window, now: Timestamp, change: impl FnOnce(&mut Holds)) -> Result<Window, Problem> {
    let mut holds = old.holds.0.clone();
    change(&mut holds);
    with_holds(next_version(old, now), holds, now)
}

/// When a window is to be suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Until it is resumed.
    Now,
    /// Between two instants.
    Range(Interval),
}

/// Suspends a window.
///
/// # Errors
/// 409 when it is completed, or suspended already.
pub fn suspended(old: &Window, pause: Pause, now: Timestamp) -> Result<Window, Problem> {
    let course = old.course()?;
    let state = course.state(now);
    let is_now = pause == Pause::Now;
    // One that is suspended until it is resumed is so in every range; one that is so for a time may be so longer.
    let for_good = course.suspension(now).is_some_and(|(_, until)| until.is_none());
    if state == State::Completed || (state == State::Suspended && (is_now || for_good)) {
        return Err(not_while(state, "it cannot be suspended"));
    }
    let present = second(now);
    held(old, now, |holds| match pause {
        Pause::Now => holds.suspend(present, None),
        Pause::Range(range) => holds.suspend(range.start().millis().max(present), Some(range.end().millis())),
    })
}

/// Takes back the suspension of a window, and those to come. One that has none stays as it is.
///
/// # Errors
/// 409 when it is completed.
pub fn resumed(old: &Window, now: Timestamp) -> Result<Window, Problem> {
    let course = old.course()?;
    let state = course.state(now);
    if state == State::Completed {
        return Err(not_while(state, "it cannot be resumed"));
    }
    if !course.holds().clone().resume(second(now)) {
        return Ok(old.clone());
    }
    held(old, now, |holds| _ = holds.resume(second(now)))
}

/// Ends a window: nothing of it takes place any more.
///
/// # Errors
/// 409 when it is completed.
pub fn ended(old: &Window, now: Timestamp) -> Result<Window, Problem> {
    let state = old.course()?.state(now);
    if state == State::Completed {
        return Err(not_while(state, "there is nothing to end"));
    }
    held(old, now, |holds| holds.ended = Some(second(now)))
}

/// Ends the occurrence that is under way, suspended or not.
///
/// # Errors
/// 409 when none is.
pub fn cut_short(old: &Window, now: Timestamp) -> Result<Window, Problem> {
    let course = old.course()?;
    let under_way = course.occurrence(now).filter(|occurrence| occurrence.contains(now));
    let under_way = under_way.filter(|_| course.state(now) != State::Completed).ok_or_else(|| {
        let hint = "no occurrence of it is under way; with {\"pattern\":\"all\"} the window itself ends";
        not_while(course.state(now), hint)
    })?;
    let start = under_way.start().millis();
    held(old, now, |holds| holds.end_occurrence(start, start.max(second(now))))
}

/// Until when the open occurrence is to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// So many milliseconds longer.
    By(i64),
    /// Until this instant.
    Until(Timestamp),
}

/// Extends the occurrence that is open.
///
/// # Errors
/// 409 when none is, 400 when the new end is not later than the present one, or runs into the next occurrence.
pub fn extended(old: &Window, extension: Extension, now: Timestamp) -> Result<Window, Problem> {
    let course = old.course()?;
    let state = course.state(now);
    let open = course.occurrence(now).filter(|open| state == State::Active && open.contains(now));
    let open = open.ok_or_else(|| not_while(state, "only an open one can be extended"))?;
    let (name, end) = match extension {
        Extension::By(millis) => ("minutes", open.end().millis() + millis),
        Extension::Until(end) => ("endTime", end.millis()),
    };
    if end <= open.end().millis() {
        return Err(Problem::field(name, format!("must be after the end of the open occurrence, {}", open.end())));
    }
    if let Some(next) = course.following(open.start()).filter(|next| next.millis() < end) {
        return Err(Problem::field(name, format!("runs into the next occurrence, which starts at {next}")));
    }
    held(old, now, |holds| holds.end_occurrence(open.start().millis(), end))
}

/// Leaves out an occurrence: the one that starts at an instant, or the open one, or the next. Of an open one, what has
/// been stays. Where it goes on after a suspension at that instant, what is left of it from then on is left out.
///
/// # Errors
/// 409 when nothing is left to skip, 400 when no occurrence starts then, or it is over.
pub fn skipped(old: &Window, start: Option<Timestamp>, now: Timestamp) -> Result<Window, Problem> {
    let course = old.course()?;
    let state = course.state(now);
    let goes_on = |start: Timestamp| course.open_at(start).is_some_and(|part| part.start() == start);
    let occurrence = match start {
        None => course.occurrence(now).ok_or_else(|| not_while(state, "there is nothing to skip"))?,
        Some(start) => {
            if course.going_on_at(start).is_none() && !goes_on(start) {
                return Err(Problem::field("start", "is not the start of an occurrence"));
            }
            let left = course.occurrence(now.max(start));
            let left = left.filter(|left| left.start() == start || (goes_on(start) && left.contains(start)));
            left.ok_or_else(|| Problem::field("start", "is the start of an occurrence that is over or was skipped"))?
        }
    };
    let from = start.unwrap_or(occurrence.start()).millis().max(second(now));
    held(old, now, |holds| holds.end_occurrence(occurrence.start().millis(), from))
}

/// Lets an occurrence take place that was skipped or ended early: the one that starts at an instant or goes on then
/// after a suspension, or the first. One that was neither stays as it is.
///
/// # Errors
/// 409 when the window was ended, or another occurrence was extended into this one; 400 when none starts then, or it is
/// over.
pub fn unskipped(old: &Window, start: Option<Timestamp>, now: Timestamp) -> Result<Window, Problem> {
    let course = old.course()?;
    if course.holds().ended.is_some() {
        return Err(not_while(State::Completed, "nothing of it takes place any more"));
    }
    let mut skipped = course.skipped(now);
    let found = match start {
        None => skipped.next(),
        Some(start) => {
            let planned = course.going_on_at(start);
            let planned = planned.ok_or_else(|| Problem::field("start", "is not the start of an occurrence"))?;
            if planned.end() <= now {
                return Err(Problem::field("start", "is the start of an occurrence that is over"));
            }
            skipped.find(|skipped| *skipped == planned)
        }
    };
    let Some(occurrence) = found else { return Ok(old.clone()) };
    if course.runs_into(occurrence) {
        let start = occurrence.start();
        return Err(Problem::conflict(format!(
            "The occurrence before was extended beyond {start}, when this one starts."
        )));
    }
    held(old, now, |holds| holds.take_back(occurrence.start().millis(), second(now)))
}

#[cfg(test)]
mod tests;
