//! The decoder of request bodies: bytes in, plain report out.
//!
//! Agents label compression in several ways (`Content-Type:
//! application/x-compress-zlib`, `Content-Encoding: gzip`, or not at all), so
//! the label is ignored and the first two bytes decide.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::error::ReportError;
use super::gzip::header_length;

/// The default bound on a plain (inflated) report: 16 MiB.
pub const MAX_PLAIN_BYTES: usize = 16 << 20;

/// Above [`RATIO_FREE_BYTES`], output over input beyond this is a bomb. Deflate
/// reaches 1,032; a real report stays under 40.
const MAX_RATIO: u64 = 400;
const RATIO_FREE_BYTES: usize = 4 << 20;
/// The longest gzip header: it carries a file name and a comment.
const MAX_GZIP_HEADER: usize = 4 << 10;
const FIRST_CHUNK: usize = 64 << 10;

/// How a body was compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    #[default]
    Plain,
    /// RFC 1950.
    Zlib,
    /// RFC 1952, one member.
    Gzip,
}

/// Inflates a body as its chunks arrive, refusing it as soon as a bound is passed.
///
/// Memory: the plain bytes so far, and one inflate window.
pub struct Decoder {
    limit: usize,
    compression: Compression,
    stage: Stage,
    /// Bytes that wait for the rest of a header or of a trailer.
    held: Vec<u8>,
    inflate: Option<Box<Decompress>>,
    crc: Crc,
    read: u64,
    plain: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Magic,
    Plain,
    GzipHeader,
    Deflate,
    GzipTrailer,
    End,
}

impl Decoder {
    /// A decoder that refuses more than `limit_plain_bytes` of plain report.
    #[must_use]
    pub fn new(limit_plain_bytes: usize) -> Self {
        Self {
            limit: limit_plain_bytes,
            compression: Compression::Plain,
            stage: Stage::Magic,
            held: Vec::new(),
            inflate: None,
            crc: Crc::new(),
            read: 0,
            plain: Vec::new(),
        }
    }

    /// The compression by the first bytes; [`Compression::Plain`] before two bytes were seen.
    #[must_use]
    pub const fn compression(&self) -> Compression {
        self.compression
    }

    /// Bytes that the plain report takes in memory so far.
    #[must_use]
    pub const fn memory(&self) -> usize {
        self.plain.capacity()
    }

    /// Takes the next chunk of the body.
    ///
    /// # Errors
    /// Corrupt compression, data after its end, or more plain bytes than allowed.
    pub fn push(&mut self, mut chunk: &[u8]) -> Result<(), ReportError> {
        self.read += chunk.len() as u64;
        while !chunk.is_empty() {
            chunk = match self.stage {
                Stage::Magic => self.magic(chunk)?,
                Stage::Plain => self.copy(chunk)?,
                Stage::GzipHeader => self.gzip_header(chunk)?,
                Stage::Deflate => self.deflate(chunk)?,
                Stage::GzipTrailer => self.gzip_trailer(chunk)?,
                Stage::End => {
                    return Err(ReportError::malformed("data follows the end of the compressed report"));
                }
            };
        }
        Ok(())
    }

    /// Ends the body and gives the plain report.
    ///
    /// # Errors
    /// The compressed stream is cut short.
    pub fn finish(mut self) -> Result<Vec<u8>, ReportError> {
        if self.stage == Stage::Deflate {
            // The last output may still be inside the inflater.
            self.deflate(&[])?;
        }
        match self.stage {
            Stage::Magic => Ok(self.held),
            Stage::Plain | Stage::End => Ok(self.plain),
            Stage::GzipHeader | Stage::Deflate | Stage::GzipTrailer => {
                Err(ReportError::malformed(format!("the compressed report is cut short after {} bytes", self.read)))
            }
        }
    }

