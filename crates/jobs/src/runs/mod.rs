//! Runs of jobs, and the runners that carry them out ("Runs" and "Runners" in `docs/interface.md`).
//!
//! A run is made once for each due time, and says what became of it. It waits until a runner claims it, for a lease
//! that the runner renews; when the lease runs out, the run is for the next one who asks. The number of the attempt
//! tells the one who has it from those who had it.

pub mod alarms;
pub mod http;
pub mod maintenance;
pub mod manual;
pub mod port;
pub mod queue;
pub mod row;
pub mod rules;
pub mod runner;
pub mod search;
pub mod store;
pub mod trace;
pub mod wire;

use outbox::{Entity, Recorded};
use serde_json::Value;

impl Recorded for row::Run {
    fn entity(&self) -> Entity<'_> {
        Entity::published("JobRun", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&wire::Run::new(self))
    }
}
