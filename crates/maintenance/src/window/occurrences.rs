//! When windows are open, over HTTP.

use actix_web::{HttpResponse, web};
use api::{Body, PathIds, RequestContext, Resource as _, answer, cpu, get, post};
use base::{Fields, Query, problem::Problem};
use calendar::Interval;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    http::check_new,
    row::Window,
    wire::{Instant, NewWindow, Occurrence, WindowId},
};
use crate::{
    course::{Course, Holds},
    neighbours::Neighbours,
};

/// When a window is open.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MaintenanceOccurrences)]
pub struct Occurrences {
    /// In order.
    pub results: Vec<Occurrence>,
}

impl Occurrences {
    fn of(course: &Course, range: Interval) -> Self {
        Self { results: course.open(range.start()..range.end()).map(Occurrence::from).collect() }
    }
}

/// List the occurrences of a maintenance window
///
/// When it is open within a range of at most 400 days, whole and in order; what is skipped or suspended is left out.
#[utoipa::path(
    operation_id = "listMaintenanceOccurrences",
    params(
        WindowId,
        ("from" = inline(Instant), Query, description = "The start of the range", example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it",
            example = "2026-11-27T00:00:00+0000"),
    ),
    responses((status = 200, description = "The occurrences", body = Occurrences)),
    security(("bearer" = ["viewer"]))
)]
#[get("/scheduleMaintenances/{windowId}/occurrences")]
pub async fn list(context: RequestContext<Query>, PathIds(id): PathIds<WindowId>) -> api::Result<HttpResponse> {
    let range = calendar::range::read(context.query(), None)?;
    let scope = context.scope();
    let window = context.db.point(move |conn| Window::existing(conn, &scope, &id)).await?;
    answer::ok(&Occurrences::of(&window.course()?, range))
}

/// Preview a maintenance window
///
/// When a window would be open, from the body of its create. It is checked as for a create, and nothing is stored.
#[utoipa::path(
    operation_id = "previewMaintenanceWindow",
    params(
        ("from" = inline(Instant), Query, description = "The start of the range; may be given in the body instead",
            example = "2026-11-20T00:00:00+0000"),
        ("to" = inline(Instant), Query, description = "The end of the range, which is not part of it; may be given in \
                                                       the body instead", example = "2026-11-27T00:00:00+0000"),
    ),
    request_body(content = NewWindow),
    responses((status = 200, description = "The occurrences", body = Occurrences)),
    security(("bearer" = ["viewer"]))
)]
#[post("/scheduleMaintenances/preview")]
pub async fn preview(
    context: RequestContext<Query>,
    neighbours: web::Data<Neighbours>,
    body: Body,
) -> api::Result<HttpResponse> {
    let query = context.query();
    let read = cpu::read(body, move |body, meter| {
        let mut fields = Fields::of(body);
        let new = NewWindow::read_all(&mut fields, meter);
        let mut wrong = fields.wrong();
        let range = wrong.take(calendar::range::read(query, Some(body)))?;
        Ok((new, range, wrong))
    });
    let (mut new, range, wrong) = read.await?;
    let schedule = new.schedule;
    context.read(move |conn, scope| check_new(conn, &neighbours, &scope.scope(), &mut new, wrong)).await?;
    let course = Course::new(&schedule, Holds::default());
    answer::ok(&Occurrences::of(&course, range.ok_or_else(|| Problem::internal())?))
}
