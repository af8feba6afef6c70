//! User groups: create, search, get, update, deactivate, activate, members.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, RequestContext, Result, answer, context::check_version, delete, get, post, spec::PageOf};
use base::Query;
use db::Conn;
use outbox::{Entity, Tx};

use super::{
    members::{self, Change},
    row::Row,
    rules, store,
    wire::{NewUserGroup, UserGroup, UserGroupChange, UserGroupDetail, UserReference},
};
use crate::{
    filters,
    users::{self, wire::User},
};

/// Members that a body names.
type Members = api::spec::ListOf<UserReference, 0, 1000>;

api::texts! {
    /// What user groups are sorted by.
    Sorted = api::spec::one_of(&rules::SORTS);
    /// What members are sorted by.
    SortedMembers = api::spec::one_of(&users::rules::SORTS);
}

/// Create a user group
///
/// Adds a group to the tenant of the path, with its first members. Its name is unique in the tenant, whatever the letter
/// case.
#[utoipa::path(
    tag = "User groups",
    operation_id = "createUserGroup",
    request_body = NewUserGroup,
    responses(
        (status = 200, description = "The new group", body = UserGroupDetail),
        (status = 409, description = "The tenant has a group of this name"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/userGroups")]
pub(crate) async fn create_user_group(context: RequestContext, body: Body) -> Result<HttpResponse> {
    let NewUserGroup { name, description, users } = NewUserGroup::read(&body.0)?;
    let (tenant, partner, now) = (context.tenant.id.clone(), context.tenant.partner.clone(), context.now);
    context
        .write(move |tx, _| {
            let row = rules::created(name, description, &tenant, rules::new_id(), now);
            store::insert(tx.conn, &row)?;
            members::change(tx.conn, &row, partner.as_str(), Change::Set, (&users, "users"), None)?;
            let group = with_members(tx.conn, row)?;
            record_change(tx, None, &group)?;
            answered(group)
        })
        .await
}

/// Search user groups
///
/// A page of the groups of the tenant of the path: at partner level those of its clients too, at client level those of
/// its partner too. Their members are in the group itself.
#[utoipa::path(
    tag = "User groups",
    operation_id = "searchUserGroups",
    params(
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "The page, from 1; default 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000; default 100", example = 100),
        ("sortName" = inline(Option<Sorted>), Query, description = "`name` (the default), `createdTime` or `uniqueId`",
            example = "name"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false", example = false),
        ("queryString" = Option<String>, Query, description = "Terms `name:value` joined with `+`: `name` (contains; \
            whole with `isEquals:true`), `uniqueId`, `userId` (a member), `activated` (`true` or `false`)",
            example = "name:night"),
    ),
    responses((status = 200, description = "A page of groups", body = PageOf<UserGroup>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/userGroups/search")]
pub(crate) async fn search_user_groups(context: RequestContext<Query>) -> Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&rules::SORTS, "name", false);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let (filter, here) = (rules::filter(&text)?, filters::readable("user_groups.tenant_id", &context.tenant));
    let page = context
        .db
        .read(move |conn| Ok(walk.answer(store::search(conn, here, &filter, sort, &walk)?.map(UserGroup::from))));
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Get a user group
///
/// A group of the tenant of the path, of its partner, or of one of its clients, with its members.
#[utoipa::path(
    tag = "User groups",
    operation_id = "getUserGroup",
    params(("userGroupId" = String, Path, description = "`USRGRP-<uuid>`",
        example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "The group", body = UserGroupDetail)),
    security(("bearer" = ["viewer"])),
)]
#[get("/userGroups/{userGroupId}")]
pub(crate) async fn get_user_group(context: RequestContext, path: web::Path<(String, String)>) -> Result<HttpResponse> {
    let (id, here) = (id_of(&path)?, filters::readable("user_groups.tenant_id", &context.tenant));
    let found = context.db.read(move |conn| {
        let row = store::find(conn, here, &id)?;
        with_members(conn, row)
    });
    shown(found.await?)
}

/// Update a user group
///
/// Fields left out stay as they are; `users` names all its members from now on. A client does not change its partner's
/// groups. `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    tag = "User groups",
    operation_id = "updateUserGroup",
    params(("userGroupId" = String, Path, description = "`USRGRP-<uuid>`",
        example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body = UserGroupChange,
    responses(
        (status = 200, description = "The group after the change", body = UserGroupDetail),
        (status = 409, description = "The tenant has another group of this name"),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/userGroups/{userGroupId}")]
pub(crate) async fn update_user_group(
    context: RequestContext,
    path: web::Path<(String, String)>,
    body: Body,
) -> Result<HttpResponse> {
    let UserGroupChange { name, description, users } = UserGroupChange::read(&body.0)?;
    let (partner, now) = (context.tenant.partner.clone(), context.now);
    let becomes = move |conn: &mut Conn, before: &Row| {
        let others = match users {
            Some(users) => members::change(conn, before, partner.as_str(), Change::Set, (&users, "users"), Some(now))?,
            None => false,
        };
        Ok((rules::renamed(before, name, description), others))
    };
    change(&context, &path, becomes, answered).await
}

/// Deactivate a user group
///
/// The group stays listed wherever it is named, in rosters too, but counts there as deactivated. Deactivating a
/// deactivated group changes nothing.
#[utoipa::path(
    tag = "User groups",
    operation_id = "deactivateUserGroup",
    params(("userGroupId" = String, Path, description = "`USRGRP-<uuid>`",
        example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "The group after the change", body = UserGroupDetail),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/userGroups/{userGroupId}/deactivate")]
pub(crate) async fn deactivate_user_group(
    context: RequestContext,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse> {
    change(&context, &path, |_, before| Ok((Row { activated: false, ..before.clone() }, false)), answered).await
}

/// Activate a user group
///
/// Reactivates a deactivated group. Activating an active group changes nothing.
#[utoipa::path(
    tag = "User groups",
    operation_id = "activateUserGroup",
    params(("userGroupId" = String, Path, description = "`USRGRP-<uuid>`",
        example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    responses(
        (status = 200, description = "The group after the change", body = UserGroupDetail),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/userGroups/{userGroupId}/activate")]
pub(crate) async fn activate_user_group(
    context: RequestContext,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse> {
    change(&context, &path, |_, before| Ok((Row { activated: true, ..before.clone() }, false)), answered).await
}

/// List the members of a user group
///
/// A page of the users in the group.
#[utoipa::path(
    tag = "User groups",
    operation_id = "listUserGroupMembers",
    params(
        ("userGroupId" = String, Path, description = "`USRGRP-<uuid>`",
            example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("pageNo" = Option<u32>, Query, description = "The page, from 1; default 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000; default 100", example = 100),
        ("sortName" = inline(Option<SortedMembers>), Query, description = "`loginName` (the default), `id`, `firstName` or `lastName`",
            example = "lastName"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false", example = false),
    ),
    responses((status = 200, description = "A page of users", body = PageOf<User>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/userGroups/{userGroupId}/members")]
pub(crate) async fn list_user_group_members(
    context: RequestContext<Query>,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&users::rules::SORTS, "loginName", false);
    let walk = query.walk(context.request().path(), sort);
    query.finish()?;
    let (id, here) = (id_of(&path)?, filters::readable("user_groups.tenant_id", &context.tenant));
    let page = context.db.read(move |conn| {
        let group = store::find(conn, here, &id)?;
        Ok(walk.answer(members::page(conn, &group, sort, &walk)?.map(User::from)))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Add members to a user group
///
/// Adds all of them or none; users who are members already stay so. They must be users of the group's tenant or of its
/// partner.
#[utoipa::path(
    tag = "User groups",
    operation_id = "addUserGroupMembers",
    params(("userGroupId" = String, Path, description = "`USRGRP-<uuid>`",
        example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = inline(Members), example = json!([{"id": "USR0000000007"}])),
    responses(
        (status = 200, description = "They are in the group; an empty object", body = Object, example = json!({})),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/userGroups/{userGroupId}/members")]
pub(crate) async fn add_user_group_members(
    context: RequestContext,
    path: web::Path<(String, String)>,
    body: Body,
) -> Result<HttpResponse> {
    change_members(&context, &path, &body, Change::Add).await
}

/// Remove members from a user group
///
/// Removes all of them or none; users who are not members are passed over.
#[utoipa::path(
    tag = "User groups",
    operation_id = "removeUserGroupMembers",
    params(("userGroupId" = String, Path, description = "`USRGRP-<uuid>`",
        example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = inline(Members), example = json!([{"id": "USR0000000007"}])),
    responses(
        (status = 200, description = "They are not in the group; an empty object", body = Object, example = json!({})),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[delete("/userGroups/{userGroupId}/members")]
pub(crate) async fn remove_user_group_members(
    context: RequestContext,
    path: web::Path<(String, String)>,
    body: Body,
) -> Result<HttpResponse> {
    change_members(&context, &path, &body, Change::Remove).await
}

async fn change_members(
    context: &RequestContext,
    path: &(String, String),
    body: &Body,
    what: Change,
) -> Result<HttpResponse> {
    let given = UserReference::read_all(&body.0)?;
    let (partner, now) = (context.tenant.partner.clone(), context.now);
    let becomes = move |conn: &mut Conn, before: &Row| {
        let others = members::change(conn, before, partner.as_str(), what, (&given, ""), Some(now))?;
        Ok((before.clone(), others))
    };
    change(context, path, becomes, |_| Ok(Answer::empty())).await
}

/// The id in the path.
fn id_of(path: &(String, String)) -> Result<String> {
    Ok(rules::id(&path.1).ok_or_else(rules::unknown)?)
}

fn with_members(conn: &mut Conn, row: Row) -> db::Result<(Row, Vec<users::Row>)> {
    let members = members::of(conn, &row.tenant_id, &row.id)?;
    Ok((row, members))
}

fn shown((row, members): (Row, Vec<users::Row>)) -> Result<HttpResponse> {
    let version = row.version;
    answer::tagged(&UserGroupDetail::new(row, members), version)
}

/// The answer of a write: the group, with its version.
fn answered((row, members): (Row, Vec<users::Row>)) -> db::Result<Answer> {
    let version = row.version;
    Answer::entity(&UserGroupDetail::new(row, members), version)
}

/// Records that a group is new or has changed.
fn record_change(
    tx: &mut Tx<'_>,
    before: Option<(Row, Vec<users::Row>)>,
    after: &(Row, Vec<users::Row>),
) -> db::Result<()> {
    let entity = Entity::audited("UserGroup", &after.0.tenant_id, &after.0.id);
    let shown = |(row, members): (Row, Vec<users::Row>)| UserGroupDetail::new(row, members);
    tx.note_shown(entity, before.map(shown).as_ref(), Some(&shown(after.clone())))
}

/// Stores what becomes of a group; `becomes` also says whether its members are others now.
async fn change(
    context: &RequestContext,
    path: &(String, String),
    becomes: impl FnOnce(&mut Conn, &Row) -> db::Result<(Row, bool)> + Send + 'static,
    answer: fn((Row, Vec<users::Row>)) -> db::Result<Answer>,
) -> Result<HttpResponse> {
    let (id, here) = (id_of(path)?, filters::writable("user_groups.tenant_id", &context.tenant));
    let (wanted, now) = (context.if_match()?, context.now);
    context
        .write(move |tx, _| {
            let row = store::find_alone(tx.conn, here, &id)?;
            check_version(wanted, row.version)?;
            let before = with_members(tx.conn, row.clone())?;
            let (mut after, others) = becomes(tx.conn, &row)?;
            if others || after != row {
                after = rules::touched(after, now);
                store::update(tx.conn, &row, &after)?;
            }
            let after = with_members(tx.conn, after)?;
            record_change(tx, Some(before), &after)?;
            answer(after)
        })
        .await
}
