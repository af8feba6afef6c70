//! Answers that nobody reads, asked for without a token.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use muster_tests::{Backend, Guard, Server, own_memory_kib, pressure};

use super::http2::frame;
use super::{full_size, memory_mib, tls};

/// A megabyte and a half.
const FILE: &str = "/docs/swagger-ui-bundle.js";

/// The value of one of the metrics.
fn metric(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in\n{text}"))
}

#[test]
fn over_http_1_they_are_bounded_and_given_up() {
    pressure::raise_open_files();
    let server = Server::start(Backend::Sqlite);
    let address = server.base().trim_start_matches("http://").to_owned();
    assert_eq!(server.get(FILE).status, 200);
    let before = memory_mib(&server);
    let count = if full_size() { 1_000 } else { 200 };
    let unread: Vec<_> = (0..count)
        .map(|_| {
            let mut stream = pressure::connect_from([127, 0, 0, 2], &address).unwrap_or_else(|error| panic!("{error}"));
            write!(stream, "GET {FILE} HTTP/1.1\r\nHost: t\r\n\r\n").unwrap_or_else(|error| panic!("{error}"));
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_secs(3));
    let with = memory_mib(&server);
    assert!(with < before + 20 + count / 8, "{count} unread answers: {before} MiB, then {with} MiB");
    let text = server.get("/metrics").text();
    assert!(metric(&text, "muster_http_answers_in_flight") >= count * 9 / 10, "they count until they are sent\n{text}");
    let begun = Instant::now();
    assert!(server.get(FILE).body.len() > 100_000 && begun.elapsed() < Duration::from_secs(5));

    // Who takes nothing is cut off.
    let deadline = Instant::now() + Duration::from_secs(45);
    loop {
        let text = server.get("/metrics").text();
        // The last of them may be on their way out: what is left of connections and answers goes together.
        if metric(&text, "muster_http_connections") < 10 && metric(&text, "muster_http_answers_in_flight") == 0 {
            assert!(metric(&text, "muster_http_requests_shed_total{reason=\"unread\"}") >= count * 9 / 10, "{text}");
            break;
        }
        assert!(Instant::now() < deadline, "still open: {text}");
        std::thread::sleep(Duration::from_millis(200));
    }
    drop(unread);
}

#[test]
fn over_http_2_the_streams_of_a_connection_are_bounded() {
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let authority = tls::certify(directory.path());
    let log = directory.path().join("log");
    let output = || File::options().create(true).append(true).open(&log).unwrap_or_else(|error| panic!("{error}"));
    let mut command = tls::serve(directory.path(), "127.0.0.1:0");
    let mut server = Guard::spawn(command.stdout(output()).stderr(output()));
    let port = tls::port(&log, "Muster listens at https://127.0.0.1:");
    let memory = |pid: u32| own_memory_kib(pid).unwrap_or_default() / 1024;
    let get = |path: &str| tls::get(port, &authority, path).unwrap_or_else(|error| panic!("{error}"));
    get(FILE);
    let before = memory(server.process().id());

    let mut stream = tls::connect(port, &authority, &[b"h2"]).unwrap_or_else(|error| panic!("{error}"));
    let mut request = vec![0x82, 0x87, 0x04, u8::try_from(FILE.len()).unwrap_or_default()];
    request.extend_from_slice(FILE.as_bytes());
    request.extend_from_slice(b"\x01\x09localhost");
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    // SETTINGS_INITIAL_WINDOW_SIZE = 0: no answer may be sent.
    bytes.extend(frame(4, 0, 0, &[0, 4, 0, 0, 0, 0]));
    bytes.extend((0..1_000).flat_map(|number| frame(1, 5, 2 * number + 1, &request)));
    stream.write_all(&bytes).unwrap_or_else(|error| panic!("{error}"));
    stream.flush().unwrap_or_else(|error| panic!("{error}"));
    // They are 872 refusals, and no more come.
    let refused = || metric(&get("/metrics"), "muster_http_requests_shed_total{reason=\"connection\"}");
    let deadline = Instant::now() + Duration::from_secs(30);
    while refused() < 1_000 - 128 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(100));
    }
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(refused(), 1_000 - 128, "{}", get("/metrics"));
    let with = memory(server.process().id());
    assert!(with < before + 30, "1,000 unread streams: {before} MiB, then {with} MiB");
    assert!(get(FILE).starts_with("HTTP/1.1 200"));
    let mut answers = [0; 1024];
    assert!(stream.read(&mut answers).is_ok_and(|read| read > 0), "the heads of answers come");
    drop(stream);
    let deadline = Instant::now() + Duration::from_secs(10);
    while metric(&get("/metrics"), "muster_http_answers_in_flight") > 0 {
        assert!(Instant::now() < deadline, "what a closed connection held is free");
        std::thread::sleep(Duration::from_millis(100));
    }
}
