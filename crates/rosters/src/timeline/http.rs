//! Timelines over HTTP.

use actix_web::{HttpResponse, web};
use api::{Body, PathIds, RequestContext, cpu, get, post};
use base::{Query, body::Request as _, problem::Problem};
use ports::People;

use super::{
    cache::{Key, TimelineCache},
    render::{self, Room, RosterView, told},
    wire::Timeline,
};
use crate::{
    cache::RosterCache,
    conflicts::{
        load::TenantPlans,
        parameters::{Rest, limits},
        render::{ConflictSelection, PlannedRoster, Question},
        rules::looked_at,
    },
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
    zone_history::ZoneHistory,
};

/// 200 with JSON that is written already.
pub fn respond(json: impl Into<web::Bytes>) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(json.into())
}

/// Get the timeline of a roster
///
/// The final schedule within a range of at most 400 days: who is on call when and why, overrides and former versions
/// of the shifts included, and where there are gaps and overlaps. A roster that was deleted has a past, and no future.
/// With `conflicts`, also what is wrong with the plan, as listed for all rosters, of this roster.
#[utoipa::path(
    operation_id = "getRosterTimeline",
    params(
        RosterId,
        ("from" = inline(Instant), Query, description = "The start of the range", example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-11-27T00:00:00+0000"),
        ("conflicts" = Option<bool>, Query, description = "Are conflicts told, too? Default `false`", example = true),
        ("rest" = inline(Option<Rest>), Query, description = "For conflicts: how long people rest between two shifts, \
            at most 7d; default 11h", example = "11h"),
        ("nights" = Option<i64>, Query, minimum = 1, maximum = 31, description = "For conflicts: how many nights in a \
            row are not too many; default 7", example = 7),
    ),
    responses((status = 200, description = "The timeline", body = Timeline)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/timeline")]
pub async fn timeline(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    cache: web::Data<TimelineCache>,
    known: web::Data<RosterCache>,
    PathIds(id): PathIds<RosterId>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let has_conflicts = query.boolean("conflicts", false);
    let limits = limits(&mut query);
    let range = calendar::range::read(query, None)?;
    if has_conflicts {
        let asked = Question { range, limits, about: ConflictSelection::FirstRoster };
        return with_conflicts(&context, people, known, id, asked).await;
    }
    let mut asked = Key { scope: context.scope(), roster: id.0.clone(), range };
    let totals = Totals::at_once(&context, people.clone().into_inner()).await?;
    if let Some(text) = totals.and_then(|totals| cache.get(&asked, totals)) {
        return Ok(respond(text));
    }
    let text = context.read_many(move |conn, scope| {
        let roster = store::existed(conn, &scope.scope(), &id)?;
        let tenants = tenants_of(&roster.tenant_id, scope.tenant.partner.as_str());
        let totals = match totals {
            // Of the rows that are read here: those of a replica may be older than the numbers from before.
            Some(_) => Revisions::read(conn, &**people, &scope.scope_and_partner())?.totals(),
            // Of many tenants only the one of the roster matters.
            None => {
                asked.scope = vec![roster.tenant_id.clone()];
                Revisions::read(conn, &**people, &tenants)?.totals()
            }
        };
        if let Some(text) = cache.get(&asked, totals) {
            return Ok(text);
        }
        let mut schedule = Schedule::load(conn, &roster, &tenants, range.start())?;
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

/// The timeline of a roster with its conflicts. It is not kept: rosters and people of other tenants change it, too.
async fn with_conflicts(
    context: &RequestContext<Query>,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
    id: RosterId,
    asked: Question,
) -> api::Result<HttpResponse> {
    let question = asked.clone();
    let read = context.read(move |conn, scope| {
        let roster = store::existed(conn, &scope.scope(), &id)?;
        let tenants = tenants_of(&roster.tenant_id, scope.tenant.partner.as_str());
        let since = looked_at(question.range, question.limits).start();
        let mut schedule = Schedule::load(conn, &roster, &tenants, since)?;
        let staff = schedule.people(conn, &**people, &tenants, since)?;
        let versions = versions::since(conn, &roster.tenant_id, &roster.id, since.millis())?;
        let plans = TenantPlans::load(conn, &**people, &known, scope, &question)?;
        Ok((roster, schedule, staff, versions, plans))
    });
    let (roster, schedule, staff, versions, plans) = read.await?;
    // Without the connection, which others wait for.
    let text = cpu::run(move |_| {
        let named = (roster.tenant_id.as_str(), roster.id.as_str(), roster.name.as_str());
        let planned = PlannedRoster::of(named, (&schedule, &staff), &versions, asked.range)?;
        let mut room = Room::of(1);
        let shown = conflicting(planned, &plans, &asked, &mut room, true)?;
        Ok(room.answer(&shown)?)
    });
    Ok(respond(text.await?))
}

/// The timeline of a roster, with the conflicts that it and others have. `saved` says whether its shifts have ids.
///
/// # Errors
/// 400 when the answer would be too large.
pub fn conflicting(
    roster: PlannedRoster<'_>,
    plans: &TenantPlans,
    asked: &Question,
    room: &mut Room,
    saved: bool,
) -> Result<Timeline, Problem> {
    let PlannedRoster { schedule, staff, .. } = roster;
    let view = RosterView { schedule, staff, range: asked.range, off: &roster.off, saved };
    let (shown, _) = told(view, room)?;
    Ok(Timeline { conflicts: Some(plans.conflicts_of(roster, asked)?), ..shown })
}

/// Preview a roster
///
/// The timeline of a roster that is not saved, from the body of its create, with what would be wrong with the plans of
/// its people. Nothing is stored. In conflicts the roster has the id `ES-` and a UUID of zeros, and its shifts have
/// `ESD-` and a UUID that counts them from 1.
#[utoipa::path(
    operation_id = "previewRoster",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range; may be given in the body instead",
            example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it; may be given in \
                                                       the body instead", example = "2026-11-27T00:00:00+0000"),
        ("rest" = inline(Option<Rest>), Query, description = "For conflicts: how long people rest between two shifts, \
            at most 7d; default 11h", example = "11h"),
        ("nights" = Option<i64>, Query, minimum = 1, maximum = 31, description = "For conflicts: how many nights in a \
            row are not too many; default 7", example = 7),
    ),
    request_body(content = NewRoster),
    responses((status = 200, description = "The timeline", body = Timeline)),
    security(("bearer" = ["viewer"]))
)]
#[post("/rosters/preview")]
pub async fn preview(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
    Body(body): Body,
) -> api::Result<HttpResponse> {
    let (new, mut wrong) = NewRoster::parse_with_errors(&body);
    let mut query = context.query();
    let limits = limits(&mut query);
    let range = wrong.take(calendar::range::read(query, Some(&body)))?;
    let read = context.read(move |conn, scope| {
        let tenants = tenants_of(scope.tenant_id(), scope.tenant.partner.as_str());
        check_new(conn, &**people, &tenants, &new, wrong)?;
        let range = range.ok_or_else(|| Problem::internal())?;
        let ids: Vec<String> = new.shifts.iter().flat_map(|shift| calendar_ids(&shift.holidays)).collect();
        let holidays = dated_holidays::store::dated_of(conn, &tenants, &ids)?;
        let mut schedule = Schedule::unsaved(&new, &holidays, scope.now);
        let staff = schedule.people(conn, &**people, &tenants, scope.now)?;
        let asked = Question { range, limits, about: ConflictSelection::FirstRoster };
        let plans = TenantPlans::load(conn, &**people, &known, scope, &asked)?;
        Ok((new, schedule, staff, asked, plans))
    });
    let tenant = context.tenant_id().to_owned();
    let (new, schedule, staff, asked, plans) = read.await?;
    let text = cpu::run(move |_| {
        let zone = new.time_zone.zone;
        let off = schedule::off_hours(&new.off_hours, zone, asked.range);
        let id = format!("ES-{}", uuid::Uuid::nil());
        let zones = ZoneHistory::always(zone);
        let planned =
            PlannedRoster { tenant: &tenant, id: &id, name: &new.name, schedule: &schedule, staff: &staff, zones, off };
        let mut room = Room::of(1);
        let shown = conflicting(planned, &plans, &asked, &mut room, false)?;
        Ok(room.answer(&shown)?)
    });
    Ok(respond(text.await?))
}
