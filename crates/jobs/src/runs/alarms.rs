//! Alerts of jobs: one that did not run well is a problem until it does (`alertOnFailure`).

use std::collections::BTreeMap;

use db::Result;
use outbox::Tx;
use ports::{Notice, Notices};

use super::{
    row::Run,
    rules::{FAILED, MISSED, SUCCEEDED, TIMED_OUT},
};
use crate::job::{
    self,
    alarms::{Failure, notice},
    row::Job,
};

/// How soon alerts are told again of what they could not be told.
const AGAIN_MS: i64 = 10_000;

/// Tells what became of runs that are over, of several of a job the last, where their jobs ask for it. Their
/// jobs were locked before the runs were written.
pub fn tell(tx: &mut Tx<'_>, notices: &dyn Notices, runs: &[&Run]) -> Result<()> {
    let mut last: BTreeMap<(&str, &str), &Run> = BTreeMap::new();
    for run in runs.iter().filter(|run| has_failed(run).is_some()) {
        let known = last.entry((&run.tenant_id, &run.job_id)).or_insert(run);
        if run.due_ms >= known.due_ms {
            *known = run;
        }
    }
    let mut found = Vec::new();
    for ((tenant, id), run) in last {
        let tenant = tenant.to_owned();
        let id = id.to_owned();
        // It may have been deleted meanwhile.
        let Some(job) = job::store::find(tx.conn, &tenant, &id)? else { continue };
        let Some(failed) = has_failed(run).filter(|failed| if *failed { job.alert_on_failure } else { job.alerting })
        else {
            continue;
        };
        found.push((failed, notice(tx, &job, failed.then(|| failure(&job, run)))?));
    }
    let tell = |tx: &mut Tx<'_>, found: &[(bool, Notice)]| {
        for (failed, notice) in found {
            job::store::set_alerting(tx.conn, &notice.tenant, &notice.about.1, *failed)?;
        }
        let notices_of: Vec<Notice> = found.iter().map(|(_, notice)| notice.clone()).collect();
        notices.notice(tx.conn, &notices_of, tx.now)
    };
    // What became of a run stands, also when no alert can be made of it: that is tried again.
    let later = |tx: &mut Tx<'_>, (_, notice): &(bool, Notice)| {
        job::store::set_alarm(tx.conn, &notice.tenant, &notice.about.1, Some(tx.now.millis() + AGAIN_MS))
    };
    let told = tx.attempt_each(&found, tell, |tx, found, error| {
        let tenant = &found.1.tenant;
        let job = &found.1.about.1;
        tracing::error!(%error, tenant, job, "no alert tells what became of a run");
        later(tx, found)
    })?;
    found.iter().skip(told).try_for_each(|found| later(tx, found))
}

/// Tells again what became of the last runs of these jobs of a tenant.
pub fn tell_again(tx: &mut Tx<'_>, notices: &dyn Notices, tenant: &str, jobs: &[String]) -> Result<()> {
    let mut runs = Vec::with_capacity(jobs.len());
    job::store::lock_all(tx.conn, jobs.iter().map(String::as_str).collect())?;
    for id in jobs {
        job::store::set_alarm(tx.conn, tenant, id, None)?;
        runs.extend(super::store::last_of(tx.conn, tenant, id, &[SUCCEEDED, FAILED, TIMED_OUT, MISSED])?);
    }
    tell(tx, notices, &runs.iter().collect::<Vec<_>>())
}

/// Is it a failure? `None` for what says neither.
fn has_failed(run: &Run) -> Option<bool> {
    match run.state.as_str() {
        SUCCEEDED => Some(false),
        FAILED | TIMED_OUT | MISSED => Some(true),
        _ => None,
    }
}

/// What the alert of a failed run says of it.
fn failure(job: &Job, run: &Run) -> Failure {
    let subject = match run.state.as_str() {
        MISSED => format!("The job {} missed a run", job.name),
        TIMED_OUT => format!("A run of the job {} took too long", job.name),
        _ => format!("A run of the job {} failed", job.name),
    };
    let code = run.exit_code.map_or_else(String::new, |code| format!(", exit code {code}"));
    let reason = if run.reason.is_empty() { String::new() } else { format!(": {}", run.reason) };
    Failure { subject, description: format!("{} {}{code}{reason}", run.id, run.state) }
}
