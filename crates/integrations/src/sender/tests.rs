//! A sender at work, on SQLite: what changes while deliveries are in hand.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    sync::{
        Mutex,
        atomic::{AtomicU16, AtomicUsize},
    },
    time::Instant,
};

use base::secret::Secret;
use db::{Conn, DatabaseUrl, Json, Options};
use standalone::Standalone;

use super::*;
use crate::{
    delivery::{
        row::Message,
        store::{self as deliveries, NewDelivery},
    },
    event::{row::Row as Event, store as events},
    installed::{
        row::{Row as Integration, Signing},
        store as installed,
    },
    notifier::{Notifier, Secrets},
};

const TENANT: &str = "client_1";
const EVENT: &str = "INTG-EVENT-1";
const CALLS: usize = 4;

/// Answers each request after a while, and counts them.
struct Peer {
    url: String,
    calls: Arc<AtomicUsize>,
    status: Arc<AtomicU16>,
    /// How many bytes of the body of its answers do not come.
    missing: Arc<AtomicUsize>,
}

impl Peer {
    fn start(status: u16, wait: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let peer =
            Self { url, calls: Arc::default(), status: Arc::new(AtomicU16::new(status)), missing: Arc::default() };
        let (calls, status, missing) = (Arc::clone(&peer.calls), Arc::clone(&peer.status), Arc::clone(&peer.missing));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (calls, status, missing) = (Arc::clone(&calls), Arc::clone(&status), Arc::clone(&missing));
                std::thread::spawn(move || {
                    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                    // The messages have no body.
                    while lines.by_ref().any(|line| line.is_empty()) {
                        calls.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(wait);
                        let status = status.load(Ordering::SeqCst);
                        let missing = missing.load(Ordering::SeqCst);
                        let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: {missing}\r\n\r\n");
                        if stream.write_all(answer.as_bytes()).is_err() || missing > 0 {
                            break;
                        }
                    }
                });
            }
        });
        peer
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// A running sender, with an integration and an event that calls a peer.
struct Fixture {
    db: Db,
    vault: Arc<Vault>,
    stored: Mutex<usize>,
    _sender: Sender,
    _directory: tempfile::TempDir,
}

fn notifier(peer: &Peer) -> Notifier {
    serde_json::from_value(serde_json::json!({"type": "REST_API", "baseURI": peer.url, "authType": "NONE"})).unwrap()
}

fn fixture(peer: &Peer) -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[outbox::migrations(), crate::MIGRATIONS]).unwrap();
    let vault = Arc::new(Vault::of(Vault::new_key().unwrap().expose()).unwrap());
    let mut integration = Integration {
        tenant_id: TENANT.into(),
        id: "INTG-1".into(),
        version: 1,
        kind: "CUSTOM".into(),
        name: "n".into(),
        name_key: "n".into(),
        description: String::new(),
        enabled: true,
        notifier: None,
        secrets: String::new(),
        signing: String::new(),
        created_by: String::new(),
        created_ms: 0,
        updated_ms: None,
        inbound: None,
        gone: false,
    };
    let signing = Signing { current: Secret::new("whsec_AAAA".to_owned()), previous: None };
    integration.set_signing(&vault, &signing).unwrap();
    integration.set_notifier(&vault, &notifier(peer), &Secrets::default()).unwrap();
    let mut config = crate::event::config::Config { use_base_notifier: true, ..Default::default() };
    config.end_point_uri = "/v1".to_owned();
    let event = Event {
        tenant_id: TENANT.into(),
        id: EVENT.into(),
        integration_id: "INTG-1".into(),
        version: 1,
        active: true,
        inactive_because: String::new(),
        config: Json(config),
        secrets: String::new(),
        created_ms: 0,
        updated_ms: None,
        gone: false,
    };
    db.write_here(move |conn| {
        installed::insert(conn, &integration)?;
        events::insert(conn, &event)
    })
    .unwrap();
    let guard = Arc::new(Guard::default().with_loopback());
    let dialler = Dialler::new(Arc::clone(&guard), &[]).unwrap();
    let schedule = Schedule::parse("100ms,100ms,1h").unwrap();
    let settings = Settings { schedule, calls_to_one: CALLS, ..Settings::default() };
    let tools = Tools {
        db: db.clone(),
        people: Arc::new(Standalone),
        vault: Arc::clone(&vault),
        guard,
        dialler,
        clock: api::clock::now,
        settings,
        mailer: None,
    };
    let sender = Sender::start(tools).unwrap();
    Fixture { db, vault, stored: Mutex::new(0), _sender: sender, _directory: directory }
}

