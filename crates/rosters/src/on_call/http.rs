//! Who is on call, over HTTP.

use actix_web::{HttpResponse, web};
use api::{PathIds, RequestContext, get};
use ports::People;

use super::{
    cache::OnCallCache,
    render,
    wire::{OfUser, OnCall},
};
use crate::{
    overrides::wire::Reference,
    roster::{
        rules, store, versions,
        wire::{InstantQuery, RosterId},
    },
    schedule::Schedule,
    timeline::http::respond,
};

/// Get who is on call
///
/// Through all rosters of the tenant; at partner level, of its clients too. Groups are resolved to their members, and
/// deactivated users are left out. Rosters are sorted by name. For an instant in the past the answer is what was true
/// then: who was in which group, who was active, and what they were called. With `userId`, only that user.
#[utoipa::path(
    operation_id = "getOnCall",
    params(OfUser),
    responses((status = 200, description = "Who is on call", body = OnCall)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/onCall")]
pub async fn all(
    context: RequestContext<OfUser>,
    people: web::Data<dyn People>,
    cache: web::Data<OnCallCache>,
) -> api::Result<HttpResponse> {
    Ok(respond(cache.into_inner().answer(&context, people.into_inner()).await?))
}

/// Get who is on call through a roster
///
/// For a deleted roster, at any time before its deletion.
#[utoipa::path(
    operation_id = "getRosterOnCall",
    params(RosterId, InstantQuery),
    responses((status = 200, description = "Who is on call", body = OnCall)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/onCall")]
pub async fn one(
    context: RequestContext<InstantQuery>,
    people: web::Data<dyn People>,
    PathIds(id): PathIds<RosterId>,
) -> api::Result<HttpResponse> {
    let at = context.query.at.unwrap_or(context.now);
    let text = context.read(move |conn, scope| {
        let roster = store::existed(conn, &scope.scope(), &id)?;
        // One that was not there then is not found; one that was deleted later is.
        let roster = versions::as_of(conn, vec![roster], at.millis())?.pop();
        let roster = roster.ok_or_else(rules::no_roster)?;
        let tenants = rules::tenants_of(&roster.tenant_id, scope.tenant.partner.as_str());
        let mut schedule = Schedule::load(conn, &roster, &tenants, at)?;
        let staff = schedule.people(conn, &**people, &tenants, at)?;
        let tenant = &roster.tenant_id;
        let named = Reference { id: roster.id, name: roster.name };
        let of = render::RosterAtInstant { roster: &named, tenant, schedule: &schedule, staff: &staff, user: None };
        let (_, elements) = render::elements(of, at);
        Ok(render::answer(at, std::iter::once(&elements)))
    });
    Ok(respond(text.await?))
}
