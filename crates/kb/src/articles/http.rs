//! Articles over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, PageQuery, PathIds, RequestContext, RequestScope, Resource, answer, delete, get, post, spec::PageOf,
};
use outbox::Tx;
use ports::People;

use super::{
    filter,
    row::ArticleHead,
    rules, store, view,
    wire::{Article, ArticleChange, ArticleId, NewArticle, Version},
};
use crate::{
    categories::{self, row::Category},
    lock,
    state::{self, StateQuery},
};

api::list! {
    /// The list of articles.
    pub Articles by store::SORTS: SORT = "title", PAGE_SIZE = 20, FILTER = "title:access"
}

api::list! {
    /// The list of an article's versions.
    pub Versions by store::REVISION_SORTS: SORT = "revision", DESCENDING = true, PAGE_SIZE = 20
}

/// The revision of a request that names none.
const PRESENT: i64 = i64::MAX;

/// The parameter for the revision of an article.
#[derive(Clone, Copy, Debug, api::Parameters)]
pub struct RevisionQuery {
    /// An earlier version, from 1.
    #[request(default = PRESENT, example = 1)]
    pub revision: i64,
}

/// Create a knowledge-base article
///
/// In Markdown, which is kept as it is. The category is one of the same tenant, outside the trash.
#[utoipa::path(
    operation_id = "createKbArticle",
    request_body(content = NewArticle, example = json!({
        "title": "An access point does not answer", "content": "Look at the **LED** first.",
        "category": {"id": "KBC0000000001"}
    })),
    responses(
        (status = 200, description = "The new article", body = Article),
        (status = 409, description = "The category is in the trash"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/article")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    Body(new): Body<NewArticle>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            lock(scope.tenant_id()).share(tx.conn)?;
            check_category(tx, scope.tenant_id(), &new.category.id)?;
            let number = store::next_number(tx.conn, scope.tenant_id())?;
            let row = rules::new_row(scope.tenant_id(), &new, number, tx.author(), tx.now);
            store::insert(tx.conn, &row, &new.content)?;
            tx.record_change(None, Some(&row))?;
            article_answer(tx, scope, &**people, &row, new.content)
        })
        .await
}

/// Answers an article, with its content.
fn article_answer(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    people: &dyn People,
    row: &ArticleHead,
    content: String,
) -> db::Result<Answer> {
    Answer::entity(&view::one(tx.conn, people, &scope.scope_and_partner(), row, content)?, row.version)
}

/// Refuses a category that is not the tenant's, or in the trash.
pub fn check_category(tx: &mut Tx<'_>, tenant: &str, id: &str) -> db::Result<()> {
    let category = Category::named(tx.conn, tenant, "category.id", id)?;
    if category.trashed_with.is_empty() {
        return Ok(());
    }
    Err(categories::rules::in_trash(&category.id, &category.name).into())
}

