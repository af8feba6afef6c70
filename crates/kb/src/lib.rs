//! The knowledge base: articles, and the categories that they stand in.
//!
//! - [`categories`]: the tree of categories of each tenant, with a trash
//! - [`articles`]: Markdown, with its history and a search for words
//!
//! Operations 12 and 13 of `docs/interface.md`, and the ones around them. A change of a tenant's tree takes its lock
//! until the end of the transaction, since two concurrent moves could close a circle. Changes of articles share that
//! lock, since an article could otherwise enter a category that is just moved to the trash.

mod article;
mod articles;
mod categories;
pub mod demo;
mod schema;
mod state;

pub use articles::{port::ArticlePort, store::WORDS};

use std::sync::Arc;

use api::{Alias, Extras, Need, Restorer, Routes, Tag};
use db::Lock;
use ports::People;

static QUOTAS: [&db::Quota; 2] = [&articles::store::QUOTA, &categories::store::QUOTA];

/// The state that handlers take from [`extras`].
const NEEDS: &[Need] = &[Need::of::<dyn People>()];

/// The migrations, oldest first.
const MIGRATIONS: db::Migrations =
    db::migrations!("kb", each kb0001_kb, both kb0002_retention, both kb0006_ids, each kb0007_words)
        .with_backfills(&[articles::WORDS_BACKFILL]);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] =
    &[Tag { name: "Knowledge base", description: "Categories and articles, with versions, search and a trash." }];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "kb",
        title: "Muster: knowledge base",
        tags: TAGS,
        routes,
        root_routes: api::domain::no_routes,
        aliases: ALIASES,
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[articles::store::RETENTION],
        quotas: &QUOTAS,
    }
}

/// What of the knowledge base is restored when a change set is undone.
pub fn restorers() -> Vec<Arc<dyn Restorer>> {
    vec![Arc::new(categories::Categories), Arc::new(articles::Articles)]
}

/// Makes the port for people available to the handlers.
pub fn extras(people: Arc<dyn People>) -> Extras {
    Extras::default().with(people)
}

/// The paths by which clients of other services of this kind call the same operations.
const ALIASES: &[Alias] = &[
    Alias::post("/kb/category/create", "/kb/category", "createKbCategoryAlias"),
    Alias::post("/kb/category/update/{categoryId}", "/kb/category/{categoryId}", "updateKbCategoryAlias"),
    Alias::delete("/kb/category/delete/{categoryId}", "/kb/category/{categoryId}", "deleteKbCategoryAlias"),
    Alias::get("/kb/articlesList", "/kb/articlelist", "listKbArticlesAlias"),
    Alias::get("/kb/articles/search", "/kb/articlelist", "filterKbArticlesAlias"),
    Alias::delete("/kb/article/{articleId}/delete", "/kb/article/{articleId}", "deleteKbArticleAlias"),
];

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    categories::routes(config);
    articles::routes(config);
}

/// The lock of a tenant's tree: changes of categories take it, changes of articles share it.
fn lock(tenant: &str) -> Lock {
    Lock::of("kb", tenant)
}
