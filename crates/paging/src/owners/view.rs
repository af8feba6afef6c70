//! From rows to what clients see.

use base::timestamp::Timestamp;
use outbox::Recorded;
use serde_json::Value;

use super::{row::Ownership, wire::Owner};
use crate::policies::wire::GroupId;

impl From<&Ownership> for Owner {
    fn from(row: &Ownership) -> Self {
        Self {
            id: row.id.clone(),
            kind: row.kind.clone(),
            target: row.target_id.clone(),
            user_group: GroupId { unique_id: row.group_id.clone() },
            created_date: Timestamp::from_millis(row.created_ms),
        }
    }
}

impl Recorded for Ownership {
    const ENTITY: &'static str = "Owner";
    const PUBLISH: bool = false;

    fn tenant_id(&self) -> &str {
        &self.tenant_id
    }

    fn entity_id(&self) -> String {
        self.id.clone()
    }

    fn event_payload(&self) -> Value {
        serde_json::to_value(Owner::from(self)).unwrap_or_default()
    }
}
