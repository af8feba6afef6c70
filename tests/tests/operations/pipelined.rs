//! Requests that are sent before the ones before them are answered.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Server, pressure};
use serde_json::json;

use super::full_size;

/// Whatever the framing of the bodies, and wherever the bytes are cut.
#[test]
fn they_are_answered_one_by_one_in_their_order() {
    let server = Server::start(Backend::Sqlite);
    let client = server.new_client();
    let tenant = client.tenant_id();
    let token = client.bearer();
    let head = |method: &str, path: &str, more: &str| {
        format!(
            "{method} /api/v2/tenants/{tenant}{path} HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\n{more}\r\n"
        )
    };
    let named = |name: &str| json!({"name": name}).to_string();
    let one = named("one");
    let two = named("two");
    let length = format!("Content-Length: {}\r\n", one.len());
    let chunked = "Transfer-Encoding: chunked\r\n";
    let requests = [
        (head("GET", "/resources/minimal", ""), 200),
        (head("POST", "/resources", &length) + &one, 200),
        (
            head("POST", "/resources", chunked)
                + &format!("4\r\n{}\r\n{:x};x=y\r\n{}\r\n0\r\nTrailer: t\r\n\r\n", &two[..4], two.len() - 4, &two[4..]),
            200,
        ),
        (head("GET", "/resources/none", ""), 404),
        // A body that nobody reads: one that comes later than its head would end the connection.
        (head("PUT", "/resources/minimal", &length) + &one, 405),
        (head("POST", "/resources", "Content-Length: 2\r\n") + "{}", 400),
        (head("GET", "/resources/minimal", ""), 200),
    ];
    for piece in [usize::MAX, 100, 7] {
        let slowly = piece < usize::MAX;
        let requests: Vec<_> = requests.iter().filter(|(_, status)| !slowly || *status != 405).collect();
        let all: String = requests.iter().map(|(request, _)| request.as_str()).collect();
        let mut connection = server.connection();
        for bytes in all.as_bytes().chunks(piece) {
            connection.send(bytes);
            if slowly {
                // Each in a packet of its own.
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        for (request, status) in requests {
            let answer = connection.exchange(b"");
            assert_eq!(answer.map(|answer| answer.status), Some(*status), "in pieces of {piece}: {request}");
        }
    }
    let list = client.get("/resources/minimal").json();
    assert_eq!(list.as_array().map(Vec::len), Some(6), "{list}");
}

/// A client that does not wait for answers has one request read at a time: the others are no memory of the server.
#[test]
fn those_that_wait_take_no_memory() {
    pressure::raise_open_files();
    let server = Server::start(Backend::Sqlite);
    let client = server.caller("client_1", "viewer");
    let request = pressure::request(&client, "GET", "/resources/minimal", None).repeat(100);
    let address = server.base().trim_start_matches("http://").to_owned();
    let count = if full_size() { 1_000 } else { 100 };
    let mut open: Vec<TcpStream> = (0..count)
        .map(|_| {
            let stream = pressure::connect_from([127, 0, 0, 2], &address).unwrap_or_else(|error| panic!("{error}"));
            stream.set_nonblocking(true).unwrap_or_else(|error| panic!("{error}"));
            stream
        })
        .collect();
    let before = super::memory_mib(&server);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        for stream in &mut open {
            // Anyone who is cut off has had what it asked for.
            let _ = stream.write(&request);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let with = super::memory_mib(&server);
    assert!(with < before + 20 + count / 8, "{count} connections that do not wait: {before} MiB, then {with} MiB");
    assert_eq!(server.new_client().get("/resources/minimal").status, 200);
}
