//! From rows to what clients see, and to what the audit log gets.

use api::{SessionLimit, Subject};
use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use serde_json::Value;

use super::{
    links, store,
    wire::{LimitedTo, Session, SignInLinkRecord},
};
use crate::secrets::WithSecret;

impl From<&SessionLimit> for LimitedTo {
    fn from(limit: &SessionLimit) -> Self {
        let (alert_id, incident_id) = match limit.subject.clone() {
            Subject::Alert(id) => (Some(id), None),
            Subject::Incident(id) => (None, Some(id)),
        };
        Self { tenant: limit.tenant.to_string(), alert_id, incident_id }
    }
}

impl From<store::Row> for Session {
    fn from(row: store::Row) -> Self {
        Self {
            limited_to: row.limit().ok().flatten().as_ref().map(LimitedTo::from),
            id: row.id,
            user_id: row.user_id,
            method: row.method,
            user_agent: row.user_agent,
            created_date: Timestamp::from_millis(row.created_ms),
            last_used_at: Timestamp::from_millis(row.used_ms),
            expires_at: Timestamp::from_millis(row.expires_ms),
            current: false,
        }
    }
}

impl From<&links::Row> for SignInLinkRecord {
    fn from(row: &links::Row) -> Self {
        let expires = Timestamp::from_millis(row.expires_ms);
        Self { user_id: row.user_id.clone(), created_by: row.created_by.clone(), expires }
    }
}

impl Recorded for store::Row {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("Session", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&Session::from(self.clone()))
    }
}

impl WithSecret for links::Row {
    const SECRET: &'static str = "code";

    type Record = SignInLinkRecord;

    fn entity(&self) -> Entity<'_> {
        Entity::audited("SignInLink", &self.tenant_id, &self.id)
    }
}
