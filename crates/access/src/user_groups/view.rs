//! From rows to what clients see, and to what the audit log gets.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Entity, Recorded};
use serde_json::Value;

use super::{
    members,
    row::Row,
    wire::{UserGroup, UserGroupDetail},
};
use crate::users::wire::User;

/// A group with its members.
pub(crate) fn detail(conn: &mut Conn, row: &Row) -> Result<UserGroupDetail> {
    let users = members::of(conn, &row.tenant_id, &row.id)?;
    Ok(UserGroupDetail { group: row.clone().into(), users: users.into_iter().map(User::from).collect() })
}

impl From<Row> for UserGroup {
    fn from(row: Row) -> Self {
        Self {
            unique_id: row.id,
            name: row.name,
            description: row.description,
            activated: row.activated,
            tenant_id: row.tenant_id,
            created_time: Timestamp::from_millis(row.created_ms),
            updated_time: row.updated_ms.map(|ms| Timestamp::from_millis(ms).to_string()).unwrap_or_default(),
        }
    }
}

impl Recorded for UserGroupDetail {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("UserGroup", &self.group.tenant_id, &self.group.unique_id)
    }

    /// Each member is a field of its own, so that the log has who came and who went, however many they are.
    fn event_payload(&self) -> Result<Value> {
        let mut payload = outbox::payload(&self.group)?;
        let users = self.users.iter().map(|user| (user.id.clone(), Value::from(user.login_name.as_str())));
        payload["users"] = Value::Object(users.collect());
        Ok(payload)
    }
}
