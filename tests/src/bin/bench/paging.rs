//! From a report to the first byte of its page at a sink on this machine, at a steady rate; and a storm: how long until it is
//! decided who is told of each alert, against the time in which the same alerts are taken in when nobody has to be told.
//!
//! The time of a page begins when its report is sent, so what the intake itself takes is in it.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use crate::{
    http::{Connection, request},
    server::{Server, below_tenant},
    table::{Line, thousands},
};

/// Alerts a second, and connections that report them.
const RATE: usize = 100;
const REPORTERS: usize = 4;
/// The most that all but one page in a hundred may take, in milliseconds.
const LATE: f64 = 100.0;

const BATCH: usize = 100;
/// How much longer than plain intake it may take until all of a storm is decided.
const LONGER: f64 = 2.0;

const PATIENCE: Duration = Duration::from_secs(240);

/// Both: `seconds` of a steady rate, and a storm of `storm` alerts.
pub fn measure(temporary: &Path, seconds: usize, storm: usize) -> Result<Vec<Line>> {
    Ok(vec![steady(&temporary.join("paging"), seconds)?, flood(&temporary.join("storm"), storm)?])
}

fn steady(directory: &Path, seconds: usize) -> Result<Line> {
    let server = Server::start_with(directory, &[("MUSTER_PAGE_LIMIT", "0")])?;
    let sink = Sink::start()?;
    everybody(&server, &sink)?;
    // The first ones find everything cold.
    reports(&server, "warm", RATE / 2)?;
    sink.wait("warm", RATE / 2)?;
    let count = RATE * seconds;
    let begun = Instant::now();
    let sent: Vec<Result<Vec<(String, Instant)>>> = std::thread::scope(|scope| {
        let reporters: Vec<_> = (0..REPORTERS)
            .map(|reporter| {
                let server = &server;
                scope.spawn(move || {
                    let mut connection = server.connect()?;
                    let mut sent = Vec::new();
                    for number in (reporter..count).step_by(REPORTERS) {
                        let due = begun + Duration::from_secs_f64(number as f64 / RATE as f64);
                        std::thread::sleep(due.saturating_duration_since(Instant::now()));
                        let subject = format!("steady {number}");
                        let report = report(&subject);
                        sent.push((subject, Instant::now()));
                        server.post(&mut connection, "/alert", &report)?;
                    }
                    Ok(sent)
                })
            })
            .collect();
        reporters.into_iter().map(|reporter| reporter.join().unwrap_or_else(|_| Err(anyhow!("panicked")))).collect()
    });
    let took = begun.elapsed().as_secs_f64();
    let sent: Vec<(String, Instant)> = sent.into_iter().collect::<Result<Vec<_>>>()?.concat();
    sink.wait("steady", count)?;
    let arrived = sink.arrived();
    let mut times = Vec::new();
    for (subject, at) in &sent {
        let first = arrived.get(subject).with_context(|| format!("{subject} did not arrive"))?;
        times.push(first.saturating_duration_since(*at).as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len() - 1) as f64 * share).round() as usize).copied().unwrap_or_default();
    server.stop()?;
    Ok(Line {
        name: format!("report to first byte of its page, {seconds} s"),
        ours: format!("p50 {:.0} ms, p99 {:.0} ms", at(0.5), at(0.99)),
        theirs: format!("{:.0} alerts a second", count as f64 / took),
        result: format!("{:.0} ms", at(0.99)),
        target: format!("≤ {LATE:.0} ms"),
        met: Some(at(0.99) <= LATE),
    })
}

/// A storm of alerts that page, against one of alerts of which nobody hears; each on a database of its own.
fn flood(directory: &Path, storm: usize) -> Result<Line> {
    let plain = Server::start_with(&directory.join("plain"), &[])?;
    let begun = Instant::now();
    batches(&plain, "plain", "Info", storm)?;
    let intake = begun.elapsed().as_secs_f64();
    plain.stop()?;
    let server = Server::start_with(&directory.join("paged"), &[])?;
    let sink = Sink::start()?;
    everybody(&server, &sink)?;
    let begun = Instant::now();
    batches(&server, "storm", "Critical", storm)?;
    let taken = begun.elapsed().as_secs_f64();
    let mut connection = server.connect()?;
    let asked = server.get("/pages/search?pageSize=1&queryString=kind:page");
    let decided = loop {
        let page = connection.exchange(&asked)?.ok()?.json()?;
        if page["totalResults"].as_u64() == Some(storm as u64) {
            break begun.elapsed().as_secs_f64();
        }
        ensure!(begun.elapsed() < PATIENCE, "{} of {storm} are decided", page["totalResults"]);
        std::thread::sleep(Duration::from_millis(20));
    };
    let messages = sink.count();
    drop(connection);
    server.stop()?;
    let ratio = decided / intake;
    Ok(Line {
        name: format!("a storm of {} alerts, {messages} messages", thousands(storm as f64)),
        ours: format!("taken in {} /s, all decided after {decided:.1} s", thousands(storm as f64 / taken)),
        theirs: format!("{} /s, {intake:.1} s (nobody told)", thousands(storm as f64 / intake)),
        result: format!("{ratio:.2}"),
        target: format!("≤ {LONGER:.0}, intake ≥ 0.7 (is {:.2})", intake / taken),
        met: Some(ratio <= LONGER && intake / taken >= 0.7),
    })
}

