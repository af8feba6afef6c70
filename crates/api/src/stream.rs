//! A list of any length, as a JSON array or line by line, sent while it is read, in constant memory.
//!
//! A list that fits into [`SMALL`] is held until it is complete, so that its connection of the database is free before
//! the client reads. A longer one holds its connection, one of those that are there for lists alone, for as long as the
//! client takes; how many may do so at once is bounded ([`crate::shed`]). It ends when its caller may no longer read
//! ([`Admission`]).

use std::time::{Duration, Instant};

use actix_web::HttpResponse;
use base::problem::Problem;
use bytes::Bytes;
use db::{Conn, Db, Extent, Place};
use serde::Serialize;
use tokio::sync::mpsc;

use crate::{
    Admission, Error, RequestContext, Result,
    shed::{StreamLease, StreamPermit},
};

/// A list up to this size is not streamed.
const SMALL: usize = 256 << 10;

/// A piece of the answer on its way to the client.
const CHUNK: usize = 32 << 10;

/// A client that takes nothing for this long is given up: it holds a connection of the database.
const PATIENCE: Duration = Duration::from_secs(30);

/// The minimum rate of a client after that time, in bytes a second; one that takes less is given up, too.
const SLOWEST: u64 = 8 << 10;

/// A client that has not taken all after this long is given up: while a list is read, SQLite cannot shorten its
/// write-ahead log, and Postgres keeps every former row.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// Bytes of the answer. After the last piece nothing comes; without one the array was cut off.
struct Chunk {
    bytes: Bytes,
    last: bool,
}

/// What stands around the rows of a list.
#[derive(Clone, Copy)]
struct Layout {
    content_type: &'static str,
    open: &'static [u8],
    between: &'static [u8],
    close: &'static [u8],
}

/// A JSON array.
const ARRAY: Layout = Layout { content_type: "application/json", open: b"[", between: b",", close: b"]" };

/// Where the rows of a streamed list are written.
pub struct Rows {
    buffer: Vec<u8>,
    first: bool,
    layout: Layout,
    out: mpsc::Sender<Result<Chunk>>,
    runtime: tokio::runtime::Handle,
    permit: StreamPermit,
    open_stream: Option<OpenStream>,
}

/// A list of which a part was sent.
struct OpenStream {
    begun: Instant,
    sent: u64,
    /// Counts it among those that are streamed.
    _counted: Option<StreamLease>,
}

impl Rows {
    /// Adds one row, which `write` puts into the buffer: an element as JSON, or a line with its end.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> db::Result<()> {
        self.buffer.extend_from_slice(if self.first { self.layout.open } else { self.layout.between });
        self.first = false;
        write(&mut self.buffer);
        match self.open_stream {
            None if self.buffer.len() < SMALL => Ok(()),
            None => {
                let counted = self.permit.take()?;
                self.open_stream = Some(OpenStream { begun: Instant::now(), sent: 0, _counted: counted });
                self.flush(false)
            }
            Some(_) if self.buffer.len() < CHUNK => Ok(()),
            Some(_) => self.flush(false),
        }
    }

    /// Adds one element as it is told.
    pub fn push_json<T: Serialize>(&mut self, element: &T) -> db::Result<()> {
        let json = serde_json::to_vec(element).map_err(|error| db::Error::Fault(format!("encoding a row: {error}")))?;
        self.push(|out| out.extend_from_slice(&json))
    }

    fn flush(&mut self, last: bool) -> db::Result<()> {
        let bytes = Bytes::from(std::mem::replace(&mut self.buffer, Vec::with_capacity(CHUNK + 1024)));
        if let Some(stream) = &mut self.open_stream {
            if is_too_slow(stream.begun.elapsed(), stream.sent) {
                return Err(db::Error::Unavailable("the client reads too slowly".to_owned()));
            }
            stream.sent += bytes.len() as u64;
        }
        let sent = self.runtime.block_on(tokio::time::timeout(PATIENCE, self.out.send(Ok(Chunk { bytes, last }))));
        match sent {
            Ok(Ok(())) => Ok(()),
            _ => Err(db::Error::Unavailable("the client went away".to_owned())),
        }
    }

    fn end(mut self) -> db::Result<()> {
        if self.first {
            self.buffer.extend_from_slice(self.layout.open);
        }
        self.buffer.extend_from_slice(self.layout.close);
        // The connection is free now.
        self.open_stream = None;
        self.flush(true)
    }
}

