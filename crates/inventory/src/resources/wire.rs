//! What clients see of a resource (`docs/interface.md`, "Minimal resource" and "Resource detail").

use base::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::document::{CLOUD, Shown, Tag};

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
    /// The name shown: the first there is of name, resource name, host name, alias, DNS name, address.
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
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The site's id; what `locationId` takes.
    pub id: i64,
    /// The site's name.
    pub name: String,
    /// The number of the client, for a client's resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<i64>,
    /// The number of the partner.
    #[serde(skip_serializing_if = "Option::is_none")]
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
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceDetail<'a> {
    /// UUID.
    pub id: &'a str,
    /// IPv4 or IPv6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<&'a str>,
    /// The id that another system knows it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ext_resource_id: Option<&'a str>,
    /// `active`, `inactive` or `discovered`.
    pub state: &'a str,
    /// Where it came from: `API`, `AGENT`, or what was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a str>,
    /// Does an agent report for it?
    pub agent_installed: bool,
    /// Such as `UP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'a str>,
    /// Its site.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed_app: Option<InstalledApp<'a>>,
    /// Cloud attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties<'a>>,
    /// Metrics collected of it.
    #[schema(value_type = Vec<MetricType>)]
    pub metric_types: Part<'a>,
    /// Any object that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub meta_data: Option<&'a RawValue>,
    /// The owning tenant.
    pub client_unique_id: &'a str,
    /// Application roles running on it.
    pub app_roles: Vec<AppRole<'a>>,
    /// Always `disabled`: update services are not managed here.
    pub wsus_settings: &'static str,
}

/// A nested part that is an empty array when absent.
pub struct Part<'a>(pub Option<&'a RawValue>);

impl Serialize for Part<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(value) => value.serialize(serializer),
            None => serializer.collect_seq(std::iter::empty::<u8>()),
        }
    }
}

/// What was reported of the firmware, or else the serial number and model that the resource was given.
pub enum Firmware<'a> {
    /// As reported.
    Reported(&'a RawValue),
    /// Serial number and model.
    Given(&'a str, &'a str),
}

impl Serialize for Firmware<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Reported(value) => value.serialize(serializer),
            Self::Given(serial, model) => {
                Bios { system_serial: (*serial).to_owned(), system_model: (*model).to_owned() }.serialize(serializer)
            }
        }
    }
}

/// Serial and model.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bios {
    /// Serial number of the system.
    pub system_serial: String,
    /// Model of the system.
    pub system_model: String,
}

/// A network card.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkCard {
    /// Its number on the machine.
    pub id: i64,
    /// The interface's name.
    pub network_name: String,
    /// `up` or `down`.
    pub status: String,
    /// Its first address.
    pub ip_address: String,
    /// Hardware address.
    pub mac_address: String,
    /// Did it get its address by DHCP?
    pub dhcp_enabled: bool,
    /// Such as its speed.
    pub link_mode: String,
    /// Its other addresses, comma-separated.
    pub alias_ips: String,
}

/// A metric collected of a resource.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricType {
    /// Its name.
    pub metric_name: String,
    /// Its name for people.
    pub display_name: String,
    /// Its unit.
    pub unit: String,
    /// Does it tell availability?
    pub availability_metric: bool,
    /// Kind of threshold.
    pub threshold_type: String,
}

/// An application role.
#[derive(Serialize, ToSchema)]
pub struct AppRole<'a> {
    /// One of the 45 names.
    pub name: &'a str,
}

/// The installed integration of a resource.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstalledApp<'a> {
    /// `INTG-<uuid>`.
    pub id: &'a str,
}

/// Names, operating system and times; each is an empty string when absent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeneralInfo<'a> {
    /// The name shown.
    pub name: &'a str,
    /// Operating system.
    pub os_name: &'a str,
    /// Manufacturer.
    pub make: &'a str,
    /// Description.
    pub description: &'a str,
    /// Host name.
    pub host_name: &'a str,
    /// DNS name.
    pub dns: &'a str,
    /// Resource type's name.
    pub resource_type: &'a str,
    /// Keyboard layout.
    pub keyboard_type: &'a str,
    /// Text encoding.
    pub encoding_type: &'a str,
    /// Such as `7830 MB`.
    pub physical_memory: &'a str,
    /// System UUID; what `systemUID` finds.
    #[serde(rename = "systemUID", skip_serializing_if = "str::is_empty")]
    pub system_uid: &'a str,
    /// Resource name.
    pub resource_name: &'a str,
    /// Alias.
    pub alias_name: &'a str,
    /// When it was created here.
    pub created_time: Time,
    /// When it last changed.
    pub updated_time: Time,
    /// When its agent first reported; empty without agent.
    pub agent_deploytime: Time,
    /// When it was last managed or unmanaged.
    pub asset_managed_time: Time,
    /// When it was first managed.
    pub first_asset_managed_time: Time,
}

/// A timestamp, or an empty string.
#[derive(Clone, Copy, Debug, ToSchema)]
#[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
pub struct Time(pub Option<Timestamp>);

impl Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(time) => time.serialize(serializer),
            None => serializer.serialize_str(""),
        }
    }
}

/// Cloud attributes; absent ones are left out.
pub struct Properties<'a> {
    shown: &'a Shown<'a>,
    launched: Option<Timestamp>,
}

impl<'a> Properties<'a> {
    /// The cloud attributes of a document; `None` when it has none.
    pub fn of(shown: &'a Shown<'a>, launched: Option<Timestamp>) -> Option<Self> {
        let any = launched.is_some() || CLOUD.iter().any(|name| shown.some(name).is_some());
        any.then_some(Self { shown, launched })
    }
}

impl Serialize for Properties<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(None)?;
        for name in CLOUD {
            if let Some(text) = self.shown.some(name) {
                map.serialize_entry(name, text)?;
            }
        }
        if let Some(launched) = self.launched {
            map.serialize_entry("launchDate", &launched)?;
        }
        map.end()
    }
}

impl utoipa::PartialSchema for Properties<'_> {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, Type};
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let object = CLOUD.iter().fold(ObjectBuilder::new(), |object, name| object.property(*name, text()));
        let launch = text().description(Some("Timestamp"));
        object.property("launchDate", launch).description(Some("Cloud attributes that have a value")).into()
    }
}

impl ToSchema for Properties<'_> {
    fn name() -> std::borrow::Cow<'static, str> {
        "CloudProperties".into()
    }
}

/// The Device shape, of every type but `DEVICE` and `SYNTHETIC`.
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
    pub kind: &'a str,
    /// `active`, `inactive` or `discovered`.
    pub state: &'a str,
    /// Where it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a str>,
    /// Such as `UP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'a str>,
    /// Its site.
    #[serde(skip_serializing_if = "Option::is_none")]
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
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyntheticDetail<'a> {
    /// UUID.
    pub id: &'a str,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub credential: Option<&'a RawValue>,
    /// Where it is checked from: UUIDs.
    #[schema(value_type = Vec<String>)]
    pub location_uuids: Part<'a>,
    /// When it last changed, in milliseconds since the epoch.
    pub ts: i64,
    /// The number of the client, for a client's check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<i64>,
    /// Always 0: all locations are answered.
    pub location_offset: i64,
    /// How many locations there are.
    pub total_locations: usize,
}

/// What a create answers.
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
