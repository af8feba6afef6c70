//! Whether the service is ready is told at once, also when its database is away or stands still.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use muster_tests::{Backend, Server, fresh_database};

const OPEN: u8 = 0;
const STILL: u8 = 1;
const AWAY: u8 = 2;

/// Hands on what comes, as long as the way is open; gives its port.
fn way_to(database: String, state: &Arc<AtomicU8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
    let port = listener.local_addr().map_or(0, |address| address.port());
    let state = Arc::clone(state);
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(&database).ok().filter(|_| state.load(Ordering::Relaxed) != AWAY);
            let Some(server) = server else { continue };
            let both = (client.try_clone().ok(), server.try_clone().ok());
            let (Some(client_too), Some(server_too)) = both else { continue };
            for (mut from, mut to) in [(client, server), (server_too, client_too)] {
                let state = Arc::clone(&state);
                std::thread::spawn(move || {
                    let _ = from.set_read_timeout(Some(Duration::from_millis(50)));
                    hand_on(&mut from, &mut to, &state);
                    let _ = (from.shutdown(std::net::Shutdown::Both), to.shutdown(std::net::Shutdown::Both));
                });
            }
        }
    });
    port
}

fn hand_on(from: &mut TcpStream, to: &mut TcpStream, state: &AtomicU8) {
    use io::{Read as _, Write as _};
    let mut bytes = [0; 16 << 10];
    loop {
        match state.load(Ordering::Relaxed) {
            AWAY => return,
            STILL => std::thread::sleep(Duration::from_millis(20)),
            _ => match from.read(&mut bytes) {
                Ok(0) => return,
                Ok(read) if to.write_all(&bytes[..read]).is_ok() => {}
                Err(error) if [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind()) => {}
                _ => return,
            },
        }
    }
}

/// Asks until it says so; each answer comes at once.
#[track_caller]
fn tells(server: &Server, status: u16, within: Duration) {
    let begun = Instant::now();
    loop {
        let asked = Instant::now();
        let answer = server.get("/health/ready");
        assert!(asked.elapsed() < Duration::from_millis(500), "{:?}: {answer}", asked.elapsed());
        if answer.status == status {
            return;
        }
        assert!(begun.elapsed() < within, "after {:?}: {answer}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn it_is_told_at_once_also_when_postgres_is_away_or_stands_still() {
    let url = fresh_database();
    let Some((start, rest)) = url.split_once('@') else { return };
    let Some((address, database)) = rest.split_once('/') else { return };
    let state = Arc::new(AtomicU8::new(OPEN));
    let port = way_to(address.to_owned(), &state);
    let server = Server::start_at(Backend::Postgres, Some(format!("{start}@127.0.0.1:{port}/{database}")), &[]);
    tells(&server, 200, Duration::ZERO);
    for trouble in [STILL, AWAY] {
        state.store(trouble, Ordering::Relaxed);
        tells(&server, 503, Duration::from_secs(4));
        state.store(OPEN, Ordering::Relaxed);
        tells(&server, 200, Duration::from_secs(10));
    }
}
