//! From a report to the first byte of its page at a sink on this machine, at a steady rate, by one gateway on SQLite
//! and by two on one Postgres; and a storm: how long until it is decided who is told of each alert, against the time in
//! which the same alerts are taken in when nobody has to be told. It is sent as fast as it is taken, and once more over
//! ten seconds.
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
use muster_tests::{Backend, Server as Shared, fresh_database};
use serde_json::{Value, json};

use crate::{
    http::{Connection, request},
    moved,
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

/// The server closes a connection that was idle for longer than this.
const IDLE: Duration = Duration::from_secs(3);

/// Over how many seconds the slower storm comes.
const STORM_SECONDS: f64 = 10.0;

/// Sends a report.
type Reporter<'r> = Box<dyn FnMut(&Value) -> Result<()> + Send + 'r>;

/// All of them: `seconds` of a steady rate, and storms of `storm` alerts.
pub fn measure(temporary: &Path, seconds: usize, storm: usize) -> Result<Vec<Line>> {
    let directory = temporary.join("storm");
    let mut lines = vec![steady(&temporary.join("paging"), seconds)?];
    // On Postgres whatever is measured.
    if !moved::is_on() {
        lines.push(beside(seconds)?);
    }
    lines.push(flood(&directory, storm, None)?);
    lines.push(flood(&directory.join("slow"), storm, Some(STORM_SECONDS))?);
    Ok(lines)
}

/// One gateway.
fn steady(directory: &Path, seconds: usize) -> Result<Line> {
    let server = Server::start_with(directory, &[("MUSTER_PAGE_LIMIT", "0")])?;
    let sink = Sink::start()?;
    let mut connection = server.connect()?;
    everybody(|path, body| server.post(&mut connection, path, body), &sink)?;
    let mut reporters: Vec<Reporter<'_>> = Vec::new();
    for _ in 0..REPORTERS {
        let (server, mut connection) = (&server, server.connect()?);
        reporters.push(Box::new(move |report| server.post(&mut connection, "/alert", report).map(drop)));
    }
    let line = report_steadily(if moved::is_on() { "by one gateway" } else { "on SQLite" }, seconds, reporters, &sink)?;
    server.stop()?;
    Ok(line)
}

/// Two gateways on one Postgres, which share the work.
fn beside(seconds: usize) -> Result<Line> {
    let arguments = ["--egress-allow", "127.0.0.0/8", "--page-limit", "0"];
    let first = Shared::start_at(Backend::Postgres, Some(fresh_database()), &arguments);
    let second = Shared::start_beside(&first, &arguments);
    let client = first.new_client();
    let sink = Sink::start()?;
    everybody(|path, body| Ok(client.post(path, body).ok()), &sink)?;
    let both = [&first, &second];
    let reporters = both.into_iter().cycle().take(REPORTERS).map(|server| -> Reporter<'_> {
        let own = server.admin().tenant(client.tenant_id());
        Box::new(move |report| {
            own.post("/alert", report).ok();
            Ok(())
        })
    });
    report_steadily("by two gateways on Postgres", seconds, reporters.collect(), &sink)
}

/// What a steady rate of reports takes until it is at the sink.
fn report_steadily(by: &str, seconds: usize, mut reporters: Vec<Reporter<'_>>, sink: &Sink) -> Result<Line> {
    // The first ones find everything cold.
    for number in 0..RATE / 2 {
        let place = number % reporters.len();
        reporters[place](&report(&format!("warm {number}")))?;
    }
    sink.wait("warm", RATE / 2)?;
    let count = RATE * seconds;
    let begun = Instant::now();
    let many = reporters.len();
    let sent: Vec<Result<Vec<(String, Instant)>>> = std::thread::scope(|scope| {
        let reporters: Vec<_> = reporters
            .into_iter()
            .enumerate()
            .map(|(place, mut send)| {
                scope.spawn(move || {
                    let mut sent = Vec::new();
                    for number in (place..count).step_by(many) {
                        let due = begun + Duration::from_secs_f64(number as f64 / RATE as f64);
                        std::thread::sleep(due.saturating_duration_since(Instant::now()));
                        let subject = format!("steady {number}");
                        let report = report(&subject);
                        sent.push((subject, Instant::now()));
                        send(&report)?;
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
    Ok(Line {
        name: format!("report to first byte of its page {by}, {seconds} s"),
        ours: format!("p50 {:.0} ms, p99 {:.0} ms", at(0.5), at(0.99)),
        theirs: format!("{:.0} alerts a second", count as f64 / took),
        result: format!("{:.0} ms", at(0.99)),
        target: format!("≤ {LATE:.0} ms"),
        met: Some(at(0.99) <= LATE),
    })
}

/// A storm of alerts that page, against one of alerts of which nobody hears; each on a database of its own. As fast as
/// they are taken, or over so many seconds.
fn flood(directory: &Path, storm: usize, over: Option<f64>) -> Result<Line> {
    let plain = Server::start_with(&directory.join("plain"), &[])?;
    let begun = Instant::now();
    batches(&plain, "plain", "Info", storm, over)?;
    let intake = begun.elapsed().as_secs_f64();
    plain.stop()?;
    let server = Server::start_with(&directory.join("paged"), &[])?;
    let sink = Sink::start()?;
    let mut connection = server.connect()?;
    everybody(|path, body| server.post(&mut connection, path, body), &sink)?;
    let begun = Instant::now();
    batches(&server, "storm", "Critical", storm, over)?;
    let taken = begun.elapsed().as_secs_f64();
    // One that said nothing for so long is closed.
    connection = server.connect()?;
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
    let pace = over.map_or_else(String::new, |seconds| format!(" in {seconds:.0} s"));
    Ok(Line {
        name: format!("a storm of {} alerts{pace}, {messages} messages", thousands(storm as f64)),
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
fn everybody(mut post: impl FnMut(&str, &Value) -> Result<Value>, sink: &Sink) -> Result<()> {
    let user = post("/users", &json!({"loginName": "bench", "firstName": "Ann", "lastName": "Lee"}))?;
    let user = user["id"].as_str().context("no user")?.to_owned();
    let url = format!("http://127.0.0.1:{}/", sink.port);
    let method = json!({"name": "sink", "type": "HTTP", "url": url, "verified": true});
    post(&format!("/users/{user}/contactMethods"), &method)?;
    let steps = json!([{"targets": [{"user": {"id": user}}], "wait": "1h"}]);
    let policy = post("/escalationPolicies", &json!({"name": "bench", "steps": steps}))?;
    post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}}))?;
    Ok(())
}

/// In batches over a few connections, as fast as it takes them, or over so many seconds.
fn batches(server: &Server, name: &str, state: &str, count: usize, over: Option<f64>) -> Result<()> {
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
    let apart = over.map_or(0.0, |seconds| seconds / bodies.len() as f64);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let senders: Vec<_> = (0..REPORTERS)
            .map(|sender| {
                let bodies = &bodies;
                scope.spawn(move || -> Result<()> {
                    let mut connection: Connection = server.connect()?;
                    let mut used = Instant::now();
                    for (place, body) in bodies.iter().enumerate().skip(sender).step_by(REPORTERS) {
                        let due = begun + Duration::from_secs_f64(apart * (place + 1) as f64);
                        std::thread::sleep(due.saturating_duration_since(Instant::now()));
                        if used.elapsed() > IDLE {
                            connection = server.connect()?;
                        }
                        connection.exchange(body)?.ok()?;
                        used = Instant::now();
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
        let at = Instant::now();
        let mut line = String::new();
        let mut length = 0;
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
