//! What the scheduler reads and writes of all tenants; each row names its own.

use db::{Condition, Conn, Result};
use diesel::prelude::*;

use crate::{
    job::row::Job,
    runs::row::Run,
    schema::{job_runs, jobs},
};

/// When the job that is due first is due.
pub fn first_due(conn: &mut Conn) -> Result<Option<i64>> {
    let due: Option<Option<i64>> = jobs::table
        .filter(Condition::sql("jobs.next_due_ms IS NOT NULL"))
        .order((jobs::next_due_ms, jobs::tenant_id, jobs::id))
        .select(jobs::next_due_ms)
        .first(conn)
        .optional()?;
    Ok(due.flatten())
}

/// Jobs that are due, those first that were due first.
pub fn due(conn: &mut Conn, now_ms: i64, most: i64) -> Result<Vec<Job>> {
    Ok(jobs::table
        .filter(Condition::sql("jobs.next_due_ms IS NOT NULL"))
        .filter(jobs::next_due_ms.le(Some(now_ms)))
        .order((jobs::next_due_ms, jobs::tenant_id, jobs::id))
        .limit(most)
        .load(conn)?)
}

/// Moves a job to its next due time; false when somebody else did, or changed it.
pub fn advance(conn: &mut Conn, job: &Job, next_ms: Option<i64>) -> Result<bool> {
    let seen = jobs::table
        .find((&job.tenant_id, &job.id))
        .filter(jobs::version.eq(job.version))
        .filter(jobs::next_due_ms.eq(job.next_due_ms));
    Ok(diesel::update(seen).set(jobs::next_due_ms.eq(next_ms)).execute(conn)? == 1)
}

/// Takes a job of a suspended tenant off the schedule, and keeps when it was due.
pub fn hold(conn: &mut Conn, job: &Job) -> Result<()> {
    let seen = jobs::table.find((&job.tenant_id, &job.id)).filter(jobs::next_due_ms.eq(job.next_due_ms));
    let held = (jobs::held_ms.eq(job.next_due_ms), jobs::next_due_ms.eq(None::<i64>));
    diesel::update(seen).set(held).execute(conn)?;
    Ok(())
}

/// The tenants that have jobs which are held, those behind one.
pub fn held_tenants(conn: &mut Conn, behind: &str, most: i64) -> Result<Vec<String>> {
    let held = jobs::table.filter(Condition::sql("jobs.held_ms IS NOT NULL")).filter(jobs::tenant_id.gt(behind));
    Ok(held.select(jobs::tenant_id).distinct().order(jobs::tenant_id).limit(most).load(conn)?)
}

/// Puts some of the jobs of these tenants on the schedule again, due when they were; says how many.
pub fn release(conn: &mut Conn, tenants: &[String], most: i64) -> Result<usize> {
    let held = jobs::table.filter(Condition::sql("jobs.held_ms IS NOT NULL")).filter(jobs::tenant_id.eq_any(tenants));
    let held: Vec<Job> = held.order((jobs::tenant_id, jobs::id)).limit(most).load(conn)?;
    for job in &held {
        let due = job.next_due_ms.or(job.held_ms);
        diesel::update(jobs::table.find((&job.tenant_id, &job.id)))
            .set((jobs::next_due_ms.eq(due), jobs::held_ms.eq(None::<i64>)))
            .execute(conn)?;
    }
    Ok(held.len())
}

/// Runs whose runner sent no heartbeat in time.
pub fn abandoned(conn: &mut Conn, now_ms: i64, most: i64) -> Result<Vec<Run>> {
    Ok(job_runs::table
        .filter(Condition::sql("job_runs.finished_ms IS NULL"))
        .filter(job_runs::lease_ms.le(Some(now_ms)))
        .limit(most)
        .load(conn)?)
}
