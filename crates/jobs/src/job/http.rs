//! Jobs over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, PageQuery, Parameters, PathIds, RequestContext, RequestScope, Resource as _, answer, delete, get,
    post, spec::PageOf,
};
use base::{
    problem::{FieldErrors, Problem, shorten},
    timestamp::Timestamp,
};
use db::Conn;
use outbox::Tx;
use ports::{Notices, People, ResourceKey, Resources};

use super::{
    alarms, filter,
    row::{self, Resource},
    rules, store,
    view::{self, record_change},
    wire::{Job, JobChange, JobId, NewJob, NextRuns, Target},
};
use crate::scripts;

api::list! {
    /// The list of jobs.
    pub Jobs by store::SORTS: SORT = "id", DESCENDING = true, FILTER = "jobType:custom"
}

/// How many due times are asked for.
#[derive(Clone, Debug, Parameters)]
pub struct Next {
    /// 1 to 100, default 10.
    #[request(default = 10, range = 1..=MOST_NEXT, example = 5)]
    pub count: i64,
}

/// How many next runs are told at most.
const MOST_NEXT: i64 = 100;

/// The tenants whose resources a job of this tenant may name: a partner's job those of its clients too.
fn resource_tenants(scope: &RequestScope, tenant: &str) -> Vec<String> {
    if tenant == scope.tenant.partner.as_str() { scope.scope() } else { vec![tenant.to_owned()] }
}

/// The tenants whose scripts a job of this tenant may run.
pub fn of_scripts(scope: &RequestScope, tenant: &str) -> Vec<String> {
    let partner = scope.tenant.partner.as_str();
    if tenant == partner { vec![tenant.to_owned()] } else { vec![tenant.to_owned(), partner.to_owned()] }
}

/// A resource that a request names, with its tenant and its place in the list.
struct Named {
    position: i64,
    id: String,
    tenant: String,
    kind: String,
}

/// Finds the resources that a change names, each once with its place in the list; `None` when it names none. A script
/// or a resource that is not there is added to what is wrong; but one that the job has already stays, by its id.
fn find(
    tx: &mut Tx<'_>,
    resources: &dyn Resources,
    scope: &RequestScope,
    tenant: &str,
    old: Option<&row::Job>,
    change: &JobChange,
    wrong: &mut FieldErrors,
) -> db::Result<Option<Vec<Named>>> {
    if let Some(id) = change.script.as_ref().and_then(|script| script.script_id) {
        scripts::store::lock(id).share(tx.conn)?;
        if scripts::store::summaries(tx.conn, &of_scripts(scope, tenant), &[id])?.is_empty() {
            let message = format!("names no script of the tenant or its partner: {id}");
            wrong.add("script.customScript.id", message);
        }
    }
    let Some(targets) = change.targets() else { return Ok(None) };
    let keys: Vec<ResourceKey> = targets.iter().map(|target| target.key.clone()).collect();
    let known = resources.find(tx.conn, &resource_tenants(scope, tenant), &keys)?;
    let kept = match old {
        Some(old) => store::resources(tx.conn, std::slice::from_ref(&old.tenant_id), std::slice::from_ref(&old.id))?,
        None => Vec::new(),
    };
    let kept = |key: &ResourceKey| {
        let ResourceKey::Id(id) = key else { return None };
        kept.iter().find(|row| row.resource_id.eq_ignore_ascii_case(id))
    };
    let mut named = Vec::<Named>::new();
    let mut add = |position, id: &str, tenant: &str, kind: &str| {
        if named.iter().all(|one| one.id != id) {
            named.push(Named { position, id: id.to_owned(), tenant: tenant.to_owned(), kind: kind.to_owned() });
        }
    };
    for (position, (Target { field, key, kind }, found)) in (0..).zip(targets.iter().zip(known)) {
        let text = shorten(key.text());
        match (found.as_slice(), kept(key)) {
            ([found], _) => add(position, &found.id, &found.tenant_id, kind),
            ([], Some(kept)) => add(position, &kept.resource_id, &kept.resource_tenant, kind),
            ([], None) => wrong.add(field, format!("names no resource of the tenant: {text}")),
            _ => wrong.add(field, format!("names more than one resource, give its id: {text}")),
        }
    }
    Ok(Some(named))
}

