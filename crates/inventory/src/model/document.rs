//! A stored resource: a few typed facts, and a document of everything that is only displayed.

use std::{borrow::Cow, collections::BTreeMap};

use base::{text::listed, timestamp::Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

/// The kinds of resource (`type` in `docs/interface.md`, "List minimal resources").
pub const KINDS: [&str; 7] =
    ["DEVICE", "AUTO_SCALING", "EBS", "LOAD_BALANCER", "SQL_DATABASE", "SQL_SERVER", "SYNTHETIC"];

/// The states of a managed resource; decommissioned ones are history.
pub const STATES: [&str; 3] = ["active", "inactive", "discovered"];

/// The state of a resource in history.
pub const DECOMMISSIONED: &str = "decommissioned";

/// Text attributes that any resource may have, under the names of the request bodies.
pub const TEXTS: [&str; 24] = listed(
    "name hostName resourceName aliasName dnsName ipAddress serialNumber systemUID extResourceId source status os \
    osArchitecture make model description macAddress keyboardType encodingType physicalMemory template agentProfile \
    gatewayProfile installedIntgId",
);

/// Text attributes of a cloud resource, shown as `properties` (detail) and `attributes` (history).
pub const CLOUD: [&str; 14] = listed(
    "provider instanceId instanceState instanceType publicIp ami owner privateDns privateIp zone monitoringState \
    accountNumber region hostedServiceName",
);

/// Text attributes of a synthetic check.
pub const SYNTHETIC: [&str; 3] = ["checkType", "url", "host"];

/// Nested parts of the detail that are kept as they are given: arrays.
pub const ARRAYS: [&str; 3] = ["cpus", "consoles", "locationUuids"];

/// Nested parts of the detail that are kept as they are given: objects.
pub const OBJECTS: [&str; 2] = ["metaData", "managementProfile"];

/// A custom attribute of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"name": "env", "value": "production", "tagSource": "API"}))]
pub struct Tag {
    /// The attribute's name; `tags:NAME` finds it.
    #[schema(min_length = 1, pattern = r"\S")]
    pub name: String,
    /// Its value.
    #[serde(default)]
    pub value: String,
    /// Who set it: `API` or `AGENT`.
    #[serde(default)]
    pub tag_source: String,
}

impl Tag {
    /// The source of a tag that names no other.
    pub const API: &str = "API";
}

/// The attributes that are only displayed, as JSON in one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// [`TEXTS`], [`CLOUD`] and [`SYNTHETIC`] attributes that have a value.
    pub texts: BTreeMap<String, String>,
    /// Custom attributes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// Application roles, each of the allow-list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub app_roles: Vec<String>,
    /// [`ARRAYS`], [`OBJECTS`], `bios`, `components`, `networkCardDetails`, `metricTypes`, `credential`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nested: BTreeMap<String, Value>,
}

/// A [`Document`] that is only read to be shown: nested parts stay text.
#[derive(Debug, Deserialize)]
pub struct BorrowedDocument<'a> {
    #[serde(borrow)]
    pub texts: BTreeMap<&'a str, BorrowedText<'a>>,
    #[serde(default)]
    pub tags: Vec<Tag>,
    #[serde(default)]
    pub app_roles: Vec<String>,
    #[serde(borrow, default)]
    pub nested: BTreeMap<&'a str, &'a RawValue>,
}

/// A text of a [`BorrowedDocument`], copied only where JSON had to escape something in it.
#[derive(Debug, Deserialize)]
pub struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

impl BorrowedDocument<'_> {
    /// A text attribute; empty when absent.
    pub fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", |text| &text.0)
    }

    /// A text attribute that has a value.
    pub fn get_text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(|text| &*text.0)
    }

    /// A nested part.
    pub fn part(&self, name: &str) -> Option<&RawValue> {
        self.nested.get(name).copied()
    }
}

impl Document {
    /// A text attribute; empty when absent.
    pub fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    /// Sets a text attribute; an empty one removes it.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        if value.is_empty() {
            self.texts.remove(name);
        } else {
            self.texts.insert(name.to_owned(), value);
        }
    }

    /// Sets a nested part; null removes it.
    pub fn set_part(&mut self, name: &str, value: Value) {
        if value.is_null() {
            self.nested.remove(name);
        } else {
            self.nested.insert(name.to_owned(), value);
        }
    }

    /// The name that a list shows: the first that there is, and is not of blanks alone.
    pub fn display_name(&self) -> &str {
        let first = ["name", "resourceName", "hostName", "aliasName", "dnsName", "ipAddress", "instanceId"]
            .into_iter()
            .map(|name| self.text(name))
            .find(|text| !text.trim().is_empty());
        first.unwrap_or("")
    }
}

/// A resource: its typed facts and its document.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// The tenant that owns it.
    pub tenant_id: String,
    /// UUID.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// One of [`KINDS`].
    pub kind: String,
    /// Id, name of its resource type.
    pub resource_type: (i64, String),
    /// One of [`STATES`], or [`DECOMMISSIONED`].
    pub state: String,
    /// Does an agent report for it?
    pub agent_installed: bool,
    /// The site it is at.
    pub site_id: Option<i64>,
    /// When a cloud instance was launched.
    pub launched: Option<Timestamp>,
    /// When it was created.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// When it was last managed or unmanaged.
    pub asset_managed: Option<Timestamp>,
    /// When it was first managed.
    pub first_asset_managed: Option<Timestamp>,
    /// When it was moved to history.
    pub decommissioned: Option<Timestamp>,
    /// Everything else.
    pub document: Document,
}
