//! Bytes on a connection of their own, for what an HTTP client would refuse to send.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::response::Response;

/// Sends `request`, and reads until the server closes or the announced body is complete.
/// An answer that comes before all was sent counts. `None`: closed without an answer.
pub(crate) fn exchange(base: &str, request: &[u8]) -> Option<Response> {
    let address = base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("the server accepts");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("set a timeout");
    stream.set_write_timeout(Some(Duration::from_secs(30))).expect("set a timeout");
    let mut sender = stream.try_clone().expect("a second handle");
    let bytes = request.to_vec();
    let sending = std::thread::spawn(move || sender.write_all(&bytes).is_ok());

    let mut received = Vec::new();
    let mut chunk = [0; 16 * 1024];
    while !complete(&received) {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(n) => received.extend_from_slice(&chunk[..n]),
        }
    }
    let _ = stream.shutdown(std::net::Shutdown::Both);
    let _ = sending.join();
    parse(request, &received)
}

/// A connection that stays, for one request after the other.
pub struct Connection {
    stream: TcpStream,
    /// What came behind the last answer.
    received: Vec<u8>,
}

impl Connection {
    pub(crate) fn new(base: &str) -> Self {
        let stream = TcpStream::connect(base.trim_start_matches("http://")).expect("the server accepts");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("set a timeout");
        stream.set_nodelay(true).expect("send each piece at once");
        Self { stream, received: Vec::new() }
    }

    /// Sends a part of a request.
    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the connection is open");
    }

    /// Sends the rest of a request, and reads the next answer; `None` when the connection was closed instead.
    pub fn exchange(&mut self, bytes: &[u8]) -> Option<Response> {
        let sent = self.stream.write_all(bytes);
        let mut chunk = [0; 16 * 1024];
        while sent.is_ok() && !complete(&self.received) {
            match self.stream.read(&mut chunk) {
                Ok(0) | Err(_) => break,
                Ok(n) => self.received.extend_from_slice(&chunk[..n]),
            }
        }
        let answer = parse(bytes, &self.received);
        let taken = head(&self.received).and_then(|(start, length)| Some(start + length?));
        self.received.drain(..taken.unwrap_or_default().min(self.received.len()));
        answer
    }
}

/// Where the head ends, and the length that it announces.
fn head(received: &[u8]) -> Option<(usize, Option<usize>)> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n")?;
    let text = String::from_utf8_lossy(&received[..end]).to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    Some((end + 4, length))
}

fn complete(received: &[u8]) -> bool {
    matches!(head(received), Some((start, Some(length))) if received.len() >= start + length)
}

fn parse(request: &[u8], received: &[u8]) -> Option<Response> {
    let (start, length) = head(received)?;
    let text = String::from_utf8_lossy(&received[..start]).into_owned();
    let mut lines = text.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let name: HeaderName = name.trim().parse().ok()?;
        headers.append(name, HeaderValue::from_str(value.trim()).ok()?);
    }
    let end = length.map_or(received.len(), |length| received.len().min(start + length));
    let label: String = String::from_utf8_lossy(&request[..request.len().min(80)]).into_owned();
    Some(Response { label, status, headers, body: received[start..end].to_vec() })
}
