//! Timelines over HTTP.

use std::sync::Arc;

use actix_web::{HttpResponse, get, post, web};
use api::{Body, RequestContext};
use base::{Query, problem::Problem};
use ports::People;

use super::{
    kept::{Kept, Key},
    render::{self, Asked},
    wire::Timeline,
};
use crate::{
    revisions::Revisions,
    roster::{
        change::RosterChange,
        documented::RosterInput,
        http::{check_new, tenants_of, tenants_of_people},
        store, versions,
    },
    schedule::{self, Schedule},
};

/// 200 with JSON that is written already.
pub fn respond(json: impl Into<web::Bytes>) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(json.into())
}

/// Get the timeline of a roster
///
/// The final schedule within a range of at most 400 days: who is on call when and why, overrides and former versions
/// of the shifts included, and where there are gaps and overlaps. A roster that was deleted has a past, and no future.
#[utoipa::path(
    tag = "rosters",
    operation_id = "getRosterTimeline",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("from" = String, Query, description = "The start of the range", example = "2026-11-20T00:00:00+0000"),
        ("to" = String, Query, description = "Its end, which is not part of it", example = "2026-11-27T00:00:00+0000"),
    ),
    responses((status = 200, description = "The timeline", body = Timeline)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/timeline")]
pub async fn timeline(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    kept: web::Data<Kept>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let range = calendar::parse::range(context.query(), None)?;
    let (scope, tenants, people, id) =
        (context.scope(), tenants_of_people(&context), people.into_inner(), path.into_inner().1);
    let asked = Key { scope: scope.clone(), roster: id.clone(), range };
    let (answers, around, within) = (Arc::clone(&people), tenants.clone(), scope.clone());
    // The numbers are read before the rows are: what is newer than they say is worked out again.
    let revisions = context.db.point(move |conn| Revisions::read(conn, &*answers, &within, &around)).await?;
    if let Some(text) = kept.get(&asked, revisions) {
        return Ok(respond(text));
    }
    let text = context
        .db
        .read(move |conn| {
            let roster = store::existed(conn, &scope, &id)?;
            let schedule = Schedule::load(conn, &roster, range.start().millis())?;
            let crowd = schedule.crowd(conn, &*people, &tenants, Some(range.start()))?;
            let known = versions::since(conn, &roster.tenant_id, &roster.id, range.start().millis())?;
            let off = schedule::free(&known, range)?;
            Ok(render::timeline(Asked { schedule: &schedule, crowd: &crowd, range, off: &off, saved: true })?)
        })
        .await?;
    let text = web::Bytes::from(text);
    kept.insert(asked, revisions, text.clone());
    Ok(respond(text))
}

/// Preview a roster
///
/// The timeline of a roster that is not saved, from the body of its create. Nothing is stored.
#[utoipa::path(
    tag = "rosters",
    operation_id = "previewRoster",
    params(
        ("from" = String, Query, description = "The start of the range; may stand in the body instead", example = "2026-11-20T00:00:00+0000"),
        ("to" = String, Query, description = "Its end, which is not part of it; may stand in the body instead", example = "2026-11-27T00:00:00+0000"),
    ),
    request_body(content = RosterInput),
    responses((status = 200, description = "The timeline", body = Timeline)),
    security(("bearer" = ["viewer"]))
)]
#[post("/rosters/preview")]
pub async fn preview(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    body: Body,
) -> api::Result<HttpResponse> {
    let (new, mut wrong) = RosterChange::read(&body.0, true);
    let range = wrong.take(calendar::parse::range(context.query(), Some(&body.0)))?;
    let tenants = tenants_of(context.tenant.id.as_str(), context.tenant.partner.as_str());
    let people = people.into_inner();
    let text = context
        .db
        .read(move |conn| {
            let new = check_new(conn, &*people, &tenants, new, wrong)?;
            let range = range.ok_or_else(Problem::internal)?;
            let schedule = Schedule::unsaved(&new);
            let crowd = schedule.crowd(conn, &*people, &tenants, None)?;
            let off = schedule::off_hours(&new.off_hours, new.zone, range);
            Ok(render::timeline(Asked { schedule: &schedule, crowd: &crowd, range, off: &off, saved: false })?)
        })
        .await?;
    Ok(respond(text))
}
