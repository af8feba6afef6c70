//! Articles over HTTP.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, At, Body, answer, context::check_version, spec::PageOf};
use base::problem::Problem;
use outbox::Tx;
use ports::People;

use super::{
    documented::{KbArticleInput, KbArticleUpdate},
    rules::{self, Filter},
    shown, store,
    wire::{Article, ArticleChange, NewArticle, Version},
};
use crate::{
    categories::{self, rules::normal_id},
    share, state,
};

/// Create a knowledge-base article
///
/// In Markdown, which is kept as it is. The category is one of the same tenant, outside the trash.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "createKbArticle",
    request_body(content = KbArticleInput, example = json!({
        "title": "An access point does not answer", "content": "Look at the **LED** first.", "category": {"id": "KBC0000000001"}
    })),
    responses(
        (status = 200, description = "The new article", body = Article),
        (status = 409, description = "The category is in the trash", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/article")]
pub async fn create(at: At, people: web::Data<dyn People>, body: Body) -> api::Result<HttpResponse> {
    at.no_query()?;
    let new = NewArticle::read(&body.0)?;
    let (tenant, tenants, author) = (at.tenant.id.to_string(), at.scope_and_partner(), at.caller.user_id.clone());
    let (people, now) = (people.into_inner(), at.now);
    at.write(move |tx| {
        share(tx.conn, &tenant)?;
        check_category(tx, &tenant, &new.category)?;
        let number = db::next_id(tx.conn, "kb.articles")?;
        let row = rules::created(&tenant, &new, number, &author, now);
        store::insert(tx.conn, &row, &new.content)?;
        shown::note(tx, None, Some(&row));
        Answer::entity(&shown::one(tx.conn, &*people, &tenants, &row, new.content)?, row.version)
    })
    .await
}

/// Refuses a category that is not the tenant's, or in the trash.
fn check_category(tx: &mut Tx<'_>, tenant: &str, id: &str) -> db::Result<()> {
    let unknown = || Problem::field("category.id", "names no knowledge-base category of the tenant");
    let category = categories::store::find(tx.conn, &[tenant.to_owned()], id)?.ok_or_else(unknown)?;
    if category.trashed_with.is_empty() {
        return Ok(());
    }
    Err(categories::rules::in_trash(&category.id, &category.name).into())
}

/// List knowledge-base articles
///
/// A page of articles, without their contents; at partner level, of its clients too, unless `allList` is `false`.
/// `state` is one of the states, or `ALL`; without it those outside the trash are listed. The variables of
/// `queryString` are `id`, `title` or `subject` (it contains the value, whatever the letter case), `isEquals` (`true`: it
/// is the value), `state` or `states`, `categoryId`, `categoryName` (as `title`) and `allList`.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "listKbArticles",
    params(
        ("state" = Option<String>, Query, description = "`ACTIVE`, `INACTIVE`, `TRASH` or `ALL`", example = "ACTIVE"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 20", example = 20),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`title` (default), `id`, `createdDate` or `updatedDate`", example = "title"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "title:access"),
    ),
    responses((status = 200, description = "A page of articles", body = PageOf<Article>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/articlelist")]
pub async fn list(at: At, people: web::Data<dyn People>) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let sort = query.sort(&rules::SORTS, "title", false);
    let walk = query.walk_sized(at.request().path(), sort, 20);
    let states = state::parameter(&mut query);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let mut filter = Filter::parse(&text)?;
    filter.states.get_or_insert(states);
    let scope = if filter.all == Some(false) { vec![at.tenant.id.to_string()] } else { at.scope() };
    let (tenants, people, paged) = (at.scope_and_partner(), people.into_inner(), walk.clone());
    let found = at
        .db
        .read(move |conn| {
            let found = store::list(conn, &scope, &filter, sort, &paged)?;
            Ok(found.with(shown::all(conn, &*people, &tenants, &found.rows)?))
        })
        .await?;
    answer::ok(&walk.answer(found).ordered(sort.name, sort.descending))
}

/// Get a knowledge-base article
///
/// As it is, or with `revision` as title and content were then.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "getKbArticle",
    params(
        ("articleId" = String, Path, description = "`KBA` and digits", example = "KBA0000000001"),
        ("revision" = Option<i64>, Query, description = "An earlier version, from 1", example = 1),
    ),
    responses((status = 200, description = "The article", body = Article)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/article/{articleId}")]
pub async fn get(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let revision = query.integer("revision", 0);
    query.finish()?;
    let (scope, tenants, people) = (at.scope(), at.scope_and_partner(), people.into_inner());
    let id = normal_id(&path.into_inner().1);
    let (shown, version) = at
        .db
        .read(move |conn| {
            let mut row = store::existing(conn, &scope, &id)?;
            let content = if revision == 0 {
                store::content(conn, &row)?
            } else {
                let (title, content, author, at_ms) = store::said(conn, &row, revision)?;
                (row.title, row.updated_by, row.updated_ms, row.revision) = (title, author, at_ms, revision);
                content
            };
            Ok((shown::one(conn, &*people, &tenants, &row, content)?, row.version))
        })
        .await?;
    answer::tagged(&shown, version)
}

/// Update a knowledge-base article
///
/// Fields left out stay as they are. Another title or content makes another revision; what it said before stays in its
/// history. What is in the trash is not changed (409). `If-Match` with the `ETag` of what you read makes sure that
/// nobody else changed it meanwhile.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "updateKbArticle",
    params(("articleId" = String, Path, description = "`KBA` and digits", example = "KBA0000000001")),
    request_body(content = KbArticleUpdate, example = json!({"content": "Look at the **LED**, then at the cable."})),
    responses(
        (status = 200, description = "The article after the change", body = Article),
        (status = 409, description = "It, or the category, is in the trash", body = api::spec::Problem, content_type = "application/problem+json"),
        (status = 412, description = "The article has changed since it was read", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/article/{articleId}")]
pub async fn update(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    at.no_query()?;
    let change = ArticleChange::read(&body.0)?;
    let (scope, tenants, wanted, id) = (at.scope(), at.scope_and_partner(), at.if_match()?, path.into_inner().1);
    let (people, author, now) = (people.into_inner(), at.caller.user_id.clone(), at.now);
    at.write(move |tx| {
        let old = take_up(tx, &scope, &id, wanted)?;
        let content = store::content(tx.conn, &old)?;
        let category = change.category.clone();
        let (row, content) = rules::changed(&old, &content, change, &author, now)?;
        if let Some(category) = category {
            check_category(tx, &old.tenant_id, &category)?;
        }
        store::update(tx.conn, &old, &row, &content)?;
        shown::note(tx, Some(&old), Some(&row));
        Answer::entity(&shown::one(tx.conn, &*people, &tenants, &row, content)?, row.version)
    })
    .await
}

/// Delete a knowledge-base article
///
/// Moves it to the trash (state `TRASH`). It can still be read, and restored.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "deleteKbArticle",
    params(("articleId" = String, Path, description = "`KBA` and digits", example = "KBA0000000001")),
    responses(
        (status = 200, description = "In the trash; an empty object"),
        (status = 409, description = "It is in the trash already", body = api::spec::Problem, content_type = "application/problem+json"),
        (status = 412, description = "The article has changed since it was read", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/kb/article/{articleId}")]
pub async fn delete(at: At, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    at.no_query()?;
    let (scope, wanted, id) = (at.scope(), at.if_match()?, path.into_inner().1);
    let (author, now) = (at.caller.user_id.clone(), at.now);
    at.write(move |tx| {
        let old = take_up(tx, &scope, &id, wanted)?;
        if !old.trashed_with.is_empty() {
            return Err(rules::in_trash(&old).into());
        }
        let row = rules::moved_to_trash(&old, Some(&old.id), &author, now);
        store::update_head(tx.conn, &row)?;
        shown::note(tx, Some(&old), Some(&row));
        Ok(Answer::empty())
    })
    .await
}

/// Restore a knowledge-base article
///
/// Takes it out of the trash; its state is `ACTIVE` then. One that is `ACTIVE` already is answered as it is. While its
/// category is in the trash, the answer is a 409 that names the category.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "restoreKbArticle",
    params(("articleId" = String, Path, description = "`KBA` and digits", example = "KBA0000000001")),
    responses(
        (status = 200, description = "The article", body = Article),
        (status = 409, description = "Its category is in the trash", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/article/restore/{articleId}")]
pub async fn restore(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    at.no_query()?;
    let (scope, tenants, wanted, id) = (at.scope(), at.scope_and_partner(), at.if_match()?, path.into_inner().1);
    let (people, author, now) = (people.into_inner(), at.caller.user_id.clone(), at.now);
    at.write(move |tx| {
        let old = take_up(tx, &scope, &id, wanted)?;
        let content = store::content(tx.conn, &old)?;
        let row = if old.trashed_with.is_empty() && old.state == state::ACTIVE {
            old
        } else {
            check_category(tx, &old.tenant_id, &old.category_id)?;
            let row = rules::moved_to_trash(&old, None, &author, now);
            store::update_head(tx.conn, &row)?;
            shown::note(tx, Some(&old), Some(&row));
            row
        };
        Answer::entity(&shown::one(tx.conn, &*people, &tenants, &row, content)?, row.version)
    })
    .await
}

/// List the versions of a knowledge-base article
///
/// A page of its revisions, without their contents, the latest first. `revision` of the article's own path reads one.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "listKbArticleVersions",
    params(
        ("articleId" = String, Path, description = "`KBA` and digits", example = "KBA0000000001"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 20", example = 20),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        ("sortName" = Option<String>, Query, description = "`revision`", example = "revision"),
    ),
    responses((status = 200, description = "A page of versions", body = PageOf<Version>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/article/{articleId}/versions")]
pub async fn versions(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let sort = query.sort(&["revision"], "revision", true);
    let walk = query.walk_sized(at.request().path(), sort, 20);
    query.finish()?;
    let (scope, tenants, people) = (at.scope(), at.scope_and_partner(), people.into_inner());
    let (id, paged) = (normal_id(&path.into_inner().1), walk.clone());
    let found = at
        .db
        .read(move |conn| {
            let row = store::existing(conn, &scope, &id)?;
            let found = store::revisions(conn, &row, sort, &paged)?;
            Ok(found.with(shown::versions(conn, &*people, &tenants, &found.rows)?))
        })
        .await?;
    answer::ok(&walk.answer(found).ordered(sort.name, sort.descending))
}

/// The article that is to be changed, which nobody else changes until the end of the transaction, in a tree that stays
/// as it is.
fn take_up(tx: &mut Tx<'_>, scope: &[String], id: &str, wanted: Option<i64>) -> db::Result<store::Head> {
    let id = normal_id(id);
    let seen = store::existing(tx.conn, scope, &id)?;
    share(tx.conn, &seen.tenant_id)?;
    db::lock(tx.conn, &format!("kb-article:{}", seen.id))?;
    let row = store::existing(tx.conn, std::slice::from_ref(&seen.tenant_id), &id)?;
    check_version(wanted, row.version)?;
    Ok(row)
}
