//! The operations on groups over HTTP: the same for both kinds, declared once by a macro, in a module for each kind.

use crate::groups::kind::Kind;

/// The operations of one kind, in reading order.
macro_rules! operations {
    (
        $(#[doc = $doc:literal])+
        $module:ident: $name:tt, $word:tt, $kind:expr, $id:ident, $example:tt, $example_child:tt,
        $all:tt, $search:tt, $minimal:tt, $one:tt, $children:tt
    ) => {
        $(#[doc = $doc])+
        pub mod $module {
            use actix_web::HttpResponse;
            use api::{Body, ListOf, PageQuery, PathIds, RequestContext, Routes, delete, get, post, spec::PageOf};

            use super::{
                super::http::{self, ChildList, Groups},
                Kind,
            };
            use crate::{
                groups::{
                    input::{GroupEntries, GroupChildReference, ResourceGroupUpdate},
                    wire::{CreatedGroups, $id, GroupChild, ResourceGroup, ResourceGroupMinimal},
                },
                lists::{MOST, OrderedPageOf},
            };

            /// Children that a body names.
            type Children = ListOf<GroupChildReference, 1, MOST>;

            /// The operations, in reading order.
            pub fn routes(config: &mut Routes) {
                config
                    .tagged(concat!($name, " groups"))
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

            /// Create groups
            ///
            /// One object is answered by one group, an array of up to 1,000 by an array; all are saved or none. One
            /// with the `id` or `uniqueId` of a group changes that group. `parent` nests a group below one that exists
            /// or stands earlier in the array. With `filterCriteria` the group is dynamic: resources that match are
            /// members as long as they do, beside those that are added by hand.
            #[utoipa::path(
                summary = concat!("Create ", $word, " groups"),
                operation_id = concat!("create", $name, "Groups"),
                request_body(content = GroupEntries, example = json!({
                    "name": $example, "parent": {"name": "Shop"},
                    "filterCriteria": {
                        "matchType": "ALL", "rules": [{"key": "appRoles", "operator": "Equals", "value": "nginx"}]
                    }
                })),
                responses(
                    (status = 200, description = "The group or groups", body = CreatedGroups,
                        headers(("ETag" = String, description = "The version of the record, for `If-Match`; not of \
                            several"))),
                    (status = 409, description = concat!("The tenant has a ", $word, " group of this name")),
                    (status = 412, description = "A group to change has changed since it was read"),
                ),
                security(("bearer" = ["operator"]))
            )]
            #[post($all)]
            pub async fn create(context: RequestContext, body: Body) -> api::Result<HttpResponse> {
                http::create(&context, body, $kind).await
            }

            /// Search groups
            #[utoipa::path(
                summary = concat!("Search ", $word, " groups"),
                description = concat!(
                    "A page of the ", $word, " groups of the tenant; at partner level, of its clients too. The \
                                              variables of \
                     `queryString` are `id`\nand `uniqueId` (either takes either id), `name` (contains the value, \
                     whatever the \
                     letter case) and `isEquals`\n(`true`: the name is the value)."
                ),
                operation_id = concat!("search", $name, "Groups"),
                params(PageQuery<Groups>),
                responses(
                    (status = 200, description = concat!("A page of ", $word, " groups"),
                        body = OrderedPageOf<ResourceGroup>),
                ),
                security(("bearer" = ["viewer"]))
            )]
            #[get($search)]
            pub async fn search(context: RequestContext<PageQuery<Groups>>) -> api::Result<HttpResponse> {
                http::search(&context, $kind).await
            }

            /// List minimal groups
            #[utoipa::path(
                summary = concat!("List minimal ", $word, " groups"),
                description = concat!(
                    "Ids and name of every ", $word,
                    " group of the tenant, by name; at partner level, of its clients too. \
                     Streamed, not paged."
                ),
                operation_id = concat!("listMinimal", $name, "Groups"),
                responses((status = 200, description = concat!("Every ", $word, " group"),
                    body = Vec<ResourceGroupMinimal>)),
                security(("bearer" = ["viewer"]))
            )]
            #[get($minimal)]
            pub async fn minimal(context: RequestContext) -> api::Result<HttpResponse> {
                http::minimal(&context, $kind).await
            }

            /// Get a group
            ///
            /// By its integer id or its unique id.
            #[utoipa::path(
                summary = concat!("Get a ", $word, " group"),
                operation_id = concat!("get", $name, "Group"),
                params($id),
                responses((status = 200, description = concat!("The ", $word, " group"), body = ResourceGroup)),
                security(("bearer" = ["viewer"]))
            )]
            #[get($one)]
            pub async fn get(context: RequestContext, PathIds(id): PathIds<$id>) -> api::Result<HttpResponse> {
                http::get(&context, &id, $kind).await
            }

            /// Update a group
            ///
            /// Fields left out stay as they are. `parent: {}` moves the group to the top, `filterCriteria` without
            /// rules makes it a static one. `If-Match` with the `ETag` of what you read makes sure that nobody else
            /// changed it meanwhile.
            #[utoipa::path(
                summary = concat!("Update a ", $word, " group"),
                operation_id = concat!("update", $name, "Group"),
                params($id),
                request_body(content = ResourceGroupUpdate, example = json!({
                    "description": "Behind the load balancer", "parent": {"id": "3"}
                })),
                responses(
                    (status = 200, description = concat!("The ", $word, " group after the change"),
                        body = ResourceGroup),
                    (status = 409, description = "The name is taken, or the group would be below itself"),
                    (status = 412, description = "The group has changed since it was read"),
                ),
                security(("bearer" = ["operator"]))
            )]
            #[post($one)]
            pub async fn update(
                context: RequestContext,
                PathIds(id): PathIds<$id>,
                body: Body,
            ) -> api::Result<HttpResponse> {
                http::update(&context, &id, body, $kind).await
            }

            /// Delete a group
            ///
            /// Its members stay in the inventory. Refused while it has child groups.
            #[utoipa::path(
                summary = concat!("Delete a ", $word, " group"),
                operation_id = concat!("delete", $name, "Group"),
                params($id),
                responses(
                    (status = 200, description = "Deleted; an empty object"),
                    (status = 409, description = "It has child groups"),
                    (status = 412, description = "The group has changed since it was read"),
                ),
                security(("bearer" = ["operator"]))
            )]
            #[delete($one)]
            pub async fn delete(context: RequestContext, PathIds(id): PathIds<$id>) -> api::Result<HttpResponse> {
                http::delete(&context, &id, $kind).await
            }

            /// List the children of a group
            ///
            /// A page of what stands directly below the group: child groups first, then resources of any state.
            #[utoipa::path(
                summary = concat!("List the children of a ", $word, " group"),
                operation_id = concat!("list", $name, "GroupChildren"),
                params($id, PageQuery<ChildList>),
                responses((status = 200, description = "A page of child groups and resources",
                    body = PageOf<GroupChild>)),
                security(("bearer" = ["viewer"]))
            )]
            #[get($children)]
            pub async fn children(
                context: RequestContext<PageQuery<ChildList>>,
                PathIds(id): PathIds<$id>,
            ) -> api::Result<HttpResponse> {
                http::children(&context, &id, $kind).await
            }

            /// Add children to a group
            ///
            /// Up to 1,000, all or none. A resource becomes a member by hand, which it stays whatever the filter
            /// criteria say; a group moves here from where it stood.
            #[utoipa::path(
                summary = concat!("Add children to a ", $word, " group"),
                operation_id = concat!("add", $name, "GroupChildren"),
                params($id),
                request_body(content = inline(Children), example = json!([
                    {"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}, {"id": $example_child}
                ])),
                responses(
                    (status = 200, description = "They are children; an empty object"),
                    (status = 409, description = "A group would be below itself"),
                    (status = 412, description = "The group has changed since it was read"),
                ),
                security(("bearer" = ["operator"]))
            )]
            #[post($children)]
            pub async fn add_children(
                context: RequestContext,
                PathIds(id): PathIds<$id>,
                body: Body,
            ) -> api::Result<HttpResponse> {
                http::add_children(&context, &id, &body, $kind).await
            }

            /// Remove children from a group
            ///
            /// Up to 1,000, all or none; anything that is not a child stays where it is. A removed child group stands
            /// at the top level afterwards. A member by rule cannot be removed by hand.
            #[utoipa::path(
                summary = concat!("Remove children from a ", $word, " group"),
                operation_id = concat!("remove", $name, "GroupChildren"),
                params($id),
                request_body(content = inline(Children),
                    example = json!([{"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}])),
                responses(
                    (status = 200, description = "They are no longer children; an empty object"),
                    (status = 409, description = "A resource is a member by rule"),
                    (status = 412, description = "The group has changed since it was read"),
                ),
                security(("bearer" = ["operator"]))
            )]
            #[delete($children)]
            pub async fn remove_children(
                context: RequestContext,
                PathIds(id): PathIds<$id>,
                body: Body,
            ) -> api::Result<HttpResponse> {
                http::remove_children(&context, &id, &body, $kind).await
            }
        }
    };
}

operations! {
    /// Device groups.
    device: "Device", "device", Kind::Device, DeviceGroupId, "Web servers", "DGP-9d1c6f0e-7a52-4c37-9c1b-2f0a5b6c7d8e",
    "/deviceGroups", "/deviceGroups/search", "/deviceGroups/minimal", "/deviceGroups/{groupId}",
    "/deviceGroups/{groupId}/childs"
}

operations! {
    /// Service groups.
    service: "Service", "service", Kind::Service, ServiceGroupId, "Web tier",
    "SGP-9d1c6f0e-7a52-4c37-9c1b-2f0a5b6c7d8e",
    "/serviceGroups", "/serviceGroups/search", "/serviceGroups/minimal", "/serviceGroups/{groupId}",
    "/serviceGroups/{groupId}/childs"
}
