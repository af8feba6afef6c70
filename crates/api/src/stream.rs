//! A JSON array of any length, sent while it is read, in constant memory.

use std::time::Duration;

use actix_web::HttpResponse;
use bytes::Bytes;
use db::{Conn, Db};
use tokio::sync::mpsc;

use crate::{Error, Result};

/// A piece of the answer on its way to the client.
const PIECE: usize = 32 << 10;

/// A client that takes nothing for this long is given up: it holds a connection of the database.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where the rows of a streamed array are written.
pub struct Rows {
    buffer: Vec<u8>,
    first: bool,
    out: mpsc::Sender<std::result::Result<Bytes, Error>>,
    runtime: tokio::runtime::Handle,
}

impl Rows {
    /// Adds one element, which `write` puts into the buffer as JSON.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> db::Result<()> {
        self.buffer.push(if self.first { b'[' } else { b',' });
        self.first = false;
        write(&mut self.buffer);
        if self.buffer.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> db::Result<()> {
        let piece = Bytes::from(std::mem::replace(&mut self.buffer, Vec::with_capacity(PIECE + 1024)));
        let sent = self.runtime.block_on(tokio::time::timeout(PATIENCE, self.out.send(Ok(piece))));
        match sent {
            Ok(Ok(())) => Ok(()),
            _ => Err(db::Error::Unavailable("the client went away".to_owned())),
        }
    }

    fn end(mut self) -> db::Result<()> {
        self.buffer.extend_from_slice(if self.first { b"[]" } else { b"]" });
        self.flush()
    }
}

/// Answers with the array whose elements `produce` pushes, read as of one instant.
///
/// A failure before the first piece is a problem response; a later one cuts the connection, so that nobody takes a
/// part for the whole.
pub async fn array<F>(db: &Db, produce: F) -> Result<HttpResponse>
where
    F: FnOnce(&mut Conn, &mut Rows) -> db::Result<()> + Send + 'static,
{
    let (out, mut pieces) = mpsc::channel(4);
    let db = db.clone();
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || {
        let mut rows = Rows { buffer: Vec::with_capacity(PIECE + 1024), first: true, out: out.clone(), runtime };
        let done = db.read_here(|conn| produce(conn, &mut rows)).and_then(|()| rows.end());
        if let Err(error) = done {
            // Nobody listens any more when the client went away.
            let _ = out.blocking_send(Err(error.into()));
        }
    });
    let first = match pieces.recv().await {
        Some(Ok(piece)) => piece,
        Some(Err(error)) => return Err(error),
        None => return Err(db::Error::Fault("a stream ended before it began".to_owned()).into()),
    };
    let rest = futures_util::stream::unfold(pieces, |mut pieces| async { Some((pieces.recv().await?, pieces)) });
    let body = futures_util::StreamExt::chain(futures_util::stream::iter([Ok(first)]), rest);
    Ok(HttpResponse::Ok().content_type("application/json").streaming(body))
}
