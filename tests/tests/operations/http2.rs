//! HTTP/2 over TLS by its frames: what a client sees when a connection ends.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustls::{ClientConnection, StreamOwned};

use super::tls;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;

const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A block of headers that begins with `:status: 200`.
const STATUS_200: u8 = 0x88;

/// A frame.
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A text of HPACK, as it is.
fn text(text: &str) -> Vec<u8> {
    let length = u8::try_from(text.len()).ok().filter(|length| *length < 127);
    [&[length.expect("a short text")], text.as_bytes()].concat()
}

/// What is known of an answer.
#[derive(Default)]
pub(super) struct Answer {
    /// Its status is 200.
    pub(super) is_ok: bool,
    pub(super) body: Vec<u8>,
    pub(super) is_complete: bool,
}

/// A connection, and what came on it.
pub(super) struct Connection {
    stream: StreamOwned<ClientConnection, TcpStream>,
    received: Vec<u8>,
    next: u32,
    pub(super) answers: BTreeMap<u32, Answer>,
    /// The last stream of each GOAWAY without an error.
    pub(super) endings: Vec<u32>,
    /// The server closed it.
    pub(super) is_closed: bool,
}

impl Connection {
    /// A new one, on whose streams the server may send `window` bytes, and no more than 65,535 on all of them.
    pub(super) fn new(port: u16, authority: &str, window: u32) -> io::Result<Self> {
        let mut stream = tls::connect(port, authority, &[b"h2"])?;
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        bytes.extend(frame(SETTINGS, 0, 0, &[&[0, 4][..], &window.to_be_bytes()].concat()));
        stream.write_all(&bytes)?;
        let (received, answers, endings) = (Vec::new(), BTreeMap::new(), Vec::new());
        Ok(Self { stream, received, next: 1, answers, endings, is_closed: false })
    }

    /// Begins a request; `body` is the first part of one, that [`Self::finish`] ends.
    pub(super) fn send(&mut self, path: &str, authorization: &str, body: Option<&str>) -> io::Result<u32> {
        let stream = self.next;
        self.next += 2;
        let mut headers = vec![if body.is_some() { 0x83 } else { 0x82 }, 0x87];
        for (name, value) in [(&[4][..], path), (&[1], "localhost"), (&[15, 8], authorization)] {
            headers.extend_from_slice(name);
            headers.extend(text(value));
        }
        if let Some(body) = body {
            headers.extend_from_slice(&[15, 16]);
            headers.extend(text("application/json"));
            let mut bytes = frame(HEADERS, END_HEADERS, stream, &headers);
            bytes.extend(frame(DATA, 0, stream, body.as_bytes()));
            self.stream.write_all(&bytes)?;
        } else {
            self.stream.write_all(&frame(HEADERS, END_HEADERS | END_STREAM, stream, &headers))?;
        }
        Ok(stream)
    }

    /// Sends the rest of a request.
    pub(super) fn finish(&mut self, stream: u32, rest: &str) -> io::Result<()> {
        self.stream.write_all(&frame(DATA, END_STREAM, stream, rest.as_bytes()))
    }

    /// Lets the server send so many bytes more, on a stream or, with 0, on all together.
    pub(super) fn widen(&mut self, stream: u32, bytes: u32) -> io::Result<()> {
        self.stream.write_all(&frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes()))
    }

    /// Receives until something is so; an error after 20 s, or when the server closes before.
    pub(super) fn until(&mut self, mut is_so: impl FnMut(&Self) -> bool) -> io::Result<()> {
        let begun = Instant::now();
        while !is_so(self) {
            if self.is_closed {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            if begun.elapsed() > Duration::from_secs(20) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.receive(Duration::from_millis(200))?;
        }
        Ok(())
    }

    /// The length of what came of the answer to a request.
    pub(super) fn length(&self, stream: u32) -> usize {
        self.answers.get(&stream).map_or(0, |answer| answer.body.len())
    }

    /// Receives until a request is answered.
    pub(super) fn answer(&mut self, stream: u32) -> io::Result<&Answer> {
        self.until(|connection| connection.answers.get(&stream).is_some_and(|answer| answer.is_complete))?;
        Ok(&self.answers[&stream])
    }

    /// Takes what there is, or comes within the time.
    pub(super) fn receive(&mut self, within: Duration) -> io::Result<()> {
        self.stream.sock.set_read_timeout(Some(within))?;
        let mut some = [0; 16 << 10];
        match self.stream.read(&mut some) {
            Ok(0) => self.is_closed = true,
            Ok(length) => self.received.extend_from_slice(&some[..length]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
        while let Some(&[a, b, c, kind, flags, ref stream @ ..]) = self.received.first_chunk::<9>() {
            let length = u32::from_be_bytes([0, a, b, c]) as usize;
            let stream = u32::from_be_bytes(*stream);
            if self.received.len() < 9 + length {
                break;
            }
            let payload: Vec<u8> = self.received.drain(..9 + length).skip(9).collect();
            self.take(kind, flags, stream, &payload)?;
        }
        Ok(())
    }

    fn take(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
        let answer = self.answers.entry(stream).or_default();
        match kind {
            HEADERS => answer.is_ok = payload.first() == Some(&STATUS_200),
            DATA => answer.body.extend_from_slice(payload),
            RESET => return Err(io::Error::other(format!("stream {stream} was reset: {payload:?}"))),
            SETTINGS if flags & ACK == 0 => self.stream.write_all(&frame(SETTINGS, ACK, 0, &[]))?,
            PING if flags & ACK == 0 => self.stream.write_all(&frame(PING, ACK, 0, payload))?,
            GOAWAY => {
                let (last, code) = payload.split_at(4);
                if code[..4] != [0; 4] {
                    return Err(io::Error::other(format!("GOAWAY {payload:?}")));
                }
                self.endings.push(u32::from_be_bytes(last.try_into().unwrap()));
            }
            _ => {}
        }
        if [HEADERS, DATA].contains(&kind) && flags & END_STREAM != 0 {
            self.answers.entry(stream).or_default().is_complete = true;
        }
        Ok(())
    }
}
