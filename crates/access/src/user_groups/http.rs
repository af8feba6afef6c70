//! User groups: create, search, get, update, deactivate, activate, members.

use actix_web::HttpResponse;
use api::{
    Answer, Body, ListOf, PageQuery, PathIds, RequestContext, RequestScope, Result, answer, delete, get, post,
    spec::PageOf,
};
use outbox::Tx;

use super::{
    members::{self, Change},
    row::Row,
    rules, store, view,
    wire::{MOST_MEMBERS, NewUserGroup, UserGroup, UserGroupChange, UserGroupDetail, UserGroupId, UserReference},
};
use crate::{
    filters,
    users::{self, wire::User},
};

/// Members that a body names.
type Members = ListOf<UserReference, 0, MOST_MEMBERS>;

api::list! {
    /// The list of user groups.
    pub(crate) UserGroups by store::SORTS: SORT = "name", FILTER = "name:night"
}

api::list! {
    /// The list of the members of a group.
    pub(crate) GroupMembers by users::store::SORTS: SORT = "loginName"
}

/// Create a user group
///
/// Adds a group to the tenant of the path, with its first members. Its name is unique in the tenant, whatever the
/// letter case.
#[utoipa::path(
    operation_id = "createUserGroup",
    request_body = NewUserGroup,
    responses(
        (status = 200, description = "The new group", body = UserGroupDetail),
        (status = 409, description = "The tenant has a group of this name"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/userGroups")]
pub(crate) async fn create_user_group(context: RequestContext, Body(new): Body<NewUserGroup>) -> Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let row = rules::created(&new, &scope.tenant.id, rules::new_id(), tx.now);
            store::insert(tx.conn, &row)?;
            members::change(tx.conn, &row, scope.tenant.partner.as_str(), Change::Set, (&new.users, "users"), None)?;
            let group = view::detail(tx.conn, &row)?;
            tx.record_change(None, Some(&group))?;
            Answer::entity(&group, row.version)
        })
        .await
}

/// Search user groups
///
/// A page of the groups of the tenant of the path: at partner level those of its clients too, at client level those of
/// its partner too. Their members are in the group itself. The variables of `queryString` are `name` (contains; whole
/// with `isEquals:true`), `uniqueId`, `userId` (a member) and `activated` (`true` or `false`).
#[utoipa::path(
    operation_id = "searchUserGroups",
    params(PageQuery<UserGroups>),
    responses((status = 200, description = "A page of groups", body = PageOf<UserGroup>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/userGroups/search")]
pub(crate) async fn search_user_groups(context: RequestContext<PageQuery<UserGroups>>) -> Result<HttpResponse> {
    let filter = rules::filter(&context.query.filter)?;
    let page = context.page(move |conn, scope, sort, walk| {
        let here = filters::readable("user_groups.tenant_id", &scope.tenant);
        Ok(store::search(conn, here, &filter, sort, walk)?.map(UserGroup::from))
    });
    page.await
}

/// Get a user group
///
/// A group of the tenant of the path, of its partner, or of one of its clients, with its members.
#[utoipa::path(
    operation_id = "getUserGroup",
    params(UserGroupId),
    responses((status = 200, description = "The group", body = UserGroupDetail)),
    security(("bearer" = ["viewer"])),
)]
#[get("/userGroups/{userGroupId}")]
pub(crate) async fn get_user_group(context: RequestContext, PathIds(id): PathIds<UserGroupId>) -> Result<HttpResponse> {
    let found = context.read(move |conn, scope| {
        let row = store::find(conn, filters::readable("user_groups.tenant_id", &scope.tenant), &id)?;
        Ok((view::detail(conn, &row)?, row.version))
    });
    let (group, version) = found.await?;
    answer::tagged(&group, version)
}

/// Update a user group
///
/// Fields left out stay as they are; `users` names all its members from now on. A client does not change its partner's
/// groups. `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    operation_id = "updateUserGroup",
    params(UserGroupId),
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
    PathIds(id): PathIds<UserGroupId>,
    Body(changes): Body<UserGroupChange>,
) -> Result<HttpResponse> {
    let becomes = move |tx: &mut Tx<'_>, scope: &RequestScope, before: &Row| {
        let UserGroupChange { name, description, users } = changes;
        let others = match users {
            Some(users) => set_members(tx, scope, before, Change::Set, (&users, "users"))?,
            None => false,
        };
        Ok((rules::renamed(before, name, description), others))
    };
    change(&context, id, becomes, Answer::entity).await
}

