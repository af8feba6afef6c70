//! What one caller may have under way: it is refused alone, and what it sends is small in memory whatever it becomes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use flate2::{Compression, write::ZlibEncoder};
use muster_tests::{Backend, Client, Server, both_backends, pressure};
use serde_json::json;

#[cfg(target_os = "linux")]
use super::memory_mib;

both_backends![
    stalled_bodies_of_one_key_are_refused_alone,
    a_body_that_drips_is_given_up,
    stalled_token_requests_of_one_address_are_refused_alone,
    inflated_reports_count,
    small_texts_of_large_values_are_refused,
];

/// Somebody else's address.
const ELSEWHERE: [u8; 4] = [127, 0, 0, 2];

/// Sends the same on many connections, and leaves them open.
fn stalled(server: &Server, count: usize, bytes: &[u8]) -> Vec<TcpStream> {
    pressure::raise_open_files();
    let address = server.base().trim_start_matches("http://");
    let all = (0..count).filter_map(|_| {
        let mut stream = pressure::connect_from(ELSEWHERE, address).ok()?;
        stream.write_all(bytes).ok()?;
        Some(stream)
    });
    let all = all.collect();
    std::thread::sleep(Duration::from_millis(800));
    all
}

/// The answers that are there already.
fn answers(stalled: &mut [TcpStream]) -> Vec<String> {
    let answered = stalled.iter_mut().filter_map(|stream| {
        stream.set_read_timeout(Some(Duration::from_millis(2))).ok()?;
        let mut answer = vec![0; 4096];
        let read = stream.read(&mut answer).ok().filter(|read| *read > 0)?;
        Some(String::from_utf8_lossy(&answer[..read]).into_owned())
    });
    answered.collect()
}

