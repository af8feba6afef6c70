//! The end of HTTP/2 connections when the service drains: GOAWAY, and an answer to all that was sent before.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use muster_tests::{Backend, Guard, both_backends, rounds};

use super::http2::Connection;
use super::restarts::{KEY, Place, SECRET, end, terminate};
use super::{tls, until};

both_backends![no_request_over_http_2_fails_in_restarts];

const TENANT: &str = "/api/v2/tenants/client_1";

/// A megabyte and a half.
const FILE: &str = "/docs/swagger-ui-bundle.js";

/// Any stream may have been on its way.
const ANY: u32 = 0x7fff_ffff;

const WIDE: u32 = 1 << 20;

/// A place whose services speak HTTPS.
struct EncryptedPlace {
    place: Place,
    authority: String,
    authorization: String,
}

impl EncryptedPlace {
    fn new(backend: Backend) -> Self {
        let place = Place::new(backend);
        let authority = tls::certify(place.folder.path());
        let credentials = base64::prelude::BASE64_STANDARD.encode(format!("{KEY}:{SECRET}"));
        Self { place, authority, authorization: format!("Basic {credentials}") }
    }

    fn start(&self, drain: &str) -> Guard {
        let file = |name: &str| self.place.folder.path().join(name).to_str().unwrap().to_owned();
        self.place.start(&["--drain", drain, "--tls-cert", &file("cert.pem"), "--tls-key", &file("key.pem")])
    }

    fn connect(&self, window: u32) -> std::io::Result<Connection> {
        Connection::new(self.place.port(), &self.authority, window)
    }
}

#[test]
fn what_was_sent_before_goaway_is_answered() {
    let place = EncryptedPlace::new(Backend::Sqlite);
    for drain in ["0s", "2500ms"] {
        let mut service = place.start(drain);
        let connect = |window| place.connect(window).unwrap();
        let send = |connection: &mut Connection, path: &str, body: Option<&str>| {
            connection.send(path, &place.authorization, body).unwrap()
        };
        // An answer that waits for its client, and a request that is not complete.
        let mut slow = connect(65_535);
        let upload = send(&mut slow, &format!("{TENANT}/resources"), Some("{\"name\":"));
        let download = send(&mut slow, FILE, None);
        slow.until(|slow| slow.length(download) == 65_535).unwrap();
        let mut watching = connect(WIDE);
        let changes = send(&mut watching, &format!("{TENANT}/changes?maxSeconds=300"), None);
        watching.until(|watching| watching.length(changes) > 0).unwrap();
        let mut idle = connect(WIDE);
        let live = send(&mut idle, "/health/live", None);
        assert!(idle.answer(live).unwrap().is_ok);
        let mut unused = connect(WIDE);
        unused.receive(Duration::from_millis(100)).unwrap();

        let begun = Instant::now();
        terminate(&mut service);
        let late = send(&mut slow, "/health/live", None);
        slow.until(|slow| !slow.endings.is_empty()).unwrap();
        assert_eq!(slow.endings, [ANY], "with --drain {drain}");
        assert!(!slow.answers.get(&upload).is_some_and(|answer| answer.is_complete));
        assert!(watching.answer(changes).unwrap().is_ok, "it may come back");
        assert!(String::from_utf8_lossy(&watching.answers[&changes].body).contains("retry: "));
        if drain != "0s" {
            // One more is served, once.
            let mut new = connect(WIDE);
            let live = send(&mut new, "/health/live", None);
            assert!(new.answer(live).unwrap().is_ok);
            assert_eq!(new.endings, [ANY]);
        }
        for connection in [&mut watching, &mut idle, &mut unused] {
            connection.until(|connection| connection.is_closed).unwrap();
            assert_eq!(connection.endings.first(), Some(&ANY));
            assert!(begun.elapsed() < Duration::from_secs(5), "a client that does nothing holds nobody up");
        }
        assert_eq!(watching.endings.last(), Some(&changes));
        // Past the time after which a connection without requests is closed.
        slow.until(|_| begun.elapsed() > Duration::from_millis(2_800)).unwrap();
        slow.finish(upload, &format!("\"{drain}\"}}")).unwrap();
        for stream in [0, download] {
            slow.widen(stream, 4 << 20).unwrap();
        }
        for stream in [upload, download, late] {
            assert!(slow.answer(stream).unwrap().is_ok, "stream {stream} with --drain {drain}");
        }
        assert!(slow.length(download) > 1_000_000);
        slow.until(|slow| slow.is_closed).unwrap();
        assert_eq!(slow.endings, [ANY, late], "the server says which was the last one");
        assert!(end(&mut service).success(), "{}", place.place.log());
        assert!(begun.elapsed() < Duration::from_secs(8), "no connection is waited for until it is cut off");
    }
}

