//! The shapes of requests, for the OpenAPI document.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

/// An article to create.
#[derive(ToSchema)]
pub struct KbArticleInput {
    /// At most 200 characters; `subject` is taken too.
    title: String,
    /// Markdown, at most 100,000 characters.
    content: String,
    /// The category that it stands in.
    category: KbArticleCategory,
    /// `ACTIVE` (default) or `INACTIVE`; `PUBLISHED` and `DRAFT` mean the same.
    state: Option<String>,
}

/// The changes to an article; what is left out stays as it is.
#[derive(ToSchema)]
pub struct KbArticleUpdate {
    /// At most 200 characters; `subject` is taken too.
    title: Option<String>,
    /// Markdown, at most 100,000 characters.
    content: Option<String>,
    /// The category that it is to stand in.
    category: Option<KbArticleCategory>,
    /// `ACTIVE` or `INACTIVE`; `PUBLISHED` and `DRAFT` mean the same.
    state: Option<String>,
}

/// A category of the same tenant.
#[derive(ToSchema)]
#[schema(example = json!({"id": "KBC0000000001"}))]
pub struct KbArticleCategory {
    /// `KBC` and digits.
    id: String,
}
