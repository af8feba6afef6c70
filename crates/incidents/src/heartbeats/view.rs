//! From rows to what clients see.

use base::{duration, timestamp::Timestamp};
use outbox::Recorded;
use serde_json::Value;

use super::{row::Row, rules, wire::Heartbeat};

impl From<&Row> for Heartbeat {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
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
    const ENTITY: &'static str = "Heartbeat";

    fn tenant_id(&self) -> &str {
        &self.tenant_id
    }

    fn entity_id(&self) -> String {
        self.id.clone()
    }

    fn event_payload(&self) -> Value {
        serde_json::to_value(Heartbeat::from(self)).unwrap_or_default()
    }
}
