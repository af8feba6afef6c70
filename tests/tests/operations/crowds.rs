//! Very many connections of one address, which all ask at once.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Server, both_backends, pressure};

both_backends![a_crowd_of_one_address_delays_nobody_else];

/// The address of the crowd.
const CROWD: [u8; 4] = [127, 0, 0, 2];
const CONNECTIONS: usize = 2_000;
/// The others are measured when so many are open, however long a machine takes to open them.
const CROWDED: usize = 500;
/// So many requests wait on each connection: work for longer than the others are looked at.
const EACH: usize = 40;

/// Each connection of the crowd has its next request ready whenever one is answered. Somebody else comes anew each
/// time.
fn a_crowd_of_one_address_delays_nobody_else(backend: Backend) {
    pressure::raise_open_files();
    let server = Server::start_with(backend, &["--log", "error"]);
    let address = server.base().trim_start_matches("http://");
    let request = "GET /api/v2/cfg/timezones HTTP/1.1\r\nHost: t\r\n\r\n";
    let crowd = request.repeat(EACH);
    let over = AtomicBool::new(false);
    let opened = AtomicUsize::new(0);
    let (mut times, asked) = thread::scope(|scope| {
        let pressing: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let come = || {
                        let mut stream = pressure::connect_from(CROWD, address).ok()?;
                        stream.write_all(crowd.as_bytes()).ok().map(|()| stream)
                    };
                    let mut open: Vec<TcpStream> = Vec::new();
                    while !over.load(Ordering::Relaxed) && open.len() < CONNECTIONS / 4 {
                        if let Some(stream) = come() {
                            open.push(stream);
                            opened.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    // They leave when the others have been looked at.
                    while !over.load(Ordering::Relaxed) {
                        thread::sleep(Duration::from_millis(20));
                    }
                    open.len()
                })
            })
            .collect();
        let begun = Instant::now();
        while opened.load(Ordering::Relaxed) < CROWDED && begun.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(20));
        }
        let ask = |_| {
            let begun = Instant::now();
            let mut connection = pressure::connect(address);
            let status = pressure::exchange(&mut connection, request.as_bytes());
            assert_eq!(status.unwrap_or_else(|error| panic!("{error} after {:?}", begun.elapsed())), 401);
            thread::sleep(Duration::from_millis(20));
            begun.elapsed()
        };
        let times: Vec<Duration> = (0..15).map(ask).collect();
        over.store(true, Ordering::Relaxed);
        (times, pressing.into_iter().map(|one| one.join().unwrap_or_default()).sum::<usize>())
    });
    times.sort_unstable();
    assert!(asked >= CROWDED, "{asked} connections");
    assert!(times[times.len() / 2] < Duration::from_secs(1), "beside {asked} connections: {times:?}");
}
