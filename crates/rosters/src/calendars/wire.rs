//! What clients see of calendars.

use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::store::{Calendar as Row, Of};

/// A calendar address that is in use.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterCalendar)]
pub struct Calendar {
    /// `CAL-<uuid>`.
    #[schema(example = "CAL-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// The id of the user who made it.
    pub created_by: String,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
}

impl From<&Row> for Calendar {
    fn from(row: &Row) -> Self {
        let created_time = Timestamp::from_millis(row.created_ms);
        Self { id: row.id.clone(), created_by: row.created_by.clone(), created_time }
    }
}

/// A new calendar address.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CreatedRosterCalendar)]
pub struct CreatedCalendar {
    /// The calendar.
    #[serde(flatten)]
    pub calendar: Calendar,
    /// The path to give to a calendar program, after the address of the service. It is shown this once.
    #[schema(
        example = "/api/v2/tenants/client_1/rosters/ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90/calendar.ics?token=…"
    )]
    pub url: String,
    /// The token in it.
    pub token: String,
}

/// The path of a feed.
pub fn url(tenant: &str, of: &Of, token: &str) -> String {
    let place = match of {
        Of::Roster(id) => id.clone(),
        Of::User(id) => format!("users/{id}"),
    };
    format!("/api/v2/tenants/{tenant}/rosters/{place}/calendar.ics?token={token}")
}
