//! The one address at which a client finds a server, whichever port that has after a restart.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Passes connections on to the server of the moment, and closes them at once when there is none.
pub(super) struct ServerProxy {
    address: String,
    to: Arc<Mutex<String>>,
    failed: Arc<AtomicUsize>,
}

impl ServerProxy {
    /// A way to the server at `base`.
    pub(super) fn to(base: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let way = Self { address, to: Arc::default(), failed: Arc::default() };
        way.leads_to(base);
        let to = Arc::clone(&way.to);
        let failed = Arc::clone(&way.failed);
        // Ends with the process.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let base = to.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match TcpStream::connect(base.trim_start_matches("http://")) {
                    Ok(server) => join(&client, &server),
                    Err(_) => _ = failed.fetch_add(1, Ordering::Relaxed),
                }
            }
        });
        way
    }

    /// The server is at another port now.
    pub(super) fn leads_to(&self, base: &str) {
        *self.to.lock().unwrap_or_else(PoisonError::into_inner) = base.to_owned();
    }

    /// Where clients find it.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// How many connections found no server.
    pub(super) fn failed(&self) -> usize {
        self.failed.load(Ordering::Relaxed)
    }
}

/// Passes bytes on in both directions until either side ends.
fn join(client: &TcpStream, server: &TcpStream) {
    for (from, to) in [(client, server), (server, client)] {
        let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) else { return };
        std::thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Both);
            let _ = from.shutdown(Shutdown::Both);
        });
    }
}
