//! What the scheduler reads and writes, a tenant at a time.

use base::timestamp::Timestamp;
use db::{Condition, Conn, DueRows, Result};
use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{BigInt, Nullable},
};

use crate::{
    job::row::Job,
    runs::{
        queue::{takes_too_long, too_late},
        rules::{MISSED, QUEUED, SKIPPED},
        runner::wire::LONGEST_LEASE,
    },
    schema::{job_runs, jobs},
};

/// Jobs that are due.
pub const DUE: DueRows = DueRows { table: "jobs", due: "next_due_ms", only: "next_due_ms IS NOT NULL" };

/// Jobs that are held.
pub const HELD: DueRows = DueRows { table: "jobs", due: "held_ms", only: "held_ms IS NOT NULL" };

/// Jobs of which alerts are to be told something again.
pub const ALARMS: DueRows = DueRows { table: "jobs", due: "alarm_ms", only: "alarm_ms IS NOT NULL" };

/// Runs whose runner sent no heartbeat in time.
pub const ABANDONED: DueRows =
    DueRows { table: "job_runs", due: "lease_ms", only: "finished_ms IS NULL AND lease_ms IS NOT NULL" };

/// The ids of jobs of a tenant that are due, those first that were due first.
pub fn due(conn: &mut Conn, tenant: &str, now_ms: i64, most: usize) -> Result<Vec<String>> {
    Ok(jobs::table
        .filter(Condition::sql("jobs.next_due_ms IS NOT NULL"))
        .filter(jobs::tenant_id.eq(tenant))
        .filter(jobs::next_due_ms.le(Some(now_ms)))
        .order((jobs::next_due_ms, jobs::id))
        .select(jobs::id)
        .limit(limit(most))
        .load(conn)?)
}

/// Those of these jobs of a tenant that are due.
pub fn still_due(conn: &mut Conn, tenant: &str, ids: &[String], now_ms: i64) -> Result<Vec<Job>> {
    let these = jobs::table.filter(jobs::tenant_id.eq(tenant)).filter(jobs::id.eq_any(ids));
    Ok(these.filter(jobs::next_due_ms.le(Some(now_ms))).order(jobs::id).load(conn)?)
}

/// Moves a job to its next due time; false when somebody else did, or changed it.
pub fn advance(conn: &mut Conn, job: &Job, next_ms: Option<i64>) -> Result<bool> {
    let seen = jobs::table
        .find((&job.tenant_id, &job.id))
        .filter(jobs::version.eq(job.version))
        .filter(jobs::next_due_ms.eq(job.next_due_ms));
    Ok(diesel::update(seen).set(jobs::next_due_ms.eq(next_ms)).execute(conn)? == 1)
}

/// Clocks of several gateways, and one that is set right, may differ by so much, in milliseconds.
const TOLERANCE_MS: i64 = 60_000;

/// A job that a clock that was ahead has moved on: a run of it is due later than now and the job after that, or it was
/// changed later than now. A schedule makes no run before it is due.
fn is_untimely(now: Timestamp) -> Condition {
    let latest_ms = now.millis().saturating_add(TOLERANCE_MS);
    Condition::sql("jobs.active AND jobs.held_ms IS NULL AND (jobs.updated_ms > ")
        .integer(latest_ms)
        .then(
            " OR EXISTS (SELECT 1 FROM job_runs WHERE job_runs.tenant_id = jobs.tenant_id \
             AND job_runs.job_id = jobs.id AND job_runs.cause = 'schedule' \
             AND (jobs.next_due_ms IS NULL OR job_runs.due_ms < jobs.next_due_ms) AND job_runs.due_ms > ",
        )
        .integer(latest_ms)
        .then("))")
}

/// A run whose lease ends later than one that begins now can.
fn is_lease_untimely(now: Timestamp) -> Condition {
    let latest_ms = now.millis().saturating_add(LONGEST_LEASE * 1_000 + TOLERANCE_MS);
    Condition::sql("job_runs.finished_ms IS NULL AND job_runs.lease_ms IS NOT NULL AND job_runs.lease_ms > ")
        .integer(latest_ms)
}

/// The tenants with jobs that a clock that was ahead has moved on, or with runs that it gave out.
pub fn tenants_with_untimely_rows(conn: &mut Conn, now: Timestamp) -> Result<Vec<String>> {
    let mut tenants: Vec<String> =
        jobs::table.filter(is_untimely(now)).select(jobs::tenant_id).distinct().load(conn)?;
    let of_runs = job_runs::table.filter(is_lease_untimely(now)).select(job_runs::tenant_id).distinct();
    tenants.extend(of_runs.load::<String>(conn)?);
    tenants.sort_unstable();
    tenants.dedup();
    Ok(tenants)
}

/// Has runs of a tenant that a clock that was ahead gave out begin now, with the longest lease from now on.
pub fn shorten_leases(conn: &mut Conn, tenant: &str, now: Timestamp) -> Result<()> {
    let lease_ms = now.millis().saturating_add(LONGEST_LEASE * 1_000);
    diesel::update(job_runs::table.filter(job_runs::tenant_id.eq(tenant)).filter(is_lease_untimely(now)))
        .set((job_runs::lease_ms.eq(Some(lease_ms)), job_runs::started_ms.eq(Some(now.millis()))))
        .execute(conn)?;
    Ok(())
}

