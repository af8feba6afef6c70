//! Request bodies: bounded in size and time, JSON or nothing.

mod inflate;
mod list;
mod on_demand;

use std::time::Duration;

use actix_web::{
    FromRequest, HttpMessage as _, HttpRequest,
    dev::{Payload, ServiceRequest},
    http::{Method, header},
};
use base::{
    body::{FromBody, ignored},
    problem::{Kind, Problem},
};
use bytes::{Bytes, BytesMut};
use futures_util::{FutureExt as _, StreamExt as _, future::LocalBoxFuture};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub(crate) use self::on_demand::read_on_demand;
pub use self::{
    inflate::{Compression, inflate, read_inflated},
    list::ListOf,
};
use crate::{Error, Result, inbound, shed};

/// The largest JSON body.
pub const LIMIT: usize = 8 << 20;

/// A body up to this size is read even though nobody wants it, for the sake of its connection.
const SMALL: u64 = 16 << 10;

/// The most memory that the values of a JSON body may take.
const MAX_WEIGHT: usize = 40 << 20;

/// A body up to this size is parsed on the thread that read it; a larger one would keep others waiting.
const PARSED_IN_PLACE: usize = 64 << 10;

/// How long a body may take to arrive.
pub const TIME: Duration = Duration::from_secs(10);

/// The charsets of a body that is UTF-8; what is ASCII is, too.
const UTF_8: [&str; 3] = ["utf-8", "utf8", "us-ascii"];

/// The header of safe retries.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The header that joins the requests of a change set.
const CHANGE_SET: &str = "x-change-set";
/// The longest name of a change set.
pub(crate) const LONGEST_CHANGE_SET: usize = 100;

/// SHA-256 of the body, for a request that names an idempotency key.
pub(crate) struct BodyDigest(pub [u8; 32]);

/// A JSON body: read as a request (`#[derive(api::Request)]`), or as it is.
pub struct Body<T = Value>(pub T);

impl<T: FromBody> FromRequest for Body<T> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = payload.take();
        let request = request.clone();
        Box::pin(async move {
            expect_json(&request)?;
            let bytes = read(&request, payload, LIMIT).await?;
            Ok(Self(T::from_body(parse(bytes).await?)?))
        })
    }
}

/// A JSON body that may be left out: an empty one and `null` read as an empty object.
pub struct OptionalBody<T = Value>(pub T);

impl<T: FromBody> FromRequest for OptionalBody<T> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = payload.take();
        let request = request.clone();
        Box::pin(async move {
            let bytes = read(&request, payload, LIMIT).await?;
            let nothing = || Value::Object(serde_json::Map::new());
            if bytes.iter().all(u8::is_ascii_whitespace) {
                return Ok(Self(T::from_body(nothing())?));
            }
            expect_json(&request)?;
            let body = parse(bytes).await?;
            Ok(Self(T::from_body(if body.is_null() { nothing() } else { body })?))
        })
    }
}

/// Reads the body of an operation that takes none, and names the fields of a JSON object as ignored. A body that is
/// anything else means nothing.
///
/// # Errors
/// As [`read`], and those of values that take too much memory.
pub(crate) async fn name_fields(request: &mut ServiceRequest) -> Result<()> {
    let payload = request.take_payload();
    let bytes = read(request.request(), payload, LIMIT).await?;
    if bytes.is_empty() || expect_json(request.request()).is_err() {
        return Ok(());
    }
    let fields = parse_by(bytes, |bytes| Ok(base::body::parse_json(bytes).ok())).await?;
    if let Some(Value::Object(fields)) = fields {
        ignored::report_fields(&fields);
    }
    Ok(())
}

/// The `Idempotency-Key` of a `POST`, or of any request of a monitor: what it says by another method, such as that an
/// alert is over, is said after what it said before under its key.
///
/// # Errors
/// 400 when it is none, whether or not the operation writes something; at the addresses of monitors it means nothing
/// then.
pub(crate) fn idempotency_key(request: &HttpRequest) -> Result<Option<String>> {
    if request.method() != Method::POST && !inbound::is_address(request.path()) {
        return Ok(None);
    }
    let mut values = request.headers().get_all(IDEMPOTENCY_KEY);
    let Some(value) = values.next() else { return Ok(None) };
    let key = value.to_str().unwrap_or("").trim();
    let is_visible = key.bytes().all(|byte| byte.is_ascii_graphic());
    if values.next().is_none() && !key.is_empty() && key.len() <= 255 && is_visible {
        return Ok(Some(key.to_owned()));
    }
    unused(request, "Idempotency-Key", "takes one value of 1 to 255 visible ASCII characters")
}

