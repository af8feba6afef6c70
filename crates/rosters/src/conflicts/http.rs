//! Conflicts over HTTP.

use actix_web::{HttpResponse, web};
use api::{RequestContext, answer, cpu, get};
use base::{problem::Problem, query::Query};
use ports::People;

use super::{
    load::TenantPlans,
    parameters::{Rest, limits},
    render::{ConflictSelection, Question},
    wire::Conflicts,
};
use crate::{cache::RosterCache, crew::user_id, roster::wire::Instant};

/// List the conflicts of rosters
///
/// What is wrong with the plans of the rosters of the tenant within a range of at most 400 days, overrides and swaps
/// included, by when it begins: gaps, people who are on call through several shifts at once or while they are away,
/// those with less than `rest` between two shifts, and those who are on call in more than `nights` nights in a row; at
/// partner level, in the rosters of its clients too.
#[utoipa::path(
    operation_id = "listRosterConflicts",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range", example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-11-27T00:00:00+0000"),
        ("rest" = inline(Option<Rest>), Query, description = "How long people rest between two shifts, at most 7d; \
            default 11h", example = "11h"),
        ("nights" = Option<i64>, Query, minimum = 1, maximum = 31, description = "How many nights in a row are not too \
            many; default 7", example = 7),
        ("userId" = Option<String>, Query, description = "Only what concerns this user", example = "USR0000000007"),
    ),
    responses((status = 200, description = "The conflicts", body = Conflicts)),
    security(("bearer" = ["viewer"]))
)]
#[get("/rosters/conflicts")]
pub async fn list(
    context: RequestContext<Query>,
    people: web::Data<dyn People>,
    known: web::Data<RosterCache>,
) -> api::Result<HttpResponse> {
    let asked = asked(context.query())?;
    let question = asked.clone();
    let read = context.read(move |conn, scope| TenantPlans::load(conn, &**people, &known, scope, &question));
    let plans = read.await?;
    // Without the connection, which others wait for.
    let found = cpu::run(move |_| Ok(plans.conflicts(&asked)?));
    answer::ok(&Conflicts { results: found.await? })
}

fn asked(mut query: Query) -> Result<Question, Problem> {
    let limits = limits(&mut query);
    let user = query.text("userId").map(|id| user_id(&id));
    let range = calendar::range::read(query, None)?;
    Ok(Question { range, limits, about: user.map_or(ConflictSelection::Everything, ConflictSelection::User) })
}
