//! Shapes that exist for the OpenAPI document: bodies are read field by field, pages are generic.

use serde::Serialize;
use utoipa::ToSchema;

use super::wire::{GroupChild, GroupFilterCriteria, ResourceGroup};

/// A group to create, or with its id the changes to one.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ResourceGroupInput)]
pub struct NewResourceGroup {
    /// The integer or the unique id of the group that is changed; what is left out stays as it is.
    id: Option<String>,
    /// The same; `id` counts where both are given.
    unique_id: Option<String>,
    /// Required without an id; unique among the tenant's groups of this kind, whatever the letter case; at most 200
    /// characters.
    name: Option<String>,
    /// At most 4,000 characters.
    description: Option<String>,
    /// The group that it stands below.
    parent: Option<GroupReference>,
    /// Makes it a dynamic group.
    filter_criteria: Option<GroupFilterCriteria>,
}

/// One group to create or to change, or an array of up to 1,000, of which all are saved or none.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = ResourceGroupsInput)]
#[expect(dead_code, reason = "documents a body that is read field by field")]
pub enum NewResourceGroups {
    /// Answers one group.
    One(NewResourceGroup),
    /// Answers an array.
    Many(Vec<NewResourceGroup>),
}

/// The changes to a group: what is left out stays as it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ResourceGroupUpdate)]
pub struct ResourceGroupChange {
    /// Unique among the tenant's groups of this kind, whatever the letter case; at most 200 characters, never empty.
    name: Option<String>,
    /// At most 4,000 characters; an empty text removes it.
    description: Option<String>,
    /// The group that it is to stand below; `{}` for none.
    parent: Option<GroupReference>,
    /// New criteria; without rules the group becomes a static one.
    filter_criteria: Option<GroupFilterCriteria>,
}

/// A group of the same tenant and kind, by one of these; the first that is there counts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupReference {
    /// The integer or the unique id.
    #[schema(value_type = Option<String>)]
    id: Option<String>,
    /// `DGP-<uuid>` or `SGP-<uuid>`.
    unique_id: Option<String>,
    /// Whatever the letter case.
    name: Option<String>,
}

/// A resource or a group of the same kind.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}))]
pub struct GroupChildReference {
    /// UUID of a resource, or unique id of a group.
    id: String,
    /// `DEVICE_GROUP` or `SERVICE_GROUP` says that `id` is a group's integer id; otherwise not needed.
    r#type: Option<String>,
}

/// A page of groups ("Paginated envelope" in `docs/interface.md`).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceGroupPage {
    /// The groups of this page.
    results: Vec<ResourceGroup>,
    /// How many groups there are on all pages.
    total_results: i64,
    /// This page, from 1.
    page_no: u32,
    /// The page size used.
    page_size: u32,
    /// How many pages there are; 0 for no group.
    total_pages: i64,
    /// Whether another page follows.
    next_page: bool,
    /// The page before; 0 on the first.
    previous_page_no: u32,
    /// The sort key used.
    order_by: String,
    /// Whether the order is descending.
    descending_order: bool,
    /// Where the next page starts; there whenever `nextPage` is true. To be sent back as `cursor`.
    next_cursor: Option<String>,
}

/// A page of the children of a group ("Paginated envelope" in `docs/interface.md`): child groups first, then
/// resources, each by id.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupChildPage {
    /// The children of this page.
    results: Vec<GroupChild>,
    /// How many children there are on all pages.
    total_results: i64,
    /// This page, from 1.
    page_no: u32,
    /// The page size used.
    page_size: u32,
    /// How many pages there are; 0 for no child.
    total_pages: i64,
    /// Whether another page follows.
    next_page: bool,
    /// Always false.
    descending_order: bool,
    /// Where the next page starts; there whenever `nextPage` is true. To be sent back as `cursor`.
    next_cursor: Option<String>,
}
