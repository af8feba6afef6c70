//! A resource as clients see it (`docs/interface.md`, "Minimal resource" and "Resource detail").

mod nested;

use api::Request;
use base::timestamp::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::model::document::Tag;

pub use nested::{
    AppRole, Bios, Firmware, GeneralInfo, InstalledApp, InstalledKind, MetricType, NetworkCard, Part, Properties, Time,
};

api::path_id! {
    /// UUID of the resource
    pub ResourceId = "resourceId", "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", str::to_owned
}

/// Why a resource is decommissioned.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "DecommissionInput")]
pub struct Decommission {
    /// Shown in its history.
    #[request(default, chars = 1000)]
    pub reason: String,
}

/// An item of the resource list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "name": "web-01", "hostName": "web-01.example.net",
    "ipAddress": "10.0.0.11", "aliasName": "", "resourceName": "web-01", "resourceType": "Linux"
}))]
pub struct MinimalResource {
    /// UUID.
    pub id: String,
    /// The name shown: the first that it has of name, resource name, host name, alias, DNS name, address.
    pub name: String,
    /// Empty when absent.
    pub host_name: String,
    /// IPv4 or IPv6; empty when absent.
    pub ip_address: String,
    /// Empty when absent.
    pub alias_name: String,
    /// Empty when absent.
    pub resource_name: String,
    /// A resource type's name.
    pub resource_type: String,
}

/// Where a resource is.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The site's id, as `locationId` takes it.
    pub id: i64,
    /// The site's name.
    pub name: String,
    /// The number of the client, for a client's resource.
    pub client_id: Option<i64>,
    /// The number of the partner.
    pub msp_id: Option<i64>,
    /// Its city.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub city: String,
}

/// A resource's detail: one of three shapes, by its type.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "one is made for each answer and serialised at once")]
pub enum ResourceDetail<'a> {
    /// `DEVICE`.
    Resource(DeviceDetail<'a>),
    /// Every other type.
    Device(CloudDetail<'a>),
    /// `SYNTHETIC`.
    Synthetic(SyntheticDetail<'a>),
}

/// The Resource shape, of a device.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceDetail<'a> {
    /// UUID.
    pub id: &'a str,
    /// The kind of resource, which decides the shape.
    #[serde(rename = "type")]
    #[schema(pattern = "^DEVICE$", example = "DEVICE")]
    pub kind: &'a str,
    /// IPv4 or IPv6.
    pub ip_address: Option<&'a str>,
    /// The id that another system knows it by.
    pub ext_resource_id: Option<&'a str>,
    /// `active`, `inactive` or `discovered`.
    #[schema(pattern = "^(active|inactive|discovered)$")]
    pub state: &'a str,
    /// Where it came from: `API`, `AGENT`, or the given text.
    pub source: Option<&'a str>,
    /// Does an agent report for it?
    pub agent_installed: bool,
    /// Such as `UP`.
    pub status: Option<&'a str>,
    /// Its site.
    pub location: Option<Location>,
    /// Parts that it is made of.
    #[schema(value_type = Vec<String>)]
    pub components: Part<'a>,
    /// Custom attributes.
    pub tags: &'a [Tag],
    /// Serial and model of the system.
    #[schema(value_type = Bios)]
    pub bios: Firmware<'a>,
    /// Processors.
    #[schema(value_type = Vec<Object>)]
    pub cpus: Part<'a>,
    /// Names, operating system, times.
    pub general_info: GeneralInfo<'a>,
    /// Ways to reach its console.
    #[schema(value_type = Vec<Object>)]
    pub consoles: Part<'a>,
    /// Network cards.
    #[schema(value_type = Vec<NetworkCard>)]
    pub network_card_details: Part<'a>,
    /// The integration that brought it.
    pub installed_app: Option<InstalledApp<'a>>,
    /// Cloud attributes.
    pub properties: Option<Properties<'a>>,
    /// Metrics collected of it.
    #[schema(value_type = Vec<MetricType>)]
    pub metric_types: Part<'a>,
    /// Any object that was given.
    #[schema(value_type = Option<Object>)]
    pub meta_data: Option<&'a RawValue>,
    /// The owning tenant.
    pub client_unique_id: &'a str,
    /// Application roles running on it.
    pub app_roles: Vec<AppRole<'a>>,
    /// Always `disabled`: update services are not managed here.
    pub wsus_settings: &'static str,
}

/// The Device shape, of every type but `DEVICE` and `SYNTHETIC`.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CloudDetail<'a> {
    /// UUID.
    pub id: &'a str,
    /// When it was created here.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
    /// Such as `EBS`.
    #[serde(rename = "type")]
    #[schema(pattern = "^(AUTO_SCALING|EBS|LOAD_BALANCER|SQL_DATABASE|SQL_SERVER)$", example = "EBS")]
    pub kind: &'a str,
    /// `active`, `inactive` or `discovered`.
    #[schema(pattern = "^(active|inactive|discovered)$")]
    pub state: &'a str,
    /// Where it came from.
    pub source: Option<&'a str>,
    /// Such as `UP`.
    pub status: Option<&'a str>,
    /// Its site.
    pub location: Option<Location>,
    /// Resource name.
    pub resource_name: &'a str,
    /// Ways to reach its console.
    #[schema(value_type = Vec<Object>)]
    pub consoles: Part<'a>,
    /// The owning tenant.
    pub client_unique_id: &'a str,
}

/// The Synthetic shape.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyntheticDetail<'a> {
    /// UUID.
    pub id: &'a str,
    /// The kind of resource, which decides the shape.
    #[serde(rename = "type")]
    #[schema(pattern = "^SYNTHETIC$", example = "SYNTHETIC")]
    pub kind: &'a str,
    /// Always `SYNTHETIC`.
    pub resource_type: &'static str,
    /// The name shown.
    pub name: &'a str,
    /// Ways to reach its console.
    #[schema(value_type = Vec<Object>)]
    pub consoles: Part<'a>,
    /// Such as `HTTP`.
    pub check_type: &'a str,
    /// The host checked.
    pub host: &'a str,
    /// Always false: deleted ones are in history.
    pub deleted: bool,
    /// The URL checked.
    pub url: &'a str,
    /// Its credential; secrets are answered as an empty string.
    #[schema(value_type = Option<Object>)]
    pub credential: Option<&'a RawValue>,
    /// Where it is checked from: UUIDs.
    #[schema(value_type = Vec<String>)]
    pub location_uuids: Part<'a>,
    /// When it last changed, in milliseconds since the epoch.
    pub ts: i64,
    /// The number of the client, for a client's check.
    pub client_id: Option<i64>,
    /// Always 0: all locations are answered.
    pub location_offset: i64,
    /// How many locations there are.
    pub total_locations: usize,
}

/// The answer to a create.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"resourceUUID": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "tenantID": "client_1"}))]
pub struct CreatedResource {
    /// The new resource.
    #[serde(rename = "resourceUUID")]
    pub resource_uuid: String,
    /// The tenant that owns it.
    #[serde(rename = "tenantID")]
    pub tenant_id: String,
}
