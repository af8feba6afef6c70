//! From rows to what clients see.

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use ports::Authors;
use serde_json::{Value, json};

use super::{row::TimeOff as Row, wire::TimeOff};

/// Time off, with those whom it names.
pub fn one(row: Row, people: &Authors) -> TimeOff {
    TimeOff {
        user: people.of(&row.user_id),
        from: Timestamp::from_millis(row.start_ms),
        to: Timestamp::from_millis(row.end_ms),
        reason: Some(row.reason).filter(|reason| !reason.is_empty()),
        created_by: people.of(&row.created_by),
        created_time: Timestamp::from_millis(row.created_ms),
        updated_time: Timestamp::from_millis(row.updated_ms),
        id: row.id,
    }
}

/// Audited, and no event: integrations are not told when and why people are away.
impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("TimeOff", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        Ok(json!({
            "id": self.id,
            "user": {"id": self.user_id},
            "from": Timestamp::from_millis(self.start_ms),
            "to": Timestamp::from_millis(self.end_ms),
            "reason": self.reason,
            "createdBy": {"id": self.created_by},
            "createdTime": Timestamp::from_millis(self.created_ms),
            "updatedTime": Timestamp::from_millis(self.updated_ms),
        }))
    }
}
