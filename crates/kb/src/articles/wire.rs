//! The requests and answers for articles ("Knowledge base" in `docs/interface.md`).

use api::Request;
use ports::Author;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    categories::wire::{CategoryName, CategoryReference, normal_id},
    state,
};

/// The longest title, in characters.
const LONGEST_TITLE: usize = 200;
/// The longest content, in characters.
const LONGEST_CONTENT: usize = 100_000;

api::path_id! {
    /// `KBA` and digits.
    pub ArticleId = "articleId", "KBA0000000001", normal_id
}

/// An article.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KbArticle)]
pub struct Article {
    /// `KBA` and digits.
    #[schema(example = "KBA0000000001")]
    pub id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// The title.
    pub title: String,
    /// The same as `title`.
    pub subject: String,
    /// Markdown; only when a single article is read.
    pub content: Option<String>,
    /// Where the words that were searched for occur: HTML in which they are marked up as `<mark>`, and all else is
    /// escaped.
    pub snippet: Option<String>,
    /// The category that it is in.
    pub category: CategoryName,
    /// `ACTIVE`, `INACTIVE` or `TRASH`.
    #[schema(pattern = "^(ACTIVE|INACTIVE|TRASH)$", example = "ACTIVE")]
    pub state: String,
    /// Counts the versions of title and content, from 1.
    pub revision: i64,
    /// Who created it.
    pub created_by: Author,
    /// Who changed it last.
    pub updated_by: Author,
    /// When it was created.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_date: String,
    /// When it changed last.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub updated_date: String,
    /// The same as `createdDate`.
    pub created_time: String,
    /// The same as `updatedDate`.
    pub updated_time: String,
}

/// A version of an article.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KbArticleVersion)]
pub struct Version {
    /// From 1.
    pub revision: i64,
    /// The title then.
    pub title: String,
    /// Who wrote it.
    pub created_by: Author,
    /// When.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_date: String,
}

/// An article to create.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "KbArticleInput")]
#[request(update(
    name = ArticleChange,
    schema = "KbArticleUpdate",
    doc = "The changes to an article; fields left out stay as they are."
))]
pub struct NewArticle {
    /// One line; `subject` is taken too.
    #[request(also = ["subject"], line, chars = LONGEST_TITLE)]
    pub title: String,
    /// Markdown.
    #[request(filled, chars = LONGEST_CONTENT)]
    pub content: String,
    /// The category that it is in.
    pub category: CategoryReference,
    /// `ACTIVE` (default) or `INACTIVE`; `PUBLISHED` and `DRAFT` mean the same.
    #[request(words = state::OF_ARTICLES, parse = state_of, default = state::ACTIVE)]
    pub state: &'static str,
}

fn state_of(word: &'static str) -> Result<&'static str, String> {
    Ok(state::parse_article_state(word))
}
