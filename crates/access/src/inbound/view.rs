//! From rows to what clients see, and to what the audit log gets.

use api::inbound::PREFIX;
use base::{secret::Secret, timestamp::Timestamp};
use outbox::Entity;

use super::{
    store::Row,
    wire::{CreatedInboundAddress, InboundAddress},
};
use crate::secrets::WithSecret;

impl CreatedInboundAddress {
    /// The one place where a token is told; `base` is how the caller reached the service.
    pub(crate) fn new(row: &Row, token: Secret<String>, base: &str) -> Self {
        let token = token.into_inner();
        Self { address: row.into(), url: format!("{base}{PREFIX}{token}"), token }
    }
}

impl From<&Row> for InboundAddress {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            name: row.name.clone(),
            user_id: row.user_id.clone(),
            created_by: row.created_by.clone(),
            created_date: Timestamp::from_millis(row.created_ms),
        }
    }
}

impl WithSecret for Row {
    const SECRET: &'static str = "token";

    type Record = InboundAddress;

    fn entity(&self) -> Entity<'_> {
        Entity::audited("InboundAddress", &self.tenant_id, &self.id)
    }
}
