//! Rows of runs and of their output. Every function takes the tenant, or the tenants of a scope.

use base::{Key, PageRequest, PageRows, query::Sort};
use db::{Condition, Conn, Partitioned, Result, SortBy, Sorts};
use diesel::prelude::*;
use outbox::{Keep, Retention, Setting};

use super::{row::Run, rules};
use crate::{
    job,
    schema::{job_output, job_runs},
};

/// What a run printed belongs to it.
pub const PARTITIONED: Partitioned = Partitioned { table: "job_runs", column: "due_ms", prefix: "", goes_whole: false };

/// Runs that are over.
pub const RETENTION: Retention = Retention {
    kind: "runs",
    keep: Keep::Setting(Setting {
        option: "keep-runs",
        variable: "MUSTER_KEEP_RUNS",
        days: 90,
        help: "How many days the history keeps the runs of jobs; 0 for ever",
    }),
    most: Some(1_000_000),
    table: "job_runs",
    id: "id",
    since: "finished_ms",
    only: "finished_ms IS NOT NULL",
    remove: Some(job::store::remove_runs),
};

pub fn new_id() -> String {
    format!("RUN-{}", uuid::Uuid::now_v7())
}

/// The run with this id among these tenants, or 404.
pub fn existing(conn: &mut Conn, scope: &[String], id: &str) -> Result<Run> {
    use job_runs::dsl;
    let row = dsl::job_runs.filter(dsl::tenant_id.eq_any(scope)).filter(dsl::id.eq(id)).get_result(conn);
    Ok(row.optional()?.ok_or_else(rules::no_run)?)
}

