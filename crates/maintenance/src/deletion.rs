//! Deletes a window, with the calendar addresses that end with it.

use actix_web::HttpResponse;
use api::{Answer, PathIds, RequestContext, Resource as _, delete};
use outbox::Tx;

use crate::{
    calendars,
    window::{row::Window, store, view::WithTargets, wire::WindowId},
};

/// The most calendar addresses whose end with that of their window is recorded.
const MOST_RECORDED: usize = 1_000;

/// Delete a maintenance window
///
/// The alerts that it holds back are escalated or released as at its end, within seconds.
#[utoipa::path(
    operation_id = "deleteMaintenanceWindow",
    params(WindowId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 412, description = "The window has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/scheduleMaintenances/{windowId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<WindowId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let window = Window::locked(tx, scope, &id)?;
            delete_locked(tx, &window)?;
            Ok(Answer::empty())
        })
        .await
}

/// Deletes a window that is locked, and notes it of each of its calendar addresses; beyond [`MOST_RECORDED`], that the
/// window was deleted is the only note.
pub fn delete_locked(tx: &mut Tx<'_>, window: &Window) -> db::Result<()> {
    let targets = store::targets_of(tx.conn, window)?;
    for address in calendars::store::list(tx.conn, window, tx.now)?.iter().take(MOST_RECORDED) {
        tx.record_change(Some(address), None)?;
    }
    store::delete(tx.conn, window)?;
    tx.record_change(Some(&WithTargets(window, &targets)), None)
}
