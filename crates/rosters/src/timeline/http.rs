//! Timelines over HTTP.

use actix_web::{HttpResponse, web};
use api::{Body, PathIds, RequestContext, get, post};
use base::{Query, body::Request as _, problem::Problem};
use ports::People;

use super::{
    cache::{Key, TimelineCache},
    render::{self, RosterView},
    wire::Timeline,
};
use crate::{
    dated_holidays,
    revisions::{Revisions, Totals},
    roster::{
        http::check_new,
        input::{NewRoster, calendar_ids},
        rules::tenants_of,
        store, versions,
        wire::{Instant, RosterId},
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
    operation_id = "getRosterTimeline",
    params(
        RosterId,
        ("from" = inline(Instant), Query, description = "The start of the range", example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-11-27T00:00:00+0000"),
    ),
    responses((status = 200, description = "The timeline", body = Timeline)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/timeline")]
pub async fn timeline(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    cache: web::Data<TimelineCache>,
    PathIds(id): PathIds<RosterId>,
) -> api::Result<HttpResponse> {
    let range = calendar::range::read(context.query(), None)?;
    let mut asked = Key { scope: context.scope(), roster: id.0.clone(), range };
    let totals = Totals::at_once(&context, people.clone().into_inner()).await?;
    if let Some(text) = totals.and_then(|totals| cache.get(&asked, totals)) {
        return Ok(respond(text));
    }
    let text = context.read(move |conn, scope| {
        let roster = store::existed(conn, &scope.scope(), &id)?;
        let tenants = tenants_of(&roster.tenant_id, scope.tenant.partner.as_str());
        let totals = match totals {
            Some(totals) => totals,
            // Of many tenants only the one of the roster matters.
            None => {
                asked.scope = vec![roster.tenant_id.clone()];
                Revisions::read(conn, &**people, &tenants)?.totals()
            }
        };
        if let Some(text) = cache.get(&asked, totals) {
            return Ok(text);
        }
        let mut schedule = Schedule::load(conn, &roster, &tenants, range.start().millis())?;
        let staff = schedule.people(conn, &**people, &tenants, range.start())?;
        let known = versions::since(conn, &roster.tenant_id, &roster.id, range.start().millis())?;
        let off = schedule::free(&known, range)?;
        let text = render::timeline(RosterView { schedule: &schedule, staff: &staff, range, off: &off, saved: true })?;
        let text = web::Bytes::from(text);
        cache.insert(asked, totals, text.clone());
        Ok(text)
    });
    Ok(respond(text.await?))
}

/// Preview a roster
///
/// The timeline of a roster that is not saved, from the body of its create. Nothing is stored.
#[utoipa::path(
    operation_id = "previewRoster",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range; may be given in the body instead",
            example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it; may be given in \
                                                       the body instead", example = "2026-11-27T00:00:00+0000"),
    ),
    request_body(content = NewRoster),
    responses((status = 200, description = "The timeline", body = Timeline)),
    security(("bearer" = ["viewer"]))
)]
#[post("/rosters/preview")]
pub async fn preview(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    Body(body): Body,
) -> api::Result<HttpResponse> {
    let (new, mut wrong) = NewRoster::parse_with_errors(&body);
    let range = wrong.take(calendar::range::read(context.query(), Some(&body)))?;
    let text = context.read(move |conn, scope| {
        let tenants = tenants_of(scope.tenant_id(), scope.tenant.partner.as_str());
        check_new(conn, &**people, &tenants, &new, wrong)?;
        let range = range.ok_or_else(|| Problem::internal())?;
        let ids: Vec<String> = new.shifts.iter().flat_map(|shift| calendar_ids(&shift.holidays)).collect();
        let holidays = dated_holidays::store::dated_of(conn, &tenants, &ids)?;
        let mut schedule = Schedule::unsaved(&new, &holidays, scope.now);
        let staff = schedule.people(conn, &**people, &tenants, scope.now)?;
        let off = schedule::off_hours(&new.off_hours, new.time_zone.zone, range);
        Ok(render::timeline(RosterView { schedule: &schedule, staff: &staff, range, off: &off, saved: false })?)
    });
    Ok(respond(text.await?))
}
