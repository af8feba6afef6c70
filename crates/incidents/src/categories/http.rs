//! Categories over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, OptionalBody, PageQuery, PathIds, RequestContext, Resource as _, answer, delete, get, post,
    spec::PageOf,
};
use base::problem::{FieldErrors, Problem};
use outbox::Tx;

use super::{
    filter, row, rules, store, view,
    wire::{Category, CategoryChange, CategoryId, CategoryMove, CategoryReference, NewCategories},
};
use crate::neighbours::Neighbours;

api::list! {
    /// The list of categories.
    pub Categories by store::SORTS: SORT = "name", FILTER = "name:net"
}

/// The parameter that only this list has.
#[derive(Clone, Debug, api::Parameters)]
pub struct View {
    /// `flat` (default) or `tree`
    #[request(words = ["flat", TREE], default = "flat", example = "flat")]
    view: &'static str,
}

/// The view that shows each category in the one above it.
const TREE: &str = "tree";

/// Create incident categories
///
/// One for each name, all or none, answered in the order of the names. With `parentCategory` they are put below that
/// category of the same tenant, else at the top. A name is unique among its siblings, whatever the letter case.
#[utoipa::path(
    operation_id = "createIncidentCategories",
    request_body(content = NewCategories, example = json!({
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
    Body((new, mut wrong)): Body<(NewCategories, FieldErrors)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let tenant = scope.tenant_id();
            store::lock_of_tree(tenant).take(tx.conn)?;
            let parent = find_parent(tx, tenant, new.parent.as_ref(), &mut wrong)?;
            wrong.check()?;
            let id = || uuid::Uuid::new_v4().to_string();
            let row = |name| rules::new_row(tenant, name, parent.as_ref(), &id(), scope.author(), scope.now);
            let rows = new.names.into_iter().map(row).collect::<Result<Vec<_>, Problem>>()?;
            store::insert(tx.conn, tenant, parent.as_ref().map_or("", |parent| parent.id.as_str()), &rows)?;
            rows.iter().try_for_each(|row| tx.record_change(None, Some(row)))?;
            Answer::ok(&view::all(tx.conn, &*neighbours.people, &scope.scope_and_partner(), &rows)?)
        })
        .await
}

