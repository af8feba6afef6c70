//! The rows of incidents, of their links, and of their notes.

use db::Json;
use diesel::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::{incident_links, incident_notes, incidents};

/// The priorities, lowest first.
pub const PRIORITIES: [&str; 5] = ["Very Low", "Low", "Normal", "High", "Urgent"];
/// The statuses, in the order of the life of an incident.
pub const STATUSES: [&str; 5] = ["New", "Open", "Pending", "Resolved", "Closed"];

/// The index of `Normal`.
pub const NORMAL: i64 = 2;
/// The index of `New`.
pub const NEW: i64 = 0;
/// The index of `Open`: somebody works on it.
pub const OPEN: i64 = 1;
/// The index of `Resolved`.
pub const RESOLVED: i64 = 3;
/// The index of `Closed`.
pub const CLOSED: i64 = 4;
/// Stored for incidents that need not be done by any time: they sort last.
pub const NEVER_DUE: i64 = i64::MAX;

/// The kind of links to resources.
pub const RESOURCE: &str = "resource";
/// The kind of links to alerts.
pub const ALERT: &str = "alert";

/// One row of `incidents`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = incidents, primary_key(tenant_id, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `INC` and digits, unique in the whole database.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// In a line.
    pub subject: String,
    /// Folded.
    pub subject_key: String,
    /// Any text.
    pub description: String,
    /// An index in [`PRIORITIES`].
    pub priority: i64,
    /// An index in [`STATUSES`].
    pub status: i64,
    /// Empty for none; of the tenant or its partner.
    pub category_id: String,
    /// Empty for none; right below the category.
    pub sub_category_id: String,
    /// A user, or empty.
    pub requester_id: String,
    /// A user, or empty.
    pub assignee_id: String,
    /// A user group, or empty.
    pub group_id: String,
    /// A roster, or empty.
    pub roster_id: String,
    /// The machines that it names.
    pub resources: Json<Vec<Machine>>,
    /// The alerts that it was opened for.
    pub alerts: Json<Vec<AlertName>>,
    /// How many notes it has.
    pub notes: i64,
    /// [`NEVER_DUE`] for never.
    pub due_ms: i64,
    /// When it was resolved, or closed.
    pub resolved_ms: Option<i64>,
    /// When it was closed.
    pub closed_ms: Option<i64>,
    /// A user.
    pub created_by: String,
    /// A user.
    pub updated_by: String,
    /// When it was created.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}

/// A resource, as it was when it was named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentResource)]
pub struct Machine {
    /// A UUID.
    pub id: String,
    /// The name that lists show.
    pub name: String,
    /// Empty when it has none.
    pub host_name: String,
}

/// An alert, as it was when the incident was opened for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentAlert)]
pub struct AlertName {
    /// The alert's id.
    pub id: String,
    /// Its subject.
    pub subject: String,
}

/// One row of `incident_links`: a resource or an alert that an incident names.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = incident_links, treat_none_as_default_value = false)]
pub struct Link {
    /// The tenant of the incident.
    pub tenant_id: String,
    /// [`RESOURCE`] or [`ALERT`].
    pub kind: String,
    /// The id of the resource or alert.
    pub named_id: String,
    /// The incident that names it.
    pub incident_id: String,
}

/// One row of `incident_notes`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = incident_notes, treat_none_as_default_value = false)]
pub struct Note {
    /// The tenant of the incident.
    pub tenant_id: String,
    /// The incident that it is about.
    pub incident_id: String,
    /// From 1.
    pub number: i64,
    /// The text.
    pub content: String,
    /// A user.
    pub created_by: String,
    /// When.
    pub created_ms: i64,
}

/// The word with this index in a list.
pub fn word(words: &[&'static str], index: i64) -> String {
    usize::try_from(index).ok().and_then(|index| words.get(index)).copied().unwrap_or_default().to_owned()
}
