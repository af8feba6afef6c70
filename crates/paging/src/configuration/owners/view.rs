//! From rows to what clients see.

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use serde_json::Value;

use super::{row::Ownership, wire::Owner};
use crate::configuration::policies::wire::GroupId;

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
    fn entity(&self) -> Entity<'_> {
        Entity::audited("Owner", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&Owner::from(self))
    }
}
