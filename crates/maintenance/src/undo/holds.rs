//! What is said of the occurrences of a window when a change of it is undone. When it was open stays as it was: what is
//! restored holds from now on, and of occurrences that are over nothing is. Pure.

use std::collections::BTreeSet;

use base::{problem::Problem, timestamp::Timestamp};

use crate::{
    course::{Course, Holds, second, stored_schedule},
    window::{row::Window, rules},
};

/// A window, of whose occurrences that is said again from now on which was said before.
///
/// # Errors
/// 409 when an occurrence would run into another one, or more would be said of those to come than is kept.
pub fn rewound(window: Window, former: &Holds, at: Timestamp) -> Result<Window, Problem> {
    let now = second(at);
    let schedule = stored_schedule(&window.schedule)?;
    let planned = Course::new(&schedule, Holds::default());
    let current = window.holds.0.clone();
    let mut holds = current.clone();
    holds.resume(now);
    for (from, until) in &former.suspensions {
        if until.is_none_or(|until| until > now) {
            holds.suspend((*from).max(now), *until);
        }
    }
    holds.ended = match (former.ended, current.ended) {
        (Some(ended), None) => Some(ended.max(now)),
        (former, _) => former,
    };
    if let Some(ended) = current.ended.filter(|ended| holds.ended.is_none() && *ended < now) {
        holds.suspend(ended, Some(now));
    }
    let mut longer = Vec::new();
    let starts: BTreeSet<i64> = current.ends.iter().chain(&former.ends).map(|(start, _)| *start).collect();
    for start in starts {
        let occurrence = planned.starting_at(Timestamp::from_millis(start));
        let Some(planned) = occurrence.map(|occurrence| occurrence.end().millis()) else { continue };
        let end = |holds: &Holds| holds.ends.iter().find(|(known, _)| *known == start).map_or(planned, |(_, end)| *end);
        let (is, was) = (end(&current), end(former));
        if is == was || is.max(was) <= now {
            continue;
        }
        holds.take_back(start, i64::MIN);
        if is < was {
            longer.push((start, was));
            if is < now {
                holds.suspend(is, Some(now));
            }
        }
        // One that is under way was open until now.
        let was = if start < now { was.max(now) } else { was };
        if was != planned {
            holds.end_occurrence(start, was);
        }
    }
    let course = Course::new(&schedule, holds);
    for (start, end) in longer {
        check_apart(&course, Timestamp::from_millis(start), Timestamp::from_millis(end))?;
    }
    rules::with_holds(window, course.holds().clone(), at)
}

/// Refuses an occurrence that runs into the next one, or into which the one before runs.
fn check_apart(course: &Course, start: Timestamp, end: Timestamp) -> Result<(), Problem> {
    let Some(occurrence) = course.starting_at(start) else { return Ok(()) };
    if course.runs_into(occurrence) || course.following(start).is_some_and(|next| next < end) {
        return Err(Problem::conflict(format!("The occurrence of {start} would overlap another one.")));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
