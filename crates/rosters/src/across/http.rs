//! Questions across rosters over HTTP.

use actix_web::{HttpResponse, web};
use api::{Body, PathIds, RequestContext, cpu, get, post};
use base::{body::Request as _, problem::Problem, query::Query, text::fold, timestamp::Timestamp};
use calendar::Interval;
use ports::People;

use super::{
    cache::PartCache,
    render,
    wire::{Preview, Timelines, UserShifts},
};
use crate::{
    cache::RosterCache,
    conflicts::{
        load::TenantPlans,
        parameters::{Rest, limits},
        render::{ConflictSelection, PlannedRoster, Question},
        rules::looked_at,
    },
    crew::user_id,
    dated_holidays,
    filter::{Filter, chosen},
    people::RosterPeople,
    revisions::Totals,
    roster::{
        self,
        input::RosterChange,
        plan, row,
        rules::tenants_of,
        store, versions,
        wire::{Instant, LATEST_MS, RosterId, UserId},
    },
    schedule::{Schedule, named_holidays},
    timeline::{
        cache::{Key, TimelineCache},
        http::{conflicting, respond},
        render::Room,
    },
};

/// How far ahead a user's shifts are told when nothing else is asked for: 90 days, in milliseconds.
const AHEAD_MS: i64 = 90 * 86_400_000;

/// Get the timelines of all rosters
///
/// The final schedules of the rosters of the tenant within a range of at most 400 days, by name; at partner level, of
/// its clients too. `gaps` and `coverage` say what they cover together: three rosters of eight hours are one covered
/// day.
#[utoipa::path(
    operation_id = "getRosterTimelines",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range", example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-11-27T00:00:00+0000"),
        ("name" = Option<String>, Query, description = "Only rosters whose name contains this, whatever the letter \
                                                        case", example = "line"),
        ("userId" = Option<String>, Query, description = "Only rosters in which this user may be on call",
            example = "USR0000000007"),
        ("userGroupId" = Option<String>, Query, description = "Only rosters that name this group",
            example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
    ),
    responses((status = 200, description = "The timelines", body = Timelines)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/timeline")]
pub async fn timelines(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
    cache: web::Data<TimelineCache>,
    parts: web::Data<PartCache>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let filter = Filter {
        name: query.text("name").map(|name| fold(name.trim())).filter(|name| !name.is_empty()),
        user: query.text("userId").map(|id| user_id(&id)),
        group: query.text("userGroupId").map(|id| id.trim().to_owned()),
    };
    let range = calendar::range::read(query, None)?;
    let asked = Key { scope: context.scope(), roster: format!("{filter:?}"), range };
    let totals = Totals::at_once(&context, people.clone().into_inner()).await?;
    if let Some(text) = totals.and_then(|totals| cache.get(&asked, totals)) {
        return Ok(respond(text));
    }
    let text = context.read_many(move |conn, scope| {
        let all = known.read(conn, &**people, (&scope.scope(), &scope.scope_and_partner()), range.start())?;
        let totals = all.revisions.totals();
        if let Some(text) = cache.get(&asked, totals) {
            return Ok(text);
        }
        let rosters = chosen(&all, range, &filter);
        let text = web::Bytes::from(render::timelines(&rosters, &all.staff, range, &parts)?);
        cache.insert(asked, totals, text.clone());
        Ok(text)
    });
    Ok(respond(text.await?))
}

/// Get the shifts of a user
///
/// When a user of the tenant or its partner is on call through the rosters of the tenant, by when that begins: from now
/// on for 90 days, or in a range of at most 400. The first that begins later than now says when the user is next.
#[utoipa::path(
    operation_id = "getUserShifts",
    params(
        UserId,
        ("from" = inline(Option<Instant>), Query, description = "The start of the range, default now",
            example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Option<Instant>), Query, description = "The end of the range, which is not part of it; default \
            90 days after its start", example = "2026-11-27T00:00:00+0000"),
    ),
    responses((status = 200, description = "The shifts", body = UserShifts)),
    security(("bearer" = ["viewer"]))
)]
#[get("/users/{userId}/shifts")]
pub async fn of_user(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
    PathIds(UserId(user)): PathIds<UserId>,
) -> api::Result<HttpResponse> {
    let range = range_ahead(context.query(), context.now)?;
    let text = context.read_many(move |conn, scope| {
        let tenants = scope.scope_and_partner();
        let users = RosterPeople::load(conn, &**people, &tenants, [], [user.clone()])?;
        users.user(&user).ok_or_else(|| Problem::not_found("The user was not found."))?;
        let filter = Filter { user: Some(user.clone()), ..Filter::default() };
        let all = known.read(conn, &**people, (&scope.scope(), &tenants), range.start())?;
        Ok(render::shifts(&chosen(&all, range, &filter), &all.staff, range, &user)?)
    });
    Ok(respond(text.await?))
}

