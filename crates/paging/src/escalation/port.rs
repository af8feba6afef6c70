//! What policies say of alerts that people were told of, for the domain of the alerts.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::Escalations;

use super::{
    rules::{Stage, State},
    store,
};

/// The escalations that are stored.
pub struct Stored;

impl Escalations for Stored {
    fn reopens_when_worse(&self, conn: &mut Conn, tenant: &str, alert: &str) -> Result<bool> {
        Ok(store::find(conn, tenant, alert)?.is_none_or(|row| row.policy.reopen_when_worse))
    }

    fn escalate(&self, conn: &mut Conn, tenant: &str, alert: &str, at: Timestamp) -> Result<bool> {
        store::lock(tenant, alert).take(conn)?;
        let Some(row) = store::find(conn, tenant, alert)?.filter(|row| row.state().stage == Stage::Running) else {
            return Ok(false);
        };
        // Whoever takes steps that are due takes it within a moment.
        let next = State { next_ms: Some(at.millis()), ..row.state() };
        store::update(conn, &row.with(next, at.millis()))?;
        Ok(true)
    }
}
