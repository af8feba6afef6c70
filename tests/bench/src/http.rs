//! HTTP/1.1 as far as the measurements need it: one connection that is kept, one request at a time.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail, ensure};

/// A measurement that waits longer than this for a byte has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// A request as it is sent. `path` is escaped already.
pub fn request(method: &str, path: &str, token: &str, body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    if !token.is_empty() {
        head.push_str(&format!("Authorization: Bearer {token}\r\n"));
    }
    if method != "GET" {
        head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
    }
    let mut request = head.into_bytes();
    request.extend_from_slice(b"\r\n");
    request.extend_from_slice(body);
    request
}

/// An answer, read to its end.
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Names and values, as they were sent.
    pub headers: Vec<(String, String)>,
    /// How long the head was, with the blank line.
    pub head: usize,
    /// The body; empty when it was only counted.
    pub body: Vec<u8>,
    /// How long the body was.
    pub length: usize,
}

impl Answer {
    /// The answer, when it is a 200.
    pub fn ok(self) -> Result<Self> {
        ensure!(self.status == 200, "status {}: {:.500}", self.status, String::from_utf8_lossy(&self.body));
        Ok(self)
    }

    /// The body as JSON.
    pub fn json(&self) -> Result<serde_json::Value> {
        Ok(serde_json::from_slice(&self.body)?)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A connection to a server on this machine.
pub struct Connection(BufReader<TcpStream>);

impl Connection {
    /// Connects.
    pub fn open(port: u16) -> Result<Self> {
        Ok(Self(BufReader::with_capacity(64 << 10, connect(port)?)))
    }

    /// Sends a request and reads its answer.
    pub fn exchange(&mut self, request: &[u8]) -> Result<Answer> {
        self.0.get_mut().write_all(request)?;
        self.receive(true)
    }

    /// Sends a long request and reads its answer meanwhile.
    pub fn exchange_both_ways(&mut self, request: &[u8]) -> Result<Answer> {
        let mut sender = self.0.get_ref().try_clone()?;
        std::thread::scope(|scope| {
            let sent = scope.spawn(move || sender.write_all(request));
            let answer = self.receive(true);
            sent.join().map_err(|_| anyhow!("the sender panicked"))??;
            answer
        })
    }

    /// Sends a request and reads its answer, but keeps nothing of a 200's body: for answers of any length.
    pub fn measure(&mut self, request: &[u8]) -> Result<Answer> {
        self.0.get_mut().write_all(request)?;
        self.receive(false)
    }

    fn receive(&mut self, keep: bool) -> Result<Answer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok()).context("no status line")?;
        let mut answer = Answer { status, headers: Vec::new(), head: first.len() + 2, body: Vec::new(), length: 0 };
        loop {
            let line = self.line()?;
            answer.head += line.len() + 2;
            match line.split_once(':') {
                Some((name, value)) => answer.headers.push((name.to_owned(), value.trim().to_owned())),
                None => break,
            }
        }
        let keep = keep || status != 200;
        if let Some(length) = answer.header("content-length") {
            let length = length.parse()?;
            self.take(length, keep, &mut answer)?;
        } else if answer.header("transfer-encoding").is_some() {
            loop {
                let size = self.line()?;
                let size = usize::from_str_radix(size.trim(), 16).context("no chunk size")?;
                self.take(size, keep, &mut answer)?;
                ensure!(self.line()?.is_empty(), "a chunk that does not end");
                if size == 0 {
                    break;
                }
            }
        } else if status == 200 {
            bail!("an answer of unknown length");
        }
        Ok(answer)
    }

    /// A line without its end; empty at the end of the head.
    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.0.read_line(&mut line)? > 0, "the server closed the connection");
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
        Ok(line)
    }

    fn take(&mut self, length: usize, keep: bool, answer: &mut Answer) -> Result<()> {
        answer.length += length;
        if keep {
            let taken = self.0.by_ref().take(length as u64).read_to_end(&mut answer.body)?;
            ensure!(taken == length, "the server closed the connection");
            return Ok(());
        }
        let mut left = length;
        while left > 0 {
            let there = self.0.fill_buf()?.len();
            ensure!(there > 0, "the server closed the connection");
            let taken = there.min(left);
            self.0.consume(taken);
            left -= taken;
        }
        Ok(())
    }
}

/// A plain stream to a server on this machine.
pub fn connect(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).with_context(|| format!("connecting to {port}"))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Percent-encodes one value of a query.
pub fn encode(text: &str) -> String {
    muster_tests::encode(text)
}
