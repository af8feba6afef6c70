//! A Postgres whose machine stands still, or is cut off, while its connections stay open.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use muster_tests::{Backend, Server, fresh_database, postgres_authority};
use serde_json::json;

const OPEN: u8 = 0;
const STILL: u8 = 1;
const AWAY: u8 = 2;

/// A way to a database, through a port of its own.
pub(super) struct DatabaseProxy {
    /// The URL of the database, up to its address, and behind it.
    start: String,
    database: String,
    address: String,
    port: u16,
    state: Arc<AtomicU8>,
}

impl DatabaseProxy {
    pub(super) fn to_a_new_database() -> Self {
        Self::to(&fresh_database())
    }

    /// A further way to the same one.
    pub(super) fn to(url: &str) -> Self {
        let (start, rest) = url.split_once('@').unwrap();
        let (address, database) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(AtomicU8::new(OPEN));
        let to = address.to_owned();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(&to).ok().filter(|_| shared.load(Ordering::Relaxed) != AWAY);
                let Some(server) = server else { continue };
                let both = (client.try_clone().ok(), server.try_clone().ok());
                let (Some(client_too), Some(server_too)) = both else { continue };
                for (mut from, mut to) in [(client, server), (server_too, client_too)] {
                    let state = Arc::clone(&shared);
                    std::thread::spawn(move || {
                        let _ = from.set_read_timeout(Some(Duration::from_millis(50)));
                        hand_on(&mut from, &mut to, &state);
                        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                    });
                }
            }
        });
        Self { start: start.to_owned(), database: database.to_owned(), address: address.to_owned(), port, state }
    }

    pub(super) fn url(&self) -> String {
        format!("{}@127.0.0.1:{}/{}", self.start, self.port, self.database)
    }

    /// By this way first, and by another where this one does not answer.
    fn url_with(&self, other: &Self) -> String {
        format!("{}@127.0.0.1:{},127.0.0.1:{}/{}", self.start, self.port, other.port, self.database)
    }

    /// The URL of the database itself.
    fn direct(&self) -> String {
        format!("{}@{}/{}", self.start, self.address, self.database)
    }

    pub(super) fn open(&self) {
        self.state.store(OPEN, Ordering::Relaxed);
    }

    /// Nothing comes through any more, and connections stay.
    pub(super) fn still(&self) {
        self.state.store(STILL, Ordering::Relaxed);
    }

    /// Connections end, and new ones do.
    pub(super) fn away(&self) {
        self.state.store(AWAY, Ordering::Relaxed);
    }
}

fn hand_on(from: &mut TcpStream, to: &mut TcpStream, state: &AtomicU8) {
    let mut bytes = [0; 16 << 10];
    loop {
        match state.load(Ordering::Relaxed) {
            AWAY => return,
            STILL => std::thread::sleep(Duration::from_millis(20)),
            _ => match from.read(&mut bytes) {
                Ok(0) => return,
                Ok(read) if to.write_all(&bytes[..read]).is_ok() => {}
                Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => {}
                _ => return,
            },
        }
    }
}

/// The first way stands still, as a leader does whose machine is frozen; the second one leads to who took over. Writes
/// go on within seconds, though everything that the first one was sent was acknowledged by its system.
fn goes_on_elsewhere(parameters: &str) {
    let first = DatabaseProxy::to_a_new_database();
    let second = DatabaseProxy::to(&first.direct());
    let server = Server::start_at(Backend::Postgres, Some(first.url_with(&second) + parameters), &[]);
    let client = server.admin().tenant("client_1");
    client.post("/resources", &json!({"name": "before"})).ok();
    first.still();
    let begun = Instant::now();
    let writes = |number: usize| client.post("/resources", &json!({"name": format!("after-{number}")})).status == 200;
    let mut number = 0;
    super::until("it writes", Duration::from_secs(30), || {
        number += 1;
        writes(number)
    });
    let took = begun.elapsed();
    eprintln!("writes go on after {took:?}");
    assert!(took < Duration::from_secs(22), "{took:?}");
    for more in 0..10 {
        assert!(writes(1_000 + more));
    }
}

#[test]
fn writes_go_on_at_the_next_server() {
    goes_on_elsewhere("");
}

#[test]
fn writes_go_on_at_the_next_server_over_tls() {
    if postgres_authority().is_some() {
        goes_on_elsewhere("?sslmode=require");
    }
}

/// What waited is answered, and does not wait for as long as the machine stands still.
#[test]
fn nobody_waits_for_a_machine_that_stands_still() {
    let way = DatabaseProxy::to_a_new_database();
    let mut server = Server::start_at(Backend::Postgres, Some(way.url()), &[]);
    let client = server.admin().tenant("client_1");
    client.post("/resources", &json!({"name": "before"})).ok();
    way.still();
    let begun = Instant::now();
    client.post("/resources", &json!({"name": "meanwhile"})).problem(503, "0005");
    assert!(begun.elapsed() < Duration::from_secs(13), "{:?}", begun.elapsed());
    super::until("it is told", Duration::from_secs(20), || server.log().contains("stands still"));
    way.open();
    super::until("it goes on", Duration::from_secs(20), || {
        client.post("/resources", &json!({"name": "after"})).status == 200
    });
    way.still();
    // A stop does not wait for it either.
    let begun = Instant::now();
    server.stop();
    assert!(begun.elapsed() < Duration::from_secs(19), "{:?}", begun.elapsed());
}
