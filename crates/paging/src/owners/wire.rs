//! What clients send and see of owners.

use base::{Fields, problem::Problem, timestamp::Timestamp};
use ports::PlaceKey;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store::{self, Row};
use crate::policies::wire::GroupId;

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
    pub kind: String,
    /// The id of what is owned; left out for the default.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub target: String,
    /// Who owns it.
    pub user_group: GroupId,
    /// When that was said.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
}

impl From<&Row> for Owner {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            kind: row.kind.clone(),
            target: row.target_id.clone(),
            user_group: GroupId { unique_id: row.group_id.clone() },
            created_date: Timestamp::from_millis(row.created_ms),
        }
    }
}

/// Who is to own something: exactly one of `resource`, `deviceGroup`, `serviceGroup`, `site` and `default`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "site": {"id": 3}, "userGroup": {"uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct OwnerInput {
    /// A resource, by `id`.
    #[schema(value_type = Option<Object>)]
    resource: Option<Value>,
    /// A device group, by `id`, `uniqueId` or `name`.
    #[schema(value_type = Option<Object>)]
    device_group: Option<Value>,
    /// A service group, by `id`, `uniqueId` or `name`.
    #[schema(value_type = Option<Object>)]
    service_group: Option<Value>,
    /// A site, by `id` or `name`.
    #[schema(value_type = Option<Object>)]
    site: Option<Value>,
    /// `true`: all that has no other owner.
    default: Option<bool>,
    /// Who is to own it, of the tenant or its partner; without it, nobody owns it any more.
    user_group: Option<GroupId>,
}

/// What is to be owned, as it was named.
#[derive(Clone, Debug)]
pub enum Named {
    /// A resource, by id.
    Resource(String),
    /// A device group.
    DeviceGroup(PlaceKey),
    /// A service group.
    ServiceGroup(PlaceKey),
    /// A site.
    Site(PlaceKey),
    /// All that has no other owner.
    Default,
}

impl Named {
    /// The kind, as it is stored.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Resource(_) => store::RESOURCE,
            Self::DeviceGroup(_) => store::DEVICE_GROUP,
            Self::ServiceGroup(_) => store::SERVICE_GROUP,
            Self::Site(_) => store::SITE,
            Self::Default => store::DEFAULT,
        }
    }
}

/// Reads a body: what is owned, and the group that is to own it.
///
/// # Errors
/// 400 that lists every field that is wrong.
pub fn read(body: &Value) -> Result<(Named, Option<String>), Problem> {
    let mut fields = Fields::of(body);
    let mut named = Vec::new();
    if let Some(mut resource) = fields.object("resource") {
        named.push(Named::Resource(base::fold(resource.required_text("id").trim())));
    }
    if let Some(mut group) = fields.object("deviceGroup") {
        named.extend(place(&mut group).map(Named::DeviceGroup));
    }
    if let Some(mut group) = fields.object("serviceGroup") {
        named.extend(place(&mut group).map(Named::ServiceGroup));
    }
    if let Some(mut site) = fields.object("site") {
        named.extend(place(&mut site).map(Named::Site));
    }
    if fields.boolean("default") == Some(true) {
        named.push(Named::Default);
    }
    if named.len() != 1 && fields.check().is_ok() {
        fields.error("", "must have exactly one of resource, deviceGroup, serviceGroup, site and default");
    }
    let group = fields.object("userGroup").map(|mut group| group.required_text("uniqueId"));
    fields.finish()?;
    let group = group.map(|group| match group.trim().split_once('-') {
        Some((prefix, uuid)) => format!("{}-{}", prefix.to_ascii_uppercase(), uuid.to_ascii_lowercase()),
        None => group,
    });
    Ok((named.pop().unwrap_or(Named::Default), group))
}

fn place(fields: &mut Fields<'_>) -> Option<PlaceKey> {
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
