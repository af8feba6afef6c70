//! What becomes of jobs, when they are due. Pure.

use base::{body::Request as _, problem::Problem, text::fold, timestamp::Timestamp};
use calendar::{Due, Zone};
use db::Json;
use serde_json::json;

use super::{row::Job, schedule::Schedule, script::JobScript, wire::JobChange};

/// How long a run may take when the job does not say, in seconds.
const TIME_LIMIT: i64 = 3600;

/// What a schedule means, as it is stored.
///
/// # Errors
/// 500 for what this service did not store.
pub fn rule(job: &Job) -> Result<Due, Problem> {
    let zone =
        if job.zone.is_empty() { Zone::GMT } else { Zone::find(&job.zone).ok_or_else(|| Problem::internal())? };
    Ok(Schedule::parse(&job.schedule)?.due(zone))
}

/// The first due time after an instant.
pub fn next_due(rule: &Due, after: Timestamp) -> Option<i64> {
    rule.starts(after).next().map(Timestamp::millis)
}

/// When a new job is due first: what began in the past is made up for by one run at once, unless the job skips what it
/// missed, or it is too late for that.
fn first_due(rule: &Due, job: &Job, now: Timestamp) -> Option<i64> {
    let past = if job.misfire == "skip" { None } else { rule.last(now).map(Timestamp::millis) };
    past.filter(|due| !is_too_late(*due, job.lateness_s, now)).or_else(|| next_due(rule, now))
}

/// Is it too late to begin what was due at an instant, of a job that may begin so many seconds late?
pub fn is_too_late(due_ms: i64, lateness_s: Option<i64>, now: Timestamp) -> bool {
    lateness_s.is_some_and(|most| (now.millis() - due_ms) / 1_000 > most)
}

/// What a new job starts from.
pub fn blank(tenant: &str, id: String, by: &str, now: Timestamp) -> Job {
    Job {
        tenant_id: tenant.to_owned(),
        id,
        version: 0,
        name: String::new(),
        name_key: String::new(),
        description: String::new(),
        schedule: Json::default(),
        zone: String::new(),
        start_ms: 0,
        job_type: String::new(),
        script: Json::default(),
        script_id: None,
        misfire: "once".to_owned(),
        lateness_s: None,
        overlap: "skip".to_owned(),
        time_limit_s: TIME_LIMIT,
        active: true,
        next_due_ms: None,
        created_by: by.to_owned(),
        created_ms: now.millis(),
        updated_by: by.to_owned(),
        updated_ms: now.millis(),
        held_ms: None,
        job_queued: None,
        frequent: false,
        alert_on_failure: false,
        alerting: false,
        alarm_ms: None,
    }
}

/// The job after a change. A new schedule, and one that is taken up again, counts from now on; else the next run stays
/// due when it was.
///
/// # Errors
/// 500 for a stored schedule that cannot be read.
pub fn changed(old: &Job, change: &JobChange, by: &str, now: Timestamp) -> Result<Job, Problem> {
    let mut job = old.clone();
    let is_new = old.version == 0;
    job.version += 1;
    job.updated_by = by.to_owned();
    job.updated_ms = now.millis();
    if let Some(name) = &change.name {
        (job.name, job.name_key) = (name.clone(), fold(name));
    }
    if let Some(description) = &change.description {
        job.description.clone_from(description);
    }
    if let Some(schedule) = &change.schedule {
        let zone = schedule.zone();
        job.schedule = Json(json!(schedule));
        job.zone = zone.map(|zone| zone.name().to_owned()).unwrap_or_default();
        job.start_ms = schedule.start_date.at().millis();
        job.frequent = schedule.due(zone.unwrap_or(Zone::GMT)).is_frequent();
    }
    if let Some(JobScript { job_type, shown, script_id }) = &change.script {
        job.job_type = (*job_type).to_owned();
        job.script = Json(shown.clone());
        job.script_id = *script_id;
    }
    if let Some(misfire) = change.misfire {
        job.misfire = misfire.to_owned();
    }
    if let Some(lateness) = change.lateness {
        job.lateness_s = lateness;
    }
    if let Some(overlap) = change.overlap {
        job.overlap = overlap.to_owned();
    }
    job.time_limit_s = change.time_limit.unwrap_or(job.time_limit_s);
    job.active = change.active.unwrap_or(job.active);
    job.job_queued = change.job_queued.or(job.job_queued);
    job.alert_on_failure = change.alert_on_failure.unwrap_or(job.alert_on_failure);
    let same_rule = (&job.schedule, &job.zone, job.active) == (&old.schedule, &old.zone, old.active);
    if !same_rule {
        job.held_ms = None;
    }
    job.next_due_ms = match (job.active, is_new, same_rule) {
        (false, ..) => None,
        (true, true, _) => first_due(&rule(&job)?, &job, now),
        (true, false, true) => old.next_due_ms,
        (true, false, false) => next_due(&rule(&job)?, now),
    };
    Ok(job)
}

/// A job that was deleted and is there again: what would have been due meanwhile is not made up for.
pub fn created_again(blank: &Job, change: &JobChange, by: &str, now: Timestamp) -> Result<Job, Problem> {
    let job = changed(blank, change, by, now)?;
    let next_due_ms = if job.active { next_due(&rule(&job)?, now) } else { None };
    Ok(Job { next_due_ms, ..job })
}

/// The next times at which a job is due.
///
/// # Errors
/// 500 for a stored schedule that cannot be read.
pub fn upcoming(job: &Job, count: usize) -> Result<Vec<Timestamp>, Problem> {
    let Some(next) = job.next_due_ms else { return Ok(Vec::new()) };
    Ok(rule(job)?.starts(Timestamp::from_millis(next - 1)).take(count).collect())
}

#[cfg(test)]
mod tests;
