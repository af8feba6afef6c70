//! Runs of jobs, and the runners that carry them out ("Runs" and "Runners" in `docs/interface.md`).
//!
//! A run is made once for each due time, and says what became of it. It waits until a runner claims it, for a lease
//! that the runner renews; when the lease runs out, the run is for the next one who asks. The number of the attempt
//! tells the one who has it from those who had it.

pub mod alarms;
pub mod http;
pub mod queue;
pub mod row;
pub mod rules;
pub mod runner;
pub mod search;
pub mod store;
pub mod wire;

use outbox::{Entity, Tx};

/// Records what became of a run.
pub fn record_change(tx: &mut Tx<'_>, before: Option<&row::Run>, after: &row::Run) -> db::Result<()> {
    let entity = Entity::published("JobRun", &after.tenant_id, &after.id);
    tx.note_shown(entity, before.map(wire::Run::new).as_ref(), Some(&wire::Run::new(after)))
}
