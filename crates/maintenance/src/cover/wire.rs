//! What clients see of what is covered.

use base::timestamp::Timestamp;
use ports::ResourceSummary;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ready::Ready, windows::CoveringWindow};
use crate::window::wire::WindowName;

/// A resource that a window covers while it is open.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ActiveMaintenance)]
pub struct Active {
    /// Which window.
    pub window: WindowName,
    /// Which resource.
    pub resource: ResourceName,
    /// The most direct way in which it is covered: `device`, `deviceGroup` or `location`.
    #[schema(pattern = "^(device|deviceGroup|location)$", example = "deviceGroup")]
    pub via: &'static str,
    /// When the window opened.
    #[schema(value_type = String, example = "2026-11-20T22:00:00+0000")]
    pub since: Timestamp,
    /// Until when, not including this instant.
    #[schema(value_type = String, example = "2026-11-21T02:00:00+0000")]
    pub until: Timestamp,
}

impl Active {
    pub(super) fn new(covered: &CoveringWindow, resource: &ResourceSummary) -> Self {
        Self {
            window: WindowName::from(&*covered.window),
            resource: ResourceName::from(resource),
            via: covered.via.word(),
            since: covered.open.start(),
            until: covered.open.end(),
        }
    }
}

impl From<&Ready> for WindowName {
    fn from(window: &Ready) -> Self {
        Self { unique_id: window.id.clone(), name: window.title.clone() }
    }
}

/// A resource, briefly.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceResourceName)]
pub struct ResourceName {
    /// UUID.
    pub id: String,
    /// Empty when it has none.
    pub host_name: String,
}

impl From<&ResourceSummary> for ResourceName {
    fn from(resource: &ResourceSummary) -> Self {
        Self { id: resource.id.clone(), host_name: resource.host_name.clone() }
    }
}

/// What the windows say about an alert.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceMatch)]
pub struct Match {
    /// What the alert would be: `Maintenance` or `Monitoring`.
    #[schema(pattern = "^(Maintenance|Monitoring)$", example = "Maintenance")]
    pub alert_type: &'static str,
    /// The resource of the alert.
    pub resource: ResourceName,
    /// The window that would catch it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowName>,
    /// Every window that is open and covers the resource, by id.
    pub windows: Vec<WindowMatch>,
}

/// What one window says about an alert.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceMatchWindow)]
pub struct WindowMatch {
    /// Which window; one that was given with the alert has the id that it was given with, or an empty one.
    pub window: WindowName,
    /// Is it stored? One that was given with the alert is not.
    pub saved: bool,
    /// How it covers the resource: `device`, `deviceGroup` or `location`.
    #[schema(pattern = "^(device|deviceGroup|location)$")]
    pub via: &'static str,
    /// Since when it is open.
    #[schema(value_type = String, example = "2026-11-20T22:00:00+0000")]
    pub since: Timestamp,
    /// Until when.
    #[schema(value_type = String, example = "2026-11-21T02:00:00+0000")]
    pub until: Timestamp,
    /// Do its conditions match? Of a window without conditions they always do.
    pub matches: bool,
    /// `ALL` or `ANY` of the rules have to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^(ALL|ANY)$")]
    pub matching_type: Option<&'static str>,
    /// Its rules; a client is not told those of a window of its partner.
    pub rules: Vec<TriedRule>,
}

/// What one rule says about an alert.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MaintenanceMatchRule)]
pub struct TriedRule {
    /// As it was given.
    pub key: String,
    /// As it was given.
    pub operator: &'static str,
    /// As it was given.
    pub value: String,
    /// What the alert has under the key: the first 100 texts, and of each the first 1,000 characters.
    pub found: Vec<String>,
    /// Does the rule hold?
    pub matches: bool,
}
