use std::sync::Arc;

use actix_web::test::TestRequest;
use db::{DatabaseUrl, Options};

use super::*;
use crate::{
    limits::Rate,
    shed::{Entry, Limits, LoadGate, Ticket},
};

fn metrics(exposure: Exposure) -> (tempfile::TempDir, Arc<Metrics>) {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    let gate = Arc::new(LoadGate::new(Limits::for_size(2, 8)));
    let keys = Arc::new(Keys::new(Rate::per_second(1).unwrap()));
    let route = Route { method: Method::GET, pattern: "/api/v2/tenants/{tenantId}/resources".to_owned() };
    let metrics = Metrics::new(exposure, vec![route], gate, Some(keys), db);
    (directory, Arc::new(metrics))
}

#[track_caller]
fn has(text: &str, line: &str) {
    assert!(text.lines().any(|found| found == line), "no line {line:?} in\n{text}");
}

#[test]
fn workers_are_added_up() {
    let (_directory, metrics) = metrics(Exposure::Loopback);
    let one = metrics.worker();
    let two = metrics.worker();
    one.answered(1, StatusCode::OK, Duration::from_micros(500));
    two.answered(1, StatusCode::OK, Duration::from_millis(7));
    two.answered(1, StatusCode::NOT_FOUND, Duration::from_secs(60));
    one.answered(0, StatusCode::SERVICE_UNAVAILABLE, Duration::ZERO);
    let text = metrics.text().unwrap();
    let route = r#"method="GET",route="/api/v2/tenants/{tenantId}/resources""#;
    has(&text, &format!(r#"muster_http_requests_total{{{route},status="2xx"}} 2"#));
    has(&text, &format!(r#"muster_http_requests_total{{{route},status="4xx"}} 1"#));
    has(&text, r#"muster_http_requests_total{method="any",route="other",status="5xx"} 1"#);
    let name = "muster_http_request_duration_seconds";
    has(&text, &format!(r#"{name}_bucket{{le="0.0005",{route}}} 1"#));
    has(&text, &format!(r#"{name}_bucket{{le="0.01",{route}}} 2"#));
    has(&text, &format!(r#"{name}_bucket{{le="10.0",{route}}} 2"#));
    has(&text, &format!(r#"{name}_bucket{{le="+Inf",{route}}} 3"#));
    has(&text, &format!(r#"{name}_sum{{{route}}} 60.0075"#));
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[tokio::test]
async fn load_database_and_process() {
    let (_directory, metrics) = metrics(Exposure::Loopback);
    let ticket = Ticket::new(&metrics.gate, std::rc::Rc::new(Arc::clone(metrics.gate.service())), Entry::Usual);
    ticket.begin().await.unwrap();
    let _connection = metrics.connections().open();
    metrics.db.add_gauge("outbox_lag_seconds", "Age of the oldest event that is not delivered", || Some(1.5));
    metrics.db.write(|_| Ok(())).await.unwrap();
    let text = metrics.text().unwrap();
    for line in [
        "muster_http_requests_in_flight 1",
        "muster_http_connections 1",
        r#"muster_http_requests_shed_total{reason="bodies"} 0"#,
        "muster_http_requests_throttled_total 0",
        "muster_db_connections_max 8",
        r#"muster_db_connections{state="in_use"} 0"#,
        "muster_db_writer_queue 0",
        r#"muster_db_commit_writes_bucket{le="1.0"} 1"#,
        "muster_db_commit_writes_count 1",
        "muster_outbox_lag_seconds 1.5",
    ] {
        has(&text, line);
    }
    for name in ["muster_build_info{version=", "process_start_time_seconds 1", "process_resident_memory_bytes "] {
        assert!(text.lines().any(|line| line.starts_with(name)), "no {name} in\n{text}");
    }
}

#[test]
fn by_default_they_are_for_this_machine_alone() {
    let shown = |exposure, peer: &str, header: Option<(&str, &str)>| {
        let (_directory, metrics) = metrics(exposure);
        let mut request = TestRequest::get().uri("/metrics").peer_addr(peer.parse().unwrap());
        if let Some(header) = header {
            request = request.insert_header(header);
        }
        metrics.is_visible_to(&request.to_http_request())
    };
    assert!(shown(Exposure::Loopback, "127.0.0.1:1", None));
    assert!(shown(Exposure::Loopback, "[::1]:1", None));
    assert!(shown(Exposure::Loopback, "[::ffff:127.0.0.1]:1", None));
    assert!(!shown(Exposure::Loopback, "10.0.0.1:1", None));
    assert!(!shown(Exposure::Loopback, "127.0.0.1:1", Some(("X-Forwarded-For", "10.0.0.1"))));
    assert!(!shown(Exposure::Nobody, "127.0.0.1:1", None));
    assert!(shown(Exposure::Public, "10.0.0.1:1", None));
}
