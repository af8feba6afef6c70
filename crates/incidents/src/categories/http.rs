//! Categories over HTTP.

use std::sync::Arc;

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, OptionalBody, RequestContext, RequestScope, answer, context::check_version, spec::PageOf};
use base::{
    Query,
    problem::{Problem, Wrong},
};
use outbox::Tx;
use ports::People;

use super::{
    documented::{IncidentCategoriesInput, IncidentCategoryMove, IncidentCategoryUpdate},
    rules::{self, Filter, Reference},
    shown::{self, Shown},
    store,
    wire::{Category, CategoryChange, NewCategories},
};
use crate::{Neighbours, records};

/// Create incident categories
///
/// One for each name, all or none, answered in the order of the names. With `parentCategory` they stand below that
/// category of the same tenant, else at the top. A name is unique among its siblings, whatever the letter case.
#[utoipa::path(
    tag = "incidents",
    operation_id = "createIncidentCategories",
    request_body(content = IncidentCategoriesInput, example = json!({
        "names": ["Network", "Storage"], "parentCategory": {"uniqueId": "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}
    })),
    responses(
        (status = 200, description = "The new categories, in the order of the names", body = Vec<Category>),
        (status = 409, description = "A sibling has one of the names"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/categories")]
pub async fn create(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (new, mut wrong) = NewCategories::read(&body.0);
    let (tenant, visible, author) =
        (context.tenant.id.to_string(), context.scope_and_partner(), context.caller.user_id.clone());
    let (people, now) = (Arc::clone(&neighbours.people), context.now);
    context
        .write(move |tx, _| {
            store::take_up(tx.conn, &tenant)?;
            let parent = parent(tx, &tenant, new.parent.as_ref(), &mut wrong)?;
            wrong.check()?;
            let id = || uuid::Uuid::new_v4().to_string();
            let row = |name| rules::created(&tenant, name, parent.as_ref(), &id(), &author, now);
            let rows = new.names.into_iter().map(row).collect::<Result<Vec<_>, Problem>>()?;
            store::insert(tx.conn, &tenant, parent.as_ref().map_or("", |parent| parent.id.as_str()), &rows)?;
            rows.iter().for_each(|row| shown::note(tx, None, Some(row)));
            Answer::ok(&Shown { people: &*people, visible: &visible }.all(tx.conn, &rows)?)
        })
        .await
}

/// The category of the tenant that is to be a parent, if any.
fn parent(
    tx: &mut Tx<'_>,
    tenant: &str,
    reference: Option<&Reference>,
    wrong: &mut Wrong,
) -> db::Result<Option<store::Category>> {
    let Some(reference) = reference else { return Ok(None) };
    let mut found = store::meant(tx.conn, &[tenant.to_owned()], reference)?;
    let (field, message) = match (found.pop(), found.is_empty(), reference) {
        (Some(parent), true, _) => return Ok(Some(parent)),
        (_, false, _) => ("name", "is the name of several categories: say uniqueId"),
        (None, _, Reference::Id(_)) => ("uniqueId", "names no incident category of the tenant"),
        (None, _, Reference::Name(_)) => ("name", "names no incident category of the tenant"),
    };
    wrong.add(&format!("parentCategory.{field}"), message);
    Ok(None)
}

/// List incident categories
///
/// A page of categories: those of the tenant, with those of its partner, or at partner level with those of its clients.
/// `view=tree` gives those at the top with all that is below them in `children`. The variables of `queryString` are
/// `uniqueId`, `name` (it contains the value, whatever the letter case), `isEquals` (`true`: it is the value),
/// `parentId` (right below that category, or `none`: at the top) and `allList` (`false`: of the tenant itself alone).
#[utoipa::path(
    tag = "incidents",
    operation_id = "listIncidentCategories",
    params(
        ("view" = Option<String>, Query, description = "`flat` (default) or `tree`", example = "flat"),
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`name` (default), `uniqueId`, `createdDate` or `updatedDate`", example = "name"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "name:net"),
    ),
    responses((status = 200, description = "A page of categories", body = PageOf<Category>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/categories")]
pub async fn list(context: RequestContext<Query>, neighbours: web::Data<Neighbours>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "name", false);
    let walk = query.walk(context.request().path(), sort);
    let tree = query.one_of("view", &["flat", "tree"], "flat") == "tree";
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let mut filter = Filter::parse(&text)?;
    if tree {
        filter.parents.get_or_insert_with(|| vec![String::new()]);
    }
    let (visible, people, paged) = (visible(&context, &filter), Arc::clone(&neighbours.people), walk.clone());
    let found = context
        .db
        .read(move |conn| {
            let found = store::search(conn, &visible, &filter, sort, &paged)?;
            let shown = Shown { people: &*people, visible: &visible };
            let rows = if tree { shown.trees(conn, &found.rows)? } else { shown.all(conn, &found.rows)? };
            Ok(found.with(rows))
        })
        .await?;
    answer::ok(&walk.answer(found).ordered(sort.name, sort.descending))
}

fn visible(context: &RequestScope, filter: &Filter) -> Vec<String> {
    if filter.all == Some(false) { vec![context.tenant.id.to_string()] } else { context.scope_and_partner() }
}

/// Get an incident category
#[utoipa::path(
    tag = "incidents",
    operation_id = "getIncidentCategory",
    params(("categoryId" = String, Path, description = "`SCAT-<uuid>`", example = "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The category", body = Category)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/categories/{categoryId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let (visible, people, id) =
        (context.scope_and_partner(), Arc::clone(&neighbours.people), rules::normal_id(&path.into_inner().1));
    let (shown, version) = context
        .db
        .read(move |conn| {
            let row = store::existing(conn, &visible, &id)?;
            Ok((Shown { people: &*people, visible: &visible }.one(conn, &row)?, row.version))
        })
        .await?;
    answer::tagged(&shown, version)
}

/// Update an incident category
///
/// Renames it, and with `parentCategory` moves it as well. Fields left out stay as they are. A category of the partner
/// is only changed at the partner's own level. `If-Match` with the `ETag` of what you read makes sure that nobody else
/// changed it meanwhile.
#[utoipa::path(
    tag = "incidents",
    operation_id = "updateIncidentCategory",
    params(("categoryId" = String, Path, description = "`SCAT-<uuid>`", example = "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = IncidentCategoryUpdate, example = json!({"name": "Networks"})),
    responses(
        (status = 200, description = "The category after the change", body = Category),
        (status = 409, description = "A sibling has the name, or it would stand below itself"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/categories/{categoryId}")]
pub async fn update(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let change = CategoryChange::read(&body.0);
    changed(&context, Arc::clone(&neighbours.people), path.into_inner().1, change).await
}

/// Move an incident category
///
/// Below `parentCategory`, a category of the same tenant, or without one to the top; with all that is below it. Below
/// itself it cannot stand (409).
#[utoipa::path(
    tag = "incidents",
    operation_id = "moveIncidentCategory",
    params(("categoryId" = String, Path, description = "`SCAT-<uuid>`", example = "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = IncidentCategoryMove, example = json!({
        "parentCategory": {"uniqueId": "SCAT-7b0e7c39-6a55-4f5e-8f0e-1a2b3c4d5e6f"}
    })),
    responses(
        (status = 200, description = "The category after the move", body = Category),
        (status = 409, description = "A sibling there has its name, or it would stand below itself"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/categories/{categoryId}/move")]
pub async fn relocate(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    path: web::Path<(String, String)>,
    body: OptionalBody,
) -> api::Result<HttpResponse> {
    let change = CategoryChange::read_move(&body.0);
    changed(&context, Arc::clone(&neighbours.people), path.into_inner().1, change).await
}

async fn changed(
    context: &RequestContext,
    people: Arc<dyn People>,
    id: String,
    (change, mut wrong): (CategoryChange, Wrong),
) -> api::Result<HttpResponse> {
    let (scope, visible, wanted) = (context.scope(), context.scope_and_partner(), context.if_match()?);
    let (author, now) = (context.caller.user_id.clone(), context.now);
    context
        .write(move |tx, _| {
            let old = take_up(tx, &scope, &id, wanted)?;
            let place = match change.parent {
                Some(reference) => Some(parent(tx, &old.tenant_id, reference.as_ref(), &mut wrong)?),
                None => None,
            };
            wrong.check()?;
            let row = rules::changed(&old, change.name, place.as_ref().map(Option::as_ref), &author, now);
            store::update(tx.conn, &old, &row)?;
            shown::note(tx, Some(&old), Some(&row));
            Answer::entity(&Shown { people: &*people, visible: &visible }.one(tx.conn, &row)?, row.version)
        })
        .await
}

/// Delete an incident category
///
/// Refused (409) while it has child categories, or incidents are filed under it.
#[utoipa::path(
    tag = "incidents",
    operation_id = "deleteIncidentCategory",
    params(("categoryId" = String, Path, description = "`SCAT-<uuid>`", example = "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 409, description = "It has children, or incidents are filed under it"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/incidents/categories/{categoryId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (scope, wanted, id) = (context.scope(), context.if_match()?, path.into_inner().1);
    context
        .write(move |tx, _| {
            let row = take_up(tx, &scope, &id, wanted)?;
            if records::store::uses_category(tx.conn, &scope, &row.id)? {
                return Err(rules::in_use(&row.name).into());
            }
            store::delete(tx.conn, &row)?;
            shown::note(tx, Some(&row), None);
            Ok(Answer::empty())
        })
        .await
}

/// The category that is to be changed, in a tree that nobody else changes until the end of the transaction.
fn take_up(tx: &mut Tx<'_>, scope: &[String], id: &str, wanted: Option<i64>) -> db::Result<store::Category> {
    let id = rules::normal_id(id);
    let seen = store::existing(tx.conn, scope, &id)?;
    store::take_up(tx.conn, &seen.tenant_id)?;
    let row = store::existing(tx.conn, std::slice::from_ref(&seen.tenant_id), &id)?;
    check_version(wanted, row.version)?;
    Ok(row)
}
