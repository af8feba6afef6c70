//! From rows to what clients see, and to what the audit log gets.

use base::{secret::Secret, timestamp::Timestamp};
use outbox::Entity;

use super::{
    store::Row,
    wire::{ApiKey, CreatedApiKey},
};
use crate::secrets::WithSecret;

impl CreatedApiKey {
    /// The one place where a secret is told.
    pub(crate) fn new(row: &Row, secret: Secret<String>) -> Self {
        Self { api_key: row.into(), secret: secret.into_inner() }
    }
}

impl From<&Row> for ApiKey {
    fn from(row: &Row) -> Self {
        Self {
            operations: row.narrowed(),
            expires_at: row.expires_ms.map(Timestamp::from_millis),
            last_used_at: row.last_used_ms.map(Timestamp::from_millis),
            id: row.id.clone(),
            name: row.name.clone(),
            role: row.role.clone(),
            key: row.key.clone(),
            user_id: row.user_id.clone(),
            personal: row.personal,
            created_by: row.created_by.clone(),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
            previous_secret_valid: row.previous_secret,
        }
    }
}

impl WithSecret for Row {
    const SECRET: &'static str = "secret";

    type Record = ApiKey;

    fn entity(&self) -> Entity<'_> {
        Entity::audited("ApiKey", &self.tenant_id, &self.id)
    }
}
