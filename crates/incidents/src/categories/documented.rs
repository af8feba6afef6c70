//! The shapes of requests, for the OpenAPI document.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

/// Categories to create.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct IncidentCategoriesInput {
    /// The name of each; unique among its siblings, whatever the letter case. At most 200 characters each.
    #[schema(min_items = 1, max_items = 1000)]
    names: Vec<String>,
    /// What they stand below; without it they stand at the top.
    parent_category: Option<IncidentCategoryReference>,
}

/// The changes to a category; what is left out stays as it is.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct IncidentCategoryUpdate {
    /// Unique among its siblings, whatever the letter case.
    name: Option<String>,
    /// What it is to stand below.
    parent_category: Option<IncidentCategoryReference>,
}

/// Where a category is to stand.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct IncidentCategoryMove {
    /// What it is to stand below; without it, or with `null`, at the top.
    parent_category: Option<IncidentCategoryReference>,
}

/// A category of the same tenant: `uniqueId` says which; without it `name` does, if only one has that name.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({"uniqueId": "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct IncidentCategoryReference {
    /// `SCAT-<uuid>`.
    unique_id: Option<String>,
    /// The category's name.
    name: Option<String>,
}
