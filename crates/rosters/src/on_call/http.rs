//! Who is on call, over HTTP.

use actix_web::{HttpResponse, get, web};
use api::At;
use base::timestamp::Timestamp;
use ports::People;

use super::{board::Boards, render, wire::OnCall};
use crate::{
    overrides,
    overrides::wire::Reference,
    roster::{http::tenants_of_people, store},
    schedule::{Schedule, look_back},
    timeline::http::respond,
};

/// The instants that can be asked about, in milliseconds: the years 1970 to 9998.
const INSTANTS: std::ops::Range<i64> = 0..253_370_764_800_000;

/// Reads `at`; without it, now is meant.
fn instant(at: &At) -> api::Result<Timestamp> {
    let mut query = at.query()?;
    let instant = query.timestamp("at").unwrap_or(at.now);
    if !INSTANTS.contains(&instant.millis()) {
        query.error("at", "must lie in the years 1970 to 9998");
    }
    query.finish()?;
    Ok(instant)
}

/// Get who is on call
///
/// Through all rosters of the tenant; at partner level, of its clients too. Members of groups are resolved; who is
/// deactivated is not called. Rosters come by name.
#[utoipa::path(
    tag = "rosters",
    operation_id = "getOnCall",
    params(("at" = Option<String>, Query, description = "Default now", example = "2026-11-20T20:37:00+0000")),
    responses((status = 200, description = "Who is on call", body = OnCall)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/onCall")]
pub async fn all(at: At, people: web::Data<dyn People>, boards: web::Data<Boards>) -> api::Result<HttpResponse> {
    let instant = instant(&at)?;
    let (scope, tenants) = (at.scope(), tenants_of_people(&at));
    Ok(respond(boards.into_inner().answer(&at.db, people.into_inner(), scope, tenants, instant).await?))
}

/// Get who is on call through a roster
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
    at: At,
    people: web::Data<dyn People>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    let instant = instant(&at)?;
    let (scope, tenants, people, id) = (at.scope(), tenants_of_people(&at), people.into_inner(), path.into_inner().1);
    let text = at
        .db
        .read(move |conn| {
            let roster = store::existing(conn, &scope, &id)?;
            let since = look_back(instant);
            let shifts = store::shifts_since(conn, &roster.tenant_id, &roster.id, since)?;
            let overrides = overrides::store::since(conn, &roster.tenant_id, &roster.id, since)?;
            let schedule = Schedule::stored(&shifts, &overrides)?;
            let crowd = schedule.crowd(conn, &*people, &tenants)?;
            let named = Reference { id: roster.id, name: roster.name };
            let (_, elements) = render::elements(&named, &schedule, &crowd, instant);
            Ok(render::answer(instant, std::iter::once(&elements)))
        })
        .await?;
    Ok(respond(text))
}
