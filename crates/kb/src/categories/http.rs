//! Categories over HTTP.

use std::sync::Arc;

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, At, Body, OptionalBody, answer, context::check_version, spec::PageOf};
use base::problem::Problem;
use outbox::Tx;
use ports::People;

use super::{
    documented::{KbCategoryInput, KbCategoryMove, KbCategoryUpdate},
    rules::{self, Filter},
    shown, store,
    wire::{Category, CategoryChange, NewCategory},
};
use crate::{alone, state};

/// Create a knowledge-base category
///
/// With `parentCategory` it stands below that category of the same tenant, else at the top. Its name is unique among
/// its siblings outside the trash, whatever the letter case.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "createKbCategory",
    request_body(content = KbCategoryInput, example = json!({
        "name": "Wireless", "description": "Access points", "parentCategory": {"id": "KBC0000000001"}
    })),
    responses(
        (status = 200, description = "The new category", body = Category),
        (status = 409, description = "A sibling has its name, or the parent is in the trash", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/category")]
pub async fn create(at: At, people: web::Data<dyn People>, body: Body) -> api::Result<HttpResponse> {
    at.no_query()?;
    let new = NewCategory::read(&body.0)?;
    let (tenant, tenants, author) = (at.tenant.id.to_string(), at.scope_and_partner(), at.caller.user_id.clone());
    let (people, now) = (people.into_inner(), at.now);
    at.write(move |tx| {
        alone(tx.conn, &tenant)?;
        let parent = new.parent.as_deref().map(|id| parent(tx, &tenant, id)).transpose()?;
        let number = db::next_id(tx.conn, "kb.categories")?;
        let row = rules::created(&tenant, new, parent.as_ref(), number, &author, now)?;
        store::insert(tx.conn, &row)?;
        shown::note(tx, None, Some(&row));
        Answer::entity(&shown::one(tx.conn, &*people, &tenants, &row)?, row.version)
    })
    .await
}

/// The category of the tenant that is to be a parent.
fn parent(tx: &mut Tx<'_>, tenant: &str, id: &str) -> db::Result<store::Category> {
    let unknown = || Problem::field("parentCategory.id", "names no knowledge-base category of the tenant");
    Ok(store::find(tx.conn, &[tenant.to_owned()], id)?.ok_or_else(unknown)?)
}

/// List knowledge-base categories
///
/// A page of categories; at partner level, of its clients too, unless `allList` is `false`. `state` is one of the
/// states, or `ALL`; without it those outside the trash are listed. The variables of `queryString` are `id`, `name` (it
/// contains the value, whatever the letter case), `isEquals` (`true`: it is the value), `state`, `parentId` (right
/// below that category, or `none`: at the top) and `allList`.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "listKbCategories",
    params(
        ("state" = Option<String>, Query, description = "`ACTIVE`, `INACTIVE`, `TRASH` or `ALL`", example = "ACTIVE"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 20", example = 20),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`name` (default), `id`, `createdDate` or `updatedDate`", example = "name"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "name:wire"),
    ),
    responses((status = 200, description = "A page of categories", body = PageOf<Category>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/categorylist")]
pub async fn list(at: At, people: web::Data<dyn People>) -> api::Result<HttpResponse> {
    listed(&at, people.into_inner(), None).await
}

/// List the categories right below one
///
/// A page of them, as of the list of all, with the same parameters.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "listKbCategoryChildren",
    params(
        ("categoryId" = String, Path, description = "`KBC` and digits", example = "KBC0000000001"),
        ("state" = Option<String>, Query, description = "`ACTIVE`, `INACTIVE`, `TRASH` or `ALL`", example = "ACTIVE"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 20", example = 20),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`name` (default), `id`, `createdDate` or `updatedDate`", example = "name"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "name:wire"),
    ),
    responses((status = 200, description = "A page of categories", body = PageOf<Category>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/categorylist/{categoryId}")]
pub async fn children(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    listed(&at, people.into_inner(), Some(rules::normal_id(&path.into_inner().1))).await
}

/// A page of categories; with `parent`, of those right below it.
async fn listed(at: &At, people: Arc<dyn People>, parent: Option<String>) -> api::Result<HttpResponse> {
    let mut query = at.query()?;
    let sort = query.sort(&rules::SORTS, "name", false);
    let walk = query.walk_sized(at.request().path(), sort, 20);
    let states = state::parameter(&mut query);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let mut filter = Filter::parse(&text)?;
    filter.states.get_or_insert(states);
    filter.below(parent.as_deref());
    let scope = if filter.all == Some(false) { vec![at.tenant.id.to_string()] } else { at.scope() };
    let (reach, tenants, paged) = (at.scope(), at.scope_and_partner(), walk.clone());
    let found = at
        .db
        .read(move |conn| {
            if let Some(parent) = parent {
                store::existing(conn, &reach, &parent)?;
            }
            let found = store::search(conn, &scope, &filter, sort, &paged)?;
            Ok(found.with(shown::all(conn, &*people, &tenants, &found.rows)?))
        })
        .await?;
    answer::ok(&walk.answer(found).ordered(sort.name, sort.descending))
}

/// Restore a knowledge-base category
///
/// Takes it out of the trash, with all that came there with it; its state is `ACTIVE` then. One that is `ACTIVE`
/// already is answered as it is. While the category above it is in the trash, the answer is a 409 that names that one.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "restoreKbCategory",
    params(("categoryId" = String, Path, description = "`KBC` and digits", example = "KBC0000000001")),
    responses(
        (status = 200, description = "The category", body = Category),
        (status = 409, description = "The category above it is in the trash, or a sibling has its name by now", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/category/restore/{categoryId}")]
pub async fn restore(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    at.no_query()?;
    let (scope, tenants, wanted, id) = (at.scope(), at.scope_and_partner(), at.if_match()?, path.into_inner().1);
    let (people, author, now_ms) = (people.into_inner(), at.caller.user_id.clone(), at.now.millis());
    at.write(move |tx| {
        let old = take_up(tx, &scope, &id, wanted)?;
        let tenant = std::slice::from_ref(&old.tenant_id);
        if old.trashed_with.is_empty() && old.state == state::ACTIVE {
            return Answer::entity(&shown::one(tx.conn, &*people, &tenants, &old)?, old.version);
        }
        if old.trashed_with.is_empty() {
            store::activate(tx.conn, &old, &author, now_ms)?;
        } else {
            if let Some(above) = store::find(tx.conn, tenant, &old.parent_id)?
                && !above.trashed_with.is_empty()
            {
                return Err(rules::in_trash(&above.id, &above.name).into());
            }
            store::restore(tx.conn, &old, &author, now_ms)?;
        }
        let row = store::existing(tx.conn, tenant, &old.id)?;
        shown::note(tx, Some(&old), Some(&row));
        Answer::entity(&shown::one(tx.conn, &*people, &tenants, &row)?, row.version)
    })
    .await
}

/// Get a knowledge-base category
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "getKbCategory",
    params(("categoryId" = String, Path, description = "`KBC` and digits", example = "KBC0000000001")),
    responses((status = 200, description = "The category", body = Category)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/category/{categoryId}")]
pub async fn get(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    at.no_query()?;
    let (scope, tenants, people) = (at.scope(), at.scope_and_partner(), people.into_inner());
    let id = rules::normal_id(&path.into_inner().1);
    let (shown, version) = at
        .db
        .read(move |conn| {
            let row = store::existing(conn, &scope, &id)?;
            Ok((shown::one(conn, &*people, &tenants, &row)?, row.version))
        })
        .await?;
    answer::tagged(&shown, version)
}

/// Update a knowledge-base category
///
/// Fields left out stay as they are; with `parentCategory` it moves as well. The paths of all below it follow. What is
/// in the trash is not changed (409). `If-Match` with the `ETag` of what you read makes sure that nobody else changed
/// it meanwhile.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "updateKbCategory",
    params(("categoryId" = String, Path, description = "`KBC` and digits", example = "KBC0000000001")),
    request_body(content = KbCategoryUpdate, example = json!({"name": "Wi-Fi", "state": "INACTIVE"})),
    responses(
        (status = 200, description = "The category after the change", body = Category),
        (status = 409, description = "A sibling has the name, it would stand below itself, or it is in the trash", body = api::spec::Problem, content_type = "application/problem+json"),
        (status = 412, description = "The category has changed since it was read", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/category/{categoryId}")]
pub async fn update(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    at.no_query()?;
    let change = CategoryChange::read(&body.0)?;
    changed(&at, people.into_inner(), path.into_inner().1, change).await
}

/// Move a knowledge-base category
///
/// Below `parentCategory`, a category of the same tenant, or without one to the top; with all that is below it. Below
/// itself it cannot stand (409).
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "moveKbCategory",
    params(("categoryId" = String, Path, description = "`KBC` and digits", example = "KBC0000000001")),
    request_body(content = KbCategoryMove, example = json!({"parentCategory": {"id": "KBC0000000002"}})),
    responses(
        (status = 200, description = "The category after the move", body = Category),
        (status = 409, description = "A sibling there has its name, it would stand below itself, or one of them is in the trash", body = api::spec::Problem, content_type = "application/problem+json"),
        (status = 412, description = "The category has changed since it was read", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/category/{categoryId}/move")]
pub async fn relocate(
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
    body: OptionalBody,
) -> api::Result<HttpResponse> {
    at.no_query()?;
    let change = CategoryChange::read_move(&body.0)?;
    changed(&at, people.into_inner(), path.into_inner().1, change).await
}

async fn changed(at: &At, people: Arc<dyn People>, id: String, change: CategoryChange) -> api::Result<HttpResponse> {
    let (scope, tenants, wanted) = (at.scope(), at.scope_and_partner(), at.if_match()?);
    let (author, now) = (at.caller.user_id.clone(), at.now);
    at.write(move |tx| {
        let old = take_up(tx, &scope, &id, wanted)?;
        let above = match &change.parent {
            Some(wanted) => wanted.as_deref().map(|id| parent(tx, &old.tenant_id, id)).transpose()?,
            None => store::find(tx.conn, std::slice::from_ref(&old.tenant_id), &old.parent_id)?,
        };
        let row = rules::changed(&old, change, above.as_ref(), &author, now)?;
        store::update(tx.conn, &old, &row)?;
        shown::note(tx, Some(&old), Some(&row));
        Answer::entity(&shown::one(tx.conn, &*people, &tenants, &row)?, row.version)
    })
    .await
}

/// Delete a knowledge-base category
///
/// Moves it to the trash (state `TRASH`), with all categories and articles below it. It can still be read, and
/// restored.
#[utoipa::path(
    tag = "knowledge base",
    operation_id = "deleteKbCategory",
    params(("categoryId" = String, Path, description = "`KBC` and digits", example = "KBC0000000001")),
    responses(
        (status = 200, description = "In the trash; an empty object"),
        (status = 409, description = "It is in the trash already", body = api::spec::Problem, content_type = "application/problem+json"),
        (status = 412, description = "The category has changed since it was read", body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/kb/category/{categoryId}")]
pub async fn delete(at: At, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    at.no_query()?;
    let (scope, wanted, id) = (at.scope(), at.if_match()?, path.into_inner().1);
    let (author, now_ms) = (at.caller.user_id.clone(), at.now.millis());
    at.write(move |tx| {
        let old = take_up(tx, &scope, &id, wanted)?;
        if !old.trashed_with.is_empty() {
            return Err(rules::in_trash(&old.id, &old.name).into());
        }
        store::delete(tx.conn, &old, &author, now_ms)?;
        let row = store::existing(tx.conn, std::slice::from_ref(&old.tenant_id), &old.id)?;
        shown::note(tx, Some(&old), Some(&row));
        Ok(Answer::empty())
    })
    .await
}

/// The category that is to be changed, in a tree that nobody else changes until the end of the transaction.
fn take_up(tx: &mut Tx<'_>, scope: &[String], id: &str, wanted: Option<i64>) -> db::Result<store::Category> {
    let id = rules::normal_id(id);
    let seen = store::existing(tx.conn, scope, &id)?;
    alone(tx.conn, &seen.tenant_id)?;
    let row = store::existing(tx.conn, std::slice::from_ref(&seen.tenant_id), &id)?;
    check_version(wanted, row.version)?;
    Ok(row)
}
