//! A decommissioned resource as clients see it.

use base::timestamp::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::wire::Properties;
use crate::model::{document::BorrowedDocument, row::Row};

/// A decommissioned resource (`docs/interface.md`, "Decommissioned resource record"). Fields without a value
/// are left out.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecommissionedResource<'a> {
    /// UUID.
    pub id: &'a str,
    /// Host name.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub host_name: &'a str,
    /// IPv4 or IPv6.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub ip_address: &'a str,
    /// DNS name.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub dns: &'a str,
    /// When it was decommissioned.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
    /// Its resource type's name.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub device_type: &'a str,
    /// Its resource type's path, levels separated by ` >> `.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub device_path: &'a str,
    /// Such as `DEVICE`.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// Always `Decommissioned`.
    #[schema(pattern = "^Decommissioned$")]
    pub state: &'static str,
    /// Hardware address.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub mac_address: &'a str,
    /// Manufacturer.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub make: &'a str,
    /// Model.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub model: &'a str,
    /// Operating system.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub os_name: &'a str,
    /// Its architecture.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub os_architecture: &'a str,
    /// Serial number.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub serial_number: &'a str,
    /// System UUID.
    #[serde(rename = "systemUID", skip_serializing_if = "str::is_empty")]
    pub system_uid: &'a str,
    /// Description.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub description: &'a str,
    /// Did an agent report for it?
    pub agent_installed: bool,
    /// Alias.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub alias_name: &'a str,
    /// The name shown.
    pub name: &'a str,
    /// Resource name.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub resource_name: &'a str,
    /// Its resource type's name.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub resource_type: &'a str,
    /// Cloud attributes.
    pub attributes: Option<Properties<'a>>,
    /// Its management profile.
    #[schema(value_type = Option<Object>)]
    pub management_profile: Option<&'a RawValue>,
    /// Custom attributes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<HistoryTag<'a>>,
    /// Why it was decommissioned, when a reason was given.
    pub history: Option<Reason<'a>>,
}

/// A custom attribute of a decommissioned resource.
#[derive(Serialize, ToSchema)]
pub struct HistoryTag<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// Why a resource was decommissioned.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reason<'a> {
    /// As given.
    pub decommission_reason: &'a str,
}

/// The wire form of a row of history.
pub fn record<'a>(row: &'a Row, document: &'a BorrowedDocument<'a>, path: &'a str) -> DecommissionedResource<'a> {
    DecommissionedResource {
        id: &row.id,
        host_name: &row.host_name,
        ip_address: &row.ip_address,
        dns: document.text("dnsName"),
        updated_date: Timestamp::from_millis(row.decommissioned_ms.unwrap_or(row.updated_ms)),
        device_type: &row.resource_type,
        device_path: path,
        kind: &row.kind,
        state: "Decommissioned",
        mac_address: document.text("macAddress"),
        make: document.text("make"),
        model: document.text("model"),
        os_name: document.text("os"),
        os_architecture: document.text("osArchitecture"),
        serial_number: document.text("serialNumber"),
        system_uid: document.text("systemUID"),
        description: document.text("description"),
        agent_installed: row.agent_installed,
        alias_name: &row.alias_name,
        name: &row.name,
        resource_name: &row.resource_name,
        resource_type: &row.resource_type,
        attributes: Properties::of(document, row.launch_ms.map(Timestamp::from_millis)),
        management_profile: document.part("managementProfile"),
        tags: document.tags.iter().map(|tag| HistoryTag { name: &tag.name, value: &tag.value }).collect(),
        history: document.get_text("decommissionReason").map(|decommission_reason| Reason { decommission_reason }),
    }
}
