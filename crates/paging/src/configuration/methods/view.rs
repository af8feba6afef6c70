//! From rows to what clients see.

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded, Tx, Unpublished};
use serde_json::Value;

use super::{
    row::Method,
    wire::{ContactMethod, UserId},
};

impl From<&Method> for ContactMethod {
    fn from(row: &Method) -> Self {
        let mut settings = row.settings.0.clone();
        Self {
            id: row.id.clone(),
            user: UserId { id: row.user_id.clone() },
            name: row.name.clone(),
            kind: row.kind.clone(),
            preset: row.preset.clone(),
            host: settings.remove("host"),
            address: settings.remove("address"),
            to: settings.remove("to"),
            from: settings.remove("from"),
            chat_id: settings.remove("chatId"),
            user_name: settings.remove("userName"),
            template: settings.remove("template"),
            content_type: settings.remove("contentType"),
            verified: row.verified,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

impl Recorded for Method {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("ContactMethod", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&ContactMethod::from(self))
    }
}

/// The name in the audit log of all that is sealed.
pub const SECRET: &str = "url";

/// Records that a method is new, has changed or is gone; of its secrets, that they are others.
pub fn record_change(tx: &mut Tx<'_>, before: Option<&Method>, after: Option<&Method>) -> db::Result<()> {
    let sealed = |row: Option<&Method>| row.map(|row| row.sealed.clone());
    let has_any = |row: Option<&Method>| row.is_some_and(|row| !row.sealed.is_empty());
    let changed = sealed(before) != sealed(after) && (has_any(before) || has_any(after));
    let unpublished = changed.then(|| Unpublished::secret(SECRET, has_any(before), has_any(after)));
    tx.record_change_with(before, after, unpublished.into_iter().collect())
}
