//! Conversion of rows to the types of the interface.

use base::{duration, timestamp::Timestamp};
use outbox::{Entity, Recorded};
use serde_json::Value;

use super::{row::Row, rules, wire::Heartbeat};

impl From<&Row> for Heartbeat {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            client_unique_id: row.tenant_id.clone(),
            name: row.name.clone(),
            interval: duration::text(row.interval_ms),
            grace: duration::text(row.grace_ms),
            severity: row.severity.clone(),
            device: row.device.clone(),
            state: rules::state(row),
            last_ping: row.last_ms.map(Timestamp::from_millis),
            due_date: row.due_ms.filter(|_| !row.missed).map(Timestamp::from_millis),
            created_by: row.created_by.clone(),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// Just as clients see it.
impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::published("Heartbeat", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&Heartbeat::from(self))
    }
}
