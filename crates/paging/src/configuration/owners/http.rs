//! Owners over HTTP.

use actix_web::{HttpResponse, web};
use api::{Answer, Body, PageQuery, PathIds, RequestContext, delete, get, post, spec::PageOf};
use base::{problem::Problem, query_string};
use db::{Condition, Conn};
use outbox::Tx;
use ports::{PlaceKind, ResourceKey};

use super::{
    row::{KINDS, Ownership},
    store,
    wire::{Owner, OwnerId, OwnerInput, OwnershipTarget},
};
use crate::{Neighbours, configuration::filter};

const VARIABLES: [&str; 5] = ["id", "kind", "target", "userGroupId", "allList"];

api::list! {
    /// The list of owners.
    pub Owners by store::SORTS: SORT = "id", FILTER = "kind:site"
}

/// Set an owner
///
/// Says which user group owns a resource, a device group, a service group, a site, or all that has no other owner, in
/// place of the owner before; without `userGroup`, nobody does any more. A resource without an owner has that of one of
/// its device groups, of one of its service groups, of its site, or the default.
#[utoipa::path(
    operation_id = "setOwner",
    request_body(content = OwnerInput),
    responses((status = 200, description = "The owner, or an empty object when there is none any more", body = Owner)),
    security(("bearer" = ["operator"]))
)]
#[post("/owners")]
pub async fn set(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    Body(given): Body<OwnerInput>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let new_id = format!("OWN-{}", uuid::Uuid::now_v7());
            let made = (new_id, (tx.author().to_owned(), tx.now.millis()));
            match set_owner(tx, &neighbours, (scope.tenant_id(), &scope.scope()), given, made)? {
                Some(row) => Answer::ok(&Owner::from(&row)),
                None => Ok(Answer::empty()),
            }
        })
        .await
}

/// Sets the owner of what a body names, in place of the one before, or under this id when there was none; with it comes
/// who made it and when. `own` is the tenant that names stand for, `reach` are those whose resources may be named.
///
/// # Errors
/// 400 for what the tenant does not have.
pub fn set_owner(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    (own, reach): (&str, &[String]),
    given: OwnerInput,
    (new_id, (created_by, created_ms)): (String, (String, i64)),
) -> db::Result<Option<Ownership>> {
    let named = given.named();
    let (tenant, target) = target(tx.conn, neighbours, own, reach, &named)?;
    db::Lock::of("owners", &tenant).take(tx.conn)?;
    let old = store::of_target(tx.conn, &tenant, named.kind(), &target)?;
    let Some(group) = given.user_group else {
        if let Some(old) = &old {
            store::delete(tx.conn, old)?;
            tx.record_change(Some(old), None)?;
        }
        return Ok(None);
    };
    let around = neighbours.people.own_and_partner(tx.conn, &tenant)?;
    if neighbours.people.groups(tx.conn, &around, std::slice::from_ref(&group))?.is_empty() {
        let what = "user group of the tenant or its partner";
        return Err(Problem::unknown("userGroup.uniqueId", what, &group).into());
    }
    let row = Ownership {
        id: old.as_ref().map_or(new_id, |old| old.id.clone()),
        tenant_id: tenant,
        kind: named.kind().to_owned(),
        target_id: target,
        group_id: group,
        created_by,
        created_ms,
    };
    store::set(tx.conn, old.as_ref(), &row)?;
    tx.record_change(old.as_ref(), Some(&row))?;
    Ok(Some(row))
}

/// 404: no such owner.
pub fn unknown() -> Problem {
    Problem::not_found("The owner was not found.")
}

/// Tenant and id of what is to be owned, among the tenants of the request.
fn target(
    conn: &mut Conn,
    neighbours: &Neighbours,
    own: &str,
    scope: &[String],
    named: &OwnershipTarget,
) -> db::Result<(String, String)> {
    let unknown = |field: &str, what: &str| Problem::field(field, format!("names no {what}, or more than one"));
    let (kind, key) = match named {
        OwnershipTarget::Default => return Ok((own.to_owned(), String::new())),
        OwnershipTarget::Resource(id) => {
            let found = neighbours.resources.find(conn, scope, &[ResourceKey::Id(id.clone())])?;
            let resource = found.into_iter().flatten().next().ok_or_else(|| unknown("resource.id", "resource"))?;
            return Ok((resource.tenant_id, resource.id));
        }
        OwnershipTarget::DeviceGroup(key) => (PlaceKind::DeviceGroup, key),
        OwnershipTarget::Site(key) => (PlaceKind::Location, key),
        OwnershipTarget::ServiceGroup(key) => {
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

/// Search owners
///
/// At partner level those of its clients too, unless `allList` is `false`. `queryString` variables: `id`, `kind`,
/// `target`, `userGroupId` and `allList`.
#[utoipa::path(
    operation_id = "searchOwners",
    params(PageQuery<Owners>),
    responses((status = 200, description = "A page of owners", body = PageOf<Owner>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/owners/search")]
pub async fn search(context: RequestContext<PageQuery<Owners>>) -> api::Result<HttpResponse> {
    let terms = query_string::parse(&context.query.filter, &VARIABLES)?;
    let tenants = context.scope_of_list(filter::all_list(&terms)?);
    let mut all = vec![Condition::text_in("owners.tenant_id IN", tenants)];
    for term in &terms {
        let folded = || term.values.iter().map(|value| base::fold(value));
        all.push(match term.name {
            "id" => Condition::text_in("lower(owners.id) IN", folded()),
            "kind" => Condition::text_in("owners.kind IN", term.words(&KINDS)?),
            "target" => Condition::text_in("owners.target_id IN", folded()),
            "userGroupId" => Condition::text_in("lower(owners.group_id) IN", folded()),
            _ => continue,
        });
    }
    let page = context.page(move |conn, _, sort, walk| {
        let found = store::page(conn, &Condition::all(all), sort, walk)?;
        Ok(found.map(|row| Owner::from(&row)))
    });
    page.await
}

/// Delete an owner
#[utoipa::path(
    operation_id = "deleteOwner",
    params(OwnerId),
    responses((status = 200, description = "Deleted; an empty object", body = Object)),
    security(("bearer" = ["operator"]))
)]
#[delete("/owners/{ownerId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<OwnerId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = store::find(tx.conn, &scope.scope(), &id)?.ok_or_else(unknown)?;
            store::delete(tx.conn, &old)?;
            tx.record_change(Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
}