fn head(client: &Client, path: &str, kind: &str, length: usize) -> String {
    let tenant = client.tenant_id();
    let token = client.bearer();
    format!(
        "POST /api/v2/tenants/{tenant}{path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    )
}

fn stalled_bodies_of_one_key_are_refused_alone(backend: Backend) {
    let server = Server::start_with(backend, &["--request-memory", "16"]);
    let greedy = server.caller("client_1", "operator");
    let other = server.new_client();
    let begun = format!("{}{{", head(&greedy, "/resources/bulk", "application/x-ndjson", 1 << 20));
    let mut stalled = stalled(&server, 300, begun.as_bytes());
    let refused = answers(&mut stalled);
    assert!((50..250).contains(&refused.len()), "{} of {} were refused", refused.len(), stalled.len());
    for answer in &refused {
        assert!(answer.starts_with("HTTP/1.1 503") && answer.to_lowercase().contains("retry-after: 1"), "{answer}");
    }
    for _ in 0..20 {
        let begun = Instant::now();
        other.post("/resources", &json!({"name": "good"})).ok();
        // What stalls is given up after ten seconds and more.
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }
    let text = server.get("/metrics").text();
    let counted = |reason: &str| {
        let line = format!("muster_http_requests_shed_total{{reason=\"{reason}\"}} ");
        text.lines().find_map(|found| found.strip_prefix(&line)?.parse::<usize>().ok()).unwrap_or_default()
    };
    assert_eq!((counted("memory_share") + counted("bodies_share"), counted("memory")), (refused.len(), 0), "{text}");
}

fn a_body_that_drips_is_given_up(server: &Server) {
    let client = server.admin().tenant("client_1");
    let mut stream = pressure::connect(server.base().trim_start_matches("http://"));
    let begun = Instant::now();
    let request = head(&client, "/resources/bulk", "application/x-ndjson", 1 << 20);
    stream.write_all(request.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let mut sender = stream.try_clone().unwrap_or_else(|error| panic!("{error}"));
    let drip = std::thread::spawn(move || {
        while begun.elapsed() < Duration::from_secs(30) && sender.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    let took = begun.elapsed();
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("too slowly"), "after {took:?}: {answer}");
    assert!((10..20).contains(&took.as_secs()), "{took:?}");
    let _ = stream.shutdown(std::net::Shutdown::Both);
    let _ = drip.join();
}

fn stalled_token_requests_of_one_address_are_refused_alone(backend: Backend) {
    let server = Server::start_with(backend, &["--request-memory", "8"]);
    let form = "POST /auth/oauth/token HTTP/1.1\r\nHost: t\r\nContent-Type: application/x-www-form-urlencoded\r\n\
                Content-Length: 100\r\n\r\ng";
    let mut stalled = stalled(&server, 280, form.as_bytes());
    let begun = Instant::now();
    let (key, secret) = server.credentials();
    for _ in 0..40 {
        server.token(key, secret);
    }
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    let refused = answers(&mut stalled);
    let refusal = refused.first().unwrap_or_else(|| panic!("none of {} was refused", stalled.len()));
    let text = refusal.to_lowercase();
    let error = r#""error":"temporarily_unavailable""#;
    assert!(text.starts_with("http/1.1 503") && text.contains("retry-after: 1") && text.contains(error), "{refusal}");
}

fn inflated_reports_count(backend: Backend) {
    let server = Server::start_with(backend, &[]);
    let agent = server.caller("client_1", "operator");
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    for number in 0..400_000_u32 {
        let part = number.wrapping_mul(2_654_435_761) % 5_000;
        writeln!(encoder, "<NAME>package-{part}</NAME>").unwrap_or_else(|error| panic!("{error}"));
    }
    let report = encoder.finish().unwrap_or_else(|error| panic!("{error}"));
    let mut bytes = head(&agent, "/agents/reports", "application/x-compress-zlib", report.len()).into_bytes();
    let (last, first) = report.split_last().unwrap_or_else(|| panic!("an empty report"));
    bytes.extend_from_slice(first);
    #[cfg(target_os = "linux")]
    let before = memory_mib(&server);
    let mut stalled = stalled(&server, 40, &bytes);
    // What has not arrived is not inflated.
    #[cfg(target_os = "linux")]
    {
        let with = memory_mib(&server);
        assert!(with < before + 110, "40 stalled reports: {before} MiB, then {with} MiB");
    }
    for stream in &mut stalled {
        stream.write_all(&[*last]).unwrap_or_else(|error| panic!("{error}"));
    }
    let begun = Instant::now();
    let mut answered = Vec::new();
    while answered.len() < 40 && begun.elapsed() < Duration::from_secs(20) {
        answered.extend(answers(&mut stalled));
    }
    // Of those that are inflated at once most would take too much; a report of nothing else is wrong.
    let count = |status: &str| answered.iter().filter(|answer| answer.starts_with(status)).count();
    let (refused, wrong) = (count("HTTP/1.1 503"), count("HTTP/1.1 400"));
    assert!(refused >= 10 && wrong >= 1 && refused + wrong == 40, "{answered:?}");
    #[cfg(target_os = "linux")]
    {
        let with = memory_mib(&server);
        assert!(with < before + 200, "40 reports: {before} MiB, then {with} MiB");
    }
    server.new_client().post("/resources", &json!({"name": "good"})).ok();
}

fn small_texts_of_large_values_are_refused(backend: Backend) {
    let server = Server::start_with(backend, &[]);
    let client = server.caller("client_1", "operator");
    let text = format!("[{}0]", "{\"\":0},".repeat(1 << 20));
    #[cfg(target_os = "linux")]
    let before = server.memory_kib().unwrap_or_default().0 / 1024;
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let answer = client.post_text("/resources", text.clone());
                assert!([413, 503].contains(&answer.status), "{answer}");
            });
        }
    });
    client.post_text("/resources", text.clone()).problem(413, "0002");
    #[cfg(target_os = "linux")]
    {
        let (_, most) = server.memory_kib().unwrap_or_default();
        // The bodies have 56 MiB and wait in the gateway; as values each would have a hundred more.
        assert!(most / 1024 < before + 130, "eight such bodies: {before} MiB, at most {} MiB", most / 1024);
    }
    let many: Vec<_> = (0..10_000).map(|number| json!({"name": format!("tag-{number}"), "value": "v"})).collect();
    let answer = client.post("/resources", &json!({"name": "many", "metaData": {"list": many}}));
    answer.ok();
}
