//! Many connections that ask at once, each with one request under way.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Client;

/// How hard to press.
#[derive(Clone, Copy)]
pub struct Pressure {
    /// Connections, each with a thread of its own.
    pub connections: usize,
    /// How long.
    pub time: Duration,
    /// Requests a second of all together; without it, each connection asks again as soon as it has its answer.
    pub per_second: Option<usize>,
}

/// What came back.
#[derive(Default)]
pub struct LoadResult {
    /// How long each answer took, by status.
    pub times: BTreeMap<u16, Vec<Duration>>,
    /// Requests without an answer.
    pub lost: usize,
}

impl LoadResult {
    /// Answers with this status.
    pub fn count(&self, status: u16) -> usize {
        self.times.get(&status).map_or(0, Vec::len)
    }

    /// The time within which 99 of 100 answers with this status came; zero when there was none.
    pub fn percentile_99(&self, status: u16) -> Duration {
        let mut times = self.times.get(&status).cloned().unwrap_or_default();
        times.sort_unstable();
        times.get(times.len() * 99 / 100).copied().unwrap_or_default()
    }

    fn add(&mut self, other: Self) {
        self.lost += other.lost;
        for (status, times) in other.times {
            self.times.entry(status).or_default().extend(times);
        }
    }
}

impl std::fmt::Display for LoadResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for status in self.times.keys() {
            write!(f, "{} × {status} (99 % within {:?}), ", self.count(*status), self.percentile_99(*status))?;
        }
        write!(f, "{} lost", self.lost)
    }
}

/// A request below the caller's tenant, as bytes to send.
pub fn request(client: &Client, method: &str, path: &str, body: Option<&Value>) -> Vec<u8> {
    let tenant = client.tenant_id();
    let token = client.bearer();
    let body = body.map(ToString::to_string).unwrap_or_default();
    format!(
        "{method} /api/v2/tenants/{tenant}{path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

impl Pressure {
    /// Sends `request` to the server at `base` again and again.
    pub fn on(self, base: &str, request: &[u8]) -> LoadResult {
        let address = base.trim_start_matches("http://");
        let begun = Instant::now();
        let mut all = LoadResult::default();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.connections)
                .map(|number| scope.spawn(move || self.one(number, begun, address, request)))
                .collect();
            for thread in threads {
                all.add(thread.join().unwrap_or_default());
            }
        });
        all
    }

    fn one(self, number: usize, begun: Instant, address: &str, request: &[u8]) -> LoadResult {
        let mut seen = LoadResult::default();
        let mut connection = connect(address);
        // Each connection has its turn once in this time, all of them evenly after each other.
        let turn = self.per_second.map(|rate| Duration::from_secs_f64(self.connections as f64 / rate.max(1) as f64));
        let mut next = begun + turn.unwrap_or_default().mul_f64(number as f64 / self.connections as f64);
        while begun.elapsed() < self.time {
            if let Some(turn) = turn {
                std::thread::sleep(next.saturating_duration_since(Instant::now()));
                next = (next + turn).max(Instant::now());
            }
            let sent = Instant::now();
            match exchange(&mut connection, request) {
                Ok(status) => seen.times.entry(status).or_default().push(sent.elapsed()),
                Err(_) => {
                    seen.lost += 1;
                    connection = connect(address);
                }
            }
        }
        seen
    }
}

/// A new connection from another address of this machine (`127.0.0.2`), as somebody else would make it. What it does
/// not read stays with the server: the system takes next to nothing in its place.
pub fn connect_from(own: [u8; 4], address: &str) -> std::io::Result<TcpStream> {
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket, sockopt::set_socket_recv_buffer_size};
    let to: std::net::SocketAddr = address.parse().map_err(|_| ErrorKind::InvalidInput)?;
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None)?;
    set_socket_recv_buffer_size(&socket, 4096)?;
    bind(&socket, &std::net::SocketAddrV4::new(own.into(), 0))?;
    connect(&socket, &to)?;
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    Ok(stream)
}

/// Lets this process have as many connections as the system allows.
pub fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let found = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: found.maximum, maximum: found.maximum });
}

/// A new connection.
pub fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap_or_else(|error| panic!("{address}: {error}"));
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    stream
}

/// Sends a request and reads its answer, which announces its length; gives the status.
pub fn exchange(connection: &mut TcpStream, request: &[u8]) -> std::io::Result<u16> {
    connection.write_all(request)?;
    let mut received = Vec::with_capacity(4096);
    let mut chunk = [0; 16 * 1024];
    loop {
        match connection.read(&mut chunk)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => received.extend_from_slice(&chunk[..read]),
        }
        let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        if length.is_some_and(|length| received.len() >= end + 4 + length) {
            let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
            return status.ok_or_else(|| ErrorKind::InvalidData.into());
        }
    }
}
