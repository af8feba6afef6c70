//! Runs over HTTP, for runners: claim, heartbeat, log, result ("Runners" in `docs/interface.md`).

pub mod wire;

use std::collections::HashMap;

use actix_web::{HttpResponse, web};
use api::{Answer, Body, OptionalBody, PathIds, RequestContext, RequestScope, Resource as _, post};
use base::{problem::Problem, timestamp::Timestamp};
use outbox::Tx;
use ports::{Notices, People};

use self::wire::{Claim, ClaimQuery, Heartbeat, Lease, Lines, Outcome, Work};
use super::{
    alarms,
    http::change,
    queue, row, rules, store, trace,
    wire::{Run, RunId},
};
use crate::{
    job::{self, row::Job, wire::JobResource},
    scripts,
};

/// Claim runs
///
/// Hands out waiting runs, the earliest due first, and those whose runner sent no heartbeat in time. A run is given to
/// one runner at a time. Anyone who claims it carries it out, sends heartbeats (`POST /jobs/runs/{runId}/heartbeat`),
/// what it prints (`POST /jobs/runs/{runId}/log`) and what became of it (`POST /jobs/runs/{runId}/result`), each with
/// the run's `attempt`, and with the API key that claimed it. A run that three runners abandoned has failed. At partner
/// level, runs of clients are handed out when `clients` is true; those of a suspended client never are.
#[utoipa::path(
    operation_id = "claimJobRuns",
    request_body(content = Option<ClaimQuery>, description = "May be left out"),
    responses((status = 200, description = "The runs; none when nothing waits", body = Claim)),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/runs/claim")]
pub async fn claim(
    context: RequestContext,
    people: web::Data<dyn People>,
    OptionalBody(wanted): OptionalBody<ClaimQuery>,
) -> api::Result<HttpResponse> {
    let scope = if wanted.clients { context.scope() } else { vec![context.tenant.id.to_string()] };
    let partner = context.tenant.partner.to_string();
    // Most often nothing waits: finding that out is not a write.
    let tenants = scope.clone();
    let asked = wanted.clone();
    let now = context.now;
    let directory = people.clone().into_inner();
    let keyed = context.request().headers().contains_key("idempotency-key");
    let waits = move |conn: &mut db::Conn| {
        let active = directory.active(conn, &tenants)?;
        queue::next(conn, &active, &asked, now)
    };
    if !keyed && context.db.read(waits).await?.is_none() {
        return api::answer::ok(&Claim { runs: Vec::new() });
    }
    let user = context.caller.user_id.clone();
    let key = context.caller.key_id.clone();
    context
        .write(move |tx, _| {
            // One who claims after the other: none comes away empty-handed because of a run that another just took.
            db::Lock::of("jobs.claim", &partner).take(tx.conn)?;
            let scope = people.active(tx.conn, &scope)?;
            let mut runs = Vec::new();
            for _ in 0..wanted.limit {
                let Some(old) = queue::next(tx.conn, &scope, &wanted, now)? else { break };
                let lease = now.millis() + wanted.lease_s * 1_000;
                let new = row::Run {
                    state: rules::RUNNING.to_owned(),
                    started_ms: Some(now.millis()),
                    attempt: old.attempt + 1,
                    lease_ms: Some(lease),
                    lease_s: wanted.lease_s,
                    runner: wanted.runner.clone(),
                    runner_user: user.clone(),
                    runner_key: key.clone(),
                    ..old.clone()
                };
                // It may have been cancelled, or its job deleted, at this moment.
                if store::update(tx.conn, &old, &new)? {
                    runs.push(new);
                }
            }
            Answer::ok(&Claim { runs: work(tx, &partner, &runs)? })
        })
        .await
}

/// All that it takes to carry runs out.
fn work(tx: &mut Tx<'_>, partner: &str, runs: &[row::Run]) -> db::Result<Vec<Work>> {
    let mut found = Vec::new();
    let mut kept: HashMap<i64, (String, String)> = HashMap::new();
    for run in runs {
        let tenant = std::slice::from_ref(&run.tenant_id);
        let job = Job::existing(tx.conn, tenant, &run.job_id)?;
        let reach = [run.tenant_id.clone(), partner.to_owned()];
        if let Some(id) = job.script_id.filter(|id| !kept.contains_key(id)) {
            for script in scripts::store::find(tx.conn, &reach, &[id])? {
                kept.insert(script.id, (script.interpreter, script.content));
            }
        }
        let script = job.script_id.and_then(|id| kept.get(&id).cloned());
        let resources = job::store::resources(tx.conn, tenant, std::slice::from_ref(&run.job_id))?;
        found.push(Work {
            run: Run::new(run),
            lease_until: Timestamp::from_millis(run.lease_ms.unwrap_or(run.created_ms)),
            time_limit: job.time_limit_s,
            resources: resources.into_iter().map(|row| JobResource { id: row.resource_id }).collect(),
            script: job::view::script_of(tx.conn, &reach, &job)?,
            interpreter: script.as_ref().map(|(interpreter, _)| interpreter.clone()),
            content: script.map(|(_, content)| content),
            traceparent: trace::of_run(run).map(|context| context.traceparent()),
        });
    }
    Ok(found)
}