    fn magic<'c>(&mut self, chunk: &'c [u8]) -> Result<&'c [u8], ReportError> {
        let rest = self.hold(chunk, 2);
        let [first, second] = self.held[..] else {
            return Ok(rest);
        };
        if first == 0x1f && second == 0x8b {
            self.compression = Compression::Gzip;
            self.stage = Stage::GzipHeader;
        } else if first == 0x78 && u16::from_be_bytes([first, second]) % 31 == 0 {
            self.compression = Compression::Zlib;
            self.stage = Stage::Deflate;
            self.inflate = Some(Box::new(Decompress::new(true)));
            let held = std::mem::take(&mut self.held);
            self.deflate(&held)?;
        } else {
            self.stage = Stage::Plain;
            let held = std::mem::take(&mut self.held);
            self.copy(&held)?;
        }
        Ok(rest)
    }

    fn copy<'c>(&mut self, chunk: &[u8]) -> Result<&'c [u8], ReportError> {
        if chunk.len() > self.limit - self.plain.len() {
            return Err(self.over_limit());
        }
        self.grow(chunk.len());
        self.plain.extend_from_slice(chunk);
        Ok(&[])
    }

    fn gzip_header<'c>(&mut self, chunk: &'c [u8]) -> Result<&'c [u8], ReportError> {
        let rest = self.hold(chunk, MAX_GZIP_HEADER);
        let Some(length) = header_length(&self.held)? else {
            if self.held.len() >= MAX_GZIP_HEADER {
                return Err(ReportError::malformed("the gzip header does not end"));
            }
            return Ok(rest);
        };
        self.stage = Stage::Deflate;
        self.inflate = Some(Box::new(Decompress::new(false)));
        let mut held = std::mem::take(&mut self.held);
        // A body in one chunk may lie wholly in `held`, trailer included.
        let mut body = &held[length..];
        while !body.is_empty() {
            body = match self.stage {
                Stage::Deflate => self.deflate(body)?,
                Stage::GzipTrailer => self.gzip_trailer(body)?,
                _ => {
                    return Err(ReportError::malformed("data follows the end of the compressed report"));
                }
            };
        }
        held.clear();
        Ok(rest)
    }

    /// Inflates until `chunk` is used up or the stream ends; returns the rest.
    fn deflate<'c>(&mut self, mut chunk: &'c [u8]) -> Result<&'c [u8], ReportError> {
        loop {
            self.grow(1);
            let Some(inflate) = self.inflate.as_mut() else {
                return Ok(chunk);
            };
            let read = inflate.total_in();
            let written = self.plain.len();
            let status = inflate.decompress_vec(chunk, &mut self.plain, FlushDecompress::None).map_err(|_| {
                ReportError::malformed(format!("the compressed report is corrupt near byte {}", self.read))
            })?;
            // `total_in` grew by at most the length of `chunk`.
            let used = usize::try_from(inflate.total_in() - read).unwrap_or(chunk.len());
            chunk = &chunk[used.min(chunk.len())..];
            let produced = self.plain.len() - written;
            if self.compression == Compression::Gzip {
                self.crc.update(&self.plain[written..]);
            }
            if self.plain.len() > self.limit {
                return Err(self.over_limit());
            }
            if self.plain.len() > RATIO_FREE_BYTES && self.plain.len() as u64 / MAX_RATIO > inflate.total_in() {
                return Err(ReportError::too_large(format!(
                    "the compressed report inflates more than {MAX_RATIO} times"
                )));
            }
            if status == Status::StreamEnd {
                self.inflate = None;
                self.stage = match self.compression {
                    Compression::Gzip => Stage::GzipTrailer,
                    _ => Stage::End,
                };
                return Ok(chunk);
            }
            if produced == 0 && used == 0 {
                if chunk.is_empty() {
                    return Ok(chunk);
                }
                return Err(ReportError::malformed(format!(
                    "the compressed report is corrupt near byte {}",
                    self.read
                )));
            }
        }
    }

    fn gzip_trailer<'c>(&mut self, chunk: &'c [u8]) -> Result<&'c [u8], ReportError> {
        let rest = self.hold(chunk, 8);
        let [a, b, c, d, e, f, g, h] = self.held[..] else {
            return Ok(rest);
        };
        if u32::from_le_bytes([a, b, c, d]) != self.crc.sum() || u32::from_le_bytes([e, f, g, h]) != self.crc.amount() {
            return Err(ReportError::malformed("the gzip checksum does not match"));
        }
        self.stage = Stage::End;
        Ok(rest)
    }

    /// Moves bytes into `held` until it has `wanted`; returns the rest.
    fn hold<'c>(&mut self, chunk: &'c [u8], wanted: usize) -> &'c [u8] {
        let take = wanted.saturating_sub(self.held.len()).min(chunk.len());
        let (head, rest) = chunk.split_at(take);
        self.held.extend_from_slice(head);
        rest
    }

    /// Makes room for at least `more` bytes, doubling but never past the limit.
    fn grow(&mut self, more: usize) {
        let length = self.plain.len();
        let capacity = self.plain.capacity();
        if capacity - length < more {
            let wanted =
                capacity.saturating_mul(2).max(FIRST_CHUNK).min(self.limit.saturating_add(1)).max(length + more);
            self.plain.reserve_exact(wanted - length);
        }
    }

    fn over_limit(&self) -> ReportError {
        ReportError::too_large(format!("the report is larger than {} bytes when inflated", self.limit))
    }
}

