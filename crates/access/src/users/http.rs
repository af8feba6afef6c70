//! Users: create, search, get, update, deactivate, activate.

use actix_web::{HttpResponse, get, post, web};
use api::{Answer, At, Body, Result, answer, context::check_version, spec::PageOf};
use base::{problem::Problem, timestamp::Timestamp};
use outbox::{Entity, Tx};

use super::{
    rules,
    store::{self, Row},
    wire::{NewUser, User, UserChange},
};
use crate::{api_keys, filters};

/// Create a user
///
/// Adds a user to the tenant of the path. Its login name is unique in the tenant, whatever the letter case.
#[utoipa::path(
    tag = "Users",
    operation_id = "createUser",
    request_body = NewUser,
    responses(
        (status = 200, description = "The new user", body = User),
        (status = 409, description = "The tenant has a user of this login name",
            body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users")]
pub(crate) async fn create_user(at: At, body: Body) -> Result<HttpResponse> {
    at.no_query()?;
    let new = UserChange::read_new(&body.0)?;
    let (tenant, now) = (at.tenant.id.clone(), at.now);
    at.write(move |tx| {
        let row = store::insert(tx.conn, &tenant, new, now)?;
        note(tx, None, &row)?;
        let version = row.version;
        Answer::entity(&User::from(row), version)
    })
    .await
}

/// Notes that a user is new or has changed.
fn note(tx: &mut Tx<'_>, before: Option<&Row>, after: &Row) -> db::Result<()> {
    let entity = Entity { tenant_id: &after.tenant_id, kind: "User", id: &after.id, publish: false };
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
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "The page, from 1; default 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000; default 100", example = 100),
        ("sortName" = Option<String>, Query, description = "`id` (the default), `loginName`, `firstName` or `lastName`",
            example = "lastName"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false", example = false),
        ("queryString" = Option<String>, Query, description = "Terms `name:value` joined with `+`: `loginName`, `name` \
            (first and last), `firstName`, `lastName`, `email` (contain; whole with `isEquals:true`), `id`, `activated` \
            (`true` or `false`)", example = "name:ann+activated:true"),
    ),
    responses((status = 200, description = "A page of users", body = PageOf<User>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/users/search")]
pub(crate) async fn search_users(at: At) -> Result<HttpResponse> {
    let mut query = at.query()?;
    let sort = query.sort(&rules::SORTS, "id", false);
    let walk = query.walk(at.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let (filter, here) = (rules::filter(&text)?, filters::readable("users.tenant_id", &at.tenant));
    let page =
        at.db.read(move |conn| Ok(walk.answer(store::search(conn, here, &filter, sort, &walk)?.map(User::from))));
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
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
pub(crate) async fn get_user(at: At, path: web::Path<(String, String)>) -> Result<HttpResponse> {
    at.no_query()?;
    let (id, here) = (id_of(path)?, filters::readable("users.tenant_id", &at.tenant));
    let row = at.db.point(move |conn| store::find(conn, here, &id)).await?;
    shown(&at, row)
}

/// Update a user
///
/// Fields left out stay as they are; an empty text removes a value. A client does not change its partner's users.
/// `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    tag = "Users",
    operation_id = "updateUser",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    request_body = UserChange,
    responses(
        (status = 200, description = "The user after the change", body = User),
        (status = 409, description = "The tenant has another user of this login name",
            body = api::spec::Problem, content_type = "application/problem+json"),
        (status = 412, description = "The user has changed since it was read",
            body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}")]
pub(crate) async fn update_user(at: At, path: web::Path<(String, String)>, body: Body) -> Result<HttpResponse> {
    let user_change = UserChange::read(&body.0)?;
    change(&at, path, move |_, row, now| Ok(rules::changed(row, user_change, now))).await
}

/// Deactivate a user
///
/// The user stays where it is named, in groups and rosters too, and counts there as not in use. Deactivating a
/// deactivated user changes nothing. The user that an API key acts as is in use until the key is revoked.
#[utoipa::path(
    tag = "Users",
    operation_id = "deactivateUser",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses(
        (status = 200, description = "The user after the change", body = User),
        (status = 409, description = "An API key acts as this user",
            body = api::spec::Problem, content_type = "application/problem+json"),
        (status = 412, description = "The user has changed since it was read",
            body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}/deactivate")]
pub(crate) async fn deactivate_user(at: At, path: web::Path<(String, String)>) -> Result<HttpResponse> {
    change(&at, path, |conn, row, now| {
        if let Some(key) = api_keys::store::name_of_user(conn, &row.tenant_id, &row.id)? {
            let detail = format!("The API key {key} acts as this user: revoke the key first.");
            return Err(Problem::conflict(detail).into());
        }
        Ok(rules::activated(row, false, now))
    })
    .await
}

/// Activate a user
///
/// Takes a deactivated user into use again. Activating another changes nothing.
#[utoipa::path(
    tag = "Users",
    operation_id = "activateUser",
    params(("userId" = String, Path, description = "`USR` and ten digits", example = "USR0000000007")),
    responses(
        (status = 200, description = "The user after the change", body = User),
        (status = 412, description = "The user has changed since it was read",
            body = api::spec::Problem, content_type = "application/problem+json"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/users/{userId}/activate")]
pub(crate) async fn activate_user(at: At, path: web::Path<(String, String)>) -> Result<HttpResponse> {
    change(&at, path, |_, row, now| Ok(rules::activated(row, true, now))).await
}

/// The id in the path.
fn id_of(path: web::Path<(String, String)>) -> Result<String> {
    let (_, id) = path.into_inner();
    if rules::is_id(&id) { Ok(id) } else { Err(rules::unknown().into()) }
}

fn shown(at: &At, row: Row) -> Result<HttpResponse> {
    let version = row.version;
    answer::entity(at, &User::from(row), version)
}

/// Stores what becomes of a user, and answers it.
async fn change(
    at: &At,
    path: web::Path<(String, String)>,
    becomes: impl FnOnce(&mut db::Conn, &Row, Timestamp) -> db::Result<Row> + Send + 'static,
) -> Result<HttpResponse> {
    at.no_query()?;
    let (id, here) = (id_of(path)?, filters::writable("users.tenant_id", &at.tenant));
    let (wanted, now) = (at.if_match()?, at.now);
    at.write(move |tx| {
        db::lock(tx.conn, &format!("user:{id}"))?;
        let before = store::find(tx.conn, here, &id)?;
        check_version(wanted, before.version)?;
        let after = becomes(tx.conn, &before, now)?;
        if after != before {
            store::update(tx.conn, &before, &after)?;
        }
        note(tx, Some(&before), &after)?;
        let version = after.version;
        Answer::entity(&User::from(after), version)
    })
    .await
}
