//! Jobs over HTTP.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, context::check_version, spec::PageOf};
use base::{
    Query,
    problem::{Wrong, shorten},
};
use outbox::Tx;
use ports::{KnownResource, Notices, People, ResourceKey, Resources};

use super::{
    documented::{JobInput, JobUpdate},
    rules::{self, Filter},
    shown,
    store::{self, Resource},
    wire::{Job, JobChange, NextRuns, Target},
};
use crate::{runs::alarms, scripts};

/// How many next runs are told at most.
const MOST_NEXT: i64 = 100;

/// Around the job that a request names: what its resources and its script may belong to.
pub struct Around {
    /// The tenants in reach of the request.
    scope: Vec<String>,
    partner: String,
}

impl Around {
    /// Of a request.
    pub fn new(context: &RequestContext) -> Self {
        Self { scope: context.scope(), partner: context.tenant.partner.to_string() }
    }

    /// The tenants whose resources a job of this tenant may name: a partner's job those of its clients too.
    fn of_resources(&self, tenant: &str) -> Vec<String> {
        if tenant == self.partner { self.scope.clone() } else { vec![tenant.to_owned()] }
    }

    /// The tenants whose scripts a job of this tenant may run.
    fn of_scripts(&self, tenant: &str) -> Vec<String> {
        if tenant == self.partner { vec![tenant.to_owned()] } else { vec![tenant.to_owned(), self.partner.clone()] }
    }
}

/// A resource that a request names, with its place in the list.
struct Named {
    position: i64,
    resource: KnownResource,
    kind: String,
}

/// Finds the resources that a change names, each once with its place in the list; `None` when it names none. A script or
/// a resource that is not there is added to what is wrong.
fn find(
    tx: &mut Tx<'_>,
    resources: &dyn Resources,
    around: &Around,
    tenant: &str,
    change: &JobChange,
    wrong: &mut Wrong,
) -> db::Result<Option<Vec<Named>>> {
    if let Some(id) = change.script.as_ref().and_then(|script| script.script_id) {
        db::lock_shared(tx.conn, &scripts::http::lock_name(id))?;
        if scripts::store::summaries(tx.conn, &around.of_scripts(tenant), &[id])?.is_empty() {
            let message = format!("names no script of the tenant or its partner: {id}");
            wrong.add("script.customScript.id", message);
        }
    }
    let Some(targets) = &change.resources else { return Ok(None) };
    let keys: Vec<ResourceKey> = targets.iter().map(|target| ResourceKey::Id(target.id.clone())).collect();
    let known = resources.find(tx.conn, &around.of_resources(tenant), &keys)?;
    let mut named = Vec::<Named>::new();
    for (position, (Target { field, id, kind }, found)) in (0..).zip(targets.iter().zip(known)) {
        match found.into_iter().next() {
            Some(found) if named.iter().any(|one| one.resource.id == found.id) => {}
            Some(resource) => named.push(Named { position, resource, kind: kind.clone() }),
            None => wrong.add(field, format!("names no resource of the tenant: {}", shorten(id))),
        }
    }
    Ok(Some(named))
}

/// Stores the resources and the labels of a job; `None` leaves them as they are.
fn keep(tx: &mut Tx<'_>, job: &store::Job, resources: Option<Vec<Named>>, labels: Option<&[String]>) -> db::Result<()> {
    if let Some(resources) = resources {
        let row = |Named { position, resource, kind }: Named| Resource {
            tenant_id: job.tenant_id.clone(),
            job_id: job.id.clone(),
            resource_id: resource.id,
            resource_tenant: resource.tenant_id,
            position,
            kind,
        };
        let rows: Vec<Resource> = resources.into_iter().map(row).collect();
        store::replace_resources(tx.conn, job, &rows)?;
    }
    if let Some(labels) = labels {
        store::replace_labels(tx.conn, job, labels)?;
    }
    Ok(())
}

/// Create a job
///
/// Its runs become due by its schedule. One whose `startDate` lies in the past runs once at once, for the due time that
/// was last, unless its `misfirePolicy` is `skip`.
#[utoipa::path(
    tag = "jobs",
    operation_id = "createJob",
    request_body(content = JobInput),
    responses((status = 200, description = "The new job", body = Job)),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    resources: web::Data<dyn Resources>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (change, mut wrong) = JobChange::read(&body.0, true);
    let (around, resources) = (Around::new(&context), resources.into_inner());
    let (tenant, user, now) = (context.tenant.id.to_string(), context.caller.user_id.clone(), context.now);
    context
        .write(move |tx, _| {
            let named = find(tx, &*resources, &around, &tenant, &change, &mut wrong)?;
            wrong.check()?;
            let blank = rules::blank(&tenant, uuid::Uuid::now_v7().to_string(), &user, now);
            let job = rules::changed(&blank, &change, &user, now)?;
            store::insert(tx.conn, &job)?;
            keep(tx, &job, named, change.labels.as_deref())?;
            let shown = shown::job(tx.conn, &**people, &around.of_scripts(&tenant), &job)?;
            shown::note(tx, &job, None, Some(&shown))?;
            Answer::entity(&shown, job.version)
        })
        .await
}

