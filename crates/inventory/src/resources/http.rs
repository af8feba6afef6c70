//! One resource: create, get, update, move to manage, unmanage.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, OptionalBody, PathIds, RequestContext, RequestScope, delete, get, post};
use base::{problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::Tx;
use ports::{IntegrationSummary, Integrations};

use super::{
    changes,
    decommissioned::{self, DecommissionedResource},
    detail::{self, LinkedRecords},
    identities,
    input::{Input, LocationReference, ResourceInput},
    lock, rules, store,
    wire::{CreatedResource, Decommission, ResourceDetail, ResourceId},
};
use crate::{
    model::{document::Resource, row::Row},
    reports::identity::IdentityKey,
    sites, types,
};

/// Create a resource
///
/// Adds a resource to the inventory. At least one of `name`, `hostName`, `resourceName`, `aliasName`, `dnsName`,
/// `ipAddress`, `instanceId` is needed. A machine that is known already (by system UUID, cloud account and instance,
/// serial number with make, or MAC address) is a 409 that names it. A `location` must exist; a `resourceType` that is
/// new is added.
#[utoipa::path(
    operation_id = "createResource",
    request_body(content = ResourceInput, example = json!({
        "hostName": "web-01.example.net", "resourceType": "Linux", "ipAddress": "10.0.0.11", "make": "Dell Inc.",
        "serialNumber": "7XK9PL2", "tags": [{"name": "env", "value": "production"}], "appRoles": [{"name": "nginx"}]
    })),
    responses(
        (status = 200, description = "Created", body = CreatedResource),
        (status = 409, description = "The machine is known already"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/resources")]
pub async fn create(context: RequestContext, Body(input): Body<Input>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let resource = create_in(tx, scope.tenant.partner.as_str(), scope.tenant_id(), &input)?;
            Answer::ok(&CreatedResource { resource_uuid: resource.id, tenant_id: resource.tenant_id })
        })
        .await
}

/// Creates the resource that a body describes.
pub fn create_in(tx: &mut Tx<'_>, partner: &str, tenant: &str, input: &Input) -> Result<Resource> {
    let resource = rules::create(input, tenant, store::new_id(), tx.now)?;
    let identities = rules::identities(&resource);
    add(tx, partner, input, resource, &identities)
}

/// As [`create_in`], with identity keys that are known already.
pub fn create_known_by(
    tx: &mut Tx<'_>,
    partner: &str,
    tenant: &str,
    input: &Input,
    identities: &[IdentityKey],
) -> Result<Resource> {
    let resource = rules::create(input, tenant, store::new_id(), tx.now)?;
    add(tx, partner, input, resource, identities)
}

fn add(
    tx: &mut Tx<'_>,
    partner: &str,
    input: &Input,
    mut resource: Resource,
    identities: &[IdentityKey],
) -> Result<Resource> {
    if !identities.is_empty() {
        identities::lock_identities(tx.conn, &resource.tenant_id)?;
    }
    if let Some(known) = identities::find(tx.conn, &resource.tenant_id, identities, "")? {
        return Err(rules::known_already(known.by.kind(), &known.id).into());
    }
    resolve(tx.conn, input, &mut resource)?;
    store::insert(tx.conn, partner, &resource, identities)?;
    changes::record_change(tx, None, Some(&resource))?;
    Ok(resource)
}

/// Finds the type and the place that a body names.
pub fn resolve(conn: &mut Conn, input: &Input, resource: &mut Resource) -> Result<()> {
    if input.location == Some(LocationReference::default()) {
        resource.site_id = None;
    } else if let Some(LocationReference { id, name }) = &input.location {
        let site = sites::store::resolve(conn, &resource.tenant_id, *id, name.as_deref())?;
        let missing = || Problem::field("location", "names no site of this tenant; create it first");
        resource.site_id = Some(site.ok_or_else(missing)?);
    }
    if let Some(name) = &input.resource_type {
        resource.resource_type = types::resolve(conn, &resource.tenant_id, name)?;
    } else if resource.resource_type.0 == 0 {
        resource.resource_type = types::resolve(conn, &resource.tenant_id, types::default_for(&resource.kind))?;
    }
    Ok(())
}

/// Get a resource
///
/// The detail of one resource, in one of three shapes: `SYNTHETIC` resources have the Synthetic shape, `DEVICE`s the
/// Resource shape, all others the Device shape.
#[utoipa::path(
    operation_id = "getResource",
    params(ResourceId),
    responses((status = 200, description = "The resource", body = ResourceDetail<'static>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/resources/{resourceId}")]
pub async fn get(
    context: RequestContext,
    integrations: web::Data<dyn Integrations>,
    PathIds(id): PathIds<ResourceId>,
) -> api::Result<HttpResponse> {
    let answered = context.point(move |conn, tenant| {
        let scope = tenant.scope();
        let (row, place) = store::find_with_place(conn, &scope, &id)?;
        let installed = installed_on(conn, &**integrations, &scope, &row)?;
        let linked = LinkedRecords { place, installed };
        let document = detail::parse_document(&row)?;
        Answer::entity(&detail::detail(&row, &document, &linked, &tenant.partner), row.version)
    });
    answered.await
}

/// The records that the detail of a resource links to, as far as the caller may see them.
pub(super) fn linked_records(
    conn: &mut Conn,
    integrations: &dyn Integrations,
    scope: &[String],
    row: &Row,
) -> Result<LinkedRecords> {
    let place = match row.site_id {
        Some(site) => sites::store::place_of(conn, &row.tenant_id, site)?,
        None => None,
    };
    Ok(LinkedRecords { place, installed: installed_on(conn, integrations, scope, row)? })
}

/// The integration that a resource came from, as far as the caller may see it.
fn installed_on(
    conn: &mut Conn,
    integrations: &dyn Integrations,
    scope: &[String],
    row: &Row,
) -> Result<Option<IntegrationSummary>> {
    match row.installed_intg_key.as_deref().and_then(|key| key.strip_prefix("intg-")) {
        Some(rest) => integrations.installed(conn, scope, &format!("INTG-{rest}")),
        None => Ok(None),
    }
}

/// Update a resource
///
/// Fields left out stay as they are; an empty string removes a value, and `location: {}` the place. `If-Match` with the
/// `ETag` of what you read makes sure that nobody else changed it meanwhile.
#[utoipa::path(
    operation_id = "updateResource",
    params(ResourceId),
    request_body(content = ResourceInput, example = json!({"aliasName": "shop front", "state": "inactive"})),
    responses(
        (status = 200, description = "The resource after the change", body = ResourceDetail<'static>),
        (status = 409, description = "The new identity is another resource's"),
        (status = 412, description = "The resource has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/resources/{resourceId}")]
pub async fn update(
    context: RequestContext,
    integrations: web::Data<dyn Integrations>,
    PathIds(id): PathIds<ResourceId>,
    Body(input): Body<Input>,
) -> api::Result<HttpResponse> {
    change(&context, integrations, id, move |tx, old| next_version(tx.conn, &input, old, tx.now)).await
}

/// The next version of a resource, as a body describes it. Stores its identity keys.
pub fn next_version(conn: &mut Conn, input: &Input, old: &Resource, now: Timestamp) -> Result<Resource> {
    let mut resource = rules::update(input, old, now)?;
    move_identities(conn, old, &resource)?;
    resolve(conn, input, &mut resource)?;
    Ok(resource)
}

/// Stores the identity keys of a resource in place of those that it had.
///
/// # Errors
/// 409 when another resource is the machine that the new keys name.
pub fn move_identities(conn: &mut Conn, old: &Resource, new: &Resource) -> Result<()> {
    let before = rules::identities(old);
    let after = rules::identities(new);
    if let Some((key, id)) = identities::find_conflict(conn, new, &after)? {
        return Err(rules::known_already(key.kind(), &id).into());
    }
    let stale: Vec<_> = before.into_iter().filter(|key| !after.contains(key)).collect();
    identities::remove(conn, new, &stale)?;
    identities::add(conn, new, &after)
}

/// Changes a resource under `If-Match`, and answers its new detail.
async fn change<F>(
    context: &RequestContext,
    integrations: web::Data<dyn Integrations>,
    id: ResourceId,
    rule: F,
) -> api::Result<HttpResponse>
where
    F: FnOnce(&mut Tx<'_>, &Resource) -> Result<Resource> + Send + 'static,
{
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            let before = old.clone().into_resource()?;
            let after = rule(tx, &before)?;
            let row = store::update(tx.conn, scope.tenant.partner.as_str(), &old, &after)?;
            changes::record_change(tx, Some(&before), Some(&after))?;
            let linked = linked_records(tx.conn, &**integrations, &scope.scope(), &row)?;
            let document = detail::parse_document(&row)?;
            Answer::entity(&detail::detail(&row, &document, &linked, &scope.tenant.partner), row.version)
        })
        .await
}

/// Locks the resource that is to be changed until the end of the transaction.
fn lock_for_update(tx: &mut Tx<'_>, scope: &RequestScope, id: &str) -> Result<Row> {
    lock::lock_resource(tx.conn, id)?;
    let row = store::find_required(tx.conn, &scope.scope(), id)?;
    scope.check_version(row.version)?;
    Ok(row)
}

/// Delete a resource
///
/// Moves it to history, as `decommission` does.
#[utoipa::path(
    operation_id = "deleteResource",
    params(ResourceId),
    responses(
        (status = 200, description = "Moved to history; an empty object"),
        (status = 412, description = "The resource has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/resources/{resourceId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<ResourceId>) -> api::Result<HttpResponse> {
    to_history(&context, id, String::new(), |_, _| Ok(Answer::empty())).await
}

/// Decommission a resource
///
/// Moves it to history with a reason: it leaves the lists, its groups and its software, and is found by
/// `GET /history/resources`. The same machine reporting again becomes a new resource.
#[utoipa::path(
    operation_id = "decommissionResource",
    params(ResourceId),
    request_body(content = Decommission, example = json!({"reason": "replaced by web-02"})),
    responses(
        (status = 200, description = "The record in history", body = DecommissionedResource<'static>),
        (status = 412, description = "The resource has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/resources/{resourceId}/decommission")]
pub async fn decommission(
    context: RequestContext,
    PathIds(id): PathIds<ResourceId>,
    OptionalBody(Decommission { reason }): OptionalBody<Decommission>,
) -> api::Result<HttpResponse> {
    to_history(&context, id, reason, |conn, row| {
        let path = types::path(conn, &row.tenant_id, row.resource_type_id, &row.resource_type)?;
        let document = detail::parse_document(row)?;
        Answer::entity(&decommissioned::record(row, &document, &path), row.version)
    })
    .await
}

/// Moves a resource to history.
async fn to_history(
    context: &RequestContext,
    id: ResourceId,
    reason: String,
    answer: fn(&mut Conn, &Row) -> Result<Answer>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let before = lock_for_update(tx, scope, &id)?.into_resource()?;
            let row = store::decommission(
                tx.conn,
                scope.tenant.partner.as_str(),
                &rules::decommission(&before, &reason, tx.now),
            )?;
            changes::record_change(tx, Some(&before), None)?;
            answer(tx.conn, &row)
        })
        .await
}

/// Manage a device
///
/// Its state becomes `active`.
#[utoipa::path(
    operation_id = "manageDevice",
    params(ResourceId),
    responses(
        (status = 200, description = "The resource after the change", body = ResourceDetail<'static>),
        (status = 412, description = "The resource has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/devices/{resourceId}/manage")]
pub async fn manage(
    context: RequestContext,
    integrations: web::Data<dyn Integrations>,
    PathIds(id): PathIds<ResourceId>,
) -> api::Result<HttpResponse> {
    set_state(&context, integrations, id, "active").await
}

/// Unmanage a device
///
/// Its state becomes `inactive`.
#[utoipa::path(
    operation_id = "unmanageDevice",
    params(ResourceId),
    responses(
        (status = 200, description = "The resource after the change", body = ResourceDetail<'static>),
        (status = 412, description = "The resource has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/devices/{resourceId}/unmanage")]
pub async fn unmanage(
    context: RequestContext,
    integrations: web::Data<dyn Integrations>,
    PathIds(id): PathIds<ResourceId>,
) -> api::Result<HttpResponse> {
    set_state(&context, integrations, id, "inactive").await
}

async fn set_state(
    context: &RequestContext,
    integrations: web::Data<dyn Integrations>,
    id: ResourceId,
    state: &'static str,
) -> api::Result<HttpResponse> {
    change(context, integrations, id, move |tx, old| {
        let mut resource = rules::changed(old, tx.now);
        rules::set_state(&mut resource, state, tx.now);
        Ok(resource)
    })
    .await
}
