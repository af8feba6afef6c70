//! Categories over HTTP.

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, OptionalBody, PageQuery, PathIds, RequestContext, RequestScope, Resource, answer, delete, get, post,
    spec::PageOf,
};
use outbox::Tx;
use ports::People;

use super::{
    below::{self, Below},
    filter,
    row::Category,
    rules, store, view,
    wire::{self, CategoryChange, CategoryId, CategoryMove, CategoryReference, NewCategory},
};
use crate::{
    lock,
    state::{self, StateQuery},
};

api::list! {
    /// The list of categories.
    pub Categories by store::SORTS: SORT = "name", PAGE_SIZE = 20, FILTER = "name:wire"
}

type CategoryQuery = PageQuery<Categories, StateQuery>;

/// Create a knowledge-base category
///
/// With `parentCategory` it is put below that category of the same tenant, else at the top. Its name is unique among
/// its siblings outside the trash, whatever the letter case.
#[utoipa::path(
    operation_id = "createKbCategory",
    request_body(content = NewCategory, example = json!({
        "name": "Wireless", "description": "Access points", "parentCategory": {"id": "KBC0000000001"}
    })),
    responses(
        (status = 200, description = "The new category", body = wire::Category),
        (status = 409, description = "A sibling has its name, or the parent is in the trash"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/category")]
pub async fn create(
    context: RequestContext,
    people: web::Data<dyn People>,
    Body(new): Body<NewCategory>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            lock(scope.tenant_id()).take(tx.conn)?;
            let parent = new.parent.as_ref().map(|named| find_parent(tx, scope.tenant_id(), named)).transpose()?;
            let number = store::next_number(tx.conn, scope.tenant_id())?;
            let row = rules::new_row(scope.tenant_id(), new, parent.as_ref(), number, tx.author(), tx.now)?;
            store::insert(tx.conn, &row)?;
            category_answer(tx, scope, &**people, None, &row)
        })
        .await
}

/// Records a change of a category, and answers the category.
fn category_answer(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    people: &dyn People,
    old: Option<&Category>,
    row: &Category,
) -> db::Result<Answer> {
    tx.record_change(old, Some(row))?;
    Answer::entity(&view::one(tx.conn, people, &scope.scope_and_partner(), row)?, row.version)
}

/// The category of the tenant that is to be a parent.
fn find_parent(tx: &mut Tx<'_>, tenant: &str, named: &CategoryReference) -> db::Result<Category> {
    Category::named(tx.conn, tenant, "parentCategory.id", &named.id)
}

