//! What is done with a window during its life.

use actix_web::{HttpResponse, post, web};
use api::{Body, OptionalBody, RequestContext};
use base::{Fields, problem::Problem, timestamp::Timestamp};
use calendar::Interval;
use serde_json::Value;

use super::{
    documented::{EndInput, ExtensionInput, SkipInput, SuspensionInput},
    http::change_window,
    rules::{self, Extension, Pause},
    wire::Window,
};
use crate::cover::Windows;

/// The longest extension at a time: a week of minutes.
const MOST_MINUTES: i64 = 7 * 24 * 60;

/// Suspend a maintenance window
///
/// With `{"pattern":"now"}` it does not open until it is resumed; with `range`, not between two instants. What would be
/// open meanwhile is not made up for.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "suspendMaintenanceWindow",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = SuspensionInput, example = json!({"pattern": "now"})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 409, description = "It is completed, or suspended already"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/suspend")]
pub async fn suspend(
    context: RequestContext,
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let pause = read_pause(&body.0, context.now)?;
    let id = path.into_inner().1;
    change_window(context, windows, id, None, move |old, now| rules::suspended(old, pause, now)).await
}

fn read_pause(body: &Value, now: Timestamp) -> Result<Pause, Problem> {
    let mut fields = Fields::of(body);
    fields.require("pattern");
    let pattern = fields.one_of("pattern", &["now", "range"]);
    let mut pause = Some(Pause::Now);
    if pattern == Some("range") {
        // The fields of a window have the other names, under which some send these.
        let named =
            |fields: &Fields<'_>, name, other| if fields.has(other) && !fields.has(name) { other } else { name };
        let (from, until) = (named(&fields, "startDate", "startTime"), named(&fields, "endDate", "endTime"));
        fields.require(from);
        fields.require(until);
        let (start, end) = (fields.timestamp(from), fields.timestamp(until));
        let range = start.zip(end).and_then(|(start, end)| Interval::new(start, end));
        if start.is_some() && end.is_some() && range.is_none() {
            fields.error(until, format!("must be after {from}"));
        } else if end.is_some_and(|end| end <= now) {
            fields.error(until, "must not be in the past");
        }
        pause = range.map(Pause::Range);
    }
    fields.finish()?;
    pause.ok_or_else(Problem::internal)
}

/// Resume a maintenance window
///
/// Ends its suspension, and takes back those that were planned. One that has none is answered unchanged.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "resumeMaintenanceWindow",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
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
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
) -> api::Result<HttpResponse> {
    change_window(context, windows, path.into_inner().1, None, rules::resumed).await
}

/// End a maintenance window
///
/// Ends the occurrence that is under way, also while the window is suspended; those to come take place. With
/// `{"pattern":"all"}` the window itself: it is completed from now on.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "endMaintenanceWindow",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = Option<EndInput>, example = json!({"pattern": "all"})),
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
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
    body: OptionalBody,
) -> api::Result<HttpResponse> {
    let mut fields = Fields::of(&body.0);
    let whole = fields.one_of("pattern", &["now", "all"]) == Some("all");
    fields.finish()?;
    let rule = if whole { rules::ended } else { rules::cut_short };
    change_window(context, windows, path.into_inner().1, None, rule).await
}

/// Extend a maintenance window
///
/// The occurrence that is open ends later; those to come stay as they are. It may not run into the next one.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "extendMaintenanceWindow",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = ExtensionInput, example = json!({"minutes": 30})),
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
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let extension = read_extension(&body.0)?;
    let id = path.into_inner().1;
    change_window(context, windows, id, None, move |old, now| rules::extended(old, extension, now)).await
}

fn read_extension(body: &Value) -> Result<Extension, Problem> {
    let mut fields = Fields::of(body);
    let minutes = fields.integer_in("minutes", 1..=MOST_MINUTES);
    let end = fields.timestamp("endTime");
    if fields.has("minutes") == fields.has("endTime") {
        fields.error("minutes", "is required, or endTime is, and not both");
    }
    fields.finish()?;
    let by = minutes.map(|minutes| Extension::By(minutes * 60_000));
    by.or(end.map(Extension::Until)).ok_or_else(Problem::internal)
}

/// Skip an occurrence of a maintenance window
///
/// The one that is open, which then closes, or else the next one; or the one that starts at `start`.
#[utoipa::path(
    tag = "maintenance",
    operation_id = "skipMaintenanceOccurrence",
    params(("windowId" = String, Path, description = "`SM-<uuid>`", example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")),
    request_body(content = SkipInput, example = json!({"start": "2026-11-20T22:00:00+0000"})),
    responses(
        (status = 200, description = "The window after the change", body = Window),
        (status = 409, description = "It is completed"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/scheduleMaintenances/{windowId}/skip")]
pub async fn skip(
    context: RequestContext,
    windows: web::Data<Windows>,
    path: web::Path<(String, String)>,
    body: Body,
) -> api::Result<HttpResponse> {
    let mut fields = Fields::of(&body.0);
    let start = fields.timestamp("start");
    fields.finish()?;
    change_window(context, windows, path.into_inner().1, None, move |old, now| rules::skipped(old, start, now)).await
}
