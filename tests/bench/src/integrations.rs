//! Deliveries to a sink on this machine, against a loop that sends the same bytes with `reqwest`; how soon one is there
//! when nothing else is to be done; and how long it takes to hold one action against many rules.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::rt::System;
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;

use crate::{
    http::request,
    load::median,
    server::{Server, below_tenant},
    table::{Line, thousands},
};

const DELIVERIES: usize = 10_000;
/// As many as go to one endpoint.
const AT_ONCE: usize = 16;
const ROUNDS: usize = 9;
const RATE: f64 = 0.5;

/// Creates whose deliveries are awaited one by one, with a pause between them; and milliseconds that half of them may
/// take.
const AWAITED: usize = 51;
const PAUSE: Duration = Duration::from_millis(150);
const SOON: f64 = 5.0;

const RULES: usize = 10_000;
const ACTIONS: usize = 51;
/// Microseconds that a rule may take.
const RULE: f64 = 5.0;

/// How long all deliveries of a round may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Both, on a new database.
pub fn measure(temporary: &Path) -> Result<Vec<Line>> {
    let server = Server::start(&temporary.join("integrations"))?;
    let mut connection = server.connect()?;
    let sink = Sink::start()?;
    let notifier = json!({"baseURI": format!("http://127.0.0.1:{}", sink.port)});
    let body = json!({"displayName": "bench", "baseNotifier": notifier});
    let installed = server.post(&mut connection, "/integrations/install/CUSTOM", &body)?;
    let at = format!("/integrations/installed/{}", installed["id"].as_str().context("no id")?);
    drop(connection);
    let lines = vec![rate(&server, &sink, &at)?, delay(&server, &sink)?, matching(&server, &at)?];
    server.stop()?;
    Ok(lines)
}

/// Resources in bulk fire an event each; then all deliveries are replayed, round by round.
fn rate(server: &Server, sink: &Sink, at: &str) -> Result<Line> {
    let mut connection = server.connect()?;
    let event = json!({"entity": "Resource", "eventType": "CREATE", "endPointURI": "/hook",
        "eventPayload": "{\"id\": \"$resource.id\", \"name\": \"$resource.hostName\", \"at\": \"$event.time\"}"});
    let event = server.post(&mut connection, &format!("{at}/event"), &event)?;
    let event = format!("{at}/event/{}", event["id"].as_str().context("no id")?);
    for part in 0..DELIVERIES / 500 {
        let rows = (0..500).map(|row| {
            format!("{}\n", json!({"name": format!("b{part}-{row}"), "hostName": format!("b{part}-{row}")}))
        });
        let rows: String = rows.collect();
        let path = below_tenant("/resources/bulk");
        let whole = request("POST", &path, &server.token, rows.as_bytes());
        let whole = String::from_utf8(whole)?.replacen("application/json", "application/x-ndjson", 1);
        connection.exchange(whole.as_bytes())?.ok()?;
    }
    sink.wait(DELIVERIES)?;
    let body = sink.last();
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        settle(server, &event)?;
        let bare = loop_of_reqwest(sink, &body)?;
        sink.reset();
        // The one before has been idle for too long.
        let mut connection = server.connect()?;
        let replayed = server.post(&mut connection, &format!("{event}/replay"), &json!({"status": "delivered"}))?;
        ensure!(replayed["replayed"] == json!(DELIVERIES), "replayed: {replayed}");
        // Some are there before the answer is.
        let begun = Instant::now();
        let before = sink.count();
        sink.wait(DELIVERIES)?;
        let rate = (DELIVERIES - before) as f64 / begun.elapsed().as_secs_f64();
        ours.push(rate);
        theirs.push(bare);
        ratios.push(rate / bare);
    }
    let ratio = median(&ratios);
    Ok(Line {
        name: format!("deliveries, signed, {AT_ONCE} at once"),
        ours: format!("{} a second", thousands(median(&ours))),
        theirs: format!("{} a second (reqwest)", thousands(median(&theirs))),
        result: format!("{ratio:.2}"),
        target: format!("≥ {RATE}"),
        met: Some(ratio >= RATE),
    })
}

/// From the answer of a create, which is committed by then, to its delivery.
fn delay(server: &Server, sink: &Sink) -> Result<Line> {
    let mut connection = server.connect()?;
    let mut waits = Vec::new();
    for number in 0..AWAITED {
        std::thread::sleep(PAUSE);
        let before = sink.count();
        server.post(&mut connection, "/resources", &json!({"hostName": format!("awaited-{number}")}))?;
        let answered = Instant::now();
        while sink.count() == before {
            ensure!(answered.elapsed() < PATIENCE, "a delivery did not come");
            std::thread::sleep(Duration::from_micros(50));
        }
        waits.push(answered.elapsed().as_secs_f64() * 1000.0);
    }
    waits.sort_by(f64::total_cmp);
    let half = median(&waits);
    Ok(Line {
        name: "a delivery, from the answer of a create, idle".to_owned(),
        ours: format!("{half:.1} ms, {:.1} ms at most", waits[AWAITED - 1]),
        theirs: String::new(),
        result: format!("{half:.1} ms"),
        target: format!("≤ {SOON:.0} ms"),
        met: Some(half <= SOON),
    })
}