/// Deactivate a user group
///
/// The group stays listed wherever it is named, in rosters too, but counts there as deactivated. Deactivating a
/// deactivated group changes nothing.
#[utoipa::path(
    operation_id = "deactivateUserGroup",
    params(UserGroupId),
    responses(
        (status = 200, description = "The group after the change", body = UserGroupDetail),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/userGroups/{userGroupId}/deactivate")]
pub(crate) async fn deactivate_user_group(
    context: RequestContext,
    PathIds(id): PathIds<UserGroupId>,
) -> Result<HttpResponse> {
    change(&context, id, |_, _, before| Ok((Row { activated: false, ..before.clone() }, false)), Answer::entity).await
}

/// Activate a user group
///
/// Reactivates a deactivated group. Activating an active group changes nothing.
#[utoipa::path(
    operation_id = "activateUserGroup",
    params(UserGroupId),
    responses(
        (status = 200, description = "The group after the change", body = UserGroupDetail),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["admin"])),
)]
#[post("/userGroups/{userGroupId}/activate")]
pub(crate) async fn activate_user_group(
    context: RequestContext,
    PathIds(id): PathIds<UserGroupId>,
) -> Result<HttpResponse> {
    change(&context, id, |_, _, before| Ok((Row { activated: true, ..before.clone() }, false)), Answer::entity).await
}

/// List the members of a user group
///
/// A page of the users in the group.
#[utoipa::path(
    operation_id = "listUserGroupMembers",
    params(UserGroupId, PageQuery<GroupMembers>),
    responses((status = 200, description = "A page of users", body = PageOf<User>)),
    security(("bearer" = ["viewer"])),
)]
#[get("/userGroups/{userGroupId}/members")]
pub(crate) async fn list_user_group_members(
    context: RequestContext<PageQuery<GroupMembers>>,
    PathIds(id): PathIds<UserGroupId>,
) -> Result<HttpResponse> {
    let page = context.page(move |conn, scope, sort, walk| {
        let group = store::find(conn, filters::readable("user_groups.tenant_id", &scope.tenant), &id)?;
        Ok(members::page(conn, &group, sort, walk)?.map(User::from))
    });
    page.await
}

/// Add members to a user group
///
/// Adds all of them or none; users who are members already stay so. They must be users of the group's tenant or of its
/// partner.
#[utoipa::path(
    operation_id = "addUserGroupMembers",
    params(UserGroupId),
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
    PathIds(id): PathIds<UserGroupId>,
    Body(given): Body<Members>,
) -> Result<HttpResponse> {
    change_members(&context, id, given, Change::Add).await
}

/// Remove members from a user group
///
/// Removes all of them or none; users who are not members are passed over.
#[utoipa::path(
    operation_id = "removeUserGroupMembers",
    params(UserGroupId),
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
    PathIds(id): PathIds<UserGroupId>,
    Body(given): Body<Members>,
) -> Result<HttpResponse> {
    change_members(&context, id, given, Change::Remove).await
}

async fn change_members(
    context: &RequestContext,
    id: UserGroupId,
    given: Members,
    what: Change,
) -> Result<HttpResponse> {
    let becomes = move |tx: &mut Tx<'_>, scope: &RequestScope, before: &Row| {
        Ok((before.clone(), set_members(tx, scope, before, what, (&given.0, ""))?))
    };
    change(context, id, becomes, |_, _| Ok(Answer::empty())).await
}

/// Changes the members of a group, and answers whether they are others now.
pub(crate) fn set_members(
    tx: &mut Tx<'_>,
    scope: &RequestScope,
    group: &Row,
    what: Change,
    given: (&[UserReference], &str),
) -> db::Result<bool> {
    members::change(tx.conn, group, scope.tenant.partner.as_str(), what, given, Some(tx.now))
}

/// Stores what becomes of a group; `becomes` also says whether its members are others now.
async fn change(
    context: &RequestContext,
    id: UserGroupId,
    becomes: impl FnOnce(&mut Tx<'_>, &RequestScope, &Row) -> db::Result<(Row, bool)> + Send + 'static,
    answer: fn(&UserGroupDetail, i64) -> db::Result<Answer>,
) -> Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let here = filters::writable("user_groups.tenant_id", &scope.tenant);
            let row = store::find_alone(tx.conn, here, &id)?;
            scope.check_version(row.version)?;
            let (group, version) = apply_change(tx, &row, |tx| becomes(tx, scope, &row))?;
            answer(&group, version)
        })
        .await
}

/// Stores and records what becomes of a group that was read alone; `becomes` also says whether its members are others
/// now. Answers the group, and its version.
pub(crate) fn apply_change(
    tx: &mut Tx<'_>,
    row: &Row,
    becomes: impl FnOnce(&mut Tx<'_>) -> db::Result<(Row, bool)>,
) -> db::Result<(UserGroupDetail, i64)> {
    let before = view::detail(tx.conn, row)?;
    let (mut after, others) = becomes(tx)?;
    if others || after != *row {
        after = rules::touched(after, tx.now);
        store::update(tx.conn, row, &after)?;
    }
    let group = view::detail(tx.conn, &after)?;
    tx.record_change(Some(&before), Some(&group))?;
    Ok((group, after.version))
}