/// Reads `from` and `to`, of which either may be left out.
fn range_ahead(mut query: Query, now: Timestamp) -> Result<Interval, Problem> {
    const LONGEST_MS: u64 = 400 * 86_400_000;
    let from = query.timestamp("from").unwrap_or(now);
    let to = query.timestamp("to").unwrap_or(Timestamp::from_millis(from.millis().saturating_add(AHEAD_MS)));
    for (name, at) in [("from", from), ("to", to)] {
        if !(0..=LATEST_MS).contains(&at.millis()) {
            query.error(name, "must lie in the years 1970 to 9998");
        }
    }
    let range = Interval::new(from, to);
    match range {
        None => query.error("to", "must be after from"),
        Some(range) if range.millis() > LONGEST_MS => query.error("to", "must be at most 400 days after from"),
        _ => {}
    }
    query.finish()?;
    range.ok_or_else(|| Problem::internal())
}

/// Preview a change of a roster
///
/// Its timeline as it is and as the body of an update would make it, with gaps and overlaps, overrides included, and
/// what is wrong with the plans of its people, who may stand in other rosters, too. Nothing is stored.
#[utoipa::path(
    operation_id = "previewRosterChange",
    params(
        RosterId,
        ("from" = inline(Instant), Query, description = "The start of the range; may be given in the body instead",
            example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it; may be given in \
                                                       the body instead", example = "2026-11-27T00:00:00+0000"),
        ("rest" = inline(Option<Rest>), Query, description = "For conflicts: how long people rest between two shifts, \
            at most 7d; default 11h", example = "11h"),
        ("nights" = Option<i64>, Query, minimum = 1, maximum = 31, description = "For conflicts: how many nights in a \
            row are not too many; default 7", example = 7),
    ),
    request_body(content = RosterChange, example = json!({"timeZone": {"name": "Europe/Vienna"}})),
    responses((status = 200, description = "Both timelines", body = Preview)),
    security(("bearer" = ["viewer"]))
)]
#[post("/rosters/{rosterId}/preview")]
pub async fn preview(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
    PathIds(id): PathIds<RosterId>,
    Body(body): Body,
) -> api::Result<HttpResponse> {
    let (change, mut wrong) = RosterChange::parse_with_errors(&body);
    let mut query = context.query();
    let limits = limits(&mut query);
    let range = wrong.take(calendar::range::read(query, Some(&body)))?;
    let read = context.read(move |conn, scope| {
        let old = store::existing(conn, &scope.scope(), &id)?;
        let tenants = tenants_of(&old.tenant_id, scope.tenant.partner.as_str());
        change.check_people(conn, &**people, &tenants, &mut wrong)?;
        // The ids of shifts that nobody has made: the same at each preview.
        let mut unmade = (1u128..).map(|number| uuid::Uuid::from_u128(number).to_string());
        let ids = || unmade.next().unwrap_or_default();
        let (_, plan) = roster::http::planned(conn, &**people, &tenants, (&old, change, wrong), ids, scope.now)?;
        let range = range.ok_or_else(|| Problem::internal())?;
        let asked = Question { range, limits, about: ConflictSelection::FirstRoster };
        let since = looked_at(range, limits).start();
        let overrides = crate::overrides::store::since(conn, &old.tenant_id, &old.id, since.millis())?;
        let shifts = versions::shifts_since(conn, &old.tenant_id, &old.id, since.millis())?;
        let versions = versions::since(conn, &old.tenant_id, &old.id, since.millis())?;
        let named = named_holidays(shifts.iter().chain(&plan.after), &overrides);
        let holidays = dated_holidays::store::dated(conn, &tenants, named)?;
        let mut side = |shifts: &[row::Shift], versions: Vec<row::Version>| -> db::Result<_> {
            let mut schedule = Schedule::stored(shifts, &overrides, &holidays)?;
            let staff = schedule.people(conn, &**people, &tenants, since)?;
            Ok((schedule, staff, versions))
        };
        let before = side(&shifts, versions.clone())?;
        let after = side(&plan::shifts_after(&shifts, &plan), plan::versions_after(&versions, &plan))?;
        let plans = TenantPlans::load(conn, &**people, &known, scope, &asked)?;
        Ok(((old, before), (plan.roster, after), asked, plans))
    });
    let (before, after, asked, plans) = read.await?;
    let text = cpu::run(move |_| {
        let mut room = Room::of(2);
        let mut side =
            |(roster, (schedule, staff, versions)): &(row::Roster, (Schedule, RosterPeople, Vec<row::Version>))| {
                let named = (roster.tenant_id.as_str(), roster.id.as_str(), roster.name.as_str());
                let planned = PlannedRoster::of(named, (schedule, staff), versions, asked.range)?;
                conflicting(planned, &plans, &asked, &mut room, true)
            };
        let (before, after) = (side(&before)?, side(&after)?);
        Ok(room.answer(&Preview { before, after })?)
    });
    Ok(respond(text.await?))
}
