//! The search for runs across jobs.

use actix_web::HttpResponse;
use api::{PageQuery, RequestContext, get, spec::PageOf};
use base::{
    PageRequest, PageRows,
    problem::Problem,
    query::Sort,
    query_string::{self, Term},
    text::{fold, listed},
};
use db::{Condition, Conn, Result};
use diesel::prelude::*;

use super::{
    row::Run as Row,
    rules,
    store::SORTS,
    wire::{Run, RunId},
};
use crate::{job::types, schema::job_runs};

api::list! {
    /// The list of the runs of all jobs.
    pub Runs by SORTS:
        SORT = "dueDate", DESCENDING = true, FILTER = "status:FAILED,TIMED_OUT+startDate:2026-11-20T00:00:00Z"
}

/// The variables of a search.
const VARIABLES: [&str; 14] = listed(
    "id jobId jobName isEquals jobType status trigger runner runnerUserId resourceId startDate endDate \
    startFinishedDate endFinishedDate",
);

/// Search runs
///
/// A page of the runs of all jobs of the tenant, the last one first; at partner level, of its clients too. The
/// variables of `queryString` are `id`, `jobId`, `jobName` (the name of the job contains the value; `isEquals:true`: it
/// is the value), `jobType`, `status`, `trigger`, `runner` (what it called itself), `runnerUserId`, `resourceId` (runs
/// of jobs that have it among their targets now), `startDate` and `endDate` (due between the two), `startFinishedDate`
/// and `endFinishedDate`.
#[utoipa::path(
    operation_id = "searchJobRuns",
    params(PageQuery<Runs>),
    responses((status = 200, description = "A page of runs", body = PageOf<Run>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/runs/search")]
pub async fn search(context: RequestContext<PageQuery<Runs>>) -> api::Result<HttpResponse> {
    let condition = condition(&context.scope(), &context.query.filter)?;
    let page = context.page(move |conn, _, sort, walk| {
        let found = find(conn, &condition, sort, walk)?;
        Ok(found.map(|row| Run::new(&row)))
    });
    page.await
}

fn find(conn: &mut Conn, condition: &Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Row>> {
    use job_runs::dsl;
    Ok(db::page!(conn, dsl::job_runs.filter(condition.clone()), SORTS, sort, walk))
}

/// Which runs a `queryString` means, among those of these tenants.
///
/// # Errors
/// 400 on `queryString` that names what is wrong.
fn condition(scope: &[String], text: &str) -> Result<Condition, Problem> {
    let mut all = vec![Condition::text_in("job_runs.tenant_id IN", scope)];
    let terms = query_string::parse(text, &VARIABLES)?;
    let whole = query_string::flag(&terms, "isEquals")? == Some(true);
    let small = |term: &Term| term.values.iter().map(|value| value.to_ascii_lowercase()).collect::<Vec<_>>();
    for term in &terms {
        all.push(match term.name {
            "id" => Condition::text_in("job_runs.id IN", term.values.iter().map(|id| RunId::from(id.clone()).0)),
            "jobId" => Condition::text_in("job_runs.job_id IN", small(term)),
            "jobName" => of_names(scope, term, whole),
            "jobType" => Condition::text_in("job_runs.job_type IN", term.words(&types::NAMES)?),
            "status" => Condition::text_in("job_runs.state IN", term.words(&rules::STATES)?),
            "trigger" => Condition::text_in("job_runs.cause IN", term.words(&rules::CAUSES)?),
            "runner" => Condition::text_in("job_runs.runner <> '' AND job_runs.runner IN", &term.values),
            "runnerUserId" => {
                let ids = term.values.iter().map(|id| id.to_ascii_uppercase());
                Condition::text_in("job_runs.runner_user IN", ids)
            }
            "resourceId" => of_resources(scope, &small(term)),
            "startDate" => since("job_runs.due_ms >= ", term, 0)?,
            "endDate" => since("job_runs.due_ms <= ", term, 999)?,
            "startFinishedDate" => since("job_runs.finished_ms >= ", term, 0)?,
            "endFinishedDate" => since("job_runs.finished_ms <= ", term, 999)?,
            _ => continue,
        });
    }
    Ok(Condition::all(all))
}

/// Times are shown in whole seconds: an end takes in all of its second.
fn since(text: &'static str, term: &Term, more: i64) -> Result<Condition, Problem> {
    Ok(Condition::sql(text).integer(term.time()?.millis().saturating_add(more)))
}

/// Runs of jobs that are called so now: there are far fewer jobs than runs, and their names are kept folded.
fn of_names(scope: &[String], term: &Term, whole: bool) -> Condition {
    let names = term.values.iter().map(|name| fold(name));
    let named = Condition::named("jobs.name_key", names, whole);
    let of_tenants = "job_runs.job_id IN (SELECT jobs.id FROM jobs WHERE jobs.tenant_id IN";
    Condition::text_in(of_tenants, scope).then(" AND (").append(named).then("))")
}

fn of_resources(scope: &[String], ids: &[String]) -> Condition {
    let named = "job_runs.job_id IN (SELECT job_resources.job_id FROM job_resources WHERE job_resources.tenant_id IN";
    Condition::text_in(named, scope)
        .then(" AND ")
        .append(Condition::text_in("job_resources.resource_id IN", ids))
        .then(")")
}