impl Fixture {
    /// Stores so many deliveries to a target.
    fn deliver(&self, count: usize, target: &str) {
        let mut stored = self.stored.lock().unwrap();
        let new = |number| NewDelivery {
            tenant: TENANT.into(),
            id: format!("DLV-{number:04}"),
            event_id: EVENT.into(),
            message: Message {
                method: "POST".into(),
                target: target.to_owned(),
                headers: Vec::new(),
                body: String::new(),
            },
            refused: None,
            about: serde_json::json!({}),
        };
        let new: Vec<NewDelivery> = (*stored..*stored + count).map(new).collect();
        *stored += count;
        let now = api::clock::now();
        self.db
            .write_here(move |conn| {
                deliveries::insert(conn, &new, now)?;
                deliveries::make_due(conn, &[((TENANT.to_owned(), EVENT.to_owned()), now.millis())].into())
            })
            .unwrap();
    }

    /// Changes the integration and the event, as an operation does.
    fn change(&self, change: impl FnOnce(&Vault, &mut Integration, &mut Event) + Send + 'static) {
        let vault = Arc::clone(&self.vault);
        let now = api::clock::now();
        self.db
            .write_here(move |conn| {
                installed::lock_tenant(conn, TENANT)?;
                let mut integration = installed::existing(conn, &[TENANT.to_owned()], "INTG-1")?.changed(now);
                let mut event = events::by_id(conn, TENANT, EVENT)?.unwrap().changed(now);
                change(&vault, &mut integration, &mut event);
                installed::update(conn, &integration)?;
                events::update(conn, &event)?;
                deliveries::release(conn, TENANT, EVENT, now)
            })
            .unwrap();
    }

    fn event(&self) -> Event {
        self.db.read_here(|conn| events::by_id(conn, TENANT, EVENT)).unwrap().unwrap()
    }

    fn count(&self, status: &str) -> i64 {
        use diesel::prelude::*;

        use crate::schema::integration_deliveries::dsl;
        let of = |conn: &mut Conn| {
            let of = dsl::integration_deliveries.filter(dsl::status.eq(status));
            Ok(of.count().get_result::<i64>(conn)?)
        };
        self.db.read_here(of).unwrap()
    }
}

#[track_caller]
fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const SLOW: Duration = Duration::from_millis(150);

/// Has everything in hand, and some of it sent.
fn begun(peer: &Peer, fixture: &Fixture) {
    fixture.deliver(100, "/v1");
    wait("calls", || peer.calls() > 3 * CALLS);
}

/// No call begins any more, but for those that begin while it is changed.
fn is_left_alone(peer: &Peer) {
    std::thread::sleep(Duration::from_millis(50));
    let calls = peer.calls();
    std::thread::sleep(3 * SLOW);
    assert_eq!(peer.calls(), calls, "it is still called");
}

#[test]
fn what_is_switched_off_is_not_called_any_more() {
    let peer = Peer::start(200, SLOW);
    let fixture = fixture(&peer);
    begun(&peer, &fixture);
    fixture.change(|_, integration, _| integration.enabled = false);
    is_left_alone(&peer);
    assert!(fixture.count("pending") > 0 && fixture.event().active);
    fixture.change(|_, integration, _| integration.enabled = true);
    let before = peer.calls();
    wait("calls", || peer.calls() > before + CALLS);
    fixture.change(|_, _, event| event.active = false);
    is_left_alone(&peer);
    peer.status.store(204, Ordering::SeqCst);
    fixture.change(|_, _, event| event.active = true);
    wait("the rest", || fixture.count("delivered") == 100);
    assert_eq!(peer.calls(), 100, "each once");
}

