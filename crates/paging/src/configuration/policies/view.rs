//! From rows to what clients see.

use api::Resource as _;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Entity, Recorded};
use ports::{Authors, People};
use serde_json::Value;

use super::{row::Policy, wire::EscalationPolicy};

/// These policies, in their order; `tenants` are those of the scope and their partner.
pub fn all(conn: &mut Conn, people: &dyn People, tenants: &[String], rows: &[Policy]) -> Result<Vec<EscalationPolicy>> {
    let users = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
    let authors = Authors::load(conn, people, tenants, users)?;
    Ok(rows.iter().map(|row| shown(row, &authors)).collect())
}

/// One policy.
pub fn one(conn: &mut Conn, people: &dyn People, tenants: &[String], row: &Policy) -> Result<EscalationPolicy> {
    Ok(all(conn, people, tenants, std::slice::from_ref(row))?.pop().ok_or_else(Policy::not_found)?)
}

fn shown(row: &Policy, authors: &Authors) -> EscalationPolicy {
    EscalationPolicy {
        id: row.id.clone(),
        name: row.name.clone(),
        document: row.document.0.clone(),
        created_by: authors.of(&row.created_by),
        updated_by: authors.of(&row.updated_by),
        created_date: Timestamp::from_millis(row.created_ms),
        updated_date: Timestamp::from_millis(row.updated_ms),
    }
}

impl Recorded for Policy {
    fn entity(&self) -> Entity<'_> {
        Entity::published("EscalationPolicy", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&shown(self, &Authors::default()))
    }
}
