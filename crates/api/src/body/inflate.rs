//! Compressed bodies, where an address takes them: recognised by their first bytes, whatever the headers say.

use std::io::Read as _;

use actix_web::{
    HttpRequest,
    dev::Payload,
    http::header::{CONTENT_ENCODING, HeaderMap},
};
use base::problem::{Kind, Problem};
use bytes::{Buf as _, Bytes, buf::Reader};
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

use super::{hold, read};
use crate::Result;

/// Beyond [`ANY_RATIO`], a body that inflates to more than so many times its size is refused. Deflate reaches 1,032
/// times; reports of agents stay under 40.
const HIGHEST_RATIO: usize = 400;
const ANY_RATIO: usize = 4 << 20;

/// So many bytes are inflated at least, and at most, before memory is asked for again.
const FIRST_STEP: usize = 64 << 10;
const LARGEST_STEP: usize = 1 << 20;

/// How a body was compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    Plain,
    /// RFC 1950.
    Zlib,
    /// RFC 1952: one member, or several that are inflated one after the other.
    Gzip,
    /// RFC 1951, which nothing in the body says.
    Deflate,
}

impl Compression {
    /// By the first two bytes of a body.
    pub fn of(body: &[u8]) -> Self {
        match body {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [method, flags, ..] if is_zlib(*method, *flags) => Self::Zlib,
            _ => Self::Plain,
        }
    }
}

/// Do these bytes begin a body of zlib, with a window of any size and without a dictionary?
fn is_zlib(method: u8, flags: u8) -> bool {
    let is_deflate = method & 0x0f == 8 && method >> 4 <= 7;
    is_deflate && flags & 0x20 == 0 && u16::from_be_bytes([method, flags]).is_multiple_of(31)
}

/// Do the headers say that a body is compressed with deflate? Some mean that of zlib, others that without a header.
fn says_deflate(headers: &HeaderMap) -> bool {
    let named = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok());
    named.is_some_and(|name| name.trim().eq_ignore_ascii_case("deflate"))
}

/// Reads a whole body as [`read`] does, and inflates it beside the thread that answers requests. `limit` is for the
/// body as it was sent, and for what it inflates to.
pub async fn read_inflated(request: &HttpRequest, payload: Payload, limit: usize) -> Result<(Bytes, Compression)> {
    let body = read(request, payload, limit).await?;
    let compression = match Compression::of(&body) {
        Compression::Plain if says_deflate(request.headers()) => Compression::Deflate,
        compression => compression,
    };
    let Some(mut inflater) = Inflater::new(body.clone(), compression, limit) else { return Ok((body, compression)) };
    loop {
        hold(inflater.next_step())?;
        let step = tokio::task::spawn_blocking(move || inflater.step().map(|is_done| (inflater, is_done)));
        match step.await.map_err(|error| db::Error::Fault(format!("inflating a body: {error}")))? {
            Ok((done, true)) => return Ok((done.plain.into(), compression)),
            Ok((more, false)) => inflater = more,
            // The header alone said so, and was wrong.
            Err(problem) if compression == Compression::Deflate && problem.kind != Kind::TooLarge => {
                return Ok((body, Compression::Plain));
            }
            Err(problem) => return Err(problem.into()),
        }
    }
}

/// Inflates a body that is in memory to at most `limit` bytes.
///
/// # Errors
/// 400 for one that is corrupt or cut short, 413 for one that inflates to too much.
pub fn inflate(body: Bytes, limit: usize) -> Result<Bytes, Problem> {
    let compression = Compression::of(&body);
    let Some(mut inflater) = Inflater::new(body.clone(), compression, limit) else { return Ok(body) };
    while !inflater.step()? {}
    Ok(inflater.plain.into())
}

/// A body that is being inflated.
struct Inflater {
    stream: Stream,
    sent: usize,
    plain: Vec<u8>,
    limit: usize,
}

enum Stream {
    Zlib(ZlibDecoder<Reader<Bytes>>),
    Gzip(GzDecoder<Reader<Bytes>>),
    Deflate(DeflateDecoder<Reader<Bytes>>),
}

impl Inflater {
    /// `None` for a body that is not compressed.
    fn new(body: Bytes, compression: Compression, limit: usize) -> Option<Self> {
        let sent = body.len();
        let stream = match compression {
            Compression::Plain => return None,
            Compression::Zlib => Stream::Zlib(ZlibDecoder::new(body.reader())),
            Compression::Gzip => Stream::Gzip(GzDecoder::new(body.reader())),
            Compression::Deflate => Stream::Deflate(DeflateDecoder::new(body.reader())),
        };
        Some(Self { stream, sent, plain: Vec::new(), limit })
    }

    /// How many more bytes the next step may take in memory.
    fn next_step(&self) -> usize {
        // One byte more than may be there tells that there are too many.
        self.plain.len().clamp(FIRST_STEP, LARGEST_STEP).min(self.limit + 1 - self.plain.len())
    }

    /// What of the body was not read yet.
    fn rest(&self) -> &Bytes {
        match &self.stream {
            Stream::Zlib(stream) => stream.get_ref().get_ref(),
            Stream::Gzip(stream) => stream.get_ref().get_ref(),
            Stream::Deflate(stream) => stream.get_ref().get_ref(),
        }
    }

    /// Inflates some more; true when that was all.
    fn step(&mut self) -> Result<bool, Problem> {
        let most = self.next_step();
        self.plain.reserve_exact(most);
        let enough = self.plain.len() + most;
        let is_at_end = loop {
            let more = (enough - self.plain.len()) as u64;
            let read = match &mut self.stream {
                Stream::Zlib(stream) => stream.take(more).read_to_end(&mut self.plain),
                Stream::Gzip(stream) => stream.take(more).read_to_end(&mut self.plain),
                Stream::Deflate(stream) => stream.take(more).read_to_end(&mut self.plain),
            };
            read.map_err(|_| wrong("the compressed data is corrupt or cut short"))?;
            if self.plain.len() == enough {
                break false;
            }
            if !self.begin_next_member() {
                break true;
            }
        };
        let length = self.plain.len();
        if length > self.limit {
            return Err(too_large(format!("The body is larger than {} KiB when it is inflated.", self.limit >> 10)));
        }
        if length > ANY_RATIO && length / HIGHEST_RATIO > self.sent - self.rest().len() {
            return Err(too_large(format!("The body inflates to more than {HIGHEST_RATIO} times its size.")));
        }
        // Scripts append a line break.
        if is_at_end && !self.rest().iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            return Err(wrong("data follows the end of the compressed data"));
        }
        Ok(is_at_end)
    }

    /// Goes on with what follows a member of gzip; false where that is not another one.
    fn begin_next_member(&mut self) -> bool {
        let Stream::Gzip(stream) = &mut self.stream else { return false };
        let rest = stream.get_ref().get_ref().clone();
        let is_member = Compression::of(&rest) == Compression::Gzip;
        if is_member {
            stream.reset(rest.reader());
        }
        is_member
    }
}

fn wrong(message: &str) -> Problem {
    Problem::field("body", message)
}

fn too_large(detail: String) -> Problem {
    Problem::new(Kind::TooLarge, detail)
}

#[cfg(test)]
mod tests;