/// The name of the change set that a request belongs to.
///
/// # Errors
/// 400 when it is not one value of 1 to 100 printable ASCII characters; at the addresses of monitors it means nothing
/// then.
pub(crate) fn change_set_name(request: &HttpRequest) -> Result<Option<String>> {
    let mut values = request.headers().get_all(CHANGE_SET);
    let Some(value) = values.next() else { return Ok(None) };
    let name = value.to_str().unwrap_or("").trim();
    let is_printable = name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    if values.next().is_none() && !name.is_empty() && name.len() <= LONGEST_CHANGE_SET && is_printable {
        return Ok(Some(name.to_owned()));
    }
    unused(request, "X-Change-Set", "takes one name of 1 to 100 printable ASCII characters")
}

/// What becomes of a header that is none of what it should be: an error, but of a report nothing.
fn unused(request: &HttpRequest, header: &str, message: &str) -> Result<Option<String>> {
    if inbound::is_address(request.path()) { Ok(None) } else { Err(Problem::field(header, message).into()) }
}

/// Does this request need its body's digest?
pub(crate) fn has_idempotency_key(request: &HttpRequest) -> bool {
    request.headers().contains_key(IDEMPOTENCY_KEY)
}

fn expect_json(request: &HttpRequest) -> Result<()> {
    expect_type(request, |kind| kind == "application/json" || kind.ends_with("+json"), "application/json")
}

/// Refuses a content type that the operation does not read; a body without one is taken for what it expects. Refuses
/// what is compressed, and any other charset than UTF-8, too: what is read is the text itself.
pub fn expect_type(request: &HttpRequest, accepts: impl Fn(&str) -> bool, wanted: &str) -> Result<()> {
    expect_plain_text(request)?;
    let kind = request.content_type().to_ascii_lowercase();
    if !request.headers().contains_key(header::CONTENT_TYPE) || accepts(kind.trim()) {
        return Ok(());
    }
    let detail = format!("This operation reads {wanted}; the request says Content-Type: {kind:.100}.");
    Err(Problem::new(Kind::UnsupportedMediaType, detail).into())
}

fn expect_plain_text(request: &HttpRequest) -> Result<()> {
    let refuse = |detail: String| Err(Problem::new(Kind::UnsupportedMediaType, detail).into());
    for coding in request.headers().get_all(header::CONTENT_ENCODING) {
        let coding = String::from_utf8_lossy(coding.as_bytes()).trim().to_ascii_lowercase();
        if !coding.is_empty() && coding != "identity" {
            return refuse(format!(
                "This operation reads bodies as they are; the request says Content-Encoding: {coding:.100}."
            ));
        }
    }
    let kind = request.mime_type().ok().flatten();
    let charset = kind.as_ref().and_then(|kind| kind.get_param("charset")).map(|charset| charset.as_str());
    if let Some(charset) = charset.filter(|set| !UTF_8.iter().any(|known| set.eq_ignore_ascii_case(known))) {
        return refuse(format!("This operation reads UTF-8; the request says charset={charset:.100} in Content-Type."));
    }
    Ok(())
}

async fn parse(bytes: Bytes) -> Result<Value> {
    parse_by(bytes, base::body::parse_json).await
}

