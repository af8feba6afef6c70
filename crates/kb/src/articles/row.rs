//! The rows of articles and of their revisions.

use diesel::prelude::*;

use crate::schema::kb_articles;

/// One row of `kb_articles`, but for its content.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = kb_articles, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct ArticleHead {
    pub tenant_id: String,
    /// `KBA` and digits, unique in the whole database.
    pub id: String,
    /// The number in the id.
    pub number: i64,
    pub version: i64,
    /// Counts the versions of title and content.
    pub revision: i64,
    /// Its category, of the same tenant.
    pub category_id: String,
    /// As it was given.
    pub title: String,
    /// Folded.
    pub title_key: String,
    /// Its state outside the trash.
    pub state: String,
    /// The article or category whose deletion put it into the trash; empty outside.
    pub trashed_with: String,
    pub created_by: String,
    pub updated_by: String,
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// One row of `kb_article_revisions`, but for its content.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct Revision {
    /// From 1.
    pub revision: i64,
    /// The title then.
    pub title: String,
    pub created_by: String,
    pub created_ms: i64,
}
