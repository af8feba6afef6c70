//! Runs over HTTP, for people.

use actix_web::{HttpResponse, web};
use api::{Answer, List, PageQuery, PathIds, RequestContext, Resource as _, answer, get, post, spec::PageOf};
use base::{problem::Problem, query_string};
use outbox::Tx;
use ports::Maintenance;

use super::{
    manual, row, rules, store, trace,
    wire::{Run, RunId},
};
use crate::job::{row::Job, wire::JobId};

/// The list of the runs of one job.
#[derive(Clone, Debug)]
pub struct OfJob;

impl List for OfJob {
    const SORT: &'static str = "dueDate";
    const DESCENDING: bool = true;
    const FILTER: &'static str = "status:FAILED,TIMED_OUT";

    fn sorts() -> Vec<&'static str> {
        vec![Self::SORT]
    }
}

/// Run a job now
///
/// Makes a run at once, whatever the schedule says and whether the job is active or not. While another run of the job
/// is open, `overlapPolicy` decides: `skip` is a 409, `queue` and `allow` make one more.
#[utoipa::path(
    operation_id = "runJob",
    params(JobId),
    responses(
        (status = 200, description = "The new run", body = Run),
        (status = 409, description = "A run of the job is not over, or 100 are not"),
        (status = 412, description = "The job has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/{jobId}/run")]
pub async fn run_now(
    context: RequestContext,
    maintenance: web::Data<dyn Maintenance>,
    PathIds(id): PathIds<JobId>,
) -> api::Result<HttpResponse> {
    run(context, maintenance, id).await
}

/// Run a job now, by GET
///
/// The same as `POST /jobs/{jobId}/run`, for clients that call it so, with a key: a session is refused (403), since
/// every link is a GET as well. Unlike other reads it changes something: a HEAD is refused, and nothing that prefetches
/// or repeats reads must be pointed at it.
#[utoipa::path(
    operation_id = "runJobByGet",
    extensions(("x-changes" = json!(true))),
    params(JobId),
    responses(
        (status = 200, description = "The new run", body = Run),
        (status = 409, description = "A run of the job is not over, or 100 are not"),
    ),
    security(("bearer" = ["operator"]))
)]
#[get("/jobs/{jobId}/run")]
pub async fn run_now_by_get(
    context: RequestContext,
    maintenance: web::Data<dyn Maintenance>,
    PathIds(id): PathIds<JobId>,
) -> api::Result<HttpResponse> {
    run(context, maintenance, id).await
}

async fn run(context: RequestContext, maintenance: web::Data<dyn Maintenance>, id: JobId) -> api::Result<HttpResponse> {
    let maintenance = maintenance.into_inner();
    context
        .write(move |tx, scope| {
            let job = Job::locked(tx, scope, &id)?;
            let run = manual::start(tx, &*maintenance, &job)?;
            Answer::entity(&Run::new(&run), rules::version(&run))
        })
        .await
}

/// List the runs of a job
///
/// A page of them, the last one first: those that did not take place too. The variables of `queryString` are `status`
/// and `trigger`.
#[utoipa::path(
    operation_id = "listJobRuns",
    params(JobId, PageQuery<OfJob>),
    responses((status = 200, description = "A page of runs", body = PageOf<Run>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/{jobId}/runs")]
pub async fn list(context: RequestContext<PageQuery<OfJob>>, PathIds(id): PathIds<JobId>) -> api::Result<HttpResponse> {
    let filter = filter(&context.query.filter)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let job = Job::existing(conn, &scope.scope(), &id)?;
        let found = store::of_job(conn, (&job.tenant_id, &job.id), &filter, sort, walk)?;
        Ok(found.map(|row| Run::new(&row)))
    });
    page.await
}

/// Variable and values, in the spelling in which they are stored.
fn filter(text: &str) -> Result<Vec<(&'static str, Vec<String>)>, Problem> {
    let spelled = |name: &'static str, value: &String| {
        let known: &[&str] = if name == "status" { &rules::STATES } else { &rules::CAUSES };
        let found = known.iter().find(|word| word.eq_ignore_ascii_case(value)).map(|word| (*word).to_owned());
        found.ok_or_else(|| Problem::field("queryString", format!("{name}: must be one of: {}", known.join(", "))))
    };
    let terms = query_string::parse(text, &rules::VARIABLES)?.into_iter();
    terms
        .map(|term| {
            Ok((term.name, term.values.iter().map(|value| spelled(term.name, value)).collect::<Result<_, _>>()?))
        })
        .collect()
}

/// Get a run
///
/// With what it printed so far, of which 1 MiB is kept.
#[utoipa::path(
    operation_id = "getJobRun",
    params(RunId),
    responses(
        (status = 200, description = "The run", body = Run),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/runs/{runId}")]
pub async fn get(context: RequestContext, PathIds(id): PathIds<RunId>) -> api::Result<HttpResponse> {
    let read = context.read(move |conn, scope| {
        let row = store::existing(conn, &scope.scope(), &id)?;
        let output = store::output(conn, &row.tenant_id, &row.id)?;
        Ok((row, output))
    });
    let (row, output) = read.await?;
    answer::entity(&context, &Run { output: Some(output), ..Run::new(&row) }, rules::version(&row))
}

/// Cancel a run
///
/// A waiting run is not handed out any more; the runner of one that is under way learns of it at the next heartbeat.
/// One that is over is a 409.
#[utoipa::path(
    operation_id = "cancelJobRun",
    params(RunId),
    responses(
        (status = 200, description = "The run, cancelled", body = Run),
        (status = 409, description = "The run is over"),
        (status = 412, description = "The run has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/runs/{runId}/cancel")]
pub async fn cancel(context: RequestContext, PathIds(id): PathIds<RunId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = store::existing(tx.conn, &scope.scope(), &id)?;
            scope.check_version(rules::version(&old))?;
            let new = rules::cancelled(&old, tx.now)?;
            change(tx, &old, &new)?;
            tx.record_change(Some(&old), Some(&new))?;
            trace::record_end(&new);
            Answer::entity(&Run::new(&new), rules::version(&new))
        })
        .await
}

/// Stores what became of a run.
///
/// # Errors
/// 409 when somebody else was faster, 404 when the run is gone.
pub fn change(tx: &mut Tx<'_>, old: &row::Run, new: &row::Run) -> db::Result<()> {
    if store::update(tx.conn, old, new)? {
        return Ok(());
    }
    store::existing(tx.conn, std::slice::from_ref(&old.tenant_id), &old.id)?;
    let mut problem = Problem::conflict("The run has just changed. Ask again.");
    problem.retry_after = Some(1);
    Err(problem.into())
}
