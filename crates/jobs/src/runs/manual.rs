//! Runs that people ask for.

use base::problem::Problem;
use db::{Json, Result};
use outbox::Tx;
use ports::Maintenance;

use super::{maintenance::cover, row::Run, rules, store, trace};
use crate::job::row::Job;

/// Makes a run of a job that is locked, whatever its schedule says.
///
/// # Errors
/// 409 while another run is open of a job that skips overlapping runs, and while too many are.
pub fn start(tx: &mut Tx<'_>, maintenance: &dyn Maintenance, job: &Job) -> Result<Run> {
    let now = tx.now;
    let open = store::open(tx.conn, &job.tenant_id, &job.id)?;
    if job.overlap == "skip" && open > 0 {
        return Err(Problem::conflict("A run of the job is waiting or under way.").into());
    }
    if let Some(reason) = rules::no_room(open, store::open_of_tenant(tx.conn, &job.tenant_id)?) {
        return Err(Problem::conflict(reason).into());
    }
    let last = store::last_due(tx.conn, &job.tenant_id, &job.id)?;
    let mut run = rules::queued(job, store::new_id(), rules::by_hand(now, last), "manual", now);
    let covered = cover(tx.conn, maintenance, std::slice::from_ref(job), now)?;
    run.maintenance = Json(covered.get(&job.id).cloned().unwrap_or_default());
    run.trace = trace::of_requested(&run.id);
    store::insert(tx.conn, std::slice::from_ref(&run))?;
    tx.record_change(None, Some(&run))?;
    Ok(run)
}
