//! What is done with a window during its life.

use actix_web::{HttpResponse, web};
use api::{Body, OptionalBody, PathIds, RequestContext, post};
use base::{problem::Problem, timestamp::Timestamp};
use calendar::Interval;

use super::{
    http::change_window,
    rules::{self, Extension, Pause},
    wire::{NewEnd, NewExtension, NewSkip, NewSuspension, NewUnskip, Window, WindowId},
};
use crate::neighbours::Neighbours;

/// Suspend a maintenance window
///
/// With `{"pattern":"now"}` it does not open until it is resumed; with `range`, not between two instants. What would be
/// open meanwhile is not made up for.
#[utoipa::path(
    operation_id = "suspendMaintenanceWindow",
    params(WindowId),
    request_body(content = NewSuspension, example = json!({"pattern": "now"})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 409, description = "It is completed, or suspended already, or has 500 suspensions that are not over"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/suspend")]
pub async fn suspend(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
    Body(new): Body<NewSuspension>,
) -> api::Result<HttpResponse> {
    let pause = pause(&new, context.now)?;
    change_window(context, neighbours, id, None, move |old, now| rules::suspended(old, pause, now)).await
}

fn pause(new: &NewSuspension, now: Timestamp) -> Result<Pause, Problem> {
    if new.pattern == "now" {
        return Ok(Pause::Now);
    }
    let range = new.start_date.zip(new.end_date).and_then(|(start, end)| Interval::new(start, end));
    let range = range.ok_or_else(|| Problem::internal())?;
    if range.end() <= now {
        return Err(Problem::field("endDate", "must not be in the past"));
    }
    Ok(Pause::Range(range))
}

/// Resume a maintenance window
///
/// Ends its suspension, and takes back those that were planned. One that has none is answered unchanged.
#[utoipa::path(
    operation_id = "resumeMaintenanceWindow",
    params(WindowId),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 409, description = "It is completed"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/resume")]
pub async fn resume(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
) -> api::Result<HttpResponse> {
    change_window(context, neighbours, id, None, rules::resumed).await
}

/// End a maintenance window
///
/// Ends the occurrence that is under way, also while the window is suspended; those to come take place. With
/// `{"pattern":"all"}` the window itself: it is completed from now on.
#[utoipa::path(
    operation_id = "endMaintenanceWindow",
    params(WindowId),
    request_body(content = Option<NewEnd>, example = json!({"pattern": "all"})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 409, description = "It is completed already, or no occurrence is under way"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/end")]
pub async fn finish(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
    OptionalBody(end): OptionalBody<NewEnd>,
) -> api::Result<HttpResponse> {
    let rule = if end.pattern == "all" { rules::ended } else { rules::cut_short };
    change_window(context, neighbours, id, None, rule).await
}

/// Extend a maintenance window
///
/// The occurrence that is open ends later; those to come stay as they are. It may not run into the next one.
#[utoipa::path(
    operation_id = "extendMaintenanceWindow",
    params(WindowId),
    request_body(content = NewExtension, example = json!({"minutes": 30})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 409, description = "It is not open"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/extend")]
pub async fn extend(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
    Body(new): Body<NewExtension>,
) -> api::Result<HttpResponse> {
    let by = new.minutes.map(|minutes| Extension::By(minutes * 60_000));
    let extension = by.or(new.end_time.map(Extension::Until)).ok_or_else(|| Problem::internal())?;
    change_window(context, neighbours, id, None, move |old, now| rules::extended(old, extension, now)).await
}

/// Skip an occurrence of a maintenance window
///
/// The one that is open, which then closes, or else the next one; or the one that starts at `start`.
#[utoipa::path(
    operation_id = "skipMaintenanceOccurrence",
    params(WindowId),
    request_body(content = NewSkip, example = json!({"start": "2026-11-20T22:00:00+0000"})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 409, description = "It is completed, or 500 occurrences to come were skipped"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/skip")]
pub async fn skip(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
    Body(NewSkip { start }): Body<NewSkip>,
) -> api::Result<HttpResponse> {
    change_window(context, neighbours, id, None, move |old, now| rules::skipped(old, start, now)).await
}

/// Take back the skip of an occurrence of a maintenance window
///
/// What `skipped` of the window has takes place after all, as the schedule says: the first, or the one that starts at
/// `start`. One that is under way opens again. One that was not skipped is answered unchanged.
#[utoipa::path(
    operation_id = "unskipMaintenanceOccurrence",
    params(WindowId),
    request_body(content = Option<NewUnskip>, example = json!({"start": "2026-11-20T22:00:00+0000"})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 409, description = "It was ended, or another occurrence was extended into this one"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/unskip")]
pub async fn unskip(
    context: RequestContext,
    neighbours: web::Data<Neighbours>,
    PathIds(id): PathIds<WindowId>,
    OptionalBody(NewUnskip { start }): OptionalBody<NewUnskip>,
) -> api::Result<HttpResponse> {
    change_window(context, neighbours, id, None, move |old, now| rules::unskipped(old, start, now)).await
}
