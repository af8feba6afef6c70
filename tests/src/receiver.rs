//! The third party: a small HTTP server that keeps what it was sent.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Pauses;

/// A request, as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    /// Method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// In the order of arrival, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl Received {
    /// A header's value; empty when there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a body of text")
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Status, headers and body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// The connection is closed without an answer.
    Reset,
    /// Nothing is answered, until the other side gives up.
    Hang,
}

impl Reply {
    /// An empty answer.
    pub fn status(status: u16) -> Self {
        Self::Answer(status, Vec::new(), String::new())
    }
}

/// The server; it ends with the test program.
pub struct Receiver {
    /// Where it listens, at 127.0.0.1.
    pub port: u16,
    received: Arc<Mutex<Vec<Received>>>,
    connections: Arc<AtomicUsize>,
}

impl Receiver {
    /// Starts one that asks `reply` about each request and how many there were with it.
    pub fn start(reply: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let received = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let kept = Arc::clone(&received);
        let counted = Arc::clone(&connections);
        let reply = Arc::new(reply);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::Relaxed);
                let kept = Arc::clone(&kept);
                let reply = Arc::clone(&reply);
                std::thread::spawn(move || serve(stream, &kept, &*reply));
            }
        });
        Self { port, received, connections }
    }

    /// Answers everything with 200.
    pub fn willing() -> Self {
        Self::start(|_, _| Reply::status(200))
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All requests so far, in the order of arrival.
    pub fn all(&self) -> Vec<Received> {
        self.received.lock().expect("no thread panicked").clone()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.received.lock().expect("no thread panicked").len()
    }

    /// How often somebody connected.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Waits for the first `count` requests.
    #[track_caller]
    pub fn wait(&self, count: usize) -> Vec<Received> {
        wait_for(Duration::from_secs(30), || self.count() >= count, || format!("{} of {count} requests", self.count()));
        self.all()
    }

    /// The bodies of each id, in the order of arrival.
    pub fn by_id(&self) -> BTreeMap<String, Vec<Vec<u8>>> {
        let mut ids: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
        for request in self.received.lock().expect("no thread panicked").iter() {
            ids.entry(request.header("webhook-id").to_owned()).or_default().push(request.body.clone());
        }
        ids
    }
}

/// Waits until `done`, and fails with what `state` says when that takes too long.
#[track_caller]
pub fn wait_for(limit: Duration, mut done: impl FnMut() -> bool, state: impl Fn() -> String) {
    let deadline = Instant::now() + limit;
    let pauses = Pauses::begin();
    while !done() {
        assert!(Instant::now() < deadline, "after {limit:?}: {}", state());
        pauses.pause();
    }
}

fn serve(stream: TcpStream, kept: &Mutex<Vec<Received>>, reply: &(dyn Fn(&Received, usize) -> Reply + Send + Sync)) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second descriptor"));
    let mut writer = stream;
    while let Some(request) = read(&mut reader) {
        let number = {
            let mut all = kept.lock().expect("no thread panicked");
            all.push(request.clone());
            all.len()
        };
        match reply(&request, number) {
            Reply::Answer(status, headers, body) => {
                let mut text = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n", body.len());
                headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
                text.push_str("\r\n");
                text.push_str(&body);
                if writer.write_all(text.as_bytes()).is_err() {
                    return;
                }
            }
            Reply::Reset => return,
            Reply::Hang => {
                let _ = reader.read_to_end(&mut Vec::new());
                return;
            }
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split_whitespace();
    let method = words.next()?.to_owned();
    let path = words.next()?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Received { method, path, headers, body })
}
