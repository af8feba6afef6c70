//! What is told to those who watch.

use std::collections::BTreeSet;

use muster_tests::{Backend, Server, both_backends, unique};
use serde_json::json;

both_backends![
    requests_are_counted_by_operation,
    nothing_tells_of_tenants_or_secrets,
    they_are_for_this_machine_alone,
    the_text_is_what_prometheus_reads,
];

/// The value of the first line that starts like this.
#[track_caller]
fn value(text: &str, start: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with(start));
    let value = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    value.unwrap_or_else(|| panic!("no {start} in\n{text}"))
}

fn requests_are_counted_by_operation(backend: Backend) {
    let server = Server::start(backend);
    let client = server.admin().tenant("client_1");
    for _ in 0..3 {
        client.post("/resources", &json!({"name": unique("counted")})).ok();
    }
    client.get("/resources/nobody").not_found();
    server.get("/api/v2/nothing").not_found();
    let (before, _) = server.memory_kib().unwrap_or_default();
    let text = server.get("/metrics").text();
    let (after, _) = server.memory_kib().unwrap_or_default();
    let create = r#"method="POST",route="/api/v2/tenants/{tenantId}/resources""#;
    assert_eq!(value(&text, &format!(r#"muster_http_requests_total{{{create},status="2xx"}}"#)), 3.0);
    let get = r#"method="GET",route="/api/v2/tenants/{tenantId}/resources/{resourceId}""#;
    assert_eq!(value(&text, &format!(r#"muster_http_requests_total{{{get},status="4xx"}}"#)), 1.0);
    assert!(value(&text, r#"muster_http_requests_total{method="any",route="other",status="4xx"}"#) >= 1.0);
    let name = "muster_http_request_duration_seconds";
    assert_eq!(value(&text, &format!("{name}_count{{{create}}}")), 3.0);
    assert!(value(&text, &format!("{name}_sum{{{create}}}")) > 0.0);
    assert_eq!(value(&text, "muster_http_requests_in_flight "), 0.0);
    assert!(value(&text, "muster_http_connections ") >= 1.0);
    assert!(value(&text, r#"muster_db_connections{state="idle"}"#) >= 1.0);
    assert!(value(&text, "muster_outbox_lag_seconds ") < 60.0);
    assert_eq!(text.contains("muster_db_writer_queue "), backend == Backend::Sqlite);
    // A machine may take a hundred MiB of the program's pages back at any time.
    let told = value(&text, "process_resident_memory_bytes ") / 1024.0;
    let possible = before.min(after) as f64 - 32_768.0..before.max(after) as f64 + 32_768.0;
    assert!(possible.contains(&told), "{told} {possible:?}");
}

fn nothing_tells_of_tenants_or_secrets(server: &Server) {
    let client = server.new_client();
    let secret = unique("secret");
    client.get(&format!("/resources/{secret}"));
    client.get(&format!("/resources/minimal?queryString=name:{secret}"));
    client.with_token(&secret).get("/resources/minimal").unauthenticated();
    let text = server.get("/metrics").text();
    let (key, bootstrap_secret) = server.credentials();
    for word in [client.tenant_id(), "msp_1", &secret, key, bootstrap_secret, client.bearer(), "postgres://"] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
}

fn they_are_for_this_machine_alone(backend: Backend) {
    let server = Server::start(backend);
    assert_eq!(server.get("/metrics").status, 200);
    server.request("GET", "/metrics").header("X-Forwarded-For", "203.0.113.7").send().forbidden();
    server.admin().absolute("POST", "/metrics").send().problem(405, "0002");
    drop(server);
    Server::start_with(backend, &["--behind-proxy"]).get("/metrics").forbidden();
    let public = Server::start_with(backend, &["--behind-proxy", "--metrics-public"]);
    let answer = public.request("GET", "/metrics").header("X-Forwarded-For", "203.0.113.7").send();
    assert_eq!(answer.status, 200);
}

/// The rules of OpenMetrics that its readers insist on.
fn the_text_is_what_prometheus_reads(server: &Server) {
    let answer = server.get("/metrics");
    assert_eq!(answer.header("Content-Type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert!(!answer.text().contains("# EOF"));
    let answer = server.request("GET", "/metrics").header("Accept", "application/openmetrics-text").send();
    let kind = answer.header("Content-Type").unwrap_or_default();
    assert_eq!(kind, "application/openmetrics-text; version=1.0.0; charset=utf-8");
    let text = answer.text();
    assert!(text.ends_with("# EOF\n"));
    let mut family = String::new();
    let mut families = BTreeSet::new();
    let mut samples = BTreeSet::new();
    for line in text.lines().take_while(|line| *line != "# EOF") {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            family = rest.split(' ').next().unwrap_or_default().to_owned();
            assert!(families.insert(family.clone()), "{family} comes twice");
        } else if !line.starts_with('#') {
            let (sample, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
            assert!(sample.starts_with(&family) && value.parse::<f64>().is_ok(), "{line}");
            assert!(samples.insert(sample.to_owned()), "{sample} comes twice");
        }
    }
}