/// Stores the resources and the labels of a job; `None` leaves them as they are.
fn keep(tx: &mut Tx<'_>, job: &row::Job, resources: Option<Vec<Named>>, labels: Option<&[String]>) -> db::Result<()> {
    if let Some(resources) = resources {
        let row = |Named { position, id, tenant, kind }: Named| Resource {
            tenant_id: job.tenant_id.clone(),
            job_id: job.id.clone(),
            resource_id: id,
            resource_tenant: tenant,
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
/// Its runs become due by its schedule. A job whose `startDate` lies in the past runs once right away, for the latest
/// due time, unless its `misfirePolicy` is `skip`.
#[utoipa::path(
    operation_id = "createJob",
    request_body(content = NewJob),
    responses((status = 200, description = "The new job", body = Job)),
    security(("bearer" = ["operator"]))
)]
#[post("/jobs")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    resources: web::Data<dyn Resources>,
    Body((new, wrong)): Body<(NewJob, FieldErrors)>,
) -> api::Result<HttpResponse> {
    let change = JobChange::from(new);
    let resources = resources.into_inner();
    context
        .write(move |tx, scope| {
            let tenant = scope.tenant_id();
            let (job, shown) = insert(tx, scope, (&**people, &*resources), tenant, (&change, wrong), |now| {
                let author = scope.author();
                let blank = rules::blank(tenant, uuid::Uuid::now_v7().to_string(), author, now);
                rules::changed(&blank, &change, author, now)
            })?;
            Answer::entity(&shown, job.version)
        })
        .await
}

