//! Traces and metrics for a collector of OpenTelemetry: what a request causes is one trace, and a collector that hangs
//! costs nobody anything.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Received, Receiver, Reply, wait_for},
    unique,
};
use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{KeyValue, any_value::Value as AnyValue},
    metrics::v1::{metric::Data, number_data_point},
    trace::v1::{Span, span::SpanKind},
};
use prost::Message as _;
use serde_json::{Value, json};

both_backends![a_request_and_all_that_it_causes_are_one_trace, nothing_of_a_trace_is_read_or_stored_when_off];

/// Of a caller, and recorded by it.
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

fn parent() -> String {
    format!("00-{TRACE}-{CALLER}-01")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// All spans that a collector got.
fn spans(collector: &Receiver) -> Vec<Span> {
    let messages = collector.all().into_iter().filter(|received| received.path == "/v1/traces");
    let messages = messages.map(|received| ExportTraceServiceRequest::decode(received.body.as_slice()).unwrap());
    let scopes = messages.flat_map(|message| message.resource_spans).flat_map(|resource| resource.scope_spans);
    scopes.flat_map(|scope| scope.spans).collect()
}

/// The attributes of something, as texts.
fn attributes(all: &[KeyValue]) -> BTreeMap<&str, String> {
    let shown = |attribute: &KeyValue| match attribute.value.as_ref()?.value.as_ref()? {
        AnyValue::StringValue(text) => Some(text.clone()),
        AnyValue::IntValue(number) => Some(number.to_string()),
        other => panic!("{other:?}"),
    };
    all.iter().filter_map(|attribute| Some((attribute.key.as_str(), shown(attribute)?))).collect()
}

/// Waits for the one span of the caller's trace of this name.
#[track_caller]
fn span(collector: &Receiver, name: &str) -> Span {
    let found = || {
        let of_trace = |span: &Span| hex(&span.trace_id) == TRACE && span.name == name;
        spans(collector).into_iter().filter(of_trace).collect::<Vec<_>>()
    };
    let names = || format!("{name}: {:?}", spans(collector).iter().map(|span| &span.name).collect::<Vec<_>>());
    wait_for(Duration::from_secs(20), || !found().is_empty(), names);
    let mut found = found();
    assert_eq!(found.len(), 1, "{name}");
    found.remove(0)
}

/// An integration that tells of alerts, a person who is paged of them, and a job, of one tenant.
struct Company {
    client: Client,
    job: String,
}

impl Company {
    fn new(client: Client, hooks: &Receiver) -> Self {
        let notifier = json!({"type": "REST_API", "baseURI": hooks.url()});
        let body = json!({"displayName": unique("integration"), "baseNotifier": notifier});
        let installed = text(&client.post("/integrations/install/CUSTOM", &body).ok()["id"]);
        let event = json!({"name": "told", "entity": "ALERT", "eventType": "NONE", "endPointURI": "/told?token=hush",
            "payload": STANDARD.encode("{}")});
        client.post(&format!("/integrations/installed/{installed}/event"), &event).ok();
        let user = crate::paging::reachable(&client, &hooks.url());
        let policy = json!({"name": unique("policy"), "steps": [{"targets": [{"user": {"id": user}}], "wait": "1h"}]});
        let policy = text(&client.post("/escalationPolicies", &policy).ok()["id"]);
        let route = json!({"name": unique("all"), "isDefault": true, "policy": {"id": policy}});
        client.post("/alertRoutes", &route).ok();
        let schedule =
            json!({"startDate": "2035-01-01T10:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}});
        let body = json!({"name": unique("job"), "schedule": schedule, "script": {"jobType": "antivirus"}});
        let job = text(&client.post("/jobs", &body).ok()["id"]);
        Self { client, job }
    }

    /// An alert that is reported within the caller's trace.
    fn report(&self) -> muster_tests::Response {
        let body = json!({"currentState": "Critical", "subject": unique("load")});
        let request = self.client.request("POST", "/alert").json(&body);
        request.header("traceparent", &parent()).header("tracestate", "other=1").send()
    }

    /// A run that is asked for within the caller's trace, as a runner gets it.
    fn claimed_run(&self) -> Value {
        let request = self.client.request("POST", &format!("/jobs/{}/run", self.job));
        request.header("traceparent", &parent()).send().ok();
        let claim = json!({"runner": "build-01", "jobs": [self.job]});
        self.client.post("/jobs/runs/claim", &claim).ok()["runs"][0].clone()
    }
}

/// The requests at a path that begins so, once there is one.
#[track_caller]
fn received(hooks: &Receiver, is_page: bool) -> Received {
    let found = || hooks.all().into_iter().find(|received| received.path.starts_with("/told") != is_page);
    wait_for(Duration::from_secs(20), || found().is_some(), || format!("{:?}", hooks.all()));
    found().unwrap()
}

fn a_request_and_all_that_it_causes_are_one_trace(backend: Backend) {
    let collector = Receiver::willing();
    let hooks = Receiver::willing();
    let url = collector.url();
    let arguments = ["--egress-allow", "127.0.0.0/8", "--otlp-endpoint", &url, "--otlp-sample", "0"];
    let mut server = Server::start_with(backend, &arguments);
    let company = Company::new(server.new_client(), &hooks);
    let tenant = company.client.tenant_id().to_owned();

    let answer = company.report();
    assert_eq!((answer.status, answer.header("X-Trace-Id")), (200, Some(TRACE)));
    let request = span(&collector, "POST /api/v2/tenants/{tenantId}/alert");
    assert_eq!((hex(&request.parent_span_id).as_str(), request.kind()), (CALLER, SpanKind::Server));
    assert_eq!(request.trace_state, "other=1");
    let known = attributes(&request.attributes);
    for (name, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/api/v2/tenants/{tenantId}/alert"),
        ("http.response.status_code", "200"),
        ("url.scheme", "http"),
        ("muster.tenant.id", &tenant),
        ("muster.request.id", answer.header("X-Request-Id").unwrap()),
    ] {
        assert_eq!(known.get(name).map(String::as_str), Some(value), "{name}: {known:?}");
    }

    let told = span(&collector, "outbox ALERT CREATE");
    assert_eq!((&told.parent_span_id, told.kind()), (&request.span_id, SpanKind::Consumer));
    let delivery = span(&collector, "POST");
    assert_eq!((&delivery.parent_span_id, delivery.kind()), (&told.span_id, SpanKind::Client));
    let known = attributes(&delivery.attributes);
    assert_eq!((known["server.address"].as_str(), known["http.response.status_code"].as_str()), ("127.0.0.1", "200"));
    let page = span(&collector, "page HTTP");
    assert_eq!((&page.parent_span_id, page.kind()), (&told.span_id, SpanKind::Client));
    for (span, is_page) in [(&delivery, false), (&page, true)] {
        let received = received(&hooks, is_page);
        assert_eq!(received.header("traceparent"), format!("00-{TRACE}-{}-01", hex(&span.span_id)));
        assert_eq!(received.header("tracestate"), "other=1");
        assert!(span.start_time_unix_nano >= told.start_time_unix_nano && span.end_time_unix_nano > 0);
    }

    let work = company.claimed_run();
    let id = text(&work["run"]["id"]);
    let context = text(&work["traceparent"]);
    let result = json!({"attempt": 1, "status": "FAILED", "exitCode": 3});
    let report = company.client.request("POST", &format!("/jobs/runs/{id}/result")).json(&result);
    report.header("traceparent", &context).send().ok();
    let asked = span(&collector, "POST /api/v2/tenants/{tenantId}/jobs/{jobId}/run");
    let run = span(&collector, "job run");
    assert_eq!((&run.parent_span_id, run.kind()), (&asked.span_id, SpanKind::Internal));
    assert_eq!(context, format!("00-{TRACE}-{}-01", hex(&run.span_id)));
    assert_eq!(attributes(&run.attributes)["muster.run.status"], "FAILED");
    let reported = span(&collector, "POST /api/v2/tenants/{tenantId}/jobs/runs/{runId}/result");
    assert_eq!(reported.parent_span_id, run.span_id);

    let line = server.log().lines().find(|line| line.contains("answered") && line.contains(TRACE)).map(str::to_owned);
    let line: Value = serde_json::from_str(line.unwrap().trim_start_matches("stderr: ")).unwrap();
    assert!(line["trace_id"] == TRACE && line["request_id"].is_string(), "{line}");
    // Of requests without a trace none was chosen, and nothing says what is secret.
    server.stop();
    let all = spans(&collector);
    assert!(all.iter().all(|span| hex(&span.trace_id) == TRACE), "{all:#?}");
    let shown = format!("{all:?}");
    let (_, secret) = server.credentials();
    assert!(!shown.contains("hush") && !shown.contains(secret) && !shown.contains(company.client.bearer()), "{shown}");
}

#[test]
fn metrics_are_sent_as_they_are_shown() {
    let collector = Receiver::willing();
    let url = collector.url();
    let folder = tempfile::tempdir().unwrap();
    let headers = folder.path().join("headers");
    std::fs::write(&headers, "Authorization: Basic aHVzaA==\n").unwrap();
    let headers = headers.display().to_string();
    let arguments = ["--otlp-endpoint", &url, "--otlp-metrics-every", "1s", "--otlp-headers-file", &headers];
    let mut server = Server::start_with(Backend::Sqlite, &arguments);
    server.new_client().get("/resources/nobody").not_found();
    server.stop();
    let messages = collector.all();
    assert!(messages.iter().all(|message| message.header("authorization") == "Basic aHVzaA=="));
    let last = messages.iter().rfind(|message| message.path == "/v1/metrics").expect("they are sent at the end, too");
    assert_eq!(last.header("content-type"), "application/x-protobuf");
    let message = ExportMetricsServiceRequest::decode(last.body.as_slice()).unwrap();
    let resource = &message.resource_metrics[0];
    assert_eq!(attributes(&resource.resource.as_ref().unwrap().attributes)["service.name"], "muster");
    let metrics = &resource.scope_metrics[0].metrics;
    let find = |name: &str| metrics.iter().find(|metric| metric.name == name).and_then(|metric| metric.data.as_ref());
    let Some(Data::Sum(requests)) = find("muster_http_requests") else { panic!("{metrics:#?}") };
    let failed = requests.data_points.iter().find(|point| attributes(&point.attributes)["status"] == "4xx");
    assert_eq!(failed.and_then(|point| point.value), Some(number_data_point::Value::AsDouble(1.0)));
    assert!(matches!(find("muster_http_request_duration_seconds"), Some(Data::Histogram(_))));
    assert!(matches!(find("muster_traces_dropped_spans"), Some(Data::Sum(_))));
    // What begins without a trace is a trace of its own here, which ends before the service does.
    assert!(spans(&collector).iter().any(|span| span.name == "GET /api/v2/tenants/{tenantId}/resources/{resourceId}"));
}

/// A collector that hangs: requests are as quick as ever, spans without room are counted, the log says so once, and the
/// service stops in time.
#[test]
fn a_collector_that_hangs_slows_nothing() {
    let collector = Receiver::start(|_, _| Reply::Hang);
    let url = collector.url();
    let mut server = Server::start_with(Backend::Sqlite, &["--otlp-endpoint", &url, "--otlp-metrics-every", "0s"]);
    let client = server.new_client();
    let begun = Instant::now();
    let mut slowest = Duration::ZERO;
    // More than wait at once.
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let call = || {
                        let begun = Instant::now();
                        client.get("/resources/nobody").not_found();
                        begun.elapsed()
                    };
                    (0..1_400).map(|_| call()).max().unwrap_or_default()
                })
            })
            .collect();
        for call in calls {
            slowest = slowest.max(call.join().unwrap());
        }
    });
    assert!(slowest < Duration::from_secs(2), "{slowest:?} of {:?}", begun.elapsed());
    let dropped = || {
        let text = server.get("/metrics").text();
        let line = text.lines().find(|line| line.starts_with("muster_traces_dropped_spans_total"));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    assert!(dropped() > 0.0);
    let told =
        || server.log().lines().filter(|line| line.contains("the collector of OpenTelemetry takes nothing")).count();
    super::until("it is told", Duration::from_secs(20), || told() > 0);
    assert_eq!(told(), 1);
    let begun = Instant::now();
    server.stop();
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

fn nothing_of_a_trace_is_read_or_stored_when_off(backend: Backend) {
    let hooks = Receiver::willing();
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let company = Company::new(server.new_client(), &hooks);
    let answer = company.report();
    assert_eq!((answer.status, answer.header("X-Trace-Id")), (200, None));
    for is_page in [false, true] {
        let received = received(&hooks, is_page);
        assert_eq!((received.header("traceparent"), received.header("tracestate")), ("", ""));
    }
    assert_eq!(company.claimed_run().get("traceparent"), None);
    assert!(!server.log().contains(TRACE));
    // The database refuses to take the value of such a row away.
    for (table, column, traced) in [
        ("integration_messages", "body", "trace IS NOT NULL"),
        ("job_runs", "reason", "trace IS NOT NULL"),
        ("pages", "message", "message LIKE '%trace%'"),
    ] {
        server.sql(&format!("UPDATE {table} SET {column} = NULL WHERE {traced}"));
    }
}

#[test]
fn a_wrong_address_of_a_collector_is_refused() {
    use muster_tests::{Exit, muster};
    for (arguments, told) in [
        (&["--otlp-endpoint", "127.0.0.1:4318"][..], "http://127.0.0.1:4318"),
        (&["--otlp-endpoint", "http://me:hush@127.0.0.1"], "--otlp-headers-file"),
        (&["--otlp-sample", "2"], "from 0 to 1"),
        (&["--otlp-metrics-every", "10ms"], "from 1s to 1h"),
        (&["--otlp-ca", "ca.pem"], "--otlp-endpoint"),
    ] {
        let exit = Exit::of(muster().arg("serve").args(arguments));
        assert!(!exit.status.success() && exit.stderr.contains(told), "{arguments:?}: {}", exit.stderr);
    }
}
