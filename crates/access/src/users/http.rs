//! Users: create, search, get, update, deactivate, activate.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PageQuery, PathIds, RequestContext, Result, answer, get, post, spec::PageOf, stream};
use base::timestamp::Timestamp;
use outbox::Tx;

use super::{
    row::Row,
    rules, store,
    wire::{NewUser, User, UserChange, UserId, UserMinimal},
};
use crate::{Authenticator, filters};

api::list! {
    /// The list of users.
    pub(crate) Users by store::SORTS: SORT = "id", FILTER = "name:ann+activated:true"
}

/// Create a user
///
/// Adds a user to the tenant of the path. Its login name is unique in the tenant, whatever the letter case. A key that
/// is restricted to certain operations makes users with the role `viewer` only, and without an address, by which they
/// could sign in.
#[utoipa::path(
    operation_id = "createUser",
    request_body = NewUser,
    responses(
        (status = 200, description = "The new user", body = User),
        (status = 409, description = "The tenant has a user of this login name"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users")]
pub(crate) async fn create_user(context: RequestContext, Body(new): Body<NewUser>) -> Result<HttpResponse> {
    rules::check_change(&context.caller, new.role, new.role)?;
    rules::check_address(&context.caller, None, new.email.as_deref())?;
    context
        .write(move |tx, scope| {
            let row = store::insert(tx.conn, &scope.tenant.id, new, tx.now)?;
            answered(tx, None, row)
        })
        .await
}

/// Records a change of a user, and answers the user.
fn answered(tx: &mut Tx<'_>, before: Option<&Row>, after: Row) -> db::Result<Answer> {
    tx.record_change(before, Some(&after))?;
    let version = after.version;
    Answer::entity(&User::from(after), version)
}

/// Search users
///
/// A page of the users of the tenant of the path: at partner level those of its clients too, at client level those of
/// its partner too. Among them are the users that API keys act as. The variables of `queryString` are `loginName`,
/// `name` (first and last), `firstName`, `lastName`, `email` or `mailId` (contain; whole with `isEquals:true`), `id` or
/// `uniqueId`, `activated` (`true` or `false`) or `status` (`active`, `inactive`), `startCreationDate`,
/// `endCreationDate`, `startUpdationDate` and `endUpdationDate`.
#[utoipa::path(
    operation_id = "searchUsers",
    params(PageQuery<Users>),
    responses((status = 200, description = "A page of users", body = PageOf<User>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/users/search")]
pub(crate) async fn search_users(context: RequestContext<PageQuery<Users>>) -> Result<HttpResponse> {
    let filter = rules::filter(&context.query.filter)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let here = filters::readable("users.tenant_id", &scope.tenant);
        Ok(store::search(conn, here, &filter, sort, walk)?.map(User::from))
    });
    page.await
}

/// List users, minimal
///
/// Id and names of every user that the search finds without a filter, in the order of their ids; not paged.
#[utoipa::path(
    operation_id = "listMinimalUsers",
    responses((status = 200, description = "The users", body = Vec<UserMinimal>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/users/minimal")]
pub(crate) async fn list_users_minimal(context: RequestContext) -> Result<HttpResponse> {
    let here = filters::readable("users.tenant_id", &context.tenant);
    stream::array(&context, move |conn, rows| store::each(conn, here, |row| rows.push_json(&UserMinimal::from(row))))
        .await
}

/// Get a user
///
/// A user of the tenant of the path, of its partner, or of one of its clients.
#[utoipa::path(
    operation_id = "getUser",
    params(UserId),
    responses(
        (status = 200, description = "The user", body = User),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"])),
)]
#[get("/users/{userId}")]
pub(crate) async fn get_user(context: RequestContext, PathIds(id): PathIds<UserId>) -> Result<HttpResponse> {
    let here = filters::readable("users.tenant_id", &context.tenant);
    let row = context.db.point(move |conn| store::find(conn, here, &id)).await?;
    let version = row.version;
    answer::entity(&context, &User::from(row), version)
}

/// Update a user
///
/// Fields left out stay as they are; an empty text removes a value. A client does not change its partner's users.
/// `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile. A role that is taken
/// away is gone at once, for the user's API keys and sessions too. A key that is restricted to certain operations
/// changes users with the role `viewer` only, and gives nobody another address.
#[utoipa::path(
    operation_id = "updateUser",
    params(UserId),
    request_body = UserChange,
    responses(
        (status = 200, description = "The user after the change", body = User),
        (status = 409, description = "The tenant has another user of this login name, or a program acts as this one"),
        (status = 412, description = "The user has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}")]
pub(crate) async fn update_user(
    context: RequestContext,
    PathIds(id): PathIds<UserId>,
    Body(changes): Body<UserChange>,
    authenticator: web::Data<Authenticator>,
) -> Result<HttpResponse> {
    let caller = Arc::clone(&context.caller);
    change(&context, id, &authenticator, move |tx, row, now| {
        let is_program = store::is_program(tx.conn, row, now)?;
        Ok(rules::changed_by(&caller, (row, is_program), changes, now)?)
    })
    .await
}

/// Stores what becomes of a user, and answers it.
pub(crate) async fn change(
    context: &RequestContext,
    id: UserId,
    authenticator: &Authenticator,
    becomes: impl FnOnce(&mut Tx<'_>, &Row, Timestamp) -> db::Result<Row> + Send + 'static,
) -> Result<HttpResponse> {
    let done = context.write(move |tx, scope| {
        store::lock(&id).take(tx.conn)?;
        let before = store::find(tx.conn, filters::writable("users.tenant_id", &scope.tenant), &id)?;
        scope.check_version(before.version)?;
        let now = tx.now;
        let after = becomes(tx, &before, now)?;
        if after != before {
            store::update(tx.conn, &before, &after)?;
        }
        answered(tx, Some(&before), after)
    });
    let answer = done.await?;
    authenticator.forget_callers();
    Ok(answer)
}