/// Decodes a body that is already whole, with the default bound.
///
/// # Errors
/// As [`Decoder::push`] and [`Decoder::finish`].
pub fn decode(body: &[u8]) -> Result<Vec<u8>, ReportError> {
    let mut decoder = Decoder::new(MAX_PLAIN_BYTES);
    decoder.push(body)?;
    decoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::{GzEncoder, ZlibEncoder};
    use flate2::{Compression as Level, GzBuilder};

    use super::*;
    use crate::reports::ErrorKind;

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Level::default());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Level::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn in_steps(body: &[u8], step: usize) -> Result<Vec<u8>, ReportError> {
        let mut decoder = Decoder::new(1 << 20);
        for chunk in body.chunks(step) {
            decoder.push(chunk)?;
        }
        decoder.finish()
    }

    /// Text that compresses about as well as a report does.
    fn sample() -> Vec<u8> {
        (0..20_000_u32)
            .flat_map(|i| format!("<NAME>package-{}</NAME>\n", i.wrapping_mul(2_654_435_761)).into_bytes())
            .take(300_000)
            .collect()
    }

    #[test]
    fn every_compression_in_steps_of_any_size() {
        let plain = sample();
        let mut named =
            GzBuilder::new().filename("report.xml").comment("c").extra(vec![1, 2, 3]).write(Vec::new(), Level::fast());
        named.write_all(&plain).unwrap();
        for body in [plain.clone(), zlib(&plain), gzip(&plain), named.finish().unwrap()] {
            for step in [1, 2, 3, 7, 1000, 65_536, body.len()] {
                assert_eq!(in_steps(&body, step), Ok(plain.clone()), "steps of {step}");
            }
        }
        assert_eq!(decode(b""), Ok(vec![]));
        assert_eq!(decode(b"x"), Ok(vec![b'x']));
        assert_eq!(decode(&zlib(b"")), Ok(vec![]));
        assert_eq!(decode(&gzip(b"")), Ok(vec![]));
    }

    #[test]
    fn a_cut_stream_is_an_error_wherever_it_is_cut() {
        let plain = &sample()[..5_000];
        for body in [zlib(plain), gzip(plain)] {
            for length in 2..body.len() {
                assert_eq!(decode(&body[..length]).unwrap_err().kind(), ErrorKind::Malformed, "{length} bytes");
            }
        }
    }

    #[test]
    fn data_after_the_end_and_wrong_checksums_are_errors() {
        for mut body in [zlib(b"<REQUEST/>"), gzip(b"<REQUEST/>")] {
            body.push(b'!');
            assert_eq!(in_steps(&body, 1).unwrap_err(), decode(&body).unwrap_err());
            body.pop();
            let last = body.len() - 5;
            body[last] ^= 1;
            assert_eq!(decode(&body).unwrap_err().kind(), ErrorKind::Malformed);
        }
        let mut body = zlib(b"<REQUEST/>");
        let last = body.len() - 1;
        body[last] ^= 1;
        assert_eq!(decode(&body).unwrap_err().kind(), ErrorKind::Malformed);
    }

    #[test]
    fn bounds_hold_exactly() {
        let plain = sample();
        for body in [plain.clone(), zlib(&plain), gzip(&plain)] {
            let mut exact = Decoder::new(plain.len());
            exact.push(&body).unwrap();
            assert_eq!(exact.finish().unwrap().len(), plain.len());
            let mut over = Decoder::new(plain.len() - 1);
            assert_eq!(over.push(&body).unwrap_err().kind(), ErrorKind::TooLarge);
            let mut tiny = Decoder::new(0);
            assert_eq!(tiny.push(&body).unwrap_err().kind(), ErrorKind::TooLarge);
        }
    }

    #[test]
    fn a_bomb_is_refused_while_it_is_small() {
        let bomb = zlib(&vec![b' '; 40 << 20]);
        assert!(bomb.len() < 50_000);
        let mut decoder = Decoder::new(MAX_PLAIN_BYTES);
        assert_eq!(decoder.push(&bomb).unwrap_err().kind(), ErrorKind::TooLarge);
        assert!(decoder.plain.capacity() <= 2 * RATIO_FREE_BYTES, "{}", decoder.plain.capacity());
    }
}
