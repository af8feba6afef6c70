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
            let seconds = stream.begun.elapsed().as_secs();
            if seconds > PATIENCE.as_secs() && stream.sent / seconds < SLOWEST {
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
mod tests {
    use std::{rc::Rc, sync::Arc};

    use actix_web::body::{BodySize, MessageBody as _, to_bytes};
    use db::{DatabaseUrl, Options};

    use super::*;
    use crate::shed::{self, Entry, Limits, LoadGate, Reason, Ticket};

    fn open() -> (tempfile::TempDir, Db) {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        (directory, db)
    }

    async fn ticket(streams: usize) -> (Arc<LoadGate>, Rc<Ticket>) {
        let gate = Arc::new(LoadGate::new(Limits { streams, ..Limits::for_size(1, 8) }));
        let ticket = another(&gate).await;
        (gate, ticket)
    }

    async fn another(gate: &Arc<LoadGate>) -> Rc<Ticket> {
        let ticket = Ticket::new(gate, Rc::new(gate.party_of([127, 0, 0, 1].into())), Entry::Usual);
        ticket.begin().await.unwrap();
        ticket
    }

    async fn list_for_test<F>(db: &Db, produce: F) -> Result<HttpResponse>
    where
        F: FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Clone + Send + 'static,
    {
        let request = actix_web::test::TestRequest::default().to_http_request();
        list(db, Admission::of(&request), ARRAY, produce).await
    }

    /// So many rows of a kilobyte.
    fn rows(count: usize) -> impl FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Clone + Send {
        move |_, rows| (0..count).try_for_each(|_| rows.push(|buffer| buffer.extend_from_slice(&[b'1'; 1024])))
    }

    #[tokio::test]
    async fn a_short_list_is_one_piece_and_no_stream() {
        let (_directory, db) = open();
        let (gate, ticket) = ticket(0).await;
        let response = shed::answer(ticket, list_for_test(&db, rows(3))).await.unwrap().unwrap();
        assert_eq!(response.body().size(), BodySize::Sized(3 * 1025 + 1));
        let empty = list_for_test(&db, rows(0)).await.unwrap();
        assert_eq!(to_bytes(empty.into_body()).await.unwrap(), "[]");
        assert_eq!(gate.shed(Reason::Streams), 0);
    }

    #[tokio::test]
    async fn a_long_list_is_counted_while_it_is_sent() {
        let (_directory, db) = open();
        let (gate, first) = ticket(1).await;
        let response = shed::answer(first, list_for_test(&db, rows(1000))).await.unwrap().unwrap();
        assert_eq!((response.body().size(), gate.under_way().streams), (BodySize::Stream, 1));
        let refused = shed::answer(another(&gate).await, list_for_test(&db, rows(1000))).await.unwrap().unwrap_err();
        assert!(matches!(refused, Error(db::Error::Problem(problem)) if problem.kind.status() == 503));
        let bytes = to_bytes(response.into_body()).await.unwrap();
        assert_eq!((bytes.len(), bytes.last()), (1000 * 1025 + 1, Some(&b']')));
        assert_eq!(gate.under_way().streams, 0);
    }

    #[tokio::test]
    async fn what_fails_halfway_is_cut_off() {
        let (_directory, db) = open();
        let fails = |conn: &mut Conn, all: &mut Rows| {
            rows(1000)(conn, all)?;
            Err(db::Error::Fault("halfway".to_owned()))
        };
        let response = list_for_test(&db, fails).await.unwrap();
        assert!(to_bytes(response.into_body()).await.is_err());
        let panics = |conn: &mut Conn, all: &mut Rows| {
            rows(1000)(conn, all)?;
            panic!("halfway");
        };
        let response = list_for_test(&db, panics).await.unwrap();
        assert!(to_bytes(response.into_body()).await.is_err(), "a part is never taken for the whole");
        assert!(list_for_test(&db, |_, _| Err(db::Error::Fault("at once".to_owned()))).await.is_err());
    }
}