/// The ids of jobs of a tenant that a clock that was ahead has moved on.
pub fn untimely(conn: &mut Conn, tenant: &str, now: Timestamp, most: usize) -> Result<Vec<String>> {
    let untimely = jobs::table.filter(jobs::tenant_id.eq(tenant)).filter(is_untimely(now));
    Ok(untimely.order(jobs::id).select(jobs::id).limit(limit(most)).load(conn)?)
}

/// Removes the runs that a schedule made of a job for times that are yet to come, and that nobody began.
pub fn remove_untimely_runs(conn: &mut Conn, job: &Job, now: Timestamp) -> Result<()> {
    let of_job = job_runs::table.filter(job_runs::tenant_id.eq(&job.tenant_id)).filter(job_runs::job_id.eq(&job.id));
    let to_come = of_job.filter(job_runs::due_ms.gt(now.millis())).filter(job_runs::cause.eq("schedule"));
    let begun_by_none = job_runs::state.eq_any([QUEUED, SKIPPED, MISSED]).and(job_runs::attempt.eq(0));
    diesel::delete(to_come.filter(begun_by_none)).execute(conn)?;
    Ok(())
}

/// Puts a job on the schedule at this time, as one that was changed no later than now.
pub fn set_timely(conn: &mut Conn, job: &Job, next_ms: Option<i64>, now: Timestamp) -> Result<()> {
    let set = (jobs::next_due_ms.eq(next_ms), jobs::updated_ms.eq(job.updated_ms.min(now.millis())));
    diesel::update(jobs::table.find((&job.tenant_id, &job.id))).set(set).execute(conn)?;
    Ok(())
}

/// Takes jobs of a tenant off the schedule, and keeps when they were due.
pub fn hold(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<()> {
    let these = jobs::table.filter(jobs::tenant_id.eq(tenant)).filter(jobs::id.eq_any(ids));
    diesel::update(these.filter(jobs::next_due_ms.is_not_null()))
        .set((jobs::held_ms.eq(jobs::next_due_ms), jobs::next_due_ms.eq(None::<i64>)))
        .execute(conn)?;
    Ok(())
}

/// Puts some of the held jobs of a tenant on the schedule again, due when they were; says how many.
pub fn release(conn: &mut Conn, tenant: &str, most: usize) -> Result<usize> {
    let own = jobs::table.filter(Condition::sql("jobs.held_ms IS NOT NULL")).filter(jobs::tenant_id.eq(tenant));
    let ids: Vec<String> = own.order(jobs::id).select(jobs::id).limit(limit(most)).load(conn)?;
    let due = sql::<Nullable<BigInt>>("COALESCE(next_due_ms, held_ms)");
    diesel::update(jobs::table.filter(jobs::tenant_id.eq(tenant)).filter(jobs::id.eq_any(&ids)))
        .set((jobs::next_due_ms.eq(due), jobs::held_ms.eq(None::<i64>)))
        .execute(conn)?;
    Ok(ids.len())
}

/// The ids of jobs of a tenant of which alerts are to be told something again.
pub fn alarms(conn: &mut Conn, tenant: &str, now_ms: i64, most: usize) -> Result<Vec<String>> {
    let due = Condition::sql("jobs.alarm_ms IS NOT NULL AND jobs.alarm_ms <= ").integer(now_ms);
    let due = jobs::table.filter(jobs::tenant_id.eq(tenant)).filter(due);
    Ok(due.order((jobs::alarm_ms, jobs::id)).select(jobs::id).limit(limit(most)).load(conn)?)
}

/// The tenants with runs that wait and may not begin any more, or that should be over.
pub fn tenants_with_late_runs(conn: &mut Conn, now: Timestamp) -> Result<Vec<String>> {
    Ok(job_runs::table.filter(late_or_too_long(now)).select(job_runs::tenant_id).distinct().load(conn)?)
}

fn late_or_too_long(now: Timestamp) -> Condition {
    // The first condition is that of the index.
    let either = Condition::sql("job_runs.finished_ms IS NULL AND ((").append(too_late(now));
    either.then(") OR (").append(takes_too_long(now)).then("))")
}

/// The ids of runs of a tenant that wait and may not begin any more, or that should be over.
pub fn late(conn: &mut Conn, tenant: &str, now: Timestamp, most: usize) -> Result<Vec<String>> {
    let late = job_runs::table.filter(job_runs::tenant_id.eq(tenant)).filter(late_or_too_long(now));
    Ok(late.order((job_runs::due_ms, job_runs::id)).select(job_runs::id).limit(limit(most)).load(conn)?)
}

/// The ids of runs of a tenant whose runner sent no heartbeat in time.
pub fn abandoned(conn: &mut Conn, tenant: &str, now_ms: i64, most: usize) -> Result<Vec<String>> {
    Ok(job_runs::table
        .filter(Condition::sql("job_runs.finished_ms IS NULL AND job_runs.lease_ms IS NOT NULL"))
        .filter(job_runs::tenant_id.eq(tenant))
        .filter(job_runs::lease_ms.le(Some(now_ms)))
        .order((job_runs::lease_ms, job_runs::id))
        .select(job_runs::id)
        .limit(limit(most))
        .load(conn)?)
}

/// Looks later whether a runner is there.
pub fn put_off(conn: &mut Conn, tenant: &str, run: &str, now_ms: i64, until_ms: i64) -> Result<()> {
    let one = job_runs::table.filter(job_runs::tenant_id.eq(tenant)).filter(job_runs::id.eq(run));
    diesel::update(one.filter(job_runs::lease_ms.le(Some(now_ms))))
        .set(job_runs::lease_ms.eq(Some(until_ms)))
        .execute(conn)?;
    Ok(())
}

fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}