/// Has a client taken less than it has to, when it took so many bytes in that time?
fn is_too_slow(elapsed: Duration, sent: u64) -> bool {
    elapsed > LONGEST || elapsed > PATIENCE && sent / elapsed.as_secs() < SLOWEST
}

/// Answers a request with the array whose elements `produce` pushes, read as of one instant.
///
/// A failure before the first piece is a problem response; a later one cuts the connection, so that nobody takes a
/// part for the whole.
pub async fn array<F, Q>(context: &RequestContext<Q>, produce: F) -> Result<HttpResponse>
where
    F: FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Clone + Send + 'static,
{
    list(&context.db, Admission::of(context.request()), ARRAY, produce).await
}

/// As [`array`], with the lines that `produce` pushes.
pub async fn lines<F, Q>(context: &RequestContext<Q>, content_type: &'static str, produce: F) -> Result<HttpResponse>
where
    F: FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Clone + Send + 'static,
{
    let layout = Layout { content_type, open: b"", between: b"", close: b"" };
    list(&context.db, Admission::of(context.request()), layout, produce).await
}

async fn list<F>(db: &Db, admission: Admission, layout: Layout, produce: F) -> Result<HttpResponse>
where
    F: FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Clone + Send + 'static,
{
    // What fails on a replica before the first piece is read from the primary; later it is too late for that.
    let begun = db.read_from_either(Extent::List, |place| begin(place, layout, produce.clone()));
    let (first, chunks) = begun.await?;
    let mut response = HttpResponse::Ok();
    response.content_type(layout.content_type);
    if first.last {
        return Ok(response.body(first.bytes));
    }
    let rest = futures_util::stream::unfold(Some((chunks, admission)), |begun| async {
        let (mut chunks, mut admission) = begun?;
        let chunk = match admission.holds().await {
            true => next(&mut chunks).await,
            false => Err(Problem::forbidden("its caller may no longer read it").into()),
        };
        match chunk {
            Ok(Chunk { bytes, last }) => Some((Ok(bytes), (!last).then_some((chunks, admission)))),
            Err(error) => {
                tracing::warn!(cause = %error, "a list was cut off");
                Some((Err(error), None))
            }
        }
    });
    let body = futures_util::StreamExt::chain(futures_util::stream::iter([Ok(first.bytes)]), rest);
    Ok(response.streaming(body))
}

/// Begins to read a list, and waits for its first piece.
async fn begin<F>(place: Place, layout: Layout, produce: F) -> db::Result<(Chunk, mpsc::Receiver<Result<Chunk>>)>
where
    F: FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Send + 'static,
{
    let (out, mut chunks) = mpsc::channel(4);
    let runtime = tokio::runtime::Handle::current();
    let permit = StreamPermit::of_this_request();
    tokio::task::spawn_blocking(move || {
        let buffer = Vec::with_capacity(CHUNK + 1024);
        let mut rows = Rows { buffer, first: true, layout, out: out.clone(), runtime, permit, open_stream: None };
        let done = place.read_here(|conn| produce(conn, &mut rows)).and_then(|()| rows.end());
        if let Err(error) = done {
            // When there is no room for it, the missing last piece tells that something failed.
            let _ = out.try_send(Err(error.into()));
        }
    });
    let first = next(&mut chunks).await.map_err(|Error(error)| error)?;
    Ok((first, chunks))
}

async fn next(chunks: &mut mpsc::Receiver<Result<Chunk>>) -> Result<Chunk> {
    let cut_off = || Err(db::Error::Fault("a list was cut off".to_owned()).into());
    chunks.recv().await.unwrap_or_else(cut_off)
}

#[cfg(test)]
mod tests;