/// Search jobs
///
/// A page of the jobs of the tenant; at partner level, of its clients too, unless `allList` is `false`. The variables
/// of `queryString` are `id`, `name` (it contains the value, whatever the letter case; with `isEquals:true` it is the
/// value), `jobType`, `jobQueued` (`true` or `false`), `resourceId` and `allList`.
#[utoipa::path(
    operation_id = "searchJobs",
    params(PageQuery<Jobs>),
    responses((status = 200, description = "A page of jobs", body = PageOf<Job>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/search")]
pub async fn search(
    context: RequestContext<PageQuery<Jobs>>,
    people: web::Data<dyn People>,
) -> api::Result<HttpResponse> {
    let PageQuery { sort, walk, filter, .. } = context.query.clone();
    let condition = filter::condition(&context, &filter)?;
    let page = context.read_many(move |conn, scope| {
        let found = store::search(conn, condition, sort, &walk)?;
        let shown = view::jobs(conn, &**people, &scope.scope_and_partner(), &found.rows)?;
        Ok(walk.answer(found.with(shown)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get a job
#[utoipa::path(
    operation_id = "getJob",
    params(JobId),
    responses((status = 200, description = "The job", body = Job)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/{jobId}")]
pub async fn get(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<JobId>,
) -> api::Result<HttpResponse> {
    let read = context.read(move |conn, scope| {
        let row = row::Job::existing(conn, &scope.scope(), &id)?;
        Ok((view::job(conn, &**people, &scope.scope_and_partner(), &row)?, row.version))
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
    operation_id = "updateJob",
    params(JobId),
    request_body(content = JobChange, example = json!({"active": false})),
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
    PathIds(id): PathIds<JobId>,
    Body((change, wrong)): Body<(JobChange, FieldErrors)>,
) -> api::Result<HttpResponse> {
    let resources = resources.into_inner();
    context
        .write(move |tx, scope| {
            let old = row::Job::locked(tx, scope, &id)?;
            let neighbours = Neighbours { people: &**people, resources: &*resources, notices: &**notices };
            let (new, shown) = change_locked(tx, scope, neighbours, &old, (&change, wrong))?;
            Answer::entity(&shown, new.version)
        })
        .await
}

/// Delete a job
///
/// With the history of its runs. Anyone who carries out a run of it learns of it at the next heartbeat.
#[utoipa::path(
    operation_id = "deleteJob",
    params(JobId),
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
    PathIds(id): PathIds<JobId>,
) -> api::Result<HttpResponse> {
    let named = id.clone();
    let remove_history = move |conn: &mut Conn, scope: &RequestScope| {
        let job = row::Job::existing(conn, &scope.scope(), &named)?;
        scope.check_version(job.version)?;
        store::remove_some_runs(conn, &job)
    };
    context.in_steps(remove_history).await?;
    context
        .write(move |tx, scope| {
            let job = row::Job::locked(tx, scope, &id)?;
            delete_locked(tx, scope, (&**people, &**notices), &job)?;
            Ok(Answer::empty())
        })
        .await
}

/// Whom a change of a job asks and tells.
#[derive(Clone, Copy)]
pub struct Neighbours<'n> {
    pub people: &'n dyn People,
    pub resources: &'n dyn Resources,
    pub notices: &'n dyn Notices,
}

/// Makes and stores a new job, with the resources and labels that its body names; answers it, and what clients see of
/// it.
pub fn insert(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    (people, resources): (&dyn People, &dyn Resources),
    tenant: &str,
    (change, mut wrong): (&JobChange, FieldErrors),
    make: impl FnOnce(Timestamp) -> Result<row::Job, Problem>,
) -> db::Result<(row::Job, Job)> {
    let named = find(tx, resources, scope, tenant, None, change, &mut wrong)?;
    wrong.check()?;
    let job = make(tx.now)?;
    store::insert(tx.conn, &job)?;
    keep(tx, &job, named, change.labels.as_deref())?;
    let shown = view::job(tx.conn, people, &of_scripts(scope, tenant), &job)?;
    record_change(tx, &job, None, Some(&shown))?;
    Ok((job, shown))
}

/// Changes a job that is locked; answers what it is then, and what clients see of it.
pub fn change_locked(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    Neighbours { people, resources, notices }: Neighbours<'_>,
    old: &row::Job,
    (change, mut wrong): (&JobChange, FieldErrors),
) -> db::Result<(row::Job, Job)> {
    let named = find(tx, resources, scope, &old.tenant_id, Some(old), change, &mut wrong)?;
    wrong.check()?;
    let scripts = of_scripts(scope, &old.tenant_id);
    let before = view::job(tx.conn, people, &scripts, old)?;
    let new = rules::changed(old, change, scope.author(), tx.now)?;
    store::update(tx.conn, old, &new)?;
    if !new.alert_on_failure {
        alarms::withdraw(tx, notices, &new)?;
    }
    let end = (new.alerting && new.alert_on_failure).then(|| alarms::notice(tx, &new, None)).transpose()?;
    keep(tx, &new, named, change.labels.as_deref())?;
    if let Some(end) = end {
        alarms::follow(tx, notices, &new, end)?;
    }
    let after = view::job(tx.conn, people, &scripts, &new)?;
    record_change(tx, &new, Some(&before), Some(&after))?;
    Ok((new, after))
}

/// Deletes a job that is locked.
pub fn delete_locked(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    (people, notices): (&dyn People, &dyn Notices),
    job: &row::Job,
) -> db::Result<()> {
    let before = view::job(tx.conn, people, &of_scripts(scope, &job.tenant_id), job)?;
    alarms::withdraw(tx, notices, job)?;
    store::delete(tx.conn, job)?;
    record_change(tx, job, Some(&before), None)
}

/// When a job runs next
///
/// The next due times of its schedule, in order; none when it is not active, or over, or its client is suspended.
#[utoipa::path(
    operation_id = "listNextJobRuns",
    params(JobId, Next),
    responses((status = 200, description = "The next due times", body = NextRuns)),
    security(("bearer" = ["viewer"]))
)]
#[get("/jobs/{jobId}/next")]
pub async fn next(
    context: RequestContext<Next>,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<JobId>,
) -> api::Result<HttpResponse> {
    let Next { count } = context.query;
    let read = context.read(move |conn, scope| {
        let row = row::Job::existing(conn, &scope.scope(), &id)?;
        Ok((people.is_active(conn, &row.tenant_id)?, row))
    });
    let (is_active, row) = read.await?;
    let count = usize::try_from(count).unwrap_or(1);
    answer::ok(&NextRuns { next_runs: if is_active { rules::upcoming(&row, count)? } else { Vec::new() } })
}
