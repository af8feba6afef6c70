//! Who is on call, over HTTP.

use actix_web::{HttpResponse, get, web};
use api::{RequestContext, RequestScope};
use base::{query::Query, timestamp::Timestamp};
use ports::People;

use super::{
    board::{Asked, Boards},
    render,
    wire::OnCall,
};
use crate::{
    overrides::wire::Reference,
    roster::{
        crew::user_id,
        http::tenants_of_people,
        rules::{self, LATEST_MS},
        store, versions,
    },
    schedule::{Schedule, look_back},
    timeline::http::respond,
};

/// Reads `at`, and nothing else; without it, now is meant.
pub fn instant(context: &RequestContext<Query>) -> api::Result<Timestamp> {
    let mut query = context.query();
    let instant = read_instant(context, &mut query);
    query.finish()?;
    Ok(instant)
}

fn read_instant(context: &RequestScope, query: &mut Query) -> Timestamp {
    let instant = query.timestamp("at").unwrap_or(context.now);
    if !(0..=LATEST_MS).contains(&instant.millis()) {
        query.error("at", "must lie in the years 1970 to 9998");
    }
    instant
}

/// Get who is on call
///
/// Through all rosters of the tenant; at partner level, of its clients too. Members of groups are resolved; who is
/// deactivated is not called. Rosters come by name. What was before is answered from what was true then: who was in which
/// group, in use, and what they were called. With `userId`, of that user alone.
#[utoipa::path(
    tag = "rosters",
    operation_id = "getOnCall",
    params(
        ("at" = Option<String>, Query, description = "Default now", example = "2026-11-20T20:37:00+0000"),
        ("userId" = Option<String>, Query, description = "`USR` and ten digits", example = "USR0000000007"),
    ),
    responses((status = 200, description = "Who is on call", body = OnCall)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/onCall")]
pub async fn all(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    boards: web::Data<Boards>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let instant = read_instant(&context, &mut query);
    let user = query.text("userId").map(|id| user_id(&id));
    query.finish()?;
    let asked = Asked { scope: context.scope(), tenants: tenants_of_people(&context), at: instant, user };
    Ok(respond(boards.into_inner().answer(&context.db, people.into_inner(), asked).await?))
}

/// Get who is on call through a roster
///
/// Of one that was deleted, for any time before.
#[utoipa::path(
    tag = "rosters",
    operation_id = "getRosterOnCall",
    params(
        ("rosterId" = String, Path, description = "`ES-<uuid>`", example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"),
        ("at" = Option<String>, Query, description = "Default now", example = "2026-11-20T20:37:00+0000"),
    ),
    responses((status = 200, description = "Who is on call", body = OnCall)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/{rosterId}/onCall")]
pub async fn one(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let instant = instant(&context)?;
    let (scope, tenants, people, id) =
        (context.scope(), tenants_of_people(&context), people.into_inner(), path.into_inner().1);
    let text = context
        .db
        .read(move |conn| {
            let roster = store::existed(conn, &scope, &id)?;
            // One that was not there then is not found; one that was deleted later is.
            let roster = versions::as_of(conn, &scope, vec![roster], instant.millis())?.pop();
            let roster = roster.ok_or_else(rules::no_roster)?;
            let schedule = Schedule::load(conn, &roster, look_back(instant))?;
            let crowd = schedule.crowd(conn, &*people, &tenants, Some(instant))?;
            let named = Reference { id: roster.id, name: roster.name };
            let of = render::Of { roster: &named, schedule: &schedule, crowd: &crowd, user: None };
            let (_, elements) = render::elements(of, instant);
            Ok(render::answer(instant, std::iter::once(&elements)))
        })
        .await?;
    Ok(respond(text))
}