#[test]
fn what_moves_is_called_where_it_is() {
    let former = Peer::start(200, SLOW);
    let other = Peer::start(200, Duration::ZERO);
    let fixture = fixture(&former);
    begun(&former, &fixture);
    let moved = notifier(&other);
    fixture.change(move |vault, integration, _| {
        integration.set_notifier(vault, &moved, &Secrets::default()).unwrap();
    });
    is_left_alone(&former);
    wait("the rest", || fixture.count("delivered") == 100);
    assert_eq!(former.calls() + other.calls(), 100, "each once");
}

#[test]
fn an_address_that_was_left_alone_is_not_what_it_moves_to() {
    let former = Peer::start(500, Duration::ZERO);
    let other = Peer::start(200, Duration::ZERO);
    let fixture = fixture(&former);
    fixture.deliver(20, "/v1");
    wait("failures", || former.calls() >= 10);
    is_left_alone(&former);
    let moved = notifier(&other);
    let at = Instant::now();
    fixture.change(move |vault, integration, _| {
        integration.set_notifier(vault, &moved, &Secrets::default()).unwrap();
    });
    wait("the rest", || fixture.count("delivered") == 20);
    assert!(at.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_endpoint_that_is_gone_gets_no_more_calls() {
    let peer = Peer::start(200, SLOW);
    let fixture = fixture(&peer);
    begun(&peer, &fixture);
    peer.status.store(410, Ordering::SeqCst);
    wait("the end", || !fixture.event().active);
    is_left_alone(&peer);
    assert!(fixture.event().inactive_because.contains("410"));
}

#[test]
fn the_former_address_says_nothing_of_the_present_one() {
    let peer = Peer::start(410, 2 * SLOW);
    let fixture = fixture(&peer);
    fixture.deliver(2, "/v1");
    wait("calls", || peer.calls() == 2);
    // It goes to another address while it is called, and what was made before still goes to the former one.
    fixture.change(|_, _, event| event.config.0.end_point_uri = "/v2/$event.id".to_owned());
    wait("attempts", || peer.calls() >= 6);
    std::thread::sleep(3 * SLOW);
    assert!(fixture.event().active, "{}", fixture.event().inactive_because);
    fixture.deliver(1, "/v2/EVT-1");
    wait("the end", || !fixture.event().active);
}

#[test]
fn an_endpoint_that_is_not_there_is_left_alone() {
    let peer = Peer::start(404, Duration::ZERO);
    let fixture = fixture(&peer);
    fixture.deliver(30, "/v1");
    wait("calls", || peer.calls() >= 10);
    is_left_alone(&peer);
    assert!(peer.calls() < 20, "{} calls", peer.calls());
    // One of the former targets says nothing of the present one.
    fixture.change(|_, _, event| event.config.0.end_point_uri = "/v2".to_owned());
    wait("the end", || fixture.count("pending") == 30 && peer.calls() >= 60);
}

#[test]
fn what_was_answered_counts_although_the_body_breaks_off() {
    use diesel::prelude::*;

    use crate::schema::integration_deliveries::dsl;

    let peer = Peer::start(503, Duration::ZERO);
    peer.missing.store(5, Ordering::SeqCst);
    let fixture = fixture(&peer);
    fixture.deliver(1, "/v1");
    let status =
        |conn: &mut Conn| Ok(dsl::integration_deliveries.select(dsl::response_status).first::<Option<i64>>(conn)?);
    wait("an attempt", || fixture.db.read_here(status).unwrap() == Some(503));
    peer.status.store(200, Ordering::SeqCst);
    wait("the end", || fixture.count("delivered") == 1);
}
