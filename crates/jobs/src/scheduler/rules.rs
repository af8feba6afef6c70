//! What is due, and what becomes of what was missed. Pure.
//!
//! Due times come from the rule and the last due time alone, never from how long something took. So a clock that moves
//! makes runs early or late, but neither fewer nor more of them: moved forward, what lies between is made up for as
//! after any other absence; moved back, what was made too early is due again, unless a runner has begun it.

use base::{problem::Problem, timestamp::Timestamp};
use calendar::due::Latest;

use crate::job::{row::Job, rules};

/// How late a run that is not to be made up for may begin, in seconds, when the job does not say: the scheduler itself
/// may be busy for a moment.
const GRACE_S: i64 = 60;

/// How many due times of one job are told apart at once; of those before, the history has the number.
const MOST: usize = 100;

/// What becomes of one due time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DueTimeOutcome {
    /// A run is made.
    Run,
    /// It is too late for one; why.
    Missed(String),
}

/// What a job is due for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Each due time with its fate, in order.
    pub due: Vec<(i64, DueTimeOutcome)>,
    /// When the job is due after those.
    pub next_ms: Option<i64>,
    /// Do its runs wait for those that are open, each for the one before, whatever overlaps? They are made up for.
    pub waits: bool,
}

/// Works out what a job is due for at an instant.
///
/// # Errors
/// 500 for a stored schedule that cannot be read.
pub fn plan(job: &Job, now: Timestamp) -> Result<Plan, Problem> {
    let Some(first) = job.next_due_ms.filter(|due| *due <= now.millis()) else {
        return Ok(Plan { due: Vec::new(), next_ms: job.next_due_ms, waits: false });
    };
    let rule = rules::rule(job)?;
    let next_ms = rules::next_due(&rule, now);
    let Latest { times, before, more } = rule.latest(Timestamp::from_millis(first), now, MOST);
    let times: Vec<i64> = times.into_iter().map(Timestamp::millis).collect();
    let last = times.last().copied().unwrap_or(first);
    let mut due: Vec<(i64, DueTimeOutcome)> = times.iter().map(|time| (*time, fate(job, *time, last, now))).collect();
    if let (true, Some((_, fate))) = (before > 0, due.first_mut()) {
        let told = match fate {
            DueTimeOutcome::Missed(reason) => reason.clone(),
            DueTimeOutcome::Run => "Too many due times were missed at once.".to_owned(),
        };
        let many = if more { "more than " } else { "" };
        *fate = DueTimeOutcome::Missed(format!("{told} So were {many}{before} due times before it."));
    }
    let was_away = due.len() > 1 || now.millis() - last > GRACE_S * 1_000;
    Ok(Plan { due, next_ms, waits: job.misfire == "all" && was_away })
}

/// When a job is due next that a clock that was ahead may have moved on.
///
/// # Errors
/// 500 for a stored schedule that cannot be read.
pub fn next_by_now(job: &Job, now: Timestamp) -> Result<Option<i64>, Problem> {
    let next = rules::next_due(&rules::rule(job)?, now);
    Ok(job.next_due_ms.into_iter().chain(next).min())
}

fn fate(job: &Job, due: i64, last: i64, now: Timestamp) -> DueTimeOutcome {
    let late_s = (now.millis() - due) / 1_000;
    let skips = job.misfire == "skip";
    let most = job.lateness_s.or(skips.then_some(GRACE_S));
    if rules::is_too_late(due, most, now) {
        return DueTimeOutcome::Missed(format!(
            "The service came {late_s} s late, and the job may not begin as late as that."
        ));
    }
    // One that skips what it missed has no use for what is not the latest either.
    if job.misfire != "all" && due != last {
        let last = Timestamp::from_millis(last);
        return DueTimeOutcome::Missed(format!(
            "The service came {late_s} s late; the run that was due at {last} stands for it."
        ));
    }
    DueTimeOutcome::Run
}

#[cfg(test)]
mod tests;
