//! From rows to what clients see, and to what the audit log gets.

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use serde_json::Value;

use super::{
    row::Row,
    wire::{User, UserMinimal},
};

impl From<Row> for UserMinimal {
    fn from(row: Row) -> Self {
        Self { id: row.id, login_name: row.login_name, first_name: row.first_name, last_name: row.last_name }
    }
}

impl From<Row> for User {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            login_name: row.login_name,
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            phone_number: row.phone_number,
            mobile_number: row.mobile_number,
            activated: row.activated,
            role: row.role,
            tenant_id: row.tenant_id,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("User", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&User::from(self.clone()))
    }
}