/// What `parse` reads of a JSON body, whose values may take many times as much memory as its text: that is asked for
/// before. A large one is read on another thread.
///
/// # Errors
/// Those of `parse`, and 413 for too many values.
pub async fn parse_by<T>(bytes: Bytes, parse: fn(&[u8]) -> Result<T, Problem>) -> Result<T>
where
    T: Send + 'static,
{
    let weight = base::body::weight(&bytes);
    if weight > MAX_WEIGHT {
        let detail = format!(
            "The body has too many values: they would take more than {} MiB in memory. Send them in several requests.",
            MAX_WEIGHT >> 20
        );
        return Err(Problem::new(Kind::TooLarge, detail).into());
    }
    hold(weight)?;
    if bytes.len() <= PARSED_IN_PLACE {
        return Ok(parse(&bytes)?);
    }
    let parsed = tokio::task::spawn_blocking(move || parse(&bytes));
    Ok(parsed.await.map_err(|error| db::Error::Fault(format!("parsing a body: {error}")))??)
}

/// So many more bytes are held in memory until the request is answered.
///
/// # Errors
/// 503 when the caller, or all together, hold too much.
pub fn hold(bytes: usize) -> Result<(), Problem> {
    shed::current().map_or(Ok(()), |ticket| ticket.hold(bytes))
}

/// Reads a whole body of at most `limit` bytes. Memory for one whose length is announced is taken before it arrives: of
/// many that come together some are read to the end, rather than all of them half.
pub async fn read(request: &HttpRequest, payload: Payload, limit: usize) -> Result<Bytes> {
    let announced = content_length(request.headers()).and_then(|length| usize::try_from(length).ok());
    let announced = announced.filter(|length| *length <= limit).unwrap_or(0);
    let mut whole = BytesMut::new();
    let mut held = 0;
    for_each_chunk(request, payload, limit, |chunk| {
        let needed = whole.len() + chunk.len();
        if needed > held {
            let more = needed.max(announced).max(2 * held).min(limit.max(needed)) - held;
            hold(more)?;
            held += more;
            whole.reserve(held - whole.len());
        }
        whole.extend_from_slice(&chunk);
        Ok(())
    })
    .await?;
    Ok(whole.freeze())
}

/// How long a body says that it is.
pub(crate) fn content_length(headers: &header::HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Hands on a body of at most `limit` bytes piece by piece, as it arrives.
pub async fn for_each_chunk(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
    mut each: impl FnMut(Bytes) -> Result<()>,
) -> Result<()> {
    if content_length(request.headers()).is_some_and(|length| length > limit as u64) {
        return Err(too_large(limit));
    }
    let ticket = shed::current();
    if let Some(ticket) = &ticket {
        ticket.begin_body()?;
    }
    let reading = async {
        let mut length = 0;
        let mut digest = has_idempotency_key(request).then(Sha256::new);
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_| Problem::invalid("The body ended before it was complete."))?;
            length += chunk.len();
            if length > limit {
                return Err(too_large(limit));
            }
            if let Some(digest) = &mut digest {
                digest.update(&chunk);
            }
            each(chunk)?;
        }
        if let Some(digest) = digest {
            request.extensions_mut().insert(BodyDigest(digest.finalize().into()));
        }
        Ok(())
    };
    tokio::time::timeout(TIME, reading).await.unwrap_or_else(|_| {
        Err(Problem::invalid(format!("The body did not arrive within {} seconds.", TIME.as_secs())).into())
    })?;
    if let Some(ticket) = &ticket {
        ticket.end_body().await?;
    }
    Ok(())
}

/// Before a refusal: takes a small body that has arrived off the connection, which can be used again then. One that
/// has not arrived is left, and the connection is closed.
pub(crate) async fn discard_small(request: &mut ServiceRequest) {
    let length = content_length(request.headers());
    if length.is_none_or(|length| length == 0 || length > SMALL) || request.headers().contains_key(header::EXPECT) {
        return;
    }
    let mut payload = request.take_payload();
    // What arrived with the head is handed on when the connection is read again, before which this task may be polled
    // twice, and 4 KiB at a time.
    for _ in 0..6 {
        tokio::task::yield_now().await;
        loop {
            match payload.next().now_or_never() {
                Some(Some(Ok(_))) => {}
                Some(_) => return,
                None => break,
            }
        }
    }
}

fn too_large(limit: usize) -> Error {
    let limit = if limit < 1 << 20 { format!("{} KiB", limit >> 10) } else { format!("{} MiB", limit >> 20) };
    Problem::new(Kind::TooLarge, format!("The body is larger than {limit}.")).into()
}
