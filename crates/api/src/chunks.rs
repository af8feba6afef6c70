//! A body that is worked on while it arrives.

use std::time::{Duration, Instant};

use actix_web::{HttpMessage as _, HttpRequest, dev::Payload};
use base::problem::{Kind, Problem};
use bytes::Bytes;
use futures_util::StreamExt as _;
use sha2::{Digest as _, Sha256};

use crate::{
    Admission, Result,
    body::{self, BodyDigest, has_idempotency_key},
    shed,
};

/// How long the next piece may take.
pub const IDLE: Duration = Duration::from_secs(10);

/// Bytes a second that a client sends at least, once it was waited for as long as [`IDLE`]. How long all of them take
/// is the client's business; but a body that is awaited takes the place of another.
const SLOWEST: u64 = 1 << 10;

/// Memory is counted in steps of this.
const HOLD: usize = 16 << 10;

/// The pieces of a body, one after the other.
pub struct Chunks {
    request: HttpRequest,
    payload: Payload,
    limit: u64,
    length: u64,
    /// How long the client was waited for.
    waited: Duration,
    /// Bytes that the request was counted with so far; the first of them as a body that is awaited.
    held: usize,
    digest: Option<Sha256>,
    admission: Admission,
}

impl Chunks {
    /// A body of at most `limit` bytes. The request counts among those whose body is awaited, to its end.
    pub fn new(request: &HttpRequest, payload: Payload, limit: u64) -> Result<Self> {
        if body::content_length(request.headers()).is_some_and(|length| length > limit) {
            return Err(too_large(limit).into());
        }
        if let Some(ticket) = shed::current() {
            ticket.begin_streamed_body()?;
        }
        let digest = has_idempotency_key(request).then(Sha256::new);
        let length = 0;
        let waited = Duration::ZERO;
        let admission = Admission::of(request);
        Ok(Self { request: request.clone(), payload, limit, length, waited, held: HOLD, digest, admission })
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// 400 when it does not come in time, when all of it comes too slowly or is cut off; 413 beyond the limit; 403 when
    /// its caller may no longer send it.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        let asked = Instant::now();
        let next = tokio::time::timeout(IDLE, self.payload.next()).await;
        self.waited += asked.elapsed();
        let next = next.map_err(|_| {
            Problem::invalid(format!("Nothing more of the body arrived for {} seconds.", IDLE.as_secs()))
        })?;
        if !self.admission.holds().await {
            return Err(Problem::forbidden("The caller may no longer do this: the rest of the body is not read."));
        }
        let Some(chunk) = next else {
            if let Some(digest) = self.digest.take() {
                self.request.extensions_mut().insert(BodyDigest(digest.finalize().into()));
            }
            return Ok(None);
        };
        let chunk = chunk.map_err(|_| Problem::invalid("The body ended before it was complete."))?;
        self.length += chunk.len() as u64;
        if self.waited > IDLE && self.length / self.waited.as_secs().max(1) < SLOWEST {
            let detail = format!("The body is arriving too slowly: less than {SLOWEST} bytes a second.");
            return Err(Problem::invalid(detail));
        }
        if self.length > self.limit {
            return Err(too_large(self.limit));
        }
        if let Some(digest) = &mut self.digest {
            digest.update(&chunk);
        }
        Ok(Some(chunk))
    }

    /// Lowers the limit, for what is held in memory to the end of the request.
    pub fn limit_to(&mut self, limit: u64) {
        self.limit = self.limit.min(limit);
    }

    /// So many bytes are held of it now, and of its answer; the most of them count until the request is answered.
    ///
    /// # Errors
    /// 503 when the caller, or all together, hold too much.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Problem> {
        if bytes > self.held {
            // In steps, since to count is work, too.
            let most = bytes.next_multiple_of(HOLD);
            body::hold(most - self.held)?;
            self.held = most;
        }
        Ok(())
    }
}

fn too_large(limit: u64) -> Problem {
    Problem::new(Kind::TooLarge, format!("The body is larger than {} MiB.", limit >> 20))
}
