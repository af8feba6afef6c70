//! Rows of jobs, their resources and labels. Every function takes the tenant, or the tenants of a scope.

use base::{Key, PageRequest, PageRows, problem::Problem, query::Sort};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::row::{Job, Resource};
use crate::schema::{job_labels, job_output, job_resources, job_runs, jobs};

/// Anyone who changes a job, or says of it what its runs say, holds this until the end of the transaction. It is taken
/// before a row of the job or of its runs is written, so that nobody waits in a circle.
pub fn lock(id: &str) -> db::Lock {
    db::Lock::of("jobs.job", id.to_ascii_lowercase())
}

/// Takes the locks of several jobs, in one order.
pub fn lock_all(conn: &mut Conn, mut ids: Vec<&str>) -> Result<()> {
    ids.sort_unstable();
    ids.dedup();
    db::Lock::take_all(conn, &ids.into_iter().map(lock).collect::<Vec<_>>())
}

/// The scheduler holds this alone for a tenant; anyone who changes a job of it, shared.
pub fn lock_of_schedule(tenant: &str) -> db::Lock {
    db::Lock::of("jobs.scheduler", tenant)
}

/// How many jobs a tenant has at most.
pub static QUOTA: Quota = Quota::new("jobs", "jobs", 20_000);

/// How many jobs of a tenant are due more than 24 times on a day, at most: each day of one makes so many rows.
const MOST_FREQUENT: i64 = 500;

/// What a list of jobs is sorted by; ids ascend in time.
pub const SORTS: Sorts<Job> = Sorts {
    by: &[
        SortBy::text("name", "jobs.name_key", |row| Key::from(&row.name_key)),
        SortBy::integer("startDate", "jobs.start_ms", |row| Key::from(row.start_ms)),
    ],
    then: &[SortBy::text("id", "jobs.id", |row| Key::from(&row.id))],
};

api::resource! {
    Job, "job",
    find: |conn, tenants, id| db::one!(conn, jobs, tenants, id.to_ascii_lowercase()),
    lock: |job, conn| {
        lock_of_schedule(&job.tenant_id).share(conn)?;
        lock(&job.id).take(conn)
    },
}