/// Search jobs
///
/// A page of the jobs of the tenant; at partner level, of its clients too. The variables of `queryString` are `id`,
/// `name` (it contains the value, whatever the letter case; with `isEquals:true` it is the value), `jobType`,
/// `jobQueued` (`true` or `false`) and `resourceId`.
#[utoipa::path(
    tag = "jobs",
    operation_id = "searchJobs",
    params(
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`id` (default; ascending in time), `name` or `startDate`", example = "name"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "jobType:custom"),
    ),
    responses((status = 200, description = "A page of jobs", body = PageOf<Job>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/search")]
pub async fn search(context: RequestContext<Query>, people: web::Data<dyn People>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "id", true);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let filter = Filter::parse(&text)?;
    let (scope, around) = (context.scope(), context.scope_and_partner());
    let page = context.db.read(move |conn| {
        let found = store::search(conn, &scope, &filter, sort, &walk)?;
        let shown = shown::jobs(conn, &**people, &around, &found.rows)?;
        Ok(walk.answer(found.with(shown)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get a job
#[utoipa::path(
    tag = "jobs",
    operation_id = "getJob",
    params(("jobId" = String, Path, description = "UUID", example = "0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e")),
    responses((status = 200, description = "The job", body = Job)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/{jobId}")]
pub async fn get(
    context: RequestContext,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (scope, around, id) = (context.scope(), context.scope_and_partner(), path.into_inner().1);
    let read = context.db.read(move |conn| {
        let row = store::existing(conn, &scope, &id)?;
        Ok((shown::job(conn, &**people, &around, &row)?, row.version))
    });
    let (shown, version) = read.await?;
    // Runs come and go without it.
    answer::tagged(&shown, version)
}

/// Update a job
///
/// Fields left out stay as they are. Another schedule counts from now on: what it would have made due before is not
/// made up for. Runs that wait stay.
#[utoipa::path(
    tag = "jobs",
    operation_id = "updateJob",
    params(("jobId" = String, Path, description = "UUID", example = "0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e")),
    request_body(content = JobUpdate, example = json!({"active": false})),
    responses(
        (status = 200, description = "The job after the change", body = Job),
        (status = 412, description = "The job has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs/{jobId}")]
pub async fn update(
    context: RequestContext,
    people: web::Data<dyn People>,
    resources: web::Data<dyn Resources>,
    notices: web::Data<dyn Notices>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (change, mut wrong) = JobChange::read(&body.0, false);
    let (around, resources, wanted, id) =
        (Around::new(&context), resources.into_inner(), context.if_match()?, path.into_inner().1);
    let (user, now) = (context.caller.user_id.clone(), context.now);
    context
        .write(move |tx, _| {
            let old = take_up(tx, &around.scope, &id, wanted)?;
            let named = find(tx, &*resources, &around, &old.tenant_id, &change, &mut wrong)?;
            wrong.check()?;
            let scripts = around.of_scripts(&old.tenant_id);
            let before = shown::job(tx.conn, &**people, &scripts, &old)?;
            let new = rules::changed(&old, &change, &user, now)?;
            store::update(tx.conn, &old, &new)?;
            if !new.alert_on_failure {
                alarms::withdraw(tx, &**notices, &new)?;
            }
            keep(tx, &new, named, change.labels.as_deref())?;
            let after = shown::job(tx.conn, &**people, &scripts, &new)?;
            shown::note(tx, &new, Some(&before), Some(&after))?;
            Answer::entity(&after, new.version)
        })
        .await
}

/// Delete a job
///
/// With the history of its runs. Whoever carries out a run of it learns so at the next heartbeat.
#[utoipa::path(
    tag = "jobs",
    operation_id = "deleteJob",
    params(("jobId" = String, Path, description = "UUID", example = "0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e")),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 412, description = "The job has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/jobs/{jobId}")]
pub async fn delete(
    context: RequestContext,
    people: web::Data<dyn People>,
    notices: web::Data<dyn Notices>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (around, wanted, id) = (Around::new(&context), context.if_match()?, path.into_inner().1);
    context
        .write(move |tx, _| {
            let job = take_up(tx, &around.scope, &id, wanted)?;
            let before = shown::job(tx.conn, &**people, &around.of_scripts(&job.tenant_id), &job)?;
            alarms::withdraw(tx, &**notices, &job)?;
            store::delete(tx.conn, &job)?;
            shown::note(tx, &job, Some(&before), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// When a job runs next
///
/// The next due times of its schedule, in order; none when it is not active, or over.
#[utoipa::path(
    tag = "jobs",
    operation_id = "nextRunsOfJob",
    params(
        ("jobId" = String, Path, description = "UUID", example = "0199f1c5-3e1f-7c5a-9c1f-2f1c3c1e8f0e"),
        ("count" = Option<i64>, Query, description = "1 to 100, default 10", example = 5),
    ),
    responses((status = 200, description = "The next due times", body = NextRuns)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/{jobId}/next")]
pub async fn next(context: RequestContext<Query>, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let count = query.integer("count", 10);
    if !(1..=MOST_NEXT).contains(&count) {
        query.error("count", format!("must be an integer from 1 to {MOST_NEXT}"));
    }
    query.finish()?;
    let (scope, id) = (context.scope(), path.into_inner().1);
    let row = context.db.point(move |conn| store::existing(conn, &scope, &id)).await?;
    let count = usize::try_from(count).unwrap_or(1);
    answer::ok(&NextRuns { next_runs: rules::upcoming(&row, count)? })
}

/// Whoever changes a job, or says of it what its runs say, holds this until the end of the transaction.
pub fn lock_name(id: &str) -> String {
    format!("jobs.job:{}", id.to_ascii_lowercase())
}

/// The job that is to be changed, which neither the scheduler nor anybody else changes until the end of the transaction.
pub fn take_up(tx: &mut Tx<'_>, scope: &[String], id: &str, wanted: Option<i64>) -> db::Result<store::Job> {
    db::lock_shared(tx.conn, crate::scheduler::LOCK)?;
    db::lock(tx.conn, &lock_name(id))?;
    let row = store::existing(tx.conn, scope, id)?;
    check_version(wanted, row.version)?;
    Ok(row)
}
