//! What clients see and say of articles ("Knowledge base" in `docs/interface.md`).

use base::{Fields, problem::Problem};
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::rules::{LONGEST_CONTENT, LONGEST_TITLE};
use crate::{
    categories::wire::{CategoryName, reference},
    state,
};

/// An article.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KbArticle)]
pub struct Article {
    /// `KBA` and digits.
    #[schema(example = "KBA0000000001")]
    pub id: String,
    /// The title.
    pub title: String,
    /// The title once more, by its other name.
    pub subject: String,
    /// Markdown; when the article is read by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Where the words stand that were searched for: HTML in which they are marked up as `<mark>`, and all else is
    /// escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The category that it stands in.
    pub category: CategoryName,
    /// `ACTIVE`, `INACTIVE` or `TRASH`.
    #[schema(example = "ACTIVE")]
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
    /// `createdDate` once more.
    pub created_time: String,
    /// `updatedDate` once more.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewArticle {
    /// Without blanks around it.
    pub title: String,
    /// Markdown.
    pub content: String,
    /// The id of its category.
    pub category: String,
    /// `ACTIVE` or `INACTIVE`.
    pub state: &'static str,
}

/// A change of an article: what is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleChange {
    /// Another title.
    pub title: Option<String>,
    /// Another content.
    pub content: Option<String>,
    /// The id of another category.
    pub category: Option<String>,
    /// Another state outside the trash.
    pub state: Option<&'static str>,
}

impl NewArticle {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        for field in [title(&fields), "content", "category"] {
            fields.require(field);
        }
        let ArticleChange { title, content, category, state } = change(&mut fields);
        fields.finish()?;
        match (title, content, category) {
            (Some(title), Some(content), Some(category)) => {
                Ok(Self { title, content, category, state: state.unwrap_or(state::ACTIVE) })
            }
            _ => Err(Problem::internal()),
        }
    }
}

impl ArticleChange {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong, by its path.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let change = change(&mut fields);
        fields.finish()?;
        Ok(change)
    }
}

/// Where a body has the title: `title`, or `subject`.
fn title(fields: &Fields<'_>) -> &'static str {
    if fields.has("subject") && !fields.has("title") { "subject" } else { "title" }
}

fn change(fields: &mut Fields<'_>) -> ArticleChange {
    let content = fields.text_max("content", LONGEST_CONTENT);
    if content.as_ref().is_some_and(|content| content.trim().is_empty()) {
        fields.error("content", "is required");
    }
    ArticleChange {
        title: fields.name(title(fields), LONGEST_TITLE),
        content,
        category: reference(fields, "category"),
        state: fields.one_of("state", &state::OF_ARTICLES).map(state::of_article),
    }
}