fn report(subject: &str) -> Value {
    json!({"currentState": "Critical", "subject": subject, "app": "bench", "component": subject})
}

/// A person who is told of everything at the sink.
fn everybody(server: &Server, sink: &Sink) -> Result<()> {
    let mut connection = server.connect()?;
    let mut post = |path: &str, body: Value| server.post(&mut connection, path, &body);
    let user = post("/users", json!({"loginName": "bench", "firstName": "Ann", "lastName": "Lee"}))?;
    let user = user["id"].as_str().context("no user")?.to_owned();
    let url = format!("http://127.0.0.1:{}/", sink.port);
    post(
        &format!("/users/{user}/contactMethods"),
        json!({"name": "sink", "type": "HTTP", "url": url, "verified": true}),
    )?;
    let steps = json!([{"targets": [{"user": {"id": user}}], "wait": "1h"}]);
    let policy = post("/escalationPolicies", json!({"name": "bench", "steps": steps}))?;
    post("/alertRoutes", json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}}))?;
    Ok(())
}

fn reports(server: &Server, name: &str, count: usize) -> Result<()> {
    let mut connection = server.connect()?;
    for number in 0..count {
        server.post(&mut connection, "/alert", &report(&format!("{name} {number}")))?;
    }
    Ok(())
}

/// As fast as it takes them, in batches over a few connections.
fn batches(server: &Server, name: &str, state: &str, count: usize) -> Result<()> {
    let bodies: Vec<Vec<u8>> = (0..count / BATCH)
        .map(|batch| {
            let reports = (0..BATCH).map(|number| {
                let subject = format!("{name} {batch} {number}");
                json!({"currentState": state, "subject": subject, "app": "bench", "component": subject})
            });
            let body: Value = reports.collect();
            request("POST", &below_tenant("/alerts"), &server.token, body.to_string().as_bytes())
        })
        .collect();
    std::thread::scope(|scope| {
        let senders: Vec<_> = (0..REPORTERS)
            .map(|sender| {
                let bodies = &bodies;
                scope.spawn(move || -> Result<()> {
                    let mut connection: Connection = server.connect()?;
                    for body in bodies.iter().skip(sender).step_by(REPORTERS) {
                        connection.exchange(body)?.ok()?;
                    }
                    Ok(())
                })
            })
            .collect();
        senders.into_iter().try_for_each(|sender| sender.join().unwrap_or_else(|_| Err(anyhow!("panicked"))))
    })
}

/// Takes pages, and keeps when the first byte of each arrived, by the subject of its alert.
struct Sink {
    port: u16,
    arrived: Arc<Mutex<HashMap<String, Instant>>>,
}

impl Sink {
    fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let sink = Self { port: listener.local_addr()?.port(), arrived: Arc::default() };
        let kept = Arc::clone(&sink.arrived);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                // The other side closes its connections when it has done.
                std::thread::spawn(move || drop(take(stream, &kept)));
            }
        });
        Ok(sink)
    }

    fn arrived(&self) -> HashMap<String, Instant> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn count(&self) -> usize {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Waits for the pages of so many alerts whose subjects begin with this word.
    fn wait(&self, word: &str, count: usize) -> Result<()> {
        let begun = Instant::now();
        loop {
            let found = self.arrived().keys().filter(|subject| subject.starts_with(word)).count();
            if found >= count {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                bail!("{found} of {count} pages arrived");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn take(stream: TcpStream, kept: &Mutex<HashMap<String, Instant>>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::with_capacity(16 << 10, stream);
    loop {
        ensure!(!reader.fill_buf()?.is_empty(), "closed");
        let (at, mut line, mut length) = (Instant::now(), String::new(), 0);
        while line != "\r\n" {
            line.clear();
            ensure!(reader.read_line(&mut line)? > 0, "closed");
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")?;
        let body: Value = serde_json::from_slice(&body)?;
        let subject = body["alert"]["subject"].as_str().unwrap_or_default().to_owned();
        kept.lock().unwrap_or_else(PoisonError::into_inner).entry(subject).or_insert(at);
    }
}
