//! What becomes of runs. Pure.

use base::{problem::Problem, timestamp::Timestamp};
use db::Json;

use super::{row::Run, runner::wire::Outcome};
use crate::job::row::Job;

/// The variables of a list of runs.
pub const VARIABLES: [&str; 2] = ["status", "trigger"];

/// What of the output of a run is kept, in bytes.
pub const MOST_OUTPUT: usize = 1 << 20;

/// How many times a run is given out; when the last runner vanishes too, it has failed.
pub const MOST_ATTEMPTS: i64 = 3;

/// How long after its time limit a run is left to its runner, in seconds: that one ends the script, and offers what
/// became of it for five minutes to a service that is away.
pub const OVERTIME_S: i64 = 600;

/// The most runs of a job that are not over.
pub const MOST_OPEN_OF_JOB: usize = 100;

/// The most runs of a tenant that are not over.
pub const MOST_OPEN: usize = 50_000;

/// Waits for a runner.
pub const QUEUED: &str = "QUEUED";
/// A runner has it.
pub const RUNNING: &str = "RUNNING";
/// Nobody carried it out, because one before it was not over.
pub const SKIPPED: &str = "SKIPPED";
/// Nobody carried it out, because it was too late for it.
pub const MISSED: &str = "MISSED";
/// Somebody called it off.
pub const CANCELLED: &str = "CANCELLED";
/// It did not end well.
pub const FAILED: &str = "FAILED";

/// It ended well.
pub const SUCCEEDED: &str = "SUCCEEDED";
/// It took longer than it may.
pub const TIMED_OUT: &str = "TIMED_OUT";

/// All that a run may be.
pub const STATES: [&str; 8] = [QUEUED, RUNNING, SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, SKIPPED, MISSED];

/// What makes a run.
pub const CAUSES: [&str; 2] = ["schedule", "manual"];

/// A run of a job that waits.
pub fn queued(job: &Job, id: String, due_ms: i64, cause: &str, now: Timestamp) -> Run {
    Run {
        tenant_id: job.tenant_id.clone(),
        job_id: job.id.clone(),
        due_ms,
        id,
        job_name: job.name.clone(),
        job_type: job.job_type.clone(),
        cause: cause.to_owned(),
        state: QUEUED.to_owned(),
        reason: String::new(),
        exclusive: job.overlap != "allow",
        maintenance: Json::default(),
        created_ms: now.millis(),
        started_ms: None,
        finished_ms: None,
        attempt: 0,
        lease_ms: None,
        lease_s: 0,
        runner: String::new(),
        runner_user: String::new(),
        exit_code: None,
        output_bytes: 0,
        output_cut: false,
        runner_key: String::new(),
        trace: None,
    }
}

/// Why there is no room for one more run, of a job and a tenant with so many that are not over.
pub fn no_room(of_job: usize, of_tenant: usize) -> Option<String> {
    if of_job >= MOST_OPEN_OF_JOB {
        Some(format!("{MOST_OPEN_OF_JOB} runs of the job are not over, the most that it may have."))
    } else if of_tenant >= MOST_OPEN {
        Some(format!("{MOST_OPEN} runs of the tenant are not over, the most that it may have."))
    } else {
        None
    }
}

/// A run that is over without a word of a runner.
pub fn not_run(run: Run, state: &str, reason: String, now: Timestamp) -> Run {
    Run { state: state.to_owned(), reason, finished_ms: Some(now.millis()), ..run }
}

/// A run that is over because it waited, or is under way, for longer than its job allows.
pub fn ended_late(run: &Run, now: Timestamp) -> Run {
    let seconds = |since: i64| (now.millis() - since) / 1_000;
    let (state, reason) = match run.started_ms.filter(|_| run.state == RUNNING) {
        Some(started) => {
            (TIMED_OUT, format!("Its runner had it for {} s and did not end it at its time limit.", seconds(started)))
        }
        None => {
            let late_s = seconds(run.due_ms);
            (MISSED, format!("No runner took it for {late_s} s, and the job may not begin as late as that."))
        }
    };
    Run { lease_ms: None, ..not_run(run.clone(), state, reason, now) }
}

/// When a run by hand is due: never at a whole second, so that it cannot stand where a scheduled one should.
pub fn by_hand(now: Timestamp, last: Option<i64>) -> i64 {
    let due = last.map_or(now.millis(), |last| now.millis().max(last + 1));
    if due % 1_000 == 0 { due + 1 } else { due }
}