/// The category of the tenant that is to be a parent, if any.
pub fn find_parent(
    tx: &mut Tx<'_>,
    tenant: &str,
    reference: Option<&CategoryReference>,
    wrong: &mut FieldErrors,
) -> db::Result<Option<row::Category>> {
    let Some(reference) = reference.filter(|reference| reference.is_set()) else { return Ok(None) };
    let mut found = store::matching(tx.conn, &[tenant.to_owned()], reference)?;
    let field = if reference.unique_id.is_some() { "uniqueId" } else { "name" };
    let message = match (found.pop(), found.is_empty()) {
        (Some(parent), true) => return Ok(Some(parent)),
        (Some(_), false) => "is the name of several categories: say uniqueId",
        (None, _) => "names no incident category of the tenant",
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
    operation_id = "listIncidentCategories",
    params(PageQuery<Categories, View>),
    responses((status = 200, description = "A page of categories", body = PageOf<Category>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/categories")]
pub async fn list(
    context: RequestContext<PageQuery<Categories, View>>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let PageQuery { own: View { view }, .. } = context.query.clone();
    let (condition, all_list) = filter::condition(&context.query.filter, view == TREE)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let own_alone = all_list == Some(false);
        let tenants = if own_alone { vec![scope.tenant_id().to_owned()] } else { scope.scope_and_partner() };
        let found = store::search(conn, &tenants, condition, sort, walk)?;
        let show = if view == TREE { view::trees } else { view::all };
        Ok(found.with(show(conn, &*neighbours.people, &tenants, &found.rows)?))
    });
    page.await
}

/// Get an incident category
#[utoipa::path(
    operation_id = "getIncidentCategory",
    params(CategoryId),
    responses((status = 200, description = "The category", body = Category)),
    security(("bearer" = ["viewer"]))
)]
#[get("/incidents/categories/{categoryId}")]
pub async fn get(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<CategoryId>,
) -> api::Result<HttpResponse> {
    let (shown, version) = context
        .read(move |conn, scope| {
            let tenants = scope.scope_and_partner();
            let row = row::Category::existing(conn, &tenants, &id)?;
            Ok((view::one(conn, &*neighbours.people, &tenants, &row)?, row.version))
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
    operation_id = "updateIncidentCategory",
    params(CategoryId),
    request_body(content = CategoryChange, example = json!({"name": "Networks"})),
    responses(
        (status = 200, description = "The category after the change", body = Category),
        (status = 409, description = "A sibling has the name, or it would be below itself"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/categories/{categoryId}")]
pub async fn update(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<CategoryId>,
    Body((change, wrong)): Body<(CategoryChange, FieldErrors)>,
) -> api::Result<HttpResponse> {
    change_category(&context, neighbours, id, change.name, change.parent.map(Some), wrong).await
}

/// Move an incident category
///
/// Below `parentCategory`, a category of the same tenant, or without one to the top; with all that is below it. It
/// cannot be moved below itself (409).
#[utoipa::path(
    operation_id = "moveIncidentCategory",
    params(CategoryId),
    request_body(content = CategoryMove, example = json!({
        "parentCategory": {"uniqueId": "SCAT-7b0e7c39-6a55-4f5e-8f0e-1a2b3c4d5e6f"}
    })),
    responses(
        (status = 200, description = "The category after the move", body = Category),
        (status = 409, description = "A sibling there has its name, or it would be below itself"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/incidents/categories/{categoryId}/move")]
pub async fn relocate(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<CategoryId>,
    OptionalBody((to, wrong)): OptionalBody<(CategoryMove, FieldErrors)>,
) -> api::Result<HttpResponse> {
    change_category(&context, neighbours, id, None, Some(to.parent), wrong).await
}

/// Changes a category; `place` is what it is to stand below, `Some(None)` the top, and without one it stays where it
/// is.
async fn change_category(
    context: &RequestContext,
    neighbours: web::Data<Neighbours>,
    id: CategoryId,
    name: Option<String>,
    place: Option<Option<CategoryReference>>,
    wrong: FieldErrors,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = row::Category::locked(tx, scope, &id)?;
            let row = change_locked(tx, &old, name, place, wrong)?;
            let tenants = scope.scope_and_partner();
            Answer::entity(&view::one(tx.conn, &*neighbours.people, &tenants, &row)?, row.version)
        })
        .await
}

/// Changes a category that is locked; answers what it is then.
pub fn change_locked(
    tx: &mut Tx<'_>,
    old: &row::Category,
    name: Option<String>,
    place: Option<Option<CategoryReference>>,
    mut wrong: FieldErrors,
) -> db::Result<row::Category> {
    let place = match place {
        Some(reference) => Some(find_parent(tx, &old.tenant_id, reference.as_ref(), &mut wrong)?),
        None => None,
    };
    wrong.check()?;
    let row = rules::apply_change(old, name, place.as_ref().map(Option::as_ref), tx.author(), tx.now);
    store::update(tx.conn, old, &row)?;
    tx.record_change(Some(old), Some(&row))?;
    Ok(row)
}

/// Delete an incident category
///
/// Refused (409) while it has child categories, or incidents are filed under it.
#[utoipa::path(
    operation_id = "deleteIncidentCategory",
    params(CategoryId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 409, description = "It has children, or incidents are filed under it"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/incidents/categories/{categoryId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<CategoryId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let row = row::Category::locked(tx, scope, &id)?;
            delete_locked(tx, &scope.scope(), &row)?;
            Ok(Answer::empty())
        })
        .await
}

/// Deletes a category that is locked.
///
/// # Errors
/// 409 when it has children, or incidents of these tenants are filed under it.
pub fn delete_locked(tx: &mut Tx<'_>, tenants: &[String], row: &row::Category) -> db::Result<()> {
    if store::has_incidents(tx.conn, tenants, &row.id)? {
        return Err(rules::in_use(&row.name).into());
    }
    store::delete(tx.conn, row)?;
    tx.record_change(Some(row), None)
}
