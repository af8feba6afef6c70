//! From rows to what clients see, and to what the audit log gets.

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use serde::Serialize;
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

/// A tenant as the audit log has it: what a termination changes of one that is suspended already is there, too.
#[derive(Serialize)]
struct RecordedTenant {
    #[serde(flatten)]
    client: Client,
    suspended: bool,
    terminated: bool,
}

impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        let kind = if self.partner().is_some() { "Client" } else { "Partner" };
        Entity::audited(kind, &self.id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        let client = Client::from(self.clone());
        outbox::payload(&RecordedTenant { client, suspended: self.suspended, terminated: self.terminated })
    }
}

#[cfg(test)]
mod tests {
    use base::tenant::TenantId;
    use serde_json::json;

    use super::{super::rules, *};

    #[test]
    fn a_termination_is_told_from_a_suspension() {
        let now = Timestamp::from_millis(1_000);
        let client = Row::new(&TenantId::client(2), &TenantId::partner(1), "Globex", now);
        let suspended = rules::suspended(&client, true, now).unwrap();
        let states = [client, suspended.clone(), rules::terminated(&suspended, now)].map(|row| {
            let payload = row.event_payload().unwrap();
            [&payload["activated"], &payload["suspended"], &payload["terminated"]].map(Clone::clone)
        });
        assert_eq!(json!(states), json!([[true, false, false], [false, true, false], [false, true, true]]));
    }
}