/// Counts what becomes of a run: what it is made of only grows, and it waits or it does not.
pub fn version(run: &Run) -> i64 {
    let flags =
        i64::from(run.output_cut) | i64::from(run.finished_ms.is_some()) << 1 | i64::from(run.state == RUNNING) << 4;
    // There are few attempts.
    flags | run.attempt << 2 | run.output_bytes << 5
}

/// May a caller, by its API key and its user, speak for the run? Who claimed this attempt may, also when its lease ran
/// out and nobody took it since.
///
/// # Errors
/// 409 when it is over, was never claimed, went to another, or was claimed by another API key.
pub fn held(run: &Run, attempt: i64, (key, user): (&str, &str)) -> Result<(), Problem> {
    if run.finished_ms.is_some() {
        return Err(Problem::conflict(format!("The run is over: {}.", run.state)));
    }
    if run.attempt == 0 {
        return Err(Problem::conflict("Nobody has claimed the run."));
    }
    let is_claimer = match run.runner_key.as_str() {
        // It was claimed before keys were kept.
        "" => run.runner_user == user,
        claimer => claimer == key,
    };
    if !is_claimer {
        return Err(Problem::conflict("Another API key claimed the run."));
    }
    if attempt > run.attempt {
        return Err(Problem::conflict(format!(
            "The run is in attempt {}: there is no attempt {attempt}.",
            run.attempt
        )));
    }
    if run.attempt != attempt {
        let detail = format!("The lease of attempt {attempt} ran out; the run is in attempt {} now.", run.attempt);
        return Err(Problem::conflict(detail));
    }
    Ok(())
}

/// The run when it is over.
pub fn finished(run: &Run, outcome: &Outcome, now: Timestamp) -> Run {
    Run {
        state: outcome.status().to_owned(),
        reason: outcome.reason.clone(),
        exit_code: outcome.exit_code,
        finished_ms: Some(now.millis()),
        lease_ms: None,
        ..run.clone()
    }
}

/// The run when it is called off.
///
/// # Errors
/// 409 when it is over already.
pub fn cancelled(run: &Run, now: Timestamp) -> Result<Run, Problem> {
    if run.finished_ms.is_some() {
        return Err(Problem::conflict(format!("The run is over: {}.", run.state)));
    }
    Ok(Run { state: CANCELLED.to_owned(), finished_ms: Some(now.millis()), lease_ms: None, ..run.clone() })
}

/// The part of more output that is kept, by what there is already; and whether anything is left out.
pub fn kept(text: &str, bytes: i64) -> (&str, bool) {
    let room = MOST_OUTPUT.saturating_sub(usize::try_from(bytes).unwrap_or(usize::MAX));
    if text.len() <= room {
        return (text, false);
    }
    let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    (text.get(..end).unwrap_or_default(), true)
}

/// The end of a text: at most so many bytes, without the rest of a line that begins before them.
pub fn end_of(text: &str, most: usize) -> &str {
    let cut = text.len().saturating_sub(most);
    if cut == 0 {
        return text;
    }
    let end = &text[text.ceil_char_boundary(cut)..];
    end.split_once('\n').map_or(end, |(_, lines)| lines)
}

/// 404: no such run, or it is another tenant's.
pub fn no_run() -> Problem {
    Problem::not_found("The run was not found.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_by_hand_is_never_due_at_a_whole_second() {
        assert_eq!(by_hand(Timestamp::from_millis(5_000), None), 5_001);
        assert_eq!(by_hand(Timestamp::from_millis(5_999), Some(5_999)), 6_001);
        assert_eq!(by_hand(Timestamp::from_millis(5_500), Some(4_000)), 5_500);
    }

    #[test]
    fn open_runs_have_limits() {
        assert_eq!(no_room(MOST_OPEN_OF_JOB - 1, MOST_OPEN - 1), None);
        assert!(no_room(MOST_OPEN_OF_JOB, 0).unwrap().contains("of the job"));
        assert!(no_room(0, MOST_OPEN).unwrap().contains("of the tenant"));
    }

    #[test]
    fn output_is_cut_between_letters() {
        let most = i64::try_from(MOST_OUTPUT).unwrap();
        assert_eq!(kept("äb", most - 3), ("äb", false));
        assert_eq!(kept("äb", most - 2), ("ä", true));
        assert_eq!(kept("äb", most - 1), ("", true));
        assert_eq!(kept("", most), ("", false));
    }
}
