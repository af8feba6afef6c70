//! Whether the service is ready is told at once, also when its database is away or stands still.

use std::time::{Duration, Instant};

use muster_tests::{Backend, Server, fresh_database, psql};

use super::standstill::DatabaseProxy;

/// Asks until it says so; each answer comes at once.
#[track_caller]
fn tells(server: &Server, status: u16, within: Duration) {
    let begun = Instant::now();
    loop {
        let asked = Instant::now();
        let answer = server.get("/health/ready");
        assert!(asked.elapsed() < Duration::from_millis(1500), "{:?}: {answer}", asked.elapsed());
        if answer.status == status {
            return;
        }
        assert!(begun.elapsed() < within, "after {:?}: {answer}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn it_is_told_at_once_also_when_postgres_is_away_or_stands_still() {
    let way = DatabaseProxy::to_a_new_database();
    let server = Server::start_at(Backend::Postgres, Some(way.url()), &[]);
    tells(&server, 200, Duration::ZERO);
    for trouble in [DatabaseProxy::still, DatabaseProxy::away] {
        trouble(&way);
        tells(&server, 503, Duration::from_secs(4));
        way.open();
        tells(&server, 200, Duration::from_secs(12));
    }
}

#[test]
fn a_postgres_that_takes_no_writes_is_not_ready() {
    let url = fresh_database();
    let name = url.split(['/', '?']).nth(3).unwrap_or_default();
    let server = Server::start_at(Backend::Postgres, Some(url.clone()), &[]);
    tells(&server, 200, Duration::ZERO);
    psql(&url, &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    tells(&server, 503, Duration::from_secs(10));
    let answer = server.get("/health/ready");
    assert!(answer.text().contains("read-only"), "{answer}");
    server.get("/health/live").ok();
    psql(
        &url,
        &format!("SET default_transaction_read_only = off; ALTER DATABASE {name} RESET default_transaction_read_only"),
    );
    tells(&server, 200, Duration::from_secs(10));
}
