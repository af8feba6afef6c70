//! The rows of calendar addresses.

use api::feed;
use diesel::prelude::*;
use outbox::{Entity, Recorded};
use serde_json::{Value, json};

use crate::schema::maintenance_calendars;

/// One row of `maintenance_calendars`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = maintenance_calendars, treat_none_as_default_value = false)]
pub struct Calendar {
    /// The tenant of the window.
    pub tenant_id: String,
    /// `CAL-<uuid>`.
    pub id: String,
    pub window_id: String,
    /// Of the token.
    pub hash: String,
    /// A user's id.
    pub created_by: String,
    pub created_ms: i64,
}

impl Calendar {
    /// What is shown of it, with who made it.
    pub fn address<A>(&self, created_by: A) -> feed::Address<A> {
        feed::Address::new(&self.id, created_by, self.created_ms)
    }

    /// The same among all of its tenant.
    pub fn listed<A>(&self, created_by: A) -> feed::TenantAddress<A> {
        feed::TenantAddress {
            address: self.address(created_by),
            of: self.window_id.clone(),
            tenant: self.tenant_id.clone(),
        }
    }
}

/// That somebody made or revoked it stands in the audit log alone.
impl Recorded for Calendar {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("MaintenanceCalendar", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        Ok(json!({"id": self.id, "windowId": self.window_id}))
    }
}
