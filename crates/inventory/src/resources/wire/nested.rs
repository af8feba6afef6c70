//! The nested parts of resource details.

use base::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::model::document::{BorrowedDocument, CLOUD};

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

/// The reported firmware, or else the serial number and model that were entered.
pub enum Firmware<'a> {
    /// As reported.
    Reported(&'a RawValue),
    /// Serial number and model.
    Entered(&'a str, &'a str),
}

impl Serialize for Firmware<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Reported(value) => value.serialize(serializer),
            Self::Entered(serial, model) => {
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
    #[schema(required = false)]
    pub system_serial: String,
    /// Model of the system.
    #[schema(required = false)]
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
    /// Does it measure availability?
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
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstalledApp<'a> {
    /// `INTG-<uuid>`.
    pub id: &'a str,
    /// Its display name; left out when it is no longer installed, or belongs to the partner.
    pub display_name: Option<&'a str>,
    /// The installed application; left out when `displayName` is.
    pub integration: Option<InstalledKind<'a>>,
}

/// The kind of an installed integration.
#[derive(Serialize, ToSchema)]
#[schema(as = InstalledAppKind)]
pub struct InstalledKind<'a> {
    /// `CUSTOM`.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
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
    /// System UUID, by which `systemUID` searches.
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
    document: &'a BorrowedDocument<'a>,
    launched: Option<Timestamp>,
}

impl<'a> Properties<'a> {
    /// The cloud attributes of a document; `None` when it has none.
    pub fn of(document: &'a BorrowedDocument<'a>, launched: Option<Timestamp>) -> Option<Self> {
        let any = launched.is_some() || CLOUD.iter().any(|name| document.get_text(name).is_some());
        any.then_some(Self { document, launched })
    }
}

impl Serialize for Properties<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(None)?;
        for name in CLOUD {
            if let Some(text) = self.document.get_text(name) {
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
