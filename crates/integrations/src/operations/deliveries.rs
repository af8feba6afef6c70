//! Deliveries over HTTP.

use actix_web::HttpResponse;
use api::{
    Answer, OptionalBody, PathIds, RequestContext, RequestScope, answer, get, list::Parameters as _, post, spec::PageOf,
};
use base::{Problem, Query, Timestamp, query::Sort};
use db::Conn;
use outbox::{Entity, Tx};
use serde_json::json;

use super::{across::DeliveryQuery, events};
use crate::{
    delivery::{
        row::Row,
        store::{self, CreatedPosition, Filter},
        wire::{Delivery, DeliveryDetail, DeliveryId, ReplayCount, ReplayRequest},
    },
    event::{self, wire::EventId},
    installed::{row::Row as Integration, wire::IntegrationId},
};

/// Search the deliveries of an event
///
/// Newest first, those that were created from `startTime` on and before `endTime`. Ended ones are kept for 30 days.
#[utoipa::path(
    operation_id = "searchDeliveries",
    params(
        IntegrationId, EventId,
        ("pageNo" = Option<u32>, Query, description = "From 1", example = 1),
        ("pageSize" = Option<u32>, Query, description = "1 to 1000, default 100", example = 100),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the page before, in place of `pageNo`"),
        ("isDescendingOrder" = Option<bool>, Query, description = "Default true"),
        DeliveryQuery,
    ),
    responses((status = 200, description = "A page of deliveries", body = PageOf<Delivery>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/installed/{installedIntgId}/event/{eventId}/deliveries")]
pub async fn search(
    context: RequestContext<Query>,
    PathIds((integration, id)): PathIds<(IntegrationId, EventId)>,
) -> api::Result<HttpResponse> {
    let mut query = context.query();
    let descending = query.boolean("isDescendingOrder", true);
    let sort = Sort { name: "createdTime", descending };
    let walk = query.page_request(context.request().path(), sort);
    let DeliveryQuery { status, start_time: from, end_time: to } = DeliveryQuery::read(&mut query);
    query.finish()?;
    let filter = Filter { status: Some(status).filter(|status| !status.is_empty()), from, to };
    let asked = walk.clone();
    let found = context
        .read_many(move |conn, scope| {
            let (integration, event) = events::existing(conn, &scope.scope(), &integration, &id)?;
            let fires = fires(&integration, &event);
            let found = store::search(conn, &event.tenant_id, &event.id, &filter, sort, &asked)?;
            Ok(found.map(|row| Delivery::of(&row, fires)))
        })
        .await?;
    answer::ok(&walk.answer(found).ordered(sort.name, sort.descending))
}

/// Get a delivery
///
/// With what it sends and all attempts.
#[utoipa::path(
    operation_id = "getDelivery",
    params(IntegrationId, EventId, DeliveryId),
    responses(
        (status = 200, description = "The delivery", body = DeliveryDetail),
        (status = 304, description = "Not changed since the version of `If-None-Match`"),
    ),
    security(("bearer" = ["viewer"]))
)]
#[get("/integrations/installed/{installedIntgId}/event/{eventId}/deliveries/{deliveryId}")]
pub async fn get(
    context: RequestContext,
    PathIds((integration, id, delivery)): PathIds<(IntegrationId, EventId, DeliveryId)>,
) -> api::Result<HttpResponse> {
    let (row, fires, message) = context
        .read(move |conn, scope| {
            let (integration, event) = events::existing(conn, &scope.scope(), &integration, &id)?;
            let row = store::existing(conn, &event.tenant_id, &event.id, &delivery)?;
            let message = store::message(conn, &row.tenant_id, &row.id)?;
            Ok((row, fires(&integration, &event), message))
        })
        .await?;
    answer::entity(&context, &DeliveryDetail::of(&row, fires, message), version(&row))
}

/// Every claim, attempt and resend makes another version: each moves one of these.
fn version(row: &Row) -> i64 {
    [row.due_ms, row.claim, row.attempts].into_iter().fold(0_i64, |all, one| all.wrapping_mul(31).wrapping_add(one))
}

/// Is the event active, and its integration enabled?
fn fires(integration: &Integration, event: &event::row::Row) -> bool {
    integration.enabled && event.active
}

/// Send a delivery again
///
/// The same bytes under the same id, whether it was delivered or not. One that is pending becomes due at once.
#[utoipa::path(
    operation_id = "resendDelivery",
    params(IntegrationId, EventId, DeliveryId),
    responses(
        (status = 200, description = "The delivery, due", body = Delivery),
        (status = 409, description = "There is nothing to send: it could not be rendered"),
        (status = 412, description = "It has changed since it was read"),
    ),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/event/{eventId}/deliveries/{deliveryId}/resend")]
pub async fn resend(
    context: RequestContext,
    PathIds((integration, id, delivery)): PathIds<(IntegrationId, EventId, DeliveryId)>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let (integration, event) = events::existing(tx.conn, &scope.scope(), &integration, &id)?;
            let before = store::existing(tx.conn, &event.tenant_id, &event.id, &delivery)?;
            scope.check_version(version(&before))?;
            if store::message(tx.conn, &before.tenant_id, &before.id)?.method.is_empty() {
                return Err(Problem::conflict("There is nothing to send: the message could not be rendered.").into());
            }
            store::resend(tx.conn, &event.tenant_id, &event.id, std::slice::from_ref(&before.id), scope.now)?;
            let after = store::existing(tx.conn, &event.tenant_id, &event.id, &delivery)?;
            tx.record_change(Some(&before), Some(&after))?;
            Answer::ok(&Delivery::of(&after, fires(&integration, &event)))
        })
        .await
}