/// Those of these runs of a tenant that are still there, in the order of their ids.
pub fn some(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<Vec<Run>> {
    use job_runs::dsl;
    let these = dsl::job_runs.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
    Ok(these.order(dsl::id).load(conn)?)
}

/// The run with this id among these tenants, or 404, with its job locked, to say that it is over.
pub fn locked(conn: &mut Conn, scope: &[String], id: &str) -> Result<Run> {
    let found = existing(conn, scope, id)?;
    job::store::lock(&found.job_id).take(conn)?;
    // The job may have been deleted meanwhile.
    existing(conn, scope, id)
}

/// What runs are sorted by; ids ascend in the time at which they were made.
pub const SORTS: Sorts<Run> = Sorts {
    by: &[SortBy::integer("dueDate", "job_runs.due_ms", |row| Key::from(row.due_ms))],
    then: &[SortBy::text("id", "job_runs.id", |row| Key::from(&row.id))],
};

/// A page of the runs of a job.
pub fn of_job(
    conn: &mut Conn,
    (tenant, job): (&str, &str),
    filter: &[(&'static str, Vec<String>)],
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Run>> {
    use job_runs::dsl;
    let same = Condition::sql("job_runs.tenant_id = ").text(tenant).then(" AND job_runs.job_id = ").text(job);
    let terms = filter.iter().map(|(name, values)| {
        let column = if *name == "status" { "job_runs.state IN" } else { "job_runs.cause IN" };
        Condition::text_in(column, values)
    });
    let condition = Condition::all(std::iter::once(same).chain(terms));
    Ok(db::page!(conn, dsl::job_runs.filter(condition), SORTS, sort, walk))
}

/// When the last run of a job was due, scheduled or not.
pub fn last_due(conn: &mut Conn, tenant: &str, job: &str) -> Result<Option<i64>> {
    use job_runs::dsl;
    let of_job = dsl::job_runs.filter(dsl::tenant_id.eq(tenant)).filter(dsl::job_id.eq(job));
    Ok(of_job.order(dsl::due_ms.desc()).select(dsl::due_ms).first(conn).optional()?)
}

/// How many runs of a job are not over.
pub fn open(conn: &mut Conn, tenant: &str, job: &str) -> Result<usize> {
    use job_runs::dsl;
    let of_job = dsl::job_runs.filter(dsl::tenant_id.eq(tenant)).filter(dsl::job_id.eq(job));
    let count: i64 = of_job.filter(dsl::finished_ms.is_null()).count().get_result(conn)?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// How many runs of a tenant are not over.
pub fn open_of_tenant(conn: &mut Conn, tenant: &str) -> Result<usize> {
    use job_runs::dsl;
    let open = dsl::job_runs.filter(dsl::tenant_id.eq(tenant)).filter(dsl::finished_ms.is_null());
    Ok(usize::try_from(open.count().get_result::<i64>(conn)?).unwrap_or_default())
}

/// Those of these jobs that have a run that is not over: one id for each such run.
pub fn open_of(conn: &mut Conn, tenants: &[String], jobs: &[String]) -> Result<Vec<String>> {
    use job_runs::dsl;
    db::in_chunks(jobs, |jobs| {
        let of_jobs = dsl::job_runs.filter(dsl::tenant_id.eq_any(tenants)).filter(dsl::job_id.eq_any(jobs));
        of_jobs.filter(dsl::finished_ms.is_null()).select(dsl::job_id).load(conn)
    })
}

/// The due times, from one on, for which these jobs have runs already.
pub fn due_times_with_runs(
    conn: &mut Conn,
    tenants: &[String],
    jobs: &[String],
    from_ms: i64,
) -> Result<Vec<(String, i64)>> {
    use job_runs::dsl;
    db::in_chunks(jobs, |jobs| {
        let of_jobs = dsl::job_runs.filter(dsl::tenant_id.eq_any(tenants)).filter(dsl::job_id.eq_any(jobs));
        of_jobs.filter(dsl::due_ms.ge(from_ms)).select((dsl::job_id, dsl::due_ms)).load(conn)
    })
}

/// The last run of a job that is over, in one of these states.
pub fn last_of(conn: &mut Conn, tenant: &str, job: &str, states: &[&str]) -> Result<Option<Run>> {
    use job_runs::dsl;
    let of_job = dsl::job_runs.filter(dsl::tenant_id.eq(tenant)).filter(dsl::job_id.eq(job));
    let over = of_job.filter(dsl::finished_ms.is_not_null()).filter(dsl::state.eq_any(states));
    Ok(over.order(dsl::due_ms.desc()).first(conn).optional()?)
}

/// Stores new runs.
pub fn insert(conn: &mut Conn, runs: &[Run]) -> Result<()> {
    db::insert_rows!(conn, job_runs::table, runs)
}

/// Stores what became of a run; false when somebody else was faster.
pub fn update(conn: &mut Conn, old: &Run, new: &Run) -> Result<bool> {
    use job_runs::dsl;
    let this = dsl::tenant_id.eq(&old.tenant_id).and(dsl::job_id.eq(&old.job_id)).and(dsl::due_ms.eq(old.due_ms));
    let as_it_was = this
        .and(dsl::finished_ms.is_null())
        .and(dsl::attempt.eq(old.attempt))
        .and(dsl::state.eq(&old.state))
        .and(dsl::output_bytes.eq(old.output_bytes));
    Ok(diesel::update(dsl::job_runs.filter(as_it_was)).set(new).execute(conn)? == 1)
}

/// Lets a run whose lease ran out wait again; false when its runner, or another, was faster.
pub fn requeue(conn: &mut Conn, run: &Run, now_ms: i64) -> Result<bool> {
    use job_runs::dsl;
    let stored = dsl::job_runs
        .find((&run.tenant_id, &run.job_id, run.due_ms))
        .filter(dsl::finished_ms.is_null())
        .filter(dsl::attempt.eq(run.attempt))
        .filter(dsl::lease_ms.le(Some(now_ms)));
    let waits = (dsl::state.eq(rules::QUEUED), dsl::lease_ms.eq(None::<i64>));
    Ok(diesel::update(stored).set(waits).execute(conn)? == 1)
}

/// Is a run of this job under way?
pub fn is_running(conn: &mut Conn, tenant: &str, job: &str) -> Result<bool> {
    use job_runs::dsl;
    let of_job = dsl::job_runs.filter(dsl::tenant_id.eq(tenant)).filter(dsl::job_id.eq(job));
    let running = of_job.filter(dsl::finished_ms.is_null()).filter(dsl::state.eq(rules::RUNNING));
    Ok(running.count().get_result::<i64>(conn)? > 0)
}

/// Adds to the output of a run, behind so many bytes.
pub fn append(conn: &mut Conn, run: &Run, text: &str) -> Result<()> {
    use job_output::dsl;
    let row = (
        dsl::tenant_id.eq(&run.tenant_id),
        dsl::run_id.eq(&run.id),
        dsl::position.eq(run.output_bytes),
        dsl::text.eq(text),
    );
    diesel::insert_into(dsl::job_output).values(row).execute(conn)?;
    Ok(())
}

/// The newest run of a job.
pub fn last(conn: &mut Conn, tenant: &str, job: &str) -> Result<Option<Run>> {
    use job_runs::dsl;
    let of_job = dsl::job_runs.filter(dsl::tenant_id.eq(tenant)).filter(dsl::job_id.eq(job));
    Ok(of_job.order(dsl::due_ms.desc()).first(conn).optional()?)
}

/// The end of what a run printed: at most so many bytes, which begin with a line where one begins in them.
pub fn output_end(conn: &mut Conn, tenant: &str, run: &str, most: usize) -> Result<String> {
    use job_output::dsl;
    let mut pieces: Vec<String> = dsl::job_output
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::run_id.eq(run))
        .order(dsl::position.desc())
        .select(dsl::text)
        .limit(i64::try_from(most).unwrap_or(i64::MAX).min(LATEST_PIECES))
        .load(conn)?;
    pieces.reverse();
    Ok(rules::end_of(&pieces.concat(), most).to_owned())
}

/// How many pieces of an output are read for its end.
const LATEST_PIECES: i64 = 200;

/// What a run printed.
pub fn output(conn: &mut Conn, tenant: &str, run: &str) -> Result<String> {
    use job_output::dsl;
    let pieces: Vec<String> = dsl::job_output
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::run_id.eq(run))
        .order(dsl::position)
        .select(dsl::text)
        .load(conn)?;
    Ok(pieces.concat())
}