/// List knowledge-base categories
///
/// A page of categories; at partner level, of its clients too, unless `allList` is `false`. `state` is one of the
/// states, or `ALL`; without it those outside the trash are listed. The variables of `queryString` are `id`, `name` (it
/// contains the value, whatever the letter case), `isEquals` (`true`: it is the value), `state`, `parentId` (right
/// below that category, or `none`: at the top) and `allList`.
#[utoipa::path(
    operation_id = "listKbCategories",
    params(CategoryQuery),
    responses((status = 200, description = "A page of categories", body = PageOf<wire::Category>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/categorylist")]
pub async fn list(context: RequestContext<CategoryQuery>, people: web::Data<dyn People>) -> api::Result<HttpResponse> {
    let PageQuery { own: StateQuery { state }, .. } = context.query.clone();
    let condition = filter::condition(&context, &context.query.filter, state.as_deref())?;
    let page = context.page(move |conn, scope, sort, walk| {
        let found = store::search(conn, condition, sort, walk)?;
        Ok(found.with(view::all(conn, &**people, &scope.scope_and_partner(), &found.rows)?))
    });
    page.await
}

/// List the categories right below one
///
/// All of them as one array, by name. Pages of them are those of the list of all with `queryString=parentId:…`.
#[utoipa::path(
    operation_id = "listKbCategoryChildren",
    params(CategoryId, StateQuery),
    responses((status = 200, description = "The categories", body = Vec<wire::Category>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/categorylist/{categoryId}")]
pub async fn children(
    context: RequestContext<StateQuery>,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<CategoryId>,
) -> api::Result<HttpResponse> {
    let scope = context.scope();
    let tenants = context.scope_and_partner();
    let states = context.query.clone().or_outside_trash();
    let children = api::stream::array(&context, move |conn, rows| {
        let parent = Category::existing(conn, &scope, &id)?;
        let mut last = None;
        loop {
            let found = store::children(conn, &parent, &states, last.as_ref())?;
            for child in view::all(conn, &**people, &tenants, &found)? {
                rows.push_json(&child)?;
            }
            last = found.into_iter().next_back();
            if last.is_none() {
                return Ok(());
            }
        }
    });
    children.await
}

/// Restore a knowledge-base category
///
/// Takes it out of the trash, with all that came there with it; its state is `ACTIVE` then. One that is `ACTIVE`
/// already is answered as it is. While the category above it is in the trash, the answer is a 409 that names that one.
#[utoipa::path(
    operation_id = "restoreKbCategory",
    params(CategoryId),
    responses(
        (status = 200, description = "The category", body = wire::Category),
        (status = 409, description = "The category above it is in the trash, or a sibling has its name now"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/category/restore/{categoryId}")]
pub async fn restore(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<CategoryId>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = Category::locked(tx, scope, &id)?;
            if old.trashed_with.is_empty() && old.state == state::ACTIVE {
                return Answer::entity(&view::one(tx.conn, &**people, &scope.scope_and_partner(), &old)?, old.version);
            }
            if old.trashed_with.is_empty() {
                let author = tx.author().to_owned();
                store::activate(tx.conn, &old, &author, tx.now.millis())?;
            } else {
                leave_trash(tx, &old)?;
            }
            let row = reread(tx, &old)?;
            category_answer(tx, scope, &**people, Some(&old), &row)
        })
        .await
}

/// A category as it is now.
fn reread(tx: &mut Tx<'_>, old: &Category) -> db::Result<Category> {
    Category::existing(tx.conn, std::slice::from_ref(&old.tenant_id), &old.id)
}

/// Brings a category back from the trash, with what went there together with it, and records that of each.
///
/// # Errors
/// 409 while the one above is there, or when its name is taken.
pub fn leave_trash(tx: &mut Tx<'_>, old: &Category) -> db::Result<()> {
    if let Some(above) = Category::find(tx.conn, std::slice::from_ref(&old.tenant_id), &old.parent_id)?
        && !above.trashed_with.is_empty()
    {
        return Err(rules::in_trash(&above.id, &above.name).into());
    }
    let author = tx.author().to_owned();
    let below = Below::load(tx.conn, old)?;
    store::restore(tx.conn, old, &author, tx.now.millis())?;
    record_with(tx, old, below, "")
}

/// Puts a category into the trash, with what is below it, and records that of each.
///
/// # Errors
/// 409 when it is there.
pub fn enter_trash(tx: &mut Tx<'_>, old: &Category) -> db::Result<()> {
    if !old.trashed_with.is_empty() {
        return Err(rules::in_trash(&old.id, &old.name).into());
    }
    let author = tx.author().to_owned();
    let below = Below::load(tx.conn, old)?;
    store::delete(tx.conn, old, &author, tx.now.millis())?;
    record_with(tx, old, below, &old.id)
}

/// Records a category behind what moved with it: an undo begins at the end, and takes all of it back at once.
fn record_with(tx: &mut Tx<'_>, old: &Category, below: Below, trashed_with: &str) -> db::Result<()> {
    let rest = below.record(tx, trashed_with)?;
    let row = reread(tx, old)?;
    tx.record_change_with(Some(old), Some(&row), rest)
}

/// Stores and records the next version of a category.
///
/// # Errors
/// Those of [`store::update`].
pub fn store_change(tx: &mut Tx<'_>, old: &Category, row: &Category) -> db::Result<()> {
    let follow = if old.path == row.path { Vec::new() } else { below::on_path_of(tx.conn, old)? };
    store::update(tx.conn, old, row)?;
    below::tell_paths(tx, &follow, old, row)?;
    tx.record_change(Some(old), Some(row))
}

/// Get a knowledge-base category
#[utoipa::path(
    operation_id = "getKbCategory",
    params(CategoryId),
    responses((status = 200, description = "The category", body = wire::Category)),
    security(("bearer" = ["viewer"]))
)]
#[get("/kb/category/{categoryId}")]
pub async fn get(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<CategoryId>,
) -> api::Result<HttpResponse> {
    let (shown, version) = context
        .read(move |conn, scope| {
            let row = Category::existing(conn, &scope.scope(), &id)?;
            Ok((view::one(conn, &**people, &scope.scope_and_partner(), &row)?, row.version))
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
    operation_id = "updateKbCategory",
    params(CategoryId),
    request_body(content = CategoryChange, example = json!({"name": "Wi-Fi", "state": "INACTIVE"})),
    responses(
        (status = 200, description = "The category after the change", body = wire::Category),
        (status = 409, description = "A sibling has the name, it would be below itself, or it is in the trash"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/category/{categoryId}")]
pub async fn update(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<CategoryId>,
    Body(change): Body<CategoryChange>,
) -> api::Result<HttpResponse> {
    let place = change.parent.clone().map(Some);
    change_category(&context, people, id, change, place).await
}

/// Move a knowledge-base category
///
/// Below `parentCategory`, a category of the same tenant, or without one to the top; with all that is below it. It
/// cannot be moved below itself (409).
#[utoipa::path(
    operation_id = "moveKbCategory",
    params(CategoryId),
    request_body(content = CategoryMove, example = json!({"parentCategory": {"id": "KBC0000000002"}})),
    responses(
        (status = 200, description = "The category after the move", body = wire::Category),
        (status = 409, description = "A sibling there has its name, it would be below itself, or one of them is in the \
                                      trash"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/kb/category/{categoryId}/move")]
pub async fn relocate(
    context: RequestContext,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<CategoryId>,
    OptionalBody(to): OptionalBody<CategoryMove>,
) -> api::Result<HttpResponse> {
    change_category(&context, people, id, CategoryChange::default(), Some(to.parent)).await
}

/// Changes a category; `place` is what it is to stand below, `Some(None)` the top, and without one it stays where it
/// is.
async fn change_category(
    context: &RequestContext,
    people: web::Data<dyn People>,
    id: CategoryId,
    change: CategoryChange,
    place: Option<Option<CategoryReference>>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = Category::locked(tx, scope, &id)?;
            let above = match &place {
                Some(named) => named.as_ref().map(|named| find_parent(tx, &old.tenant_id, named)).transpose()?,
                None => Category::find(tx.conn, std::slice::from_ref(&old.tenant_id), &old.parent_id)?,
            };
            let row = rules::apply_change(&old, change, above.as_ref(), tx.author(), tx.now)?;
            store_change(tx, &old, &row)?;
            category_answer(tx, scope, &**people, Some(&old), &row)
        })
        .await
}

/// Delete a knowledge-base category
///
/// Moves it to the trash (state `TRASH`), with all categories and articles below it. It can still be read, and
/// restored.
#[utoipa::path(
    operation_id = "deleteKbCategory",
    params(CategoryId),
    responses(
        (status = 200, description = "In the trash; an empty object"),
        (status = 409, description = "It is in the trash already"),
        (status = 412, description = "The category has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/kb/category/{categoryId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<CategoryId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = Category::locked(tx, scope, &id)?;
            enter_trash(tx, &old)?;
            Ok(Answer::empty())
        })
        .await
}
