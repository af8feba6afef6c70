//! Device groups over HTTP.

use actix_web::HttpResponse;
use api::{Body, ListOf, PageQuery, PathIds, RequestContext, Routes, delete, get, post, spec::PageOf};

use super::{
    http::{self, ChildList, Groups},
    input::{GivenGroups, GroupChildReference, ResourceGroupUpdate},
    kind::Kind,
    wire::{CreatedGroups, DeviceGroupId, GroupChild, ResourceGroup, ResourceGroupMinimal},
};
use crate::lists::{MOST, OrderedPageOf};

/// Children that a body names.
type Children = ListOf<GroupChildReference, 1, MOST>;

/// The operations, in reading order.
pub fn routes(config: &mut Routes) {
    config
        .service(create)
        .service(search)
        .service(minimal)
        .service(get)
        .service(update)
        .service(delete)
        .service(children)
        .service(add_children)
        .service(remove_children);
}

/// Create device groups
///
/// One object is answered by one group, an array of up to 1,000 by an array; all are saved or none. One with the `id` or
/// `uniqueId` of a group changes that group. `parent` nests a group below one that exists or stands earlier in the
/// array. With `filterCriteria` the group is dynamic: resources that match are members as long as they do, beside those
/// that are added by hand.
#[utoipa::path(
    tag = "device groups",
    operation_id = "createDeviceGroups",
    request_body(content = GivenGroups, example = json!({
        "name": "Web servers", "parent": {"name": "Shop"},
        "filterCriteria": {"matchType": "ALL", "rules": [{"key": "appRoles", "operator": "Equals", "value": "nginx"}]}
    })),
    responses(
        (status = 200, description = "The group or groups", body = CreatedGroups),
        (status = 409, description = "The tenant has a device group of this name"),
        (status = 412, description = "A group to change has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/deviceGroups")]
pub async fn create(context: RequestContext, body: Body) -> api::Result<HttpResponse> {
    http::create(&context, body, Kind::Device).await
}

/// Search device groups
///
/// A page of the device groups of the tenant; at partner level, of its clients too. The variables of `queryString` are `id`
/// and `uniqueId` (either takes either id), `name` (contains the value, whatever the letter case) and `isEquals`
/// (`true`: the name is the value).
#[utoipa::path(
    tag = "device groups",
    operation_id = "searchDeviceGroups",
    params(PageQuery<Groups>),
    responses((status = 200, description = "A page of device groups", body = OrderedPageOf<ResourceGroup>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/deviceGroups/search")]
pub async fn search(context: RequestContext<PageQuery<Groups>>) -> api::Result<HttpResponse> {
    http::search(&context, Kind::Device).await
}

/// List minimal device groups
///
/// Ids and name of every device group of the tenant, by name; at partner level, of its clients too. Streamed, not paged.
#[utoipa::path(
    tag = "device groups",
    operation_id = "listMinimalDeviceGroups",
    responses((status = 200, description = "Every device group", body = Vec<ResourceGroupMinimal>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/deviceGroups/minimal")]
pub async fn minimal(context: RequestContext) -> api::Result<HttpResponse> {
    http::minimal(&context, Kind::Device).await
}

/// Get a device group
///
/// By its integer id or its unique id.
#[utoipa::path(
    tag = "device groups",
    operation_id = "getDeviceGroup",
    params(DeviceGroupId),
    responses((status = 200, description = "The device group", body = ResourceGroup)),
    security(("bearer" = ["viewer"]))
)]
#[get("/deviceGroups/{groupId}")]
pub async fn get(context: RequestContext, PathIds(id): PathIds<DeviceGroupId>) -> api::Result<HttpResponse> {
    http::get(&context, &id, Kind::Device).await
}

/// Update a device group
///
/// Fields left out stay as they are. `parent: {}` moves the group to the top, `filterCriteria` without rules makes it
/// a static one. `If-Match` with the `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    tag = "device groups",
    operation_id = "updateDeviceGroup",
    params(DeviceGroupId),
    request_body(content = ResourceGroupUpdate, example = json!({"description": "Behind the load balancer", "parent": {"id": "3"}})),
    responses(
        (status = 200, description = "The device group after the change", body = ResourceGroup),
        (status = 409, description = "The name is taken, or the group would be below itself"),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/deviceGroups/{groupId}")]
pub async fn update(
    context: RequestContext,
    PathIds(id): PathIds<DeviceGroupId>,
    body: Body,
) -> api::Result<HttpResponse> {
    http::update(&context, &id, body, Kind::Device).await
}

/// Delete a device group
///
/// Its members stay in the inventory. Refused while it has child groups.
#[utoipa::path(
    tag = "device groups",
    operation_id = "deleteDeviceGroup",
    params(DeviceGroupId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 409, description = "It has child groups"),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/deviceGroups/{groupId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<DeviceGroupId>) -> api::Result<HttpResponse> {
    http::delete(&context, &id, Kind::Device).await
}

/// List the children of a device group
///
/// A page of what stands directly below the group: child groups first, then resources of any state.
#[utoipa::path(
    tag = "device groups",
    operation_id = "listDeviceGroupChildren",
    params(DeviceGroupId, PageQuery<ChildList>),
    responses((status = 200, description = "A page of child groups and resources", body = PageOf<GroupChild>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/deviceGroups/{groupId}/childs")]
pub async fn children(
    context: RequestContext<PageQuery<ChildList>>,
    PathIds(id): PathIds<DeviceGroupId>,
) -> api::Result<HttpResponse> {
    http::children(&context, &id, Kind::Device).await
}

/// Add children to a device group
///
/// Up to 1,000, all or none. A resource becomes a member by hand, which it stays whatever the filter criteria say; a
/// group moves here from where it stood.
#[utoipa::path(
    tag = "device groups",
    operation_id = "addDeviceGroupChildren",
    params(DeviceGroupId),
    request_body(content = inline(Children), example = json!([
        {"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}, {"id": "DGP-9d1c6f0e-7a52-4c37-9c1b-2f0a5b6c7d8e"}
    ])),
    responses(
        (status = 200, description = "They are children; an empty object"),
        (status = 409, description = "A group would be below itself"),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/deviceGroups/{groupId}/childs")]
pub async fn add_children(
    context: RequestContext,
    PathIds(id): PathIds<DeviceGroupId>,
    body: Body,
) -> api::Result<HttpResponse> {
    http::add_children(&context, &id, &body, Kind::Device).await
}

/// Remove children from a device group
///
/// Up to 1,000, all or none; what is no child stays where it is. A child group stands at the top afterwards. A member
/// by rule cannot be removed by hand.
#[utoipa::path(
    tag = "device groups",
    operation_id = "removeDeviceGroupChildren",
    params(DeviceGroupId),
    request_body(content = inline(Children), example = json!([{"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}])),
    responses(
        (status = 200, description = "They are no children any more; an empty object"),
        (status = 409, description = "A resource is a member by rule"),
        (status = 412, description = "The group has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/deviceGroups/{groupId}/childs")]
pub async fn remove_children(
    context: RequestContext,
    PathIds(id): PathIds<DeviceGroupId>,
    body: Body,
) -> api::Result<HttpResponse> {
    http::remove_children(&context, &id, &body, Kind::Device).await
}
