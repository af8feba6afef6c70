//! Deletes a roster, with the overrides and the calendar addresses that end with it.

use actix_web::HttpResponse;
use api::{Answer, PathIds, RequestContext, delete};
use outbox::Tx;

use crate::{
    calendars::{self, row::CalendarOwner},
    overrides,
    roster::{http::lock_for_update, row::Roster, rules::effective_ms, versions, view::WithShifts, wire::RosterId},
};

/// The most overrides, and the most calendar addresses, whose end with that of their roster is recorded.
const MOST_RECORDED: usize = 1_000;

/// Delete a roster
///
/// Ends its shifts and overrides, and closes its calendar addresses. Its past stays: who was on call, and its timeline,
/// can still be read by its id. Its name can be used again.
#[utoipa::path(
    operation_id = "deleteRoster",
    params(RosterId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 412, description = "The roster has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/rosters/{rosterId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<RosterId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let roster = lock_for_update(tx, scope, &id)?;
            scope.check_version(roster.version)?;
            end(tx, &roster)?;
            Ok(Answer::empty())
        })
        .await
}

/// Ends a roster and all that belongs to it, and notes it of each; beyond [`MOST_RECORDED`] of a kind, that the roster
/// ended is the only note.
pub fn end(tx: &mut Tx<'_>, roster: &Roster) -> db::Result<()> {
    let shifts = versions::shifts_at(tx.conn, std::slice::from_ref(roster), tx.now.millis())?;
    let at_ms = effective_ms(tx.now);
    let overrides = overrides::store::since(tx.conn, &roster.tenant_id, &roster.id, at_ms)?;
    for row in overrides.iter().take(MOST_RECORDED) {
        overrides::http::remove(tx, row, overrides::rules::removal(row, tx.now)?)?;
    }
    let of = CalendarOwner::Roster(roster.id.clone());
    let addresses = calendars::store::list(tx.conn, &roster.tenant_id, &of, tx.now)?;
    for address in addresses.iter().take(MOST_RECORDED) {
        calendars::store::delete(tx.conn, &roster.tenant_id, &of, &address.id)?;
        tx.record_change(Some(address), None)?;
    }
    versions::end(tx.conn, roster, at_ms)?;
    tx.record_change(Some(&WithShifts(roster, &shifts)), None)
}
