//! Clients that begin and do not go on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Server, both_backends, pressure};
use serde_json::json;

both_backends![stalled_bodies_keep_nobody_waiting, stalled_token_requests_keep_nobody_waiting,];

fn stalled(server: &Server, count: usize, head: &str) -> Vec<TcpStream> {
    let address = server.base().trim_start_matches("http://");
    let stalled: Vec<TcpStream> = (0..count)
        .map(|_| {
            let mut stream = pressure::connect(address);
            stream.write_all(head.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    stalled
}

/// Reads, writes and tokens, each long before what stalls is given up after ten seconds.
#[track_caller]
fn others_are_served(server: &Server) {
    let client = server.admin().tenant("client_1");
    for _ in 0..3 {
        let begun = Instant::now();
        client.get("/resources/minimal").list();
        assert!(begun.elapsed() < Duration::from_secs(5), "a read took {:?}", begun.elapsed());
        let begun = Instant::now();
        client.post("/resources", &json!({"name": "good"})).ok();
        assert!(begun.elapsed() < Duration::from_secs(5), "a write took {:?}", begun.elapsed());
        let begun = Instant::now();
        let (key, secret) = server.credentials();
        server.token(key, secret);
        assert!(begun.elapsed() < Duration::from_secs(5), "a token took {:?}", begun.elapsed());
    }
}

fn stalled_bodies_keep_nobody_waiting(backend: Backend) {
    // Fewer may be worked on than stall.
    let server = Server::start_with(backend, &["--max-requests", "8"]);
    let token = server.admin();
    let head = format!(
        "POST /api/v2/tenants/client_1/resources HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
        token.bearer()
    );
    let begun = Instant::now();
    let mut stalled = stalled(&server, 60, &head);
    others_are_served(&server);
    // In the end each is told what was wrong, and its connection is closed.
    let mut answer = String::new();
    let _ = stalled[0].read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("did not arrive within 10 seconds"), "{answer}");
    assert!(begun.elapsed() > Duration::from_secs(9) && begun.elapsed() < Duration::from_secs(15));
}

fn stalled_token_requests_keep_nobody_waiting(backend: Backend) {
    let server = Server::start_with(backend, &["--max-requests", "8"]);
    let head = "POST /auth/oauth/token HTTP/1.1\r\nHost: t\r\nContent-Type: application/x-www-form-urlencoded\r\n\
                Content-Length: 100\r\n\r\ng";
    let stalled = stalled(&server, 60, head);
    others_are_served(&server);
    drop(stalled);
}

/// Whose rows were wrong so far, and who is told so at the end.
#[cfg(target_os = "linux")]
#[test]
fn stalled_bulk_bodies_take_little_memory() {
    let server = Server::start(Backend::Sqlite);
    let client = server.caller("client_1", "operator");
    let lines = "x\n".repeat(6_000);
    let head = format!(
        "POST /api/v2/tenants/{}/resources/bulk HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n{lines}",
        client.tenant_id(),
        client.bearer(),
        64 << 20
    );
    drop(stalled(&server, 1, &head));
    let before = super::memory_mib(&server);
    let stalled = stalled(&server, 60, &head);
    std::thread::sleep(Duration::from_secs(4));
    let with = super::memory_mib(&server);
    assert!(with < before + 50, "{} stalled bulk bodies: {before} MiB, then {with} MiB", stalled.len());
}
