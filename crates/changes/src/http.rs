//! The stream over HTTP.

use std::time::Duration;

use actix_web::{HttpResponse, web};
use api::{Admission, Parameters, RequestContext, get};
use base::problem::Problem;
use bytes::Bytes;
use futures_util::stream;
use tokio::time::{Instant, timeout_at};

use crate::{
    hub::{Hub, Subscription},
    row::Watched,
    store, wire,
};

/// How long a client counts as watching after it connected or reconnected.
const WATCHED_MS: i64 = 900_000;
/// A watch with this much time left is not renewed.
const RENEW_MS: i64 = 600_000;
/// The longest silence of a stream: then it sends a comment.
const SILENCE: Duration = Duration::from_secs(15);
/// How many changes a stream may have missed.
const MOST_MISSED: i64 = 1_000;
/// The longest that a stream lasts.
const LONGEST: i64 = 300;

/// What a stream is to be like.
#[derive(Clone, Debug, Parameters)]
pub struct StreamQuery {
    /// Only changes of these kinds, separated by commas, such as `ALERT,INCIDENT`; without it, all.
    #[request(default, example = "ALERT,INCIDENT")]
    entities: String,
    /// The stream ends after this many seconds, 0 to 300; with 0 it sends what there is and ends. A client then
    /// reconnects, as browsers do by themselves.
    #[request(default = LONGEST, range = 0..=LONGEST, example = 300)]
    max_seconds: i64,
    /// The header `Last-Event-ID`, for clients that cannot set it.
    #[request(example = "17")]
    last_event_id: Option<String>,
}

/// Watch what changes
///
/// Server-sent events, as they are committed: `event: change` with tenant, kind, id, action, request and time of what
/// changed (`data`), and an `id`. A client that reconnects with the last one in `Last-Event-ID` within ten minutes
/// misses nothing; after that, or when it missed more than 1,000, it gets `event: reset` and should read again what it
/// shows. At partner level, changes of its clients too. A silent stream sends a comment every 15 seconds. Every 5
/// seconds a stream looks at its caller again, and ends when it may no longer read. A key may have 100 streams, and
/// those of a tenant leave room for others (503).
#[utoipa::path(
    operation_id = "watchChanges",
    params(
        StreamQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "The `id` of the last event that was read",
            example = "17"),
    ),
    responses((
        status = 200, description = "Events, until it ends", body = String, content_type = "text/event-stream",
        example = "id: 18\nevent: change\ndata: \
                   {\"tenant\":\"client_1\",\"entity\":\"ALERT\",\
                   \"entityId\":\"ALT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90\",\
                   \"action\":\"UPDATE\",\"requestId\":\"b7e1c9d04f6a4f0f9a3a1c5f0a8d2e11\",\
                   \"at\":\"2026-11-20T20:37:00+0000\"}\n\n"
    )),
    security(("bearer" = ["viewer"]))
)]
#[get("/changes")]
pub async fn watch(context: RequestContext<StreamQuery>, hub: web::Data<Hub>) -> api::Result<HttpResponse> {
    let StreamQuery { entities, max_seconds, last_event_id } = context.query.clone();
    let only: Vec<String> =
        entities.split(',').map(str::trim).filter(|one| !one.is_empty()).map(ToOwned::to_owned).collect();
    let header = context.request().headers().get("last-event-id").and_then(|value| value.to_str().ok());
    let last = header.map(ToOwned::to_owned).or(last_event_id).filter(|id| !id.trim().is_empty());
    let last: Option<i64> = last.map(|id| read_id(&id)).transpose()?;
    let watched = Watched { tenant: context.tenant.id.to_string(), all: context.tenant.partner == context.tenant.id };
    let now_ms = context.now.millis();
    let key = watched.clone();
    let head = context.read(move |conn, _| store::head(conn, &key)).await?;
    if head.is_none_or(|(until, _)| until < now_ms + RENEW_MS) {
        let key = watched.clone();
        context.db.write(move |conn| store::watch(conn, &key, now_ms, now_ms + WATCHED_MS)).await?;
    }
    let key = watched.clone();
    let kinds = only.clone();
    let (seq, missed) = context.read(move |conn, _| missed(conn, &key, last, &kinds)).await?;
    let subscription = hub.into_inner().enter(watched, &api::shed::party(), seq, only)?;
    let until = Instant::now() + Duration::from_secs(max_seconds.unsigned_abs());
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream").insert_header(("Cache-Control", "no-store"));
    response.insert_header(("X-Accel-Buffering", "no"));
    let admission = Admission::of(context.request());
    let events = stream_events(wire::retry(1_000) + &missed, subscription, admission, until);
    Ok(api::sending::sparse(response.streaming(events)))
}

fn read_id(text: &str) -> Result<i64, Problem> {
    text.trim().parse().map_err(|_| Problem::field("Last-Event-ID", "must be the id of an event of this stream"))
}

/// The number of the last change at the beginning of a stream, and the events it missed, as text.
fn missed(conn: &mut db::Conn, watched: &Watched, last: Option<i64>, only: &[String]) -> db::Result<(i64, String)> {
    let head = store::head(conn, watched)?.map_or(0, |(_, seq)| seq);
    let Some(last) = last.filter(|last| *last != head) else { return Ok((head, String::new())) };
    let changes = store::after(conn, watched, last, MOST_MISSED)?;
    let whole =
        changes.first().is_some_and(|(seq, _)| *seq == last + 1) && changes.last().is_some_and(|(seq, _)| *seq >= head);
    if !whole {
        return Ok((head, wire::reset(head)));
    }
    let kinds = changes.iter().filter(|(_, change)| only.is_empty() || only.contains(&change.entity));
    Ok((changes.last().map_or(head, |(seq, _)| *seq), kinds.map(|(seq, change)| wire::event(*seq, change)).collect()))
}

/// The body of a stream: its beginning, then events until it ends or its caller may no longer read.
fn stream_events(
    beginning: String,
    subscription: Subscription,
    admission: Admission,
    until: Instant,
) -> impl futures_util::Stream<Item = api::Result<Bytes>> {
    let event_stream = EventStream { subscription, admission, until, comment: Instant::now() + SILENCE };
    stream::unfold((Some(Bytes::from(beginning)), event_stream), |(first, mut event_stream)| async move {
        let next = match first {
            Some(first) => first,
            None => event_stream.next().await?,
        };
        Some((Ok(next), (None, event_stream)))
    })
}

/// An open response.
struct EventStream {
    subscription: Subscription,
    admission: Admission,
    until: Instant,
    /// When to send a comment, if no event comes before.
    comment: Instant,
}

impl EventStream {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let wake = self.until.min(self.comment).min(self.admission.next_look());
            let events = timeout_at(wake, self.subscription.events.recv()).await;
            let now = Instant::now();
            if now >= self.until || !self.admission.holds().await {
                return None;
            }
            let next = match events {
                Ok(events) => events?,
                Err(_) if now >= self.comment => Bytes::from_static(b":\n\n"),
                Err(_) => continue,
            };
            self.comment = now + SILENCE;
            return Some(next);
        }
    }
}