/// Replay the deliveries of an event
///
/// Sends all deliveries of a status (default `failed`) again that were created from `startTime` on and before
/// `endTime`: the same bytes under the same ids.
#[utoipa::path(
    operation_id = "replayDeliveries",
    params(IntegrationId, EventId),
    request_body(content = Option<ReplayRequest>),
    responses((status = 200, description = "How many are sent again", body = ReplayCount)),
    security(("bearer" = ["integrator"]))
)]
#[post("/integrations/installed/{installedIntgId}/event/{eventId}/replay")]
pub async fn replay(
    context: RequestContext,
    PathIds((integration, id)): PathIds<(IntegrationId, EventId)>,
    OptionalBody(replay): OptionalBody<ReplayRequest>,
) -> api::Result<HttpResponse> {
    let context_of_parts = context.clone();
    let replay = async move {
        let step = async |behind| replay_some(&context_of_parts, (&integration, &id), &replay, behind).await;
        Ok(Answer::ok(&replay_all(step).await?)?)
    };
    context.carry_out(replay).await
}

/// Replays in steps until nothing is left. What fails once deliveries are sent again is answered with how far it came:
/// an error would say that nothing was done, and the same request would send them once more.
async fn replay_all(
    mut step: impl AsyncFnMut(Option<CreatedPosition>) -> api::Result<ReplayStep>,
) -> api::Result<ReplayCount> {
    let mut count = ReplayCount::default();
    let mut behind: Option<CreatedPosition> = None;
    loop {
        match (step(behind.clone()).await, behind) {
            (Ok(done), _) => {
                count.replayed += done.replayed;
                behind = done.behind;
            }
            (Err(error), Some((created_ms, _))) if count.replayed > 0 => {
                tracing::error!(%error, replayed = count.replayed, "a replay of deliveries was interrupted");
                return Ok(ReplayCount { continue_from: Some(Timestamp::from_millis(created_ms)), ..count });
            }
            (Err(error), _) => return Err(error),
        }
        if behind.is_none() {
            return Ok(count);
        }
    }
}

/// A part of a replay.
struct ReplayStep {
    replayed: usize,
    /// The last delivery that was looked at, unless there is none behind it.
    behind: Option<CreatedPosition>,
}

/// Replays some deliveries, the first ones or those behind one, in a transaction of their own.
async fn replay_some(
    context: &RequestContext,
    (integration, id): (&IntegrationId, &EventId),
    ReplayRequest { status, start_time, end_time }: &ReplayRequest,
    behind: Option<CreatedPosition>,
) -> api::Result<ReplayStep> {
    let (status, from, now) = (*status, *start_time, context.now);
    // What is created from now on is not replayed: this comes to an end.
    let to = end_time.unwrap_or(Timestamp::from_millis(now.millis() + 1));
    let filter = Filter { status: Some(status).filter(|status| *status != "all"), from, to: Some(to) };
    let (integration, id) = (integration.clone(), id.clone());
    let find = move |conn: &mut Conn, scope: &RequestScope| {
        let (_, event) = events::existing(conn, &scope.scope(), &integration, &id)?;
        let found = store::next(conn, &event.tenant_id, &event.id, &filter, behind.as_ref())?;
        Ok((event, found))
    };
    let (event, found) = context.read(find).await?;
    let last = found.last().filter(|_| found.len() == store::TOGETHER).cloned();
    let ids: Vec<String> = found.into_iter().map(|(_, id)| id).collect();
    let shown = json!({"status": status, "startTime": start_time, "endTime": end_time});
    let actor = context.actor_of_parts();
    let write = move |conn: &mut Conn| {
        Tx::run(conn, &actor, now, |tx| {
            let replayed = store::resend(tx.conn, &event.tenant_id, &event.id, &ids, now)?;
            let mut after = shown;
            after["replayed"] = json!(replayed);
            tx.record_payloads(Entity::audited("IntegrationReplay", &event.tenant_id, &event.id), None, Some(after));
            Ok(replayed)
        })
    };
    let replayed = context.db.write_for(context.caller.home.as_str(), write).await?;
    Ok(ReplayStep { replayed, behind: last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_replayed_is_told_when_a_later_step_fails() {
        let replayed = async |failing: usize| {
            let mut number = 0;
            let step = async |behind: Option<CreatedPosition>| {
                number += 1;
                assert_eq!(behind.map(|(created_ms, _)| created_ms), (number > 1).then_some(1_000 * (number - 1)));
                if number == i64::try_from(failing).unwrap() {
                    return Err(db::Error::Unavailable("away".to_owned()).into());
                }
                Ok(ReplayStep { replayed: 200, behind: (number < 3).then(|| (1_000 * number, "DLV-1".to_owned())) })
            };
            replay_all(step).await.ok().map(|count| (count.replayed, count.continue_from.map(Timestamp::millis)))
        };
        assert_eq!(replayed(0).await, Some((600, None)));
        assert_eq!(replayed(1).await, None, "nothing was done");
        assert_eq!(replayed(2).await, Some((200, Some(1_000))));
        assert_eq!(replayed(3).await, Some((400, Some(2_000))));
    }
}
