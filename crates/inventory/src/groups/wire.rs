//! Groups as clients see them, and the ids by which paths name them.

use std::collections::BTreeMap;

use base::timestamp::Timestamp;
use db::Json;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    attributes,
    criteria::{Criteria, Rule},
    row::Group,
};

api::texts! {
    /// What a rule compares.
    Key = api::spec::of_form(&attributes::form());
}

api::path_id! {
    /// Integer id or `DGP-<uuid>`
    pub DeviceGroupId = "groupId", "7", str::to_owned
}

api::path_id! {
    /// Integer id or `SGP-<uuid>`
    pub ServiceGroupId = "groupId", "7", str::to_owned
}

/// The parents of some groups, by id.
pub type Parents = BTreeMap<i64, ParentGroup>;

/// A device group or a service group; fields without a value are left out.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": 7, "uniqueId": "DGP-0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "name": "Web servers",
    "parent": {"id": 3, "uniqueId": "DGP-9d1c6f0e-7a52-4c37-9c1b-2f0a5b6c7d8e", "name": "Shop"},
    "filterCriteria": {"matchType": "ALL", "rules": [{"key": "appRoles", "operator": "Equals", "value": "nginx"}]},
    "tenantId": "client_1", "createdDate": "2026-11-20T20:37:00+0000", "updatedDate": "2026-11-20T20:37:00+0000"
}))]
pub struct ResourceGroup {
    /// What `deviceGroupId` takes.
    pub id: i64,
    /// `DGP-<uuid>` or `SGP-<uuid>`.
    pub unique_id: String,
    /// Unique among the tenant's groups of this kind, whatever the letter case.
    pub name: String,
    /// Any text.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// The group above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentGroup>,
    /// What makes a resource a member, for a dynamic group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_criteria: Option<GroupFilterCriteria>,
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// When it was created.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
}

impl ResourceGroup {
    /// The wire form of a row.
    pub fn of(row: Group, parents: &Parents) -> Self {
        Self {
            id: row.id,
            unique_id: row.unique_id,
            name: row.name,
            description: row.description,
            parent: row.parent_id.and_then(|id| parents.get(&id)).cloned(),
            filter_criteria: row.rules.map(|Json(criteria)| GroupFilterCriteria::from(criteria)),
            tenant_id: row.tenant_id,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// The group above another.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParentGroup {
    /// Its integer id.
    pub id: i64,
    /// `DGP-<uuid>` or `SGP-<uuid>`.
    pub unique_id: String,
    /// Its name.
    pub name: String,
}

/// What makes a resource a member of a dynamic group.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupFilterCriteria {
    /// `ANY`: one rule is enough; `ALL` (default): every rule.
    #[schema(required = false, pattern = "^(ANY|ALL)$")]
    pub match_type: &'static str,
    /// At most 50. None makes the group a static one.
    pub rules: Vec<GroupFilterRule>,
}

impl From<Criteria> for GroupFilterCriteria {
    fn from(criteria: Criteria) -> Self {
        Self {
            match_type: criteria.match_type.word(),
            rules: criteria.rules.into_iter().map(GroupFilterRule::from).collect(),
        }
    }
}

/// One comparison of a resource's attribute with a value.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"key": "hostName", "operator": "Starts with", "value": "web-"}))]
pub struct GroupFilterRule {
    /// Only resources of this `type` (such as `DEVICE`) or resource type (such as `Linux`) meet the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// An attribute or query variable of a resource: `hostName`, `osName`, `make`, `ipAddress`, `resourceType`,
    /// `state`, `deviceLocation`, `appRoles`, `tags` (names), `tags.NAME` (the value of one), and so on.
    #[schema(inline, value_type = Key)]
    pub key: String,
    /// `Contains`, `Not Contains`, `Equals`, `Not Equals`, `Starts with`, `Ends with` (all whatever the letter case;
    /// an address equals a block that it lies in) or `Regex` (anywhere in the text, in the letter case given).
    #[schema(pattern = "^(Contains|Not Contains|Equals|Not Equals|Starts with|Ends with|Regex)$")]
    pub operator: &'static str,
    /// At most 1,000 characters.
    pub value: String,
}

impl From<Rule> for GroupFilterRule {
    fn from(rule: Rule) -> Self {
        Self { resource_type: rule.resource_type, key: rule.key, operator: rule.operator.words(), value: rule.value }
    }
}

/// A group in the minimal list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": 7, "uniqueId": "DGP-0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "name": "Web servers"}))]
pub struct ResourceGroupMinimal {
    /// What `deviceGroupId` takes.
    pub id: i64,
    /// `DGP-<uuid>` or `SGP-<uuid>`.
    pub unique_id: String,
    /// Its name.
    pub name: String,
}

/// The answer to creating groups: one group for an object, an array for an array.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum CreatedGroups {
    /// For one object.
    One(ResourceGroup),
    /// For an array, in its order.
    Many(Vec<ResourceGroup>),
}

/// A child group or a member of a group.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "type": "DEVICE", "name": "web-01",
    "hostName": "web-01.example.net", "ipAddress": "10.0.0.11", "resourceType": "Linux", "byRule": false
}))]
pub struct GroupChild {
    /// UUID of a resource, unique id of a child group.
    pub id: String,
    /// `DEVICE_GROUP` or `SERVICE_GROUP` for a child group; the `type` of a resource, such as `DEVICE`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name shown.
    pub name: String,
    /// Of a resource; empty when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// Of a resource; empty when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// Of a resource: its resource type's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// Of a resource: whether it is a member by the filter criteria, and not by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_rule: Option<bool>,
}
