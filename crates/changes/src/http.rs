//! The stream over HTTP.

use std::time::Duration;

use actix_web::{HttpResponse, web};
use api::{Admission, Parameters, RequestContext, get};
use base::{Query, problem::Problem};
use bytes::Bytes;
use futures_util::stream;
use tokio::time::{Instant, timeout_at};

use crate::{
    hub::{Hub, Subscription},
    row::StreamScope,
    store, wire,
};

/// How long a client counts as watching after it connected or reconnected.
const WATCHED_MS: i64 = 900_000;
/// A watch with this much time left is not renewed.
const RENEW_MS: i64 = 600_000;
/// The longest silence of a stream: then it sends a comment.
const SILENCE: Duration = Duration::from_secs(15);
/// How many changes that it asks for a stream may have missed.
const MOST_MISSED: i64 = 1_000;
/// The longest that a stream lasts.
const LONGEST: i64 = 300;

/// What a stream is to be like.
#[derive(Clone, Debug, Parameters)]
pub struct StreamQuery {
    /// Only changes of these kinds, separated by commas, such as `ALERT,INCIDENT`; without it, all.
    #[request(with = entities, example = "ALERT,INCIDENT")]
    entities: Vec<&'static str>,
    /// The stream ends after this many seconds, 0 to 300; with 0 it sends what there is and ends. A client then
    /// reconnects, as browsers do by themselves.
    #[request(default = LONGEST, range = 0..=LONGEST, example = 300)]
    max_seconds: i64,
    /// The header `Last-Event-ID`, for clients that cannot set it.
    #[request(with = last_event_id, schema = String, example = "17")]
    last_event_id: Option<i64>,
}

fn entities(query: &mut Query, name: &str) -> Vec<&'static str> {
    query.some_of(name, &wire::ENTITIES)
}

fn last_event_id(query: &mut Query, name: &str) -> Option<i64> {
    let text = query.text(name)?;
    read_id(&text).unwrap_or_else(|message| {
        query.error(name, message);
        None
    })
}

/// Reads the id of an event; a client that has read none yet may send an empty one.
fn read_id(text: &str) -> Result<Option<i64>, &'static str> {
    let text = text.trim();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(id) if is_number => Ok(Some(id)),
        Err(_) if text.is_empty() => Ok(None),
        _ => Err("must be the id of an event of this stream"),
    }
}

/// Watch what changes
///
/// Server-sent events, as they are committed: `event: change` with tenant, kind, id, action, request and time of what
/// changed (`data`), and an `id`. A client that reconnects with the last one in `Last-Event-ID` within ten minutes
/// misses nothing; after that, or when it missed more than 1,000 of those it asks for, it gets `event: reset` and
/// should read again what it shows. At partner level, changes of its clients too. A stream begins with an `id` of its
/// own, and sends a comment with one every 15 seconds while it is silent; browsers take it over by themselves. Every 5
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
        headers(("X-Accel-Buffering" = String, description = "`no`: a proxy is to hand on each event at once")),
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
    let header = context.request().headers().get("last-event-id").and_then(|value| value.to_str().ok());
    let header = header.map_or(Ok(None), read_id).map_err(|message| Problem::field("Last-Event-ID", message))?;
    let last = header.or(last_event_id);
    let watched =
        StreamScope { tenant: context.tenant.id.to_string(), all: context.tenant.partner == context.tenant.id };
    let now_ms = context.now.millis();
    let key = watched.clone();
    let head = context.read(move |conn, _| store::head(conn, &key)).await?;
    if head.is_none_or(|(until, _)| until < now_ms + RENEW_MS) {
        let key = watched.clone();
        context.db.write(move |conn| store::watch(conn, &key, now_ms, now_ms + WATCHED_MS)).await?;
    }
    let key = watched.clone();
    let only = entities.clone();
    let (seq, missed) = context.read(move |conn, _| missed(conn, &key, last, &only)).await?;
    let subscription = hub.into_inner().enter(watched, &api::shed::party(), seq, entities)?;
    let until = Instant::now() + Duration::from_secs(max_seconds.unsigned_abs());
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream").insert_header(("Cache-Control", "no-store"));
    response.insert_header(("X-Accel-Buffering", "no"));
    let admission = Admission::of(context.request());
    let beginning = wire::retry(1_000) + &missed + &wire::position(seq);
    let events = stream_events(beginning, subscription, admission, until);
    Ok(api::sending::sparse(response.streaming(events)))
}

/// The number of the last change at the beginning of a stream, and the events it missed, as text.
fn missed(
    conn: &mut db::Conn,
    watched: &StreamScope,
    last: Option<i64>,
    only: &[&'static str],
) -> db::Result<(i64, String)> {
    let head = store::head(conn, watched)?.map_or(0, |(_, seq)| seq);
    let Some(last) = last.filter(|last| *last != head) else { return Ok((head, String::new())) };
    if !store::is_whole(conn, watched, last, head)? {
        return Ok((head, wire::reset(head)));
    }
    let changes = store::after(conn, watched, last, only, MOST_MISSED + 1)?;
    if i64::try_from(changes.len()).is_ok_and(|count| count > MOST_MISSED) {
        return Ok((head, wire::reset(head)));
    }
    let seq = changes.last().map_or(head, |(seq, _)| head.max(*seq));
    Ok((seq, changes.iter().map(|(seq, change)| wire::event(*seq, change)).collect()))
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
                Err(_) if now >= self.comment => self.silence()?,
                Err(_) => continue,
            };
            self.comment = now + SILENCE;
            return Some(next);
        }
    }

    /// What is sent after a silence: a comment with the position, or events that came at this very moment.
    fn silence(&mut self) -> Option<Bytes> {
        // Read first: what is not among the events after that does not precede it.
        let position = self.subscription.position();
        match self.subscription.events.try_recv() {
            Ok(events) => Some(events),
            Err(_) => position.map(|seq| Bytes::from(wire::position(seq))),
        }
    }
}