/// The job with this id of a tenant.
pub fn find(conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<Job>> {
    Ok(jobs::table.find((tenant, id)).get_result(conn).optional()?)
}

/// A page of the jobs that meet a condition.
pub fn search(conn: &mut Conn, condition: Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Job>> {
    Ok(db::page!(conn, jobs::table.filter(condition), SORTS, sort, walk))
}

/// Notes whether there is an alert of a job. That is not a change of the job.
pub fn set_alerting(conn: &mut Conn, tenant: &str, id: &str, alerting: bool) -> Result<()> {
    let set = (jobs::alerting.eq(alerting), jobs::alarm_ms.eq(None::<i64>));
    diesel::update(jobs::table.find((tenant, id))).set(set).execute(conn)?;
    Ok(())
}

/// Notes when alerts are to be told again what became of the last run of a job.
pub fn set_alarm(conn: &mut Conn, tenant: &str, id: &str, at_ms: Option<i64>) -> Result<()> {
    diesel::update(jobs::table.find((tenant, id))).set(jobs::alarm_ms.eq(at_ms)).execute(conn)?;
    Ok(())
}

/// The resources of jobs, by job and in their order.
pub fn resources(conn: &mut Conn, scope: &[String], ids: &[String]) -> Result<Vec<Resource>> {
    use job_resources::dsl;
    db::in_chunks(ids, |ids| {
        let wanted = dsl::job_resources.filter(dsl::tenant_id.eq_any(scope)).filter(dsl::job_id.eq_any(ids));
        wanted.order((dsl::job_id, dsl::position)).load::<Resource>(conn)
    })
}

/// The labels of jobs: job and label, in order.
pub fn labels(conn: &mut Conn, scope: &[String], ids: &[String]) -> Result<Vec<(String, String)>> {
    use job_labels::dsl;
    db::in_chunks(ids, |ids| {
        let wanted = dsl::job_labels.filter(dsl::tenant_id.eq_any(scope)).filter(dsl::job_id.eq_any(ids));
        wanted.order((dsl::job_id, dsl::label)).select((dsl::job_id, dsl::label)).load(conn)
    })
}

/// Those of these jobs that have a run that waits.
pub fn queued(conn: &mut Conn, scope: &[String], ids: &[String]) -> Result<Vec<String>> {
    use job_runs::dsl;
    db::in_chunks(ids, |ids| {
        let wanted = dsl::job_runs
            .filter(dsl::tenant_id.eq_any(scope))
            .filter(dsl::job_id.eq_any(ids))
            .filter(Condition::sql("job_runs.state = 'QUEUED' AND job_runs.finished_ms IS NULL"));
        wanted.select(dsl::job_id).distinct().load::<String>(conn)
    })
}

/// Stores a new job.
pub fn insert(conn: &mut Conn, job: &Job) -> Result<()> {
    QUOTA.admit(conn, &job.tenant_id, 1)?;
    admit_frequent(conn, None, job)?;
    diesel::insert_into(jobs::table).values(job).execute(conn)?;
    Ok(())
}

/// Refuses one job too many that is due so often.
fn admit_frequent(conn: &mut Conn, old: Option<&Job>, new: &Job) -> Result<()> {
    if !new.frequent || old.is_some_and(|old| old.frequent) {
        return Ok(());
    }
    db::Lock::of("jobs.frequent", &new.tenant_id).take(conn)?;
    let others = jobs::table.filter(jobs::tenant_id.eq(&new.tenant_id)).filter(Condition::sql("jobs.frequent"));
    if others.count().get_result::<i64>(conn)? < MOST_FREQUENT {
        return Ok(());
    }
    let message = format!(
        "the tenant has {MOST_FREQUENT} jobs that are due more than 24 times on a day, the most that it may have"
    );
    Err(Problem::field("schedule", message).into())
}

/// Stores a changed job.
///
/// # Errors
/// 409 when somebody else changed it meanwhile.
pub fn update(conn: &mut Conn, old: &Job, new: &Job) -> Result<()> {
    admit_frequent(conn, Some(old), new)?;
    let stored = jobs::table.find((&old.tenant_id, &old.id)).filter(jobs::version.eq(old.version));
    if diesel::update(stored).set(new).execute(conn)? == 0 {
        return Err(Problem::conflict("Somebody else changed the job meanwhile. Read it again.").into());
    }
    Ok(())
}

/// Gives a job these resources in place of those that it had.
pub fn replace_resources(conn: &mut Conn, job: &Job, resources: &[Resource]) -> Result<()> {
    use job_resources::dsl;
    let former = dsl::job_resources.filter(dsl::tenant_id.eq(&job.tenant_id)).filter(dsl::job_id.eq(&job.id));
    diesel::delete(former).execute(conn)?;
    db::insert_rows!(conn, job_resources::table, resources)
}

/// Gives a job these labels in place of those that it had.
pub fn replace_labels(conn: &mut Conn, job: &Job, labels: &[String]) -> Result<()> {
    use job_labels::dsl;
    let former = dsl::job_labels.filter(dsl::tenant_id.eq(&job.tenant_id)).filter(dsl::job_id.eq(&job.id));
    diesel::delete(former).execute(conn)?;
    for label in labels {
        let row = (dsl::tenant_id.eq(&job.tenant_id), dsl::job_id.eq(&job.id), dsl::label.eq(label));
        diesel::insert_into(dsl::job_labels).values(row).execute(conn)?;
    }
    Ok(())
}

/// Removes a job and its history.
pub fn delete(conn: &mut Conn, job: &Job) -> Result<()> {
    let tenant = &job.tenant_id;
    let id = &job.id;
    let of_runs = Condition::sql("job_output.run_id IN (SELECT job_runs.id FROM job_runs WHERE job_runs.tenant_id = ")
        .text(tenant)
        .then(" AND job_runs.job_id = ")
        .text(id)
        .then(")");
    diesel::delete(job_output::table).filter(job_output::tenant_id.eq(tenant)).filter(of_runs).execute(conn)?;
    let runs = job_runs::table.filter(job_runs::tenant_id.eq(tenant)).filter(job_runs::job_id.eq(id));
    diesel::delete(runs).execute(conn)?;
    replace_resources(conn, job, &[])?;
    replace_labels(conn, job, &[])?;
    diesel::delete(jobs::table.find((tenant, id))).execute(conn)?;
    Ok(())
}

/// Removes runs with their output, as a [`Retention`](outbox::Retention) does: as many of the first as printed at most
/// so much together.
pub fn remove_runs(conn: &mut Conn, tenant: &str, ids: &[String], most: usize) -> Result<usize> {
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let output = job_output::table.filter(job_output::tenant_id.eq(tenant));
    let mut whole = ids;
    loop {
        let lines = output.filter(job_output::run_id.eq_any(whole)).limit(limit);
        let lines: Vec<i64> = lines.select(job_output::position).load(conn)?;
        if lines.len() < most {
            break;
        }
        // One that printed more loses a part of it.
        if let [one] = whole {
            let part = output.filter(job_output::run_id.eq(one)).filter(job_output::position.eq_any(&lines));
            diesel::delete(part).execute(conn)?;
            return Ok(0);
        }
        whole = whole.get(..whole.len() / 2).unwrap_or_default();
    }
    diesel::delete(output.filter(job_output::run_id.eq_any(whole))).execute(conn)?;
    let runs = job_runs::table.filter(job_runs::tenant_id.eq(tenant)).filter(job_runs::id.eq_any(whole));
    diesel::delete(runs).execute(conn)?;
    Ok(whole.len())
}

/// How many runs, and how many lines of output, one step of a deletion removes.
const TOGETHER: usize = 200;

/// Removes some runs of a job that are over, with their output; says whether there may be more.
pub fn remove_some_runs(conn: &mut Conn, job: &Job) -> Result<bool> {
    use job_runs::dsl;
    let over = dsl::job_runs.filter(dsl::tenant_id.eq(&job.tenant_id)).filter(dsl::job_id.eq(&job.id));
    let over = over.filter(dsl::finished_ms.is_not_null()).limit(TOGETHER as i64);
    let ids: Vec<String> = over.select(dsl::id).load(conn)?;
    let removed = remove_runs(conn, &job.tenant_id, &ids, TOGETHER)?;
    Ok(removed < ids.len() || removed == TOGETHER)
}

/// Has a tenant any job?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    Ok(db::has_any!(conn, jobs, tenant))
}
