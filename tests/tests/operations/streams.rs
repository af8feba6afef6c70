//! Lists that are read slowly.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, both_backends, pressure};
use serde_json::json;

both_backends![
    slow_readers_leave_connections_for_others,
    slow_readers_of_two_tenants_leave_a_third_its_list,
    a_list_ends_when_its_caller_may_no_longer_read,
    a_bulk_body_ends_when_its_caller_may_no_longer_send,
];

/// Machines whose list is too long for memory and for what the system holds of a connection.
const MACHINES: usize = 1_200;

fn fill(client: &Client) {
    let long = "x".repeat(900);
    let machine = |number: usize| {
        let names = ["name", "hostName", "resourceName", "aliasName"].map(|name| (name, format!("{number}-{long}")));
        json!(names.into_iter().collect::<HashMap<_, _>>())
    };
    client.post("/resources/bulk", &(0..MACHINES).map(machine).collect()).ok();
}

/// Asks for the list and reads no more than its beginning.
fn begin(server: &Server, client: &Client) -> (TcpStream, String) {
    begin_with(server, client, 4096)
}

/// As [`begin`], where the system takes so many bytes in our place.
fn begin_with(server: &Server, client: &Client, buffer: usize) -> (TcpStream, String) {
    let mut stream = pressure::connect(server.base().trim_start_matches("http://"));
    // The system is not to read on in our place.
    let small = rustix::net::sockopt::set_socket_recv_buffer_size(&stream, buffer);
    small.unwrap_or_else(|error| panic!("{error}"));
    let request = pressure::request(client, "GET", "/resources/minimal", None);
    stream.write_all(&request).unwrap_or_else(|error| panic!("{error}"));
    let mut start = [0; 512];
    let read = stream.read(&mut start).unwrap_or_default();
    (stream, String::from_utf8_lossy(&start[..read]).into_owned())
}

fn slow_readers_leave_connections_for_others(backend: Backend) {
    let server = Server::start_with(backend, &["--connections", "4"]);
    let client = server.admin().tenant("client_1");
    fill(&client);
    let mut streams = Vec::new();
    let mut refused = 0;
    for _ in 0..12 {
        let (stream, start) = begin(&server, &client);
        match start.split(' ').nth(1) {
            Some("200") => streams.push(stream),
            Some("503") => {
                assert!(start.to_lowercase().contains("retry-after: 1"), "{start}");
                refused += 1;
            }
            _ => panic!("{start}"),
        }
    }
    // Four times as many lists as connections may be long, and half of them are for others.
    assert_eq!((streams.len(), refused), (8, 4));
    let (stream, start) = begin(&server, &server.caller("client_1", "viewer"));
    assert!(start.starts_with("HTTP/1.1 200"), "a slow reader keeps others from their lists: {start}");
    streams.push(stream);
    let begun = Instant::now();
    for _ in 0..5 {
        client.get("/resources/search?pageSize=1").page();
        client.post("/resources", &json!({"name": "meanwhile"})).ok();
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(server.get("/metrics").text().contains("muster_http_streams_in_flight 9"));

    // A list that was read to its end makes room for another; so does one whose reader is gone.
    drop(streams);
    let deadline = Instant::now() + Duration::from_secs(10);
    while !server.get("/metrics").text().contains("muster_http_streams_in_flight 0") {
        assert!(Instant::now() < deadline, "{}", server.get("/metrics").text());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(client.get("/resources/minimal").list().len(), MACHINES + 5);
}

/// As many slow readers as are let in, with several keys each: a third tenant gets its list, whenever it asks.
fn slow_readers_of_two_tenants_leave_a_third_its_list(backend: Backend) {
    let server = Server::start(backend);
    let tenants = [(); 3].map(|()| server.new_client());
    tenants.iter().for_each(fill);
    let [first, second, third] = &tenants;
    let mut streams = Vec::new();
    for client in [first, second] {
        for _ in 0..4 {
            let key = server.caller(client.tenant_id(), "viewer");
            let begun = (0..9).map(|_| begin(&server, &key));
            streams.extend(begun.filter(|(_, start)| start.starts_with("HTTP/1.1 200")).map(|(stream, _)| stream));
        }
    }
    assert!(streams.len() >= 7, "{}", streams.len());
    let begun = Instant::now();
    for _ in 0..5 {
        assert_eq!(third.get("/resources/minimal").list().len(), MACHINES);
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// A new key of a tenant: its id, and a caller with it.
fn key(server: &Server, client: &Client, role: &str) -> (String, Client) {
    let made = client.post("/apiKeys", &json!({"name": muster_tests::unique("key"), "role": role})).ok();
    let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
    (text("id"), client.with_token(&server.token(&text("key"), &text("secret"))))
}

/// Longer than it takes to notice.
const NOTICED: Duration = Duration::from_secs(8);

fn a_list_ends_when_its_caller_may_no_longer_read(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    fill(&client);
    let ends_well = |mut stream: TcpStream| {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        (rest.ends_with(b"]\r\n0\r\n\r\n"), rest.len())
    };
    let ask = |caller: &Client| {
        let (stream, start) = begin_with(&server, caller, 64 << 10);
        assert!(start.starts_with("HTTP/1.1 200"), "{start}");
        stream
    };
    let (id, revoked) = key(&server, &client, "viewer");
    let (_, stays) = key(&server, &client, "viewer");
    let revoked = ask(&revoked);
    let stays = ask(&stays);
    client.delete(&format!("/apiKeys/{id}")).ok();
    std::thread::sleep(NOTICED);
    let (whole, length) = ends_well(revoked);
    assert!(!whole && length < 2 << 20, "{length} bytes");
    let (whole, length) = ends_well(stays);
    assert!(whole && length > 4 << 20, "{length} bytes");
}

fn a_bulk_body_ends_when_its_caller_may_no_longer_send(backend: Backend) {
    let server = Server::start(backend);
    let client = server.new_client();
    let (id, revoked) = key(&server, &client, "operator");
    let mut stream = pressure::connect(server.base().trim_start_matches("http://"));
    let head = format!(
        "POST /api/v2/tenants/{}/resources/bulk HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n",
        revoked.tenant_id(),
        revoked.bearer()
    );
    let mut send = |text: &str| stream.write_all(text.as_bytes());
    send(&head).unwrap();
    let row = |name: &str| {
        let line = format!("{{\"name\": \"{name}\"}}\n{}", " ".repeat(2_000));
        format!("{:x}\r\n{line}\r\n", line.len())
    };
    send(&row("before")).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    client.delete(&format!("/apiKeys/{id}")).ok();
    let begun = Instant::now();
    while begun.elapsed() < NOTICED {
        let _ = send("1\r\n \r\n");
        std::thread::sleep(Duration::from_millis(500));
    }
    let _ = send(&format!("{}0\r\n\r\n", row("after")));
    let mut answer = [0; 16 << 10];
    let read = stream.read(&mut answer).unwrap_or_default();
    let answer = String::from_utf8_lossy(&answer[..read]);
    assert!(answer.contains("may no longer"), "{answer}");
    let stored = client.get("/resources/minimal").list();
    assert!(!stored.iter().any(|one| one["name"] == json!("after")), "{stored:?}");
}
