//! What a window covers by itself, kind by kind.

use actix_web::{HttpResponse, web};
use api::{List, PageQuery, PathIds, RequestContext, Resource as _, answer, get, spec::PageOf};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    names::Names,
    row::Window,
    store,
    targets::{Kind, Target},
    wire::{GroupTarget, LocationTarget, WindowId},
};
use crate::neighbours::Neighbours;

/// The list of what a window covers of a kind.
#[derive(Clone, Debug)]
pub struct Contents;

impl List for Contents {
    const SORT: &'static str = "id";
}

/// A resource that a window covers by itself.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceResource)]
pub struct ResourceTarget {
    /// UUID.
    id: String,
    /// The same as `id`.
    unique_id: String,
    /// What it is called; this and all that follows is absent when it is not in the inventory any more.
    name: Option<String>,
    /// Empty when it has none.
    host_name: Option<String>,
    /// Empty when it has none.
    ip_address: Option<String>,
    /// The name of its resource type.
    resource_type: Option<String>,
}

/// List the resources of a maintenance window
///
/// A page of the resources among its targets, by id; what it covers through groups and sites is not among them.
#[utoipa::path(
    operation_id = "listMaintenanceResources",
    params(WindowId, PageQuery<Contents>),
    responses((status = 200, description = "A page of resources", body = PageOf<ResourceTarget>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/{windowId}/resources/resources")]
pub async fn resources(
    context: RequestContext<PageQuery<Contents>>,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
) -> api::Result<HttpResponse> {
    page(&context, neighbours, id, Kind::Device, |target, names| {
        let known = names.device(target);
        ResourceTarget {
            id: target.id.clone(),
            unique_id: target.id.clone(),
            name: known.map(|known| known.name.clone()),
            host_name: known.map(|known| known.host_name.clone()),
            ip_address: known.map(|known| known.ip_address.clone()),
            resource_type: known.map(|known| known.resource_type.clone()),
        }
    })
    .await
}

/// List the device groups of a maintenance window
///
/// A page of the device groups among its targets.
#[utoipa::path(
    operation_id = "listMaintenanceDeviceGroups",
    params(WindowId, PageQuery<Contents>),
    responses((status = 200, description = "A page of device groups", body = PageOf<GroupTarget>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/{windowId}/resources/deviceGroups")]
pub async fn device_groups(
    context: RequestContext<PageQuery<Contents>>,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
) -> api::Result<HttpResponse> {
    page(&context, neighbours, id, Kind::DeviceGroup, |target, names| GroupTarget {
        id: target.id.parse().unwrap_or(0),
        unique_id: names.place(target).map(|place| place.unique_id.clone()),
        name: names.place(target).map(|place| place.name.clone()),
    })
    .await
}

/// List the sites of a maintenance window
///
/// A page of the sites among its targets.
#[utoipa::path(
    operation_id = "listMaintenanceSites",
    params(WindowId, PageQuery<Contents>),
    responses((status = 200, description = "A page of sites", body = PageOf<LocationTarget>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/{windowId}/resources/sites")]
pub async fn sites(
    context: RequestContext<PageQuery<Contents>>,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
) -> api::Result<HttpResponse> {
    page(&context, neighbours, id, Kind::Location, |target, names| LocationTarget {
        id: target.id.parse().unwrap_or(0),
        name: names.place(target).map(|place| place.name.clone()),
    })
    .await
}

/// A page of the targets of a kind; a window has at most [`super::targets::MOST`] in all.
async fn page<T: Serialize + Send + 'static>(
    context: &RequestContext<PageQuery<Contents>>,
    neighbours: web::Data<Neighbours>,
    id: WindowId,
    kind: Kind,
    show: impl Fn(&Target, &Names) -> T + Clone + Send + 'static,
) -> api::Result<HttpResponse> {
    let walk = context.query.walk.clone();
    let page = context.read_many(move |conn, scope| {
        let window = Window::existing(conn, &scope.scope(), &id)?;
        let mut targets = store::targets_of(conn, &window)?;
        targets.retain(|target| target.kind == kind);
        let found = walk.of_all(targets, |target| target.id.clone());
        let names = Names::load(conn, neighbours.resources(), &found.rows)?;
        Ok(walk.answer(found.map(|target| show(&target, &names))))
    });
    answer::ok(&page.await?)
}
