//! Figures over HTTP.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use actix_web::{HttpResponse, web};
use api::{RequestContext, RequestScope, answer, get, shed};
use base::{
    problem::Problem,
    query::Query,
    share::{Kind, Lease, Pool},
};
use db::Condition;

use super::{
    read,
    rules::By,
    store::Question,
    wire::{AlertFigures, Instant},
};
use crate::{Neighbours, alerts::filter};

/// How many such questions are answered at once, how many wait, and how long. A key has at most as many as are free.
const AT_ONCE: usize = 3;
const MOST_WAITING: usize = 64;
const LONGEST_WAIT: Duration = Duration::from_secs(10);

static QUESTIONS: LazyLock<Arc<Pool>> = LazyLock::new(|| Pool::new(Kind::Reports, AT_ONCE, 1, MOST_WAITING));

/// Get figures of alerts
///
/// Of the alerts that were taken in within a range of at most 400 days, at partner level those of all clients: how many
/// there were, how many pages, how long it took until somebody acknowledged them and until they were closed, how many
/// were escalated, and which came back; one row for each service group, owner, roster, person, resource or alert route.
#[utoipa::path(
    operation_id = "getAlertFigures",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range",
            example = "2026-11-01T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-12-01T00:00:00+0000"),
        ("by" = String, Query, description = "What there is one row for: `service`, `owner`, `roster`, `person`, \
            `resource` or `route`", pattern = "^(service|owner|roster|person|resource|route)$",
            example = "service"),
        ("queryString" = Option<String>, Query, description = "Filter expression", example = "state:Critical"),
    ),
    responses((status = 200, description = "The figures", body = AlertFigures)),
    security(("bearer" = ["viewer"]))
)]
#[get("/alerts/figures")]
pub async fn get_figures(
    context: RequestContext<Query>,
    neighbours: web::Data<Neighbours>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let by = by(&mut query);
    let filter = query.text("queryString").unwrap_or_default();
    let range = calendar::range::read(query, None)?;
    let by = by.ok_or_else(|| Problem::internal())?;
    let search = filter::search(&context.scope(), &filter, context.now)?;
    let taken_in = Condition::sql("alerts.created_ms >= ").integer(range.start().millis());
    let taken_in = taken_in.then(" AND alerts.created_ms < ").integer(range.end().millis());
    let asked = Question {
        by,
        scope: context.scope(),
        condition: Condition::all([search.condition, taken_in]),
        from_ms: range.start().millis(),
        to_ms: range.end().millis(),
        is_of_all: filter.trim().is_empty(),
        paged: neighbours.escalations.paged(),
    };
    let turn = Arc::new(turn().await?);
    let scope = RequestScope::clone(&context);
    let figures = context.db.read_list(move |conn| {
        let _turn = turn;
        read::figures(conn, &neighbours, &scope, &asked, (range.start(), range.end()))
    });
    answer::ok(&figures.await?)
}

/// Reads `by`.
fn by(query: &mut Query) -> Option<By> {
    let Some(word) = query.text("by") else {
        query.error("by", format!("is required: one of {}", By::WORDS.join(", ")));
        return None;
    };
    let by = By::read(&word);
    if by.is_none() {
        query.error("by", format!("must be one of {}", By::WORDS.join(", ")));
    }
    by
}

/// Waits until it is the turn of the key that asks.
async fn turn() -> Result<Lease, Problem> {
    let busy = || Problem::unavailable("Too many figures are being worked out. Try again in a moment.");
    let turn = actix_web::rt::time::timeout(LONGEST_WAIT, QUESTIONS.take(&shed::party(), 1)).await;
    turn.map_err(|_| busy())?.map_err(|_| busy())
}
