//! An answer of any length that is made before it is sent: line by line, in constant memory.
//!
//! A client may send its whole body before it reads a byte of the answer. What it does not read yet waits in a file
//! without a name, and not in memory.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use actix_web::{HttpResponse, body::SizedStream};
use bytes::Bytes;
use serde::Serialize;
use tempfile::SpooledTempFile;

use crate::{Error, Result};

/// Up to here it is held in memory.
const HELD: usize = 64 << 10;

/// The longest: what waits for its client takes room on the disk.
const LONGEST: u64 = 256 << 20;

/// A piece on its way to the client.
const PIECE: usize = 64 << 10;

/// The type of lines of JSON.
pub const NDJSON: &str = "application/x-ndjson";

/// Lines that wait to be sent.
#[derive(Debug)]
pub struct Spool {
    file: SpooledTempFile,
    length: u64,
}

impl Default for Spool {
    fn default() -> Self {
        Self { file: SpooledTempFile::new(HELD), length: 0 }
    }
}

impl Spool {
    /// Adds a line of JSON.
    pub fn push<T: Serialize>(&mut self, value: &T) -> Result<()> {
        let mut line = serde_json::to_vec(value).map_err(fault)?;
        line.push(b'\n');
        self.write(&line)
    }

    /// Adds what is between lines, where they are parts of one value.
    pub fn push_text(&mut self, text: &str) -> Result<()> {
        self.write(text.as_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.length += bytes.len() as u64;
        // A line or two of a file that is not synced: the cache of the system takes it.
        Ok(self.file.write_all(bytes).map_err(fault)?)
    }

    /// What it holds in memory.
    pub fn held(&self) -> usize {
        usize::try_from(self.length).map_or(HELD, |length| length.min(HELD))
    }

    /// Is it as long as it may become? A few lines more find room.
    pub fn is_full(&self) -> bool {
        self.length >= LONGEST
    }

    /// 200 with all of it, as content of this type.
    pub fn respond(mut self, content_type: &'static str) -> Result<HttpResponse> {
        self.file.seek(SeekFrom::Start(0)).map_err(fault)?;
        let pieces = futures_util::stream::unfold(Some(self.file), |file| async {
            let mut file = file?;
            let mut piece = vec![0; PIECE];
            match file.read(&mut piece) {
                Ok(0) => None,
                Ok(read) => {
                    piece.truncate(read);
                    Some((Ok(Bytes::from(piece)), Some(file)))
                }
                Err(error) => Some((Err(Error::from(fault(error))), None)),
            }
        });
        Ok(HttpResponse::Ok().content_type(content_type).body(SizedStream::new(self.length, Box::pin(pieces))))
    }
}

fn fault(error: impl std::fmt::Display) -> db::Error {
    db::Error::Fault(format!("an answer in waiting: {error}"))
}

#[cfg(test)]
mod tests {
    use actix_web::body::{BodySize, MessageBody as _, to_bytes};

    use super::*;

    #[test]
    fn it_holds_a_little_and_is_full_at_its_bound() {
        let mut spool = Spool::default();
        spool.push(&"x".repeat(100)).unwrap();
        assert_eq!((spool.held(), spool.is_full()), (103, false));
        spool.length = LONGEST;
        assert_eq!((spool.held(), spool.is_full()), (HELD, true));
    }

    #[tokio::test]
    async fn lines_come_back_whatever_their_number() {
        for count in [0, 3, 100_000] {
            let mut spool = Spool::default();
            (0..count).for_each(|number| spool.push(&[number]).unwrap());
            let expected: String = (0..count).map(|number| format!("[{number}]\n")).collect();
            let body = spool.respond(NDJSON).unwrap().into_body();
            assert_eq!(body.size(), BodySize::Sized(expected.len() as u64));
            assert_eq!(to_bytes(body).await.unwrap(), expected);
        }
    }
}
