//! The events of a stream ("Changes" in `docs/interface.md`).

use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::row::Change;

/// What kinds of things a stream tells of: all that domains publish.
pub const ENTITIES: [&str; 16] = [
    "ALERT",
    "AlertRoute",
    "EscalationPolicy",
    "Heartbeat",
    "INCIDENT",
    "IncidentCategory",
    "Job",
    "JobRun",
    "KbArticle",
    "KbCategory",
    "MaintenanceWindow",
    "Resource",
    "Roster",
    "RosterConflict",
    "RosterCoverRequest",
    "RosterOverride",
];

/// Something that changed. What it is like now, its own operation says.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Change)]
pub struct ChangeNotice<'c> {
    /// The tenant that it belongs to.
    #[schema(value_type = String, example = "client_1")]
    pub tenant: &'c str,
    /// What kind of thing it is, as in events of integrations.
    #[schema(value_type = String, example = "ALERT")]
    pub entity: &'c str,
    /// Its id.
    #[schema(value_type = String, example = "ALT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub entity_id: &'c str,
    /// `CREATE`, `UPDATE` or `DELETE`, or what time brought, such as `OPENED`.
    #[schema(value_type = String, example = "UPDATE")]
    pub action: &'c str,
    /// The request that did it.
    #[schema(value_type = String)]
    pub request_id: &'c str,
    /// When.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub at: Timestamp,
}

impl<'c> From<&'c Change> for ChangeNotice<'c> {
    fn from(change: &'c Change) -> Self {
        Self {
            tenant: &change.tenant_id,
            entity: &change.entity,
            entity_id: &change.entity_id,
            action: &change.action,
            request_id: &change.request_id,
            at: Timestamp::from_millis(change.at_ms),
        }
    }
}

/// A change as an event of the stream, with its number as the id to come back with.
pub fn event(seq: i64, change: &Change) -> String {
    // Texts and a time: writing them cannot fail.
    let data = serde_json::to_string(&ChangeNotice::from(change)).unwrap_or_default();
    format!("id: {seq}\nevent: change\ndata: {data}\n\n")
}

/// After how many milliseconds a client comes back.
pub fn retry(millis: u64) -> String {
    format!("retry: {millis}\n\n")
}

/// Where the stream stands: an id without data is the one to come back with, and fires no event.
pub fn position(seq: i64) -> String {
    format!(":\nid: {seq}\n\n")
}

/// Tells the client that the changes it missed are no longer stored: it should read everything again.
pub fn reset(seq: i64) -> String {
    format!("id: {seq}\nevent: reset\ndata: {{}}\n\n")
}