fn lease(run: &row::Run) -> db::Result<Answer> {
    let until = run.lease_ms.ok_or_else(|| Problem::internal())?;
    Answer::ok(&Lease {
        lease_until: Timestamp::from_millis(until),
        output_bytes: run.output_bytes,
        output_truncated: run.output_cut,
    })
}

/// The run that a runner speaks for, its lease renewed.
fn renewed(tx: &mut Tx<'_>, scope: &RequestScope, id: &str, sign: Heartbeat) -> db::Result<(row::Run, row::Run)> {
    let old = store::existing(tx.conn, &scope.scope(), id)?;
    rules::held(&old, sign.attempt, (&scope.caller.key_id, scope.author()))?;
    // It waits again because this came late; it may not when a run that it must not overlap with was given out since.
    if old.state != rules::RUNNING && old.exclusive && store::is_running(tx.conn, &old.tenant_id, &old.job_id)? {
        return Err(Problem::conflict("The lease ran out, and another run of the job is under way.").into());
    }
    let until = tx.now.millis() + sign.lease_s.unwrap_or(old.lease_s) * 1_000;
    let new = row::Run { state: rules::RUNNING.to_owned(), lease_ms: Some(until), ..old.clone() };
    Ok((old, new))
}

/// Send a heartbeat for a run
///
/// Renews the lease of a run. A 409 says that the run went to another runner, or is over: anyone who carries it out
/// should stop.
#[utoipa::path(
    operation_id = "sendJobRunHeartbeat",
    params(RunId),
    request_body(content = Heartbeat),
    responses(
        (status = 200, description = "The lease", body = Lease),
        (status = 409, description = "The run went to another runner, or is over"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/runs/{runId}/heartbeat")]
pub async fn heartbeat(
    context: RequestContext,
    PathIds(id): PathIds<RunId>,
    Body(sign): Body<Heartbeat>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let (old, new) = renewed(tx, scope, &id, sign)?;
            change(tx, &old, &new)?;
            lease(&new)
        })
        .await
}

/// Add log lines
///
/// Keeps what a run printed, and is a heartbeat too. 1 MiB is kept for each run; what comes after that is dropped, and
/// the answer says so. With an `Idempotency-Key`, lines that are sent again are kept once.
#[utoipa::path(
    operation_id = "appendJobRunLog",
    params(RunId),
    request_body(content = Lines),
    responses(
        (status = 200, description = "The lease", body = Lease),
        (status = 409, description = "The run went to another runner, or is over"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/runs/{runId}/log")]
pub async fn log(
    context: RequestContext,
    PathIds(id): PathIds<RunId>,
    Body(lines): Body<Lines>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let (old, mut new) = renewed(tx, scope, &id, lines.heartbeat())?;
            let (text, cut) = rules::kept(&lines.text, old.output_bytes);
            new.output_bytes += i64::try_from(text.len()).unwrap_or(0);
            new.output_cut |= cut;
            change(tx, &old, &new)?;
            if !text.is_empty() {
                store::append(tx.conn, &old, text)?;
            }
            lease(&new)
        })
        .await
}

/// Report a result
///
/// Says what became of a run, which is over then. A 409 when it went to another, or is over already: a result that
/// comes late changes nothing.
#[utoipa::path(
    operation_id = "reportJobRunResult",
    params(RunId),
    request_body(content = Outcome),
    responses(
        (status = 200, description = "The run", body = Run),
        (status = 409, description = "The run went to another runner, or is over"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/runs/{runId}/result")]
pub async fn result(
    context: RequestContext,
    notices: web::Data<dyn Notices>,
    PathIds(id): PathIds<RunId>,
    Body(outcome): Body<Outcome>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = store::locked(tx.conn, &scope.scope(), &id)?;
            rules::held(&old, outcome.attempt, (&scope.caller.key_id, scope.author()))?;
            let new = rules::finished(&old, &outcome, tx.now);
            change(tx, &old, &new)?;
            tx.record_change(Some(&old), Some(&new))?;
            trace::record_end(&new);
            alarms::tell(tx, &**notices, &[&new])?;
            Answer::entity(&Run::new(&new), rules::version(&new))
        })
        .await
}
