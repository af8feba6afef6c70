//! Owners over HTTP.

use actix_web::{HttpResponse, delete, get, post, web};
use api::{Answer, Body, RequestContext, answer, spec::PageOf};
use base::{
    Query,
    problem::{Problem, shorten},
    query_string,
};
use db::{Condition, Conn};
use outbox::{Entity, Tx};
use ports::{PlaceKind, ResourceKey};

use super::{
    store::{self, Row},
    wire::{self, Named, Owner, OwnerInput},
};
use crate::Neighbours;

const VARIABLES: [&str; 4] = ["id", "kind", "target", "userGroupId"];
const KINDS: [&str; 5] = [store::RESOURCE, store::DEVICE_GROUP, store::SERVICE_GROUP, store::SITE, store::DEFAULT];

fn note(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) -> db::Result<()> {
    let Some(row) = after.or(before) else { return Ok(()) };
    let entity = Entity { tenant_id: &row.tenant_id, kind: "Owner", id: &row.id, publish: false };
    tx.note_shown(entity, before.map(Owner::from).as_ref(), after.map(Owner::from).as_ref())
}

/// Tenant and id of what is to be owned, among the tenants of the request.
fn target(
    conn: &mut Conn,
    neighbours: &Neighbours,
    own: &str,
    scope: &[String],
    named: &Named,
) -> db::Result<(String, String)> {
    let unknown = |field: &str, what: &str| Problem::field(field, format!("names no {what}, or more than one"));
    let (kind, key) = match named {
        Named::Default => return Ok((own.to_owned(), String::new())),
        Named::Resource(id) => {
            let found = neighbours.resources.find(conn, scope, &[ResourceKey::Id(id.clone())])?;
            let resource = found.into_iter().flatten().next().ok_or_else(|| unknown("resource.id", "resource"))?;
            return Ok((resource.tenant_id, resource.id));
        }
        Named::DeviceGroup(key) => (PlaceKind::DeviceGroup, key),
        Named::Site(key) => (PlaceKind::Location, key),
        Named::ServiceGroup(key) => {
            let mut found = neighbours.resources.service_groups(conn, &[own.to_owned()], std::slice::from_ref(key))?;
            return match found.pop().unwrap_or_default().as_slice() {
                [group] => Ok((group.tenant_id.clone(), group.id.to_string())),
                _ => Err(unknown("serviceGroup", "service group of the tenant").into()),
            };
        }
    };
    // What a number or a name means, it means at the tenant itself; its clients have theirs.
    let mut found = neighbours.resources.places(conn, &[own.to_owned()], kind, std::slice::from_ref(key))?;
    match found.pop().unwrap_or_default().as_slice() {
        [place] => Ok((place.tenant_id.clone(), place.id.to_string())),
        _ if kind == PlaceKind::Location => Err(unknown("site", "site of the tenant").into()),
        _ => Err(unknown("deviceGroup", "device group of the tenant").into()),
    }
}

/// Set an owner
///
/// Says which user group owns a resource, a device group, a service group, a site, or all that has no other owner, in the place of
/// what was said before; without `userGroup`, nobody does any more. A resource without an owner has that of one of its device groups, of
/// one of its service groups, of its site, or the default.
#[utoipa::path(
    tag = "paging",
    operation_id = "setOwner",
    request_body(content = OwnerInput),
    responses((status = 200, description = "The owner, or an empty object when there is none any more", body = Owner)),
    security(("bearer" = ["operator"]))
)]
#[post("/owners")]
pub async fn set(context: RequestContext, neighbours: web::Data<Neighbours>, body: Body) -> api::Result<HttpResponse> {
    let (named, group) = wire::read(&body.0)?;
    let (own, scope, author) = (context.tenant.id.to_string(), context.scope(), context.caller.user_id.clone());
    let now_ms = context.now.millis();
    context
        .write(move |tx, _| {
            let (tenant, target) = target(tx.conn, &neighbours, &own, &scope, &named)?;
            db::lock(tx.conn, &format!("owners:{tenant}"))?;
            let old = store::of_target(tx.conn, &tenant, named.kind(), &target)?;
            let Some(group) = group else {
                if let Some(old) = &old {
                    store::delete(tx.conn, old)?;
                    note(tx, Some(old), None)?;
                }
                return Ok(Answer::empty());
            };
            let around = neighbours.people.around(tx.conn, &tenant)?;
            if neighbours.people.groups(tx.conn, &around, std::slice::from_ref(&group))?.is_empty() {
                let message = format!("names no user group of the tenant or its partner: {}", shorten(&group));
                return Err(Problem::field("userGroup.uniqueId", message).into());
            }
            let row = Row {
                id: old.as_ref().map_or_else(|| format!("OWN-{}", uuid::Uuid::now_v7()), |old| old.id.clone()),
                tenant_id: tenant,
                kind: named.kind().to_owned(),
                target_id: target,
                group_id: group,
                created_by: author,
                created_ms: now_ms,
            };
            store::set(tx.conn, old.as_ref(), &row)?;
            note(tx, old.as_ref(), Some(&row))?;
            Answer::ok(&Owner::from(&row))
        })
        .await
}

/// Search owners
///
/// At partner level those of its clients too. `queryString` variables: `id`, `kind`, `target`, `userGroupId`.
#[utoipa::path(
    tag = "paging",
    operation_id = "searchOwners",
    params(
        ("pageNo" = Option<i64>, Query, description = "From 1"),
        ("pageSize" = Option<i64>, Query, description = "1 to 1000, default 100"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default false"),
        ("sortName" = Option<String>, Query, description = "`id`"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "kind:site"),
    ),
    responses((status = 200, description = "A page of owners", body = PageOf<Owner>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/owners/search")]
pub async fn search(context: RequestContext<Query>) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let sort = query.sort(&["id"], "id", false);
    let walk = query.walk(context.request().path(), sort);
    let text = query.text("queryString").unwrap_or_default();
    query.finish()?;
    let mut all = vec![Condition::text_in("owners.tenant_id IN", context.scope())];
    for term in query_string::parse(&text, &VARIABLES)? {
        let folded = || term.values.iter().map(|value| base::fold(value));
        all.push(match term.name {
            "id" => Condition::text_in("lower(owners.id) IN", folded()),
            "kind" => Condition::text_in("owners.kind IN", term.words(&KINDS)?),
            "target" => Condition::text_in("owners.target_id IN", folded()),
            _ => Condition::text_in("lower(owners.group_id) IN", folded()),
        });
    }
    let condition = Condition::all(all);
    let page = context.db.read(move |conn| {
        let found = store::page(conn, &condition, sort.descending, &walk)?;
        Ok(walk.answer(found.map(|row| Owner::from(&row))))
    });
    answer::ok(&page.await?.ordered(sort.name, sort.descending))
}

/// Delete an owner
#[utoipa::path(
    tag = "paging",
    operation_id = "deleteOwner",
    params(("ownerId" = String, Path, description = "`OWN-<uuid>`", example = "OWN-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")),
    responses((status = 200, description = "It is gone", body = Object)),
    security(("bearer" = ["operator"]))
)]
#[delete("/owners/{ownerId}")]
pub async fn delete(context: RequestContext, path: web::Path<(String, String)>) -> api::Result<HttpResponse> {
    let (scope, id) = (context.scope(), path.into_inner().1);
    context
        .write(move |tx, _| {
            let old =
                store::find(tx.conn, &scope, &id)?.ok_or_else(|| Problem::not_found("The owner was not found."))?;
            store::delete(tx.conn, &old)?;
            note(tx, Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
}
