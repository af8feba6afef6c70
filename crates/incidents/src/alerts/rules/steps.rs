//! The effect of a report on its problem. Reports count in the order in which they arrive: clocks differ, samples are
//! old, and daylight saving repeats an hour. A sender's time is compared with other times of that sender alone.

use base::timestamp::Timestamp;

use super::instance;
use crate::alerts::{
    report::{Report, STATES},
    row::Alert,
};

/// The effect of a report on its problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is a new problem, or an old one again.
    Open,
    /// It is as it was.
    Repeat,
    /// It is better or worse.
    Change(&'static str),
    /// It is over.
    Close,
    /// A better state from before an earlier report of its sender: it is counted, and changes nothing else.
    Late,
    /// Another instance of the problem is over than the one that is open.
    Other,
    /// It is well, and was.
    Ignore,
}

/// The effect of a report, given the open alert of its problem.
pub fn step(open: Option<&Alert>, report: &Report, now: Timestamp) -> Step {
    let is_over = report.state == "Ok";
    let Some(alert) = open else { return if is_over { Step::Ignore } else { Step::Open } };
    if is_over {
        return if is_of_other_instance(alert, report, now) { Step::Other } else { Step::Close };
    }
    let state = worst(alert, report.state, report.route);
    if state == alert.current_state {
        return Step::Repeat;
    }
    let is_older = || report.time.zip(alert.document.sent_ms).is_some_and(|(time, last)| sent(time, now) < last);
    if rank(state) < rank(&alert.current_state) && is_older() { Step::Late } else { Step::Change(state) }
}

/// Is a recovery about another instance of the problem than the one that is open? That is one with another id, or one
/// that ended before this one began, unless it says that it began when this one did.
pub fn is_of_other_instance(alert: &Alert, report: &Report, now: Timestamp) -> bool {
    let event = &alert.document.event;
    let start = alert.document.start_ms;
    if !report.event.is_empty() && !event.is_empty() {
        return instance(&report.event) != instance(event);
    }
    let Some(start) = start else { return false };
    let began = report.start.map(|start| sent(start, now));
    began != Some(start) && report.time.is_some_and(|end| sent(end, now) < start)
}

/// The state of an alert once one of the routes of its sender says this: the worst of what all of them say.
pub fn worst(alert: &Alert, said: &'static str, by: &str) -> &'static str {
    let routes = alert.document.routes.iter().filter(|(route, _)| !by.is_empty() && *route != by);
    let others = routes.map(|(_, state)| state.as_str());
    let states = others.chain([said]).filter_map(|state| STATES.into_iter().find(|known| *known == state));
    states.max_by_key(|state| rank(state)).unwrap_or(said)
}

/// How bad a state is.
pub fn rank(state: &str) -> usize {
    STATES.len() - STATES.iter().position(|known| *known == state).unwrap_or(STATES.len())
}

/// When a report was so: by its sender's clock, or now.
pub fn time(report: &Report, now: Timestamp) -> i64 {
    sent(report.time.unwrap_or(now), now)
}

/// A time of a sender in whole seconds, and never in the future: a clock that was ahead for a while would keep
/// everything out that is said when it is right again.
pub fn sent(time: Timestamp, now: Timestamp) -> i64 {
    let at = time.millis().min(now.millis());
    at - at.rem_euclid(1_000)
}
