//! The groups that hold a resource.

use actix_web::HttpResponse;
use api::{PathIds, RequestContext, answer, get};
use db::{Conn, Result};
use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    groups::kind::Kind,
    resources::{store::find_required, wire::ResourceId},
    schema::{group_members, resource_groups},
};

/// A group that holds a resource (`docs/interface.md`, "Groups of a resource").
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": 7, "uniqueId": "DGP-0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "name": "Web servers", "type": "DEVICE_GROUP",
    "byRule": true
}))]
pub struct HoldingGroup {
    /// Its integer id.
    pub id: i64,
    /// `DGP-<uuid>` or `SGP-<uuid>`.
    pub unique_id: String,
    /// Its name.
    pub name: String,
    /// `DEVICE_GROUP` or `SERVICE_GROUP`.
    #[serde(rename = "type")]
    #[schema(pattern = "^(DEVICE_GROUP|SERVICE_GROUP)$")]
    pub kind: &'static str,
    /// Whether the filter criteria made the resource a member, and not somebody's hand.
    pub by_rule: bool,
}

/// List the groups of a resource
///
/// Device groups, then service groups, each by name: those that the resource is a member of itself, by hand or by rule,
/// as far as they are the tenant's. A group above one of them, which counts its members too, is not among them.
#[utoipa::path(
    operation_id = "listResourceGroups",
    params(ResourceId),
    responses((status = 200, description = "The groups", body = Vec<HoldingGroup>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/{resourceId}/groups")]
pub async fn list(context: RequestContext, PathIds(id): PathIds<ResourceId>) -> api::Result<HttpResponse> {
    let rows = context.read(move |conn, scope| {
        let tenants = scope.scope();
        let resource = find_required(conn, &tenants, &id)?;
        find_holding_groups(conn, &tenants, &resource.tenant_id, &resource.id)
    });
    let found: Vec<HoldingGroup> = rows.await?.into_iter().filter_map(to_wire).collect();
    answer::ok(&found)
}

/// Kind, id, unique id and name of a group, and whether the resource is in it by rule.
type Row = (String, i64, String, String, bool);

/// The groups of these tenants that have a resource of one of them as a member.
fn find_holding_groups(conn: &mut Conn, tenants: &[String], tenant: &str, resource: &str) -> Result<Vec<Row>> {
    let members = group_members::table
        .filter(group_members::tenant_id.eq(tenant))
        .filter(group_members::resource_id.eq(resource))
        .inner_join(resource_groups::table.on(resource_groups::id.eq(group_members::group_id)))
        .filter(resource_groups::tenant_id.eq_any(tenants))
        .order((resource_groups::kind, resource_groups::name_key, resource_groups::id));
    let shown = (resource_groups::kind, resource_groups::id, resource_groups::unique_id, resource_groups::name);
    let rows: Vec<((String, i64, String, String), bool)> =
        members.select((shown, group_members::by_rule)).load(conn)?;
    Ok(rows.into_iter().map(|((kind, id, unique_id, name), by_rule)| (kind, id, unique_id, name, by_rule)).collect())
}

fn to_wire((kind, id, unique_id, name, by_rule): Row) -> Option<HoldingGroup> {
    let kind = Kind::parse(&kind)?.child_type();
    Some(HoldingGroup { id, unique_id, name, kind, by_rule })
}
