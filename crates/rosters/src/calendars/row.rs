//! The rows of calendars.

use api::feed;
use diesel::prelude::*;
use outbox::{Entity, Recorded};
use serde_json::{Value, json};

use crate::schema::roster_calendars;

/// Whose calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CalendarOwner {
    /// All shifts of a roster.
    Roster(String),
    /// All shifts of a user.
    User(String),
}

impl CalendarOwner {
    /// Where its feed is, below the tenant.
    pub fn place(&self) -> String {
        match self {
            Self::Roster(id) => format!("rosters/{id}"),
            Self::User(id) => format!("rosters/users/{id}"),
        }
    }

    /// The columns that say so: roster and user.
    pub fn columns(&self) -> (Option<String>, Option<String>) {
        match self {
            Self::Roster(id) => (Some(id.clone()), None),
            Self::User(id) => (None, Some(id.clone())),
        }
    }
}

/// One row of `roster_calendars`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_calendars, treat_none_as_default_value = false)]
pub struct Calendar {
    /// The tenant of the roster; for a user, the tenant whose rosters are meant.
    pub tenant_id: String,
    /// `CAL-<uuid>`.
    pub id: String,
    /// SHA-256 of the token, in hex.
    pub hash: String,
    /// Of a roster's calendar.
    pub roster_id: Option<String>,
    /// Of a user's calendar.
    pub user_id: Option<String>,
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
        let of = self.roster_id.as_ref().or(self.user_id.as_ref()).cloned().unwrap_or_default();
        feed::TenantAddress { address: self.address(created_by), of, tenant: self.tenant_id.clone() }
    }
}

/// That somebody made or revoked it stands in the audit log alone.
impl Recorded for Calendar {
    fn entity(&self) -> Entity<'_> {
        Entity::audited("RosterCalendar", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        Ok(json!({"id": self.id, "rosterId": self.roster_id, "userId": self.user_id}))
    }
}
