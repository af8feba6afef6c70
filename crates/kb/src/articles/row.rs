//! The rows of revisions of articles; that of an article itself is one that categories know, too.

use diesel::prelude::*;

pub use crate::article::ArticleHead;

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
