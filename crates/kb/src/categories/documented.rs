//! The shapes of requests, for the OpenAPI document.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

/// A category to create.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct KbCategoryInput {
    /// Unique among its siblings outside the trash, whatever the letter case; at most 200 characters, without `>>`.
    name: String,
    /// At most 4,000 characters.
    description: Option<String>,
    /// `ACTIVE` (default) or `INACTIVE`.
    state: Option<String>,
    /// What it stands below; without it it stands at the top.
    parent_category: Option<KbCategoryReference>,
}

/// The changes to a category; what is left out stays as it is.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct KbCategoryUpdate {
    /// Unique among its siblings, whatever the letter case.
    name: Option<String>,
    /// What it is about.
    description: Option<String>,
    /// `ACTIVE` or `INACTIVE`.
    state: Option<String>,
    /// What it is to stand below.
    parent_category: Option<KbCategoryReference>,
}

/// Where a category is to stand.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct KbCategoryMove {
    /// What it is to stand below; without it, or with `null`, at the top.
    parent_category: Option<KbCategoryReference>,
}

/// A category of the same tenant.
#[derive(ToSchema)]
#[schema(example = json!({"id": "KBC0000000001"}))]
pub struct KbCategoryReference {
    /// `KBC` and digits.
    id: String,
}
