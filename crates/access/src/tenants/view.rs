//! From rows to what clients see, and to what the audit log gets.

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use serde_json::Value;

use super::{
    row::Row,
    wire::{Client, ClientMinimal, PartnerReference, TenantFacts},
};

impl From<Row> for TenantFacts {
    fn from(row: Row) -> Self {
        let partner = row.partner();
        Self {
            id: row.number,
            level: if partner.is_some() { "client" } else { "partner" },
            partner: partner.map(|id| PartnerReference { id: id.number(), unique_id: id.to_string() }),
            unique_id: row.id,
            name: row.name,
            activated: row.activated,
            suspended: row.suspended,
            terminated: row.terminated,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

impl From<Row> for Client {
    fn from(row: Row) -> Self {
        Self { id: row.number, unique_id: row.id, name: row.name, activated: row.activated }
    }
}

impl From<Row> for ClientMinimal {
    fn from(row: Row) -> Self {
        Self { id: row.number, unique_id: row.id, name: row.name }
    }
}

impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        let kind = if self.partner().is_some() { "Client" } else { "Partner" };
        Entity::audited(kind, &self.id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&Client::from(self.clone()))
    }
}