/// List knowledge-base articles
///
/// A page of articles, without their contents; at partner level, of its clients too, unless `allList` is `false`.
/// `state` is one of the states, or `ALL`; without it those outside the trash are listed. The variables of
/// `queryString` are `id`, `title` or `subject` (it contains the value, whatever the letter case), `isEquals` (`true`:
/// it is the value), `state` or `states`, `categoryId`, `categoryName` (as `title`) and `allList`.
#[utoipa::path(
    operation_id = "listKbArticles",
    params(PageQuery<Articles, StateQuery>),
    responses((status = 200, description = "A page of articles", body = PageOf<Article>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/articlelist")]
pub async fn list(
    context: RequestContext<PageQuery<Articles, StateQuery>>,
    people: web::Data<dyn People>,
) -> api::Result<HttpResponse> {
    let PageQuery { own: StateQuery { state }, .. } = context.query.clone();
    let condition = filter::condition(&context, &context.query.filter, state.as_deref())?;
    let page = context.page(move |conn, scope, sort, walk| {
        let found = store::list(conn, condition, sort, walk)?;
        Ok(found.with(view::all(conn, &**people, &scope.scope_and_partner(), &found.rows)?))
    });
    page.await
}

/// Get a knowledge-base article
///
/// As it is, or with `revision` as title and content were then.
#[utoipa::path(
    operation_id = "getKbArticle",
    params(ArticleId, RevisionQuery),
    responses((status = 200, description = "The article", body = Article)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/article/{articleId}")]
pub async fn get(
    context: RequestContext<RevisionQuery>,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<ArticleId>,
) -> api::Result<HttpResponse> {
    let RevisionQuery { revision } = context.query;
    let (shown, version) = context
        .read(move |conn, scope| {
            let mut row = ArticleHead::existing(conn, &scope.scope(), &id)?;
            let content = if revision == PRESENT {
                store::content(conn, &row)?
            } else {
                let (title, content, author, at_ms) = store::revision_text(conn, &row, revision)?;
                row.title = title;
                row.updated_by = author;
                row.updated_ms = at_ms;
                row.revision = revision;
                content
            };
            Ok((view::one(conn, &**people, &scope.scope_and_partner(), &row, content)?, row.version))
        })
        .await?;
    answer::tagged(&shown, version)
}

/// Update a knowledge-base article
///
/// Fields left out stay as they are. Another title or content makes another revision; the earlier one stays in its
/// history. An article in the trash cannot be changed (409). `If-Match` with the `ETag` that you read makes sure that
/// nobody else changed it meanwhile.
#[utoipa::path(
    operation_id = "updateKbArticle",
    params(ArticleId),
    request_body(content = ArticleChange, example = json!({"content": "Look at the **LED**, then at the cable."})),
    responses(
        (status = 200, description = "The article after the change", body = Article),
        (status = 409, description = "It, or the category, is in the trash"),
        (status = 412, description = "The article has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/article/{articleId}")]
pub async fn update(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<ArticleId>,
    Body(change): Body<ArticleChange>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = ArticleHead::locked(tx, scope, &id)?;
            let content = store::content(tx.conn, &old)?;
            let category = change.category.clone();
            let (row, content) = rules::apply_change(&old, &content, change, tx.author(), tx.now)?;
            if let Some(category) = category {
                check_category(tx, &old.tenant_id, &category.id)?;
            }
            store::update(tx.conn, &old, &row, &content)?;
            tx.record_change(Some(&old), Some(&row))?;
            article_answer(tx, scope, &**people, &row, content)
        })
        .await
}

/// Delete a knowledge-base article
///
/// Moves it to the trash (state `TRASH`). It can still be read, and restored.
#[utoipa::path(
    operation_id = "deleteKbArticle",
    params(ArticleId),
    responses(
        (status = 200, description = "In the trash; an empty object"),
        (status = 409, description = "It is in the trash already"),
        (status = 412, description = "The article has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/kb/article/{articleId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<ArticleId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = ArticleHead::locked(tx, scope, &id)?;
            if !old.trashed_with.is_empty() {
                return Err(rules::in_trash(&old).into());
            }
            let row = rules::moved_to_trash(&old, Some(&old.id), tx.author(), tx.now);
            store::update_head(tx.conn, &row)?;
            tx.record_change(Some(&old), Some(&row))?;
            Ok(Answer::empty())
        })
        .await
}

/// Restore a knowledge-base article
///
/// Takes it out of the trash; its state is `ACTIVE` then. One that is `ACTIVE` already is answered as it is. While its
/// category is in the trash, the answer is a 409 that names the category.
#[utoipa::path(
    operation_id = "restoreKbArticle",
    params(ArticleId),
    responses(
        (status = 200, description = "The article", body = Article),
        (status = 409, description = "Its category is in the trash"),
        (status = 412, description = "The article has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/article/restore/{articleId}")]
pub async fn restore(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<ArticleId>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = ArticleHead::locked(tx, scope, &id)?;
            let content = store::content(tx.conn, &old)?;
            if old.trashed_with.is_empty() && old.state == state::ACTIVE {
                return article_answer(tx, scope, &**people, &old, content);
            }
            check_category(tx, &old.tenant_id, &old.category_id)?;
            let row = rules::moved_to_trash(&old, None, tx.author(), tx.now);
            store::update_head(tx.conn, &row)?;
            tx.record_change(Some(&old), Some(&row))?;
            article_answer(tx, scope, &**people, &row, content)
        })
        .await
}

/// List the versions of a knowledge-base article
///
/// A page of its revisions, without their contents, the latest first. `revision` of the article's own path reads one.
#[utoipa::path(
    operation_id = "listKbArticleVersions",
    params(ArticleId, PageQuery<Versions>),
    responses((status = 200, description = "A page of versions", body = PageOf<Version>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/article/{articleId}/versions")]
pub async fn versions(
    context: RequestContext<PageQuery<Versions>>,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<ArticleId>,
) -> api::Result<HttpResponse> {
    let page = context.page(move |conn, scope, sort, walk| {
        let row = ArticleHead::existing(conn, &scope.scope(), &id)?;
        let found = store::revisions(conn, &row, sort, walk)?;
        Ok(found.with(view::versions(conn, &**people, &scope.scope_and_partner(), &found.rows)?))
    });
    page.await
}