/// Waits until no delivery is pending any more: the sink has them before that is written down.
fn settle(server: &Server, event: &str) -> Result<()> {
    let mut connection = server.connect()?;
    let asked = server.get(&format!("{event}/deliveries?status=pending&pageSize=1"));
    let begun = Instant::now();
    while connection.exchange(&asked)?.ok()?.json()?["totalResults"] != json!(0) {
        ensure!(begun.elapsed() < PATIENCE, "deliveries stay pending");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// The same body as often, as many at once.
fn loop_of_reqwest(sink: &Sink, body: &str) -> Result<f64> {
    let url = format!("http://127.0.0.1:{}/hook", sink.port);
    // It comes without a provider of cryptography; the first one that is installed stays.
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder().no_proxy().build()?;
    let begun = Instant::now();
    let failed = System::new().block_on(async {
        let tasks: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let client = client.clone();
                let url = url.clone();
                let body = body.to_owned();
                actix_web::rt::spawn(async move {
                    let mut failed = 0;
                    for _ in 0..DELIVERIES / AT_ONCE {
                        let sent = client.post(&url).header("Content-Type", "application/json").body(body.clone());
                        failed += usize::from(!sent.send().await.is_ok_and(|answer| answer.status().is_success()));
                    }
                    failed
                })
            })
            .collect();
        let mut failed = 0;
        for task in tasks {
            failed += task.await.unwrap_or(1);
        }
        failed
    });
    ensure!(failed == 0, "{failed} calls of reqwest failed");
    Ok((DELIVERIES / AT_ONCE * AT_ONCE) as f64 / begun.elapsed().as_secs_f64())
}

/// An action that none of many events is for, against one for which there is no event at all.
fn matching(server: &Server, at: &str) -> Result<Line> {
    let mut connection = server.connect()?;
    for number in 0..RULES {
        // A tenant may not store so many regular expressions.
        let (key, operator) = match number % 8 {
            0 | 1 => ("subject", "Contains"),
            2 | 3 => ("status", "Equals"),
            4 => ("id", "Regex"),
            _ => ("tags.env", "Starts with"),
        };
        let rule = json!({"key": key, "operator": operator, "value": format!("none{number}")});
        let event = json!({"entity": "TASK", "eventType": "CREATE", "filterCriteria": {"rules": [rule]}});
        server.post(&mut connection, &format!("{at}/event"), &event)?;
    }
    let action = |entity: &str| {
        let object = json!({"id": "T-1", "subject": "the disk of web-01 is full", "status": "New", "priority": "P2",
            "tags": [{"name": "env", "value": "production"}], "description": "x".repeat(200)});
        let body = json!({"entity": entity, "eventType": "CREATE", "object": object}).to_string();
        request("POST", &below_tenant("/integrations/actions"), &server.token, body.as_bytes())
    };
    let with = action("TASK");
    let without = action("PROBLEM");
    let mut time = |request: &[u8]| -> Result<f64> {
        let begun = Instant::now();
        connection.exchange(request)?.ok()?;
        Ok(begun.elapsed().as_secs_f64() * 1e6)
    };
    // The first makes the rules ready.
    time(&with)?;
    let mut all = Vec::new();
    let mut none = Vec::new();
    for _ in 0..ACTIONS {
        none.push(time(&without)?);
        all.push(time(&with)?);
    }
    let rule = (median(&all) - median(&none)) / RULES as f64;
    Ok(Line {
        name: format!("an action against {} rules", thousands(RULES as f64)),
        ours: format!("{} µs", thousands(median(&all))),
        theirs: format!("{} µs (no rule)", thousands(median(&none))),
        result: format!("{rule:.2} µs a rule"),
        target: format!("≤ {RULE} µs"),
        met: Some(rule <= RULE),
    })
}

/// Takes every request and answers 200, as cheaply as it can.
struct Sink {
    port: u16,
    count: Arc<AtomicUsize>,
    last: Arc<std::sync::Mutex<String>>,
}

impl Sink {
    fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let sink = Self { port, count: Arc::default(), last: Arc::default() };
        let count = Arc::clone(&sink.count);
        let last = Arc::clone(&sink.last);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let count = Arc::clone(&count);
                let last = Arc::clone(&last);
                std::thread::spawn(move || {
                    // The other side closes its connections when it has done.
                    let _ = take(stream, &count, &last);
                });
            }
        });
        Ok(sink)
    }

    fn reset(&self) {
        self.count.store(0, Ordering::Relaxed);
    }

    fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    fn last(&self) -> String {
        self.last.lock().map(|last| last.clone()).unwrap_or_default()
    }

    fn wait(&self, count: usize) -> Result<()> {
        let begun = Instant::now();
        while self.count() < count {
            if begun.elapsed() > PATIENCE {
                bail!("{} of {count} deliveries arrived", self.count());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

fn take(stream: TcpStream, count: &AtomicUsize, last: &std::sync::Mutex<String>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::with_capacity(16 << 10, stream);
    let mut line = String::new();
    let mut body = Vec::new();
    let mut length = 0;
    loop {
        line.clear();
        ensure!(reader.read_line(&mut line)? > 0, "closed");
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
        if line == "\r\n" {
            body.resize(length, 0);
            reader.read_exact(&mut body)?;
            writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")?;
            if count.fetch_add(1, Ordering::Relaxed).is_multiple_of(1_000)
                && let Ok(mut last) = last.lock()
            {
                *last = String::from_utf8_lossy(&body).into_owned();
            }
            length = 0;
        }
    }
}