/// Sends twenty requests a second on each of four connections, in restart after restart.
fn no_request_over_http_2_fails_in_restarts(backend: Backend) {
    let place = EncryptedPlace::new(backend);
    let mut service = place.start("300ms");
    let stop = AtomicBool::new(false);
    let (sent, opened) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failed = Mutex::new(Vec::new());
    let ask = |kept: &mut Option<Connection>| -> std::io::Result<()> {
        // One that was closed or told to end meanwhile is not used again.
        let may_go_on = |connection: &mut Connection| {
            connection.receive(Duration::from_millis(1)).is_ok()
                && !connection.is_closed
                && connection.endings.is_empty()
        };
        let kept_one = kept.take().and_then(|mut connection| may_go_on(&mut connection).then_some(connection));
        let mut connection = match kept_one {
            Some(connection) => connection,
            None => {
                opened.fetch_add(1, Ordering::Relaxed);
                place.connect(WIDE)?
            }
        };
        let stream = connection.send(&format!("{TENANT}/sites/minimal"), &place.authorization, None)?;
        let answer = connection.answer(stream)?;
        if !answer.is_ok {
            return Err(std::io::Error::other(String::from_utf8_lossy(&answer.body)));
        }
        *kept = Some(connection);
        Ok(())
    };
    let is_ready = || {
        let answered = place.connect(WIDE).and_then(|mut connection| {
            let ready = connection.send("/health/ready", &place.authorization, None)?;
            Ok(connection.answer(ready)?.is_ok)
        });
        answered.is_ok_and(|is_ready| is_ready)
    };
    let restarts = rounds("restarts under HTTP/2", 3, 10);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut kept = None;
                while !stop.load(Ordering::Relaxed) {
                    sent.fetch_add(1, Ordering::Relaxed);
                    if let Err(error) = ask(&mut kept) {
                        failed.lock().unwrap().push(error);
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
            });
        }
        for _ in 0..restarts {
            std::thread::sleep(Duration::from_millis(500));
            // On SQLite the next one waits for the file, which one has at a time.
            let next = (backend == Backend::Postgres).then(|| place.start("300ms"));
            terminate(&mut service);
            let next = next.unwrap_or_else(|| place.start("300ms"));
            let status = end(&mut std::mem::replace(&mut service, next));
            if !status.success() {
                failed.lock().unwrap().push(std::io::Error::other(format!("a service ended with {status}")));
            }
            until("the next one serves", Duration::from_secs(20), is_ready);
        }
        stop.store(true, Ordering::Relaxed);
    });
    let (sent, opened, failed) = (sent.into_inner(), opened.into_inner(), failed.into_inner().unwrap());
    eprintln!("{backend:?}: {sent} requests on {opened} connections in {restarts} restarts, {} failed", failed.len());
    assert!(failed.is_empty(), "{} of {sent} failed: {failed:#?}\n{}", failed.len(), place.place.log());
    assert!(sent > 10 * restarts && opened > 4, "{sent} requests on {opened} connections are no load");
}
