//! What clients send and see of owners.

use api::Request;
use base::{Fields, timestamp::Timestamp};
use ports::PlaceKey;
use serde::Serialize;
use serde_json::Value;
use utoipa::{ToSchema, openapi::Object};

use super::row;
use crate::configuration::policies::wire::{GroupId, Id};

api::path_id! {
    /// `OWN-<uuid>`
    pub OwnerId = "ownerId", "OWN-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", normal_id
}

fn normal_id(text: &str) -> String {
    base::text::spelled(text, "OWN-")
}

/// Who owns something.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "OWN-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "kind": "site", "target": "3",
    "userGroup": {"uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}, "createdDate": "2026-11-20T20:37:00+0000"
}))]
pub struct Owner {
    /// `OWN-<uuid>`.
    pub id: String,
    /// `resource`, `deviceGroup`, `serviceGroup`, `site`, or `default` for all that has no other owner.
    #[schema(pattern = "^(resource|deviceGroup|serviceGroup|site|default)$")]
    pub kind: String,
    /// The id of what is owned; left out for the default.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub target: String,
    /// Who owns it.
    pub user_group: GroupId,
    /// When that was set.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
}

/// What is to be owned, as it was named.
#[derive(Clone, Debug, Default)]
pub enum OwnershipTarget {
    /// A resource, by id.
    Resource(String),
    /// A device group.
    DeviceGroup(PlaceKey),
    /// A service group.
    ServiceGroup(PlaceKey),
    /// A site.
    Site(PlaceKey),
    /// All that has no other owner.
    #[default]
    Default,
}

impl OwnershipTarget {
    /// The kind, as it is stored.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Resource(_) => row::RESOURCE,
            Self::DeviceGroup(_) => row::DEVICE_GROUP,
            Self::ServiceGroup(_) => row::SERVICE_GROUP,
            Self::Site(_) => row::SITE,
            Self::Default => row::DEFAULT,
        }
    }
}

/// Who is to own something: exactly one of `resource`, `deviceGroup`, `serviceGroup`, `site` and `default`.
#[derive(Clone, Debug, Request)]
#[request(check = exactly_one, example = json!({
    "site": {"id": 3}, "userGroup": {"uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}
}))]
pub struct OwnerInput {
    /// A resource, by `id`.
    #[request(with = resource, schema = Id)]
    resource: Option<String>,
    /// A device group, by `id`, `uniqueId` or `name`.
    #[request(with = place, schema = Object)]
    device_group: Option<PlaceKey>,
    /// A service group, by `id`, `uniqueId` or `name`.
    #[request(with = place, schema = Object)]
    service_group: Option<PlaceKey>,
    /// A site, by `id` or `name`.
    #[request(with = place, schema = Object)]
    site: Option<PlaceKey>,
    /// `true`: all that has no other owner.
    #[request(name = "default")]
    is_default: Option<bool>,
    /// Who is to own it, of the tenant or its partner; without it, nobody owns it any more.
    #[request(with = group, schema = GroupId)]
    pub user_group: Option<String>,
}

impl OwnerInput {
    /// What is to be owned.
    pub fn named(&self) -> OwnershipTarget {
        self.all_named().pop().unwrap_or_default()
    }

    fn all_named(&self) -> Vec<OwnershipTarget> {
        let given = [
            self.resource.clone().map(OwnershipTarget::Resource),
            self.device_group.clone().map(OwnershipTarget::DeviceGroup),
            self.service_group.clone().map(OwnershipTarget::ServiceGroup),
            self.site.clone().map(OwnershipTarget::Site),
            (self.is_default == Some(true)).then_some(OwnershipTarget::Default),
        ];
        given.into_iter().flatten().collect()
    }
}

fn exactly_one(given: &OwnerInput, fields: &mut Fields<'_>) {
    if given.all_named().len() != 1 && fields.check().is_ok() {
        fields.error("", "must have exactly one of resource, deviceGroup, serviceGroup, site and default");
    }
}

fn resource(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    fields.object(name).map(|mut resource| base::fold(resource.required_text("id").trim()))
}

fn group(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    let group = fields.object(name)?.required_text("uniqueId");
    Some(match group.trim().split_once('-') {
        Some((prefix, uuid)) => format!("{}-{}", prefix.to_ascii_uppercase(), uuid.to_ascii_lowercase()),
        None => group,
    })
}

fn place(fields: &mut Fields<'_>, name: &str) -> Option<PlaceKey> {
    let mut fields = fields.object(name)?;
    if let Some(text) = fields.value("uniqueId").and_then(Value::as_str) {
        return Some(PlaceKey::UniqueId(text.trim().to_owned()));
    }
    if let Some(text) = fields.value("name").and_then(Value::as_str).filter(|_| !fields.has("id")) {
        return Some(PlaceKey::Name(text.trim().to_owned()));
    }
    if let Some(text) = fields.value("id").and_then(Value::as_str).filter(|text| text.contains('-')) {
        return Some(PlaceKey::UniqueId(text.trim().to_owned()));
    }
    fields.require("id");
    fields.integer("id").map(PlaceKey::Id)
}
