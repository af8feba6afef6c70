//! The rows of alerts, of their problems, and of windows that suppress alerts.

use std::collections::BTreeMap;

use base::timestamp::Timestamp;
use db::Json;
use diesel::prelude::*;
use ports::Cover;
use serde::{Deserialize, Serialize};

use super::{
    schema::{alert_problems, alert_windows, alerts},
    wire::{Device, Escalation, Note, Suppression, Tag, Window},
};

/// Suppressed by an open window.
pub const WINDOW: &str = "window";
/// Suppressed by a window that is over and does not escalate.
pub const KEPT: &str = "kept";
/// Suppressed by a person.
pub const PERSON: &str = "person";

/// One row of `alerts`.
#[derive(Clone, Debug, Default, PartialEq, Queryable, Insertable)]
#[diesel(table_name = alerts, treat_none_as_default_value = false)]
pub struct Alert {
    pub tenant_id: String,
    pub id: String,
    pub version: i64,
    pub problem: String,
    pub resource_id: Option<String>,
    pub host_key: String,
    pub subject_key: String,
    pub metric_key: String,
    pub service_key: String,
    pub monitor_key: String,
    pub app_key: String,
    pub component_key: String,
    pub type_key: String,
    pub ext_key: String,
    pub current_state: String,
    pub repeats: i64,
    pub first_ms: i64,
    pub last_ms: i64,
    pub created_ms: i64,
    pub updated_ms: i64,
    pub acknowledged: bool,
    pub suppression: String,
    pub suppressed_until_ms: Option<i64>,
    pub closed_ms: Option<i64>,
    pub window_tenant: Option<String>,
    pub window_id: Option<String>,
    pub incident_id: Option<String>,
    /// The rest.
    pub document: Json<Document>,
    /// Who reports it: see [`Origin::sender`](super::intake::Origin).
    pub sender: String,
    /// When somebody acknowledged it first, whether or not that holds.
    pub acknowledged_ms: Option<i64>,
    /// Who did that, by id.
    pub acknowledged_by: Option<String>,
}

/// The fields of an alert that no search uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Document {
    pub subject: String,
    pub description: String,
    pub old_state: String,
    /// As it is shown.
    pub alert_type: String,
    /// As the sender has it; shown outside maintenance.
    pub given_type: String,
    pub metric: String,
    pub service_name: String,
    pub monitor_name: String,
    pub app: String,
    pub component: String,
    pub device: Option<Device>,
    pub tags: Vec<Tag>,
    pub ext_alert_id: String,
    pub group_key: String,
    pub url: String,
    pub last_event: String,
    pub acknowledgement: Option<Note>,
    /// One that holds no more.
    pub previous_acknowledgement: Option<Note>,
    pub unacknowledgement: Option<Note>,
    pub suppression: Option<Suppression>,
    pub unsuppression: Option<Note>,
    pub maintenance: Option<Window>,
    pub escalation: Option<Escalation>,
    pub closure: Option<Note>,
    /// Notes, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Repairs of the last report.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Since when the instance that is open is so, by its sender's clock, and the sender's id of it.
    pub start_ms: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The latest time of a report of it, by its sender's clock.
    pub sent_ms: Option<i64>,
    /// The state by each route of its sender that may lead to it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub routes: BTreeMap<String, String>,
}

/// One row of `alert_problems`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = alert_problems, treat_none_as_default_value = false)]
pub struct ProblemRow {
    pub tenant_id: String,
    pub problem: String,
    /// Empty when the problem was only ever said to be well, which is not stored any more.
    pub alert_id: String,
    pub is_open: bool,
    /// Of those, when they were; nothing is compared with it.
    pub settled_ms: i64,
}

/// One row of `alert_windows`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = alert_windows, treat_none_as_default_value = false)]
pub struct Pending {
    pub tenant_id: String,
    pub window_tenant: String,
    pub window_id: String,
    pub name: String,
    pub until_ms: i64,
    pub escalates: bool,
}

impl Pending {
    /// Of a window that holds back alerts of a tenant.
    pub fn of(tenant: &str, cover: &Cover) -> Self {
        Self {
            tenant_id: tenant.to_owned(),
            window_tenant: cover.window.tenant_id.clone(),
            window_id: cover.window.unique_id.clone(),
            name: cover.window.name.clone(),
            until_ms: cover.until.millis(),
            escalates: cover.run_escalation_action,
        }
    }
}

impl Alert {
    /// The status of the alert. A suppression that has run out is none, whether or not somebody has seen to it.
    pub fn status(&self, now: Timestamp) -> &'static str {
        if self.closed_ms.is_some() {
            "Closed"
        } else if self.is_suppressed(now) {
            "Suppressed"
        } else if self.acknowledged {
            "Acknowledged"
        } else {
            "New"
        }
    }

    /// Does nobody need to hear of it now?
    pub fn is_suppressed(&self, now: Timestamp) -> bool {
        match self.suppression.as_str() {
            "" => false,
            PERSON => self.suppressed_until_ms.is_none_or(|until| until > now.millis()),
            _ => true,
        }
    }
}
