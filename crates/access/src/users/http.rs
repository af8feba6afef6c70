//! Users: create, search, get, update, deactivate, activate.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use api::{
    Answer, Body, RequestContext, Result, Role, answer, context::check_version, get, post, spec::PageOf, stream,
};
use base::{Query, problem::Problem, timestamp::Timestamp};
use outbox::{Entity, Tx};

use super::{
    row::Row,
    rules, store,
    wire::{NewUser, User, UserChange, UserMinimal},
};
use crate::{Keeper, api_keys, filters, inbound, sessions};

api::texts! {
    /// What users are sorted by.
    Sorted = api::spec::one_of(&rules::SORTS);
}

/// Create a user
///
/// Adds a user to the tenant of the path. Its login name is unique in the tenant, whatever the letter case. A key that is
/// restricted to certain operations makes users with the role `viewer` only.
#[utoipa::path(
    tag = "Users",
    operation_id = "createUser",
    request_body = NewUser,
    responses(
        (status = 200, description = "The new user", body = User),
        (status = 409, description = "The tenant has a user of this login name"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users")]
pub(crate) async fn create_user(context: RequestContext, body: Body) -> Result<HttpResponse> {
    let new = UserChange::read_new(&body.0)?;
    let role = new.role.unwrap_or(Role::Viewer);
    rules::check_change(&context.caller, role, role)?;
    let (tenant, now) = (context.tenant.id.clone(), context.now);
    context
        .write(move |tx, _| {
            let row = store::insert(tx.conn, &tenant, new, now)?;
            record_change(tx, None, &row)?;
            let version = row.version;
            Answer::entity(&User::from(row), version)
        })
        .await
}

/// Records that a user is new or has changed.
pub(crate) fn record_change(tx: &mut Tx<'_>, before: Option<&Row>, after: &Row) -> db::Result<()> {
    let entity = Entity::audited("User", &after.tenant_id, &after.id);
    tx.note_shown(entity, before.cloned().map(User::from).as_ref(), Some(&User::from(after.clone())))
}

/// Search users
///
/// A page of the users of the tenant of the path: at partner level those of its clients too, at client level those of
/// its partner too. Among them are the users that API keys act as.
#[utoipa::path(
    tag = "Users",
    operation_id = "searchUsers",
    params(
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "The page, from 1; default 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000; default 100", example = 100),
        ("sortName" = inline(Option<Sorted>), Query, description = "`id` (the default), `loginName`, `firstName` or `lastName`",
            example = "lastName"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false", example = false),
        ("queryString" = Option<String>, Query, description = "Terms `name:value` joined with `+`: `loginName`, `name` \
            (first and last), `firstName`, `lastName`, `email` or `mailId` (contain; whole with `isEquals:true`), `id` or \
            `uniqueId`, `activated` (`true` or `false`) or `status` (`active`, `inactive`), `startCreationDate`, \
            `endCreationDate`, `startUpdationDate`, `endUpdationDate`", example = "name:ann+activated:true"),
    ),
    responses((status = 200, description = "A page of users", body = PageOf<User>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/users/search")]
pub(crate) async fn search_users(context: RequestContext<Query>) -> Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "id", false);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let (filter, here) = (rules::filter(&text)?, filters::readable("users.tenant_id", &context.tenant));
    let page =
        context.db.read(move |conn| Ok(walk.answer(store::search(conn, here, &filter, sort, &walk)?.map(User::from))));
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// List users, minimal
///
/// Id and names of every user that the search finds without a filter, in the order of their ids; not paged.
#[utoipa::path(
    tag = "Users",
    operation_id = "listUsersMinimal",
    responses((status = 200, description = "The users", body = Vec<UserMinimal>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/users/minimal")]
pub(crate) async fn list_users_minimal(context: RequestContext) -> Result<HttpResponse> {
    let here = filters::readable("users.tenant_id", &context.tenant);
    stream::array(&context.db, move |conn, rows| {
        store::each(conn, here, |row| {
            let user = UserMinimal::from(row);
            let json = serde_json::to_vec(&user).map_err(|error| db::Error::Fault(error.to_string()))?;
            rows.push(|out| out.extend_from_slice(&json))
        })
    })
    .await
}

/// Get a user
///
/// A user of the tenant of the path, of its partner, or of one of its clients.
#[utoipa::path(
    tag = "Users",
    operation_id = "getUser",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses((status = 200, description = "The user", body = User)),
    security(("bearer" = ["viewer"])),
)]
#[get("/users/{userId}")]
pub(crate) async fn get_user(context: RequestContext, path: web::Path<(String, String)>) -> Result<HttpResponse> {
    let (id, here) = (id_of(path)?, filters::readable("users.tenant_id", &context.tenant));
    let row = context.db.point(move |conn| store::find(conn, here, &id)).await?;
    shown(&context, row)
}

/// Update a user
///
/// Fields left out stay as they are; an empty text removes a value. A client does not change its partner's users.
/// `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile. A role that is taken
/// away is gone at once, for the user's API keys and sessions too. A key that is restricted to certain operations
/// changes users with the role `viewer` only.
#[utoipa::path(
    tag = "Users",
    operation_id = "updateUser",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
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
    path: web::Path<(String, String)>,
    body: Body,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    let user_change = UserChange::read(&body.0)?;
    let caller = Arc::clone(&context.caller);
    change(&context, path, &keeper, move |_, row, now| {
        let after = rules::changed(row, user_change, now);
        rules::check_program(row, &after)?;
        rules::check_change(&caller, row.may(), after.may())?;
        Ok(after)
    })
    .await
}

/// Deactivate a user
///
/// The user stays listed wherever it is named, in groups and rosters too, but counts there as deactivated. API keys
/// that act as this person are revoked for good, and its sessions end: at once on the gateway that answers, within five
/// seconds on others. Deactivating a deactivated user changes nothing. The user of a program is in use until its API
/// key is revoked, or its inbound address is deleted.
#[utoipa::path(
    tag = "Users",
    operation_id = "deactivateUser",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses(
        (status = 200, description = "The user after the change", body = User),
        (status = 409, description = "An API key or an inbound address acts as this user"),
        (status = 412, description = "The user has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}/deactivate")]
pub(crate) async fn deactivate_user(
    context: RequestContext,
    path: web::Path<(String, String)>,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    change(&context, path, &keeper, |tx, row, now| {
        if let Some(key) = api_keys::store::name_of_program(tx.conn, &row.tenant_id, &row.id)? {
            let detail = format!("The API key {key} acts as this user: revoke the key first.");
            return Err(Problem::conflict(detail).into());
        }
        if let Some(address) = inbound::store::name_of_program(tx.conn, &row.tenant_id, &row.id)? {
            let detail = format!("The inbound address {address} acts as this user: delete the address first.");
            return Err(Problem::conflict(detail).into());
        }
        api_keys::http::revoke_personal(tx, &row.tenant_id, &row.id, now)?;
        sessions::redeem::end_all(tx, &row.tenant_id, &row.id, now)?;
        Ok(rules::activated(row, false, now))
    })
    .await
}

/// Activate a user
///
/// Reactivates a deactivated user; API keys that ended with it stay revoked. Activating an active user changes nothing.
/// A key that is restricted to certain operations activates users with the role `viewer` only.
#[utoipa::path(
    tag = "Users",
    operation_id = "activateUser",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses(
        (status = 200, description = "The user after the change", body = User),
        (status = 412, description = "The user has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}/activate")]
pub(crate) async fn activate_user(
    context: RequestContext,
    path: web::Path<(String, String)>,
    keeper: web::Data<Keeper>,
) -> Result<HttpResponse> {
    let caller = Arc::clone(&context.caller);
    change(&context, path, &keeper, move |_, row, now| {
        rules::check_change(&caller, row.may(), row.may())?;
        Ok(rules::activated(row, true, now))
    })
    .await
}

/// The id in the path.
pub(crate) fn id_of(path: web::Path<(String, String)>) -> Result<String> {
    let (_, id) = path.into_inner();
    if rules::is_id(&id) { Ok(id) } else { Err(rules::unknown().into()) }
}

fn shown(context: &RequestContext, row: Row) -> Result<HttpResponse> {
    let version = row.version;
    answer::entity(context, &User::from(row), version)
}

/// Stores what becomes of a user, and answers it.
async fn change(
    context: &RequestContext,
    path: web::Path<(String, String)>,
    keeper: &Keeper,
    becomes: impl FnOnce(&mut Tx<'_>, &Row, Timestamp) -> db::Result<Row> + Send + 'static,
) -> Result<HttpResponse> {
    let (id, here) = (id_of(path)?, filters::writable("users.tenant_id", &context.tenant));
    let (wanted, now) = (context.if_match()?, context.now);
    let done = context.write(move |tx, _| {
        store::lock(tx.conn, &id)?;
        let before = store::find(tx.conn, here, &id)?;
        check_version(wanted, before.version)?;
        let after = becomes(tx, &before, now)?;
        if after != before {
            store::update(tx.conn, &before, &after)?;
        }
        record_change(tx, Some(&before), &after)?;
        let version = after.version;
        Answer::entity(&User::from(after), version)
    });
    let answer = done.await?;
    keeper.forget_callers();
    Ok(answer)
}
