//! From rows to what clients see, and to what subscribers and the audit log get.

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use serde_json::Value;

use super::{row::Row, wire::Contact};

impl From<&Row> for Contact {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            name: row.name.clone(),
            phone: row.phone.clone(),
            note: row.note.clone(),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::published("Contact", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&Contact::from(self))
    }
}
