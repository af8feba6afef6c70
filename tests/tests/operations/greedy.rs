//! All at once: a viewer and an operator of one tenant, and a stranger, take what they can get. A client of another
//! tenant does not notice.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, both_backends, pressure};
use serde_json::json;

use super::{full_size, skipped};

both_backends![a_good_client_does_not_notice_greedy_ones];

/// What the good client asks for, in turn.
const KINDS: [&str; 4] = ["page", "create", "filtered list", "whole list"];

/// Connections of each greedy one.
fn connections() -> usize {
    if full_size() { 1_000 } else { 60 }
}

/// How long a good client may wait: 99 of 100 times, in full size. Here other tests run beside.
fn patience() -> Duration {
    Duration::from_millis(if full_size() { 250 } else { 2_000 })
}

/// Sends a request on each of many connections of an address, again and again, reads nothing or all.
fn press(from: [u8; 4], address: &str, requests: &[Vec<u8>], reads: bool, stop: &AtomicBool) {
    let mut open: Vec<Option<TcpStream>> = (0..connections()).map(|_| None).collect();
    let mut turn = 0;
    while !stop.load(Ordering::Relaxed) {
        for (number, connection) in open.iter_mut().enumerate() {
            let request = &requests[(number + turn) % requests.len()];
            let stream = match connection.take() {
                Some(stream) => Some(stream),
                None => pressure::connect_from(from, address).ok().filter(|stream| {
                    let timeouts = stream.set_write_timeout(Some(Duration::from_millis(5)));
                    timeouts.and_then(|()| stream.set_read_timeout(Some(Duration::from_millis(1)))).is_ok()
                }),
            };
            *connection = stream.and_then(|mut stream| {
                let sent = stream.write_all(request);
                let read = if reads { stream.read(&mut [0; 16 << 10]) } else { Ok(1) };
                (sent.is_ok() && read.is_ok()).then_some(stream)
            });
            if stop.load(Ordering::Relaxed) {
                return;
            }
        }
        turn += 1;
    }
}

fn body(client: &Client, path: &str, kind: &str, announced: usize, body: &str) -> Vec<u8> {
    let tenant = client.tenant_id();
    let token = client.bearer();
    format!(
        "POST /api/v2/tenants/{tenant}{path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: {kind}\r\nContent-Length: {announced}\r\n\r\n{body}"
    )
    .into_bytes()
}

fn a_good_client_does_not_notice_greedy_ones(backend: Backend) {
    if skipped("operations::greedy") {
        return;
    }
    pressure::raise_open_files();
    let server = Server::start_with(backend, &["--log", "error"]);
    let good = server.new_client();
    let viewer = server.caller("client_1", "viewer");
    let operator = server.caller("client_1", "operator");
    let lines: String = (0..700)
        .map(|number| format!("{}\n", json!({"hostName": format!("{number}-{}", "x".repeat(900)), "name": "m"})))
        .collect();
    for client in [&operator, &good] {
        client.request("POST", "/resources/bulk").body("application/x-ndjson", lines.clone()).send();
    }
    let get = |client: &Client, path: &str| pressure::request(client, "GET", path, None);
    let reading = [get(&viewer, "/resources/minimal"), get(&viewer, "/resources/search?queryString=hostName:x")];
    let writing = [
        body(&operator, "/resources", "application/json", 8 << 20, &"{\"\":[".repeat(200)),
        body(&operator, "/resources/bulk", "application/x-ndjson", 64 << 20, "{"),
        pressure::request(&operator, "POST", "/resources", Some(&json!({"name": "greedy"}))),
    ];
    let strange = [
        b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: t\r\n\r\n".to_vec(),
        b"POST /auth/oauth/token HTTP/1.1\r\nHost: t\r\nContent-Type: application/x-www-form-urlencoded\r\n\
          Content-Length: 100\r\n\r\ng"
            .to_vec(),
        b"GET /api/v2/tenants/client_1/resources/minimal HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer x\r\n\r\n"
            .to_vec(),
    ];
    let address = server.base().trim_start_matches("http://");
    let stop = AtomicBool::new(false);
    let (mut times, mut refused) = (vec![Vec::new(); KINDS.len()], Vec::new());
    std::thread::scope(|scope| {
        type Greedy<'r> = ([u8; 4], &'r [Vec<u8>], bool);
        let greedy: [Greedy<'_>; 4] = [
            ([127, 0, 0, 2], &reading, false),
            ([127, 0, 0, 3], &writing, false),
            ([127, 0, 0, 4], &strange, false),
            ([127, 0, 0, 4], &strange[2..], true),
        ];
        for (from, requests, reads) in greedy {
            let stop = &stop;
            scope.spawn(move || press(from, address, requests, reads, stop));
        }
        std::thread::sleep(Duration::from_secs(2));
        let begun = Instant::now();
        let time = Duration::from_secs(if full_size() { 60 } else { 8 });
        while begun.elapsed() < time {
            let asked = Instant::now();
            let kind = times.iter().map(Vec::len).sum::<usize>() % KINDS.len();
            let answer = match kind {
                0 => good.get("/resources/search?pageSize=10"),
                1 => good.post("/resources", &json!({"name": "good"})),
                2 => good.get("/resources/minimal?queryString=hostName:9-x"),
                _ => good.get("/resources/minimal"),
            };
            // The longest list is longer than what is held; how long it takes says little of how soon it began.
            if answer.status != 200 {
                refused.push(answer.whole());
            }
            times[kind].push(asked.elapsed());
            std::thread::sleep(Duration::from_millis(10));
        }
        stop.store(true, Ordering::Relaxed);
    });
    let percentile = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() * 99 / 100]
    };
    let kinds: Vec<String> =
        KINDS.iter().zip(&times).map(|(kind, times)| format!("{kind} {:?}", percentile(times.clone()))).collect();
    let times = times.concat();
    let count = times.len();
    let percentile = percentile(times);
    let (now, most) = server.memory_kib().unwrap_or_default();
    let told = format!(
        "{backend:?}: {count} requests of the good client, 99 % within {percentile:?} ({}), {} refused; \
         memory {} MiB, at most {} MiB",
        kinds.join(", "),
        refused.len(),
        now / 1024,
        most / 1024
    );
    tell(&told);
    assert!(refused.is_empty(), "{told}\n{}", refused[0]);
    assert!(percentile < patience(), "{told}");
    assert!(most / 1024 < 256, "{told}");
}

/// The figures, for anyone who runs this with `--nocapture`.
#[expect(clippy::print_stdout, reason = "a test that measures says what it measured")]
fn tell(figures: &str) {
    println!("{figures}");
}
