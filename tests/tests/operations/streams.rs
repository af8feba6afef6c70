//! Lists that are read slowly.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, both_backends, pressure};
use serde_json::json;

both_backends![slow_readers_leave_connections_for_others];

/// Machines whose list is too long for memory and for what the system holds of a connection.
const MACHINES: usize = 1_200;

fn fill(client: &Client) {
    let long = "x".repeat(900);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let long = &long;
            scope.spawn(move || {
                for number in 0..MACHINES / 4 {
                    let names = ["name", "hostName", "resourceName", "aliasName"];
                    let machine: serde_json::Map<_, _> = names
                        .iter()
                        .map(|name| ((*name).to_owned(), json!(format!("{writer}-{number}-{long}"))))
                        .collect();
                    client.post("/resources", &machine.into()).ok();
                }
            });
        }
    });
}

/// Asks for the list and reads no more than its beginning.
fn begin(server: &Server, client: &Client) -> (TcpStream, String) {
    let mut stream = pressure::connect(server.base().trim_start_matches("http://"));
    // The system is not to read on in our place.
    let small = rustix::net::sockopt::set_socket_recv_buffer_size(&stream, 4096);
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
    let (mut streams, mut refused) = (Vec::new(), 0);
    for _ in 0..6 {
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
    // Half of the connections stream, and half of those are for others.
    assert_eq!((streams.len(), refused), (1, 5));
    let (stream, start) = begin(&server, &server.caller("client_1", "viewer"));
    assert!(start.starts_with("HTTP/1.1 200"), "a slow reader keeps others from their lists: {start}");
    streams.push(stream);
    let begun = Instant::now();
    for _ in 0..5 {
        client.get("/resources/search?pageSize=1").page();
        client.post("/resources", &json!({"name": "meanwhile"})).ok();
    }
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert!(server.get("/metrics").text().contains("muster_http_streams_in_flight 2"));

    // A list that was read to its end makes room for another; so does one whose reader is gone.
    drop(streams);
    let deadline = Instant::now() + Duration::from_secs(10);
    while !server.get("/metrics").text().contains("muster_http_streams_in_flight 0") {
        assert!(Instant::now() < deadline, "{}", server.get("/metrics").text());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(client.get("/resources/minimal").list().len(), MACHINES + 5);
}
