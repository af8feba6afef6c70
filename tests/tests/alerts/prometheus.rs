//! Debian's own Prometheus and Alertmanager: one scrapes the service and judges, the other reports to it in three ways.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use muster_tests::receiver::{Receiver, Reply, wait_for};
use muster_tests::{Client, Exit, Guard, Server, both_backends, debian_programs, http, unique};
use serde_json::{Value, json};

use super::text;

both_backends![alertmanager_reports_in_three_ways, promtool_has_nothing_to_say];

const PACKAGES: [&str; 2] = ["prometheus", "prometheus-alertmanager"];
const SOON: Duration = Duration::from_secs(60);

/// An address of this machine that nobody listens at.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

/// Starts a program that finds the files of its package below `/usr/share`, where it alone has them.
fn spawn(directory: &Path, programs: &Path, name: &str, arguments: &[String]) -> Guard {
    let log = std::fs::File::create(directory.join("log")).expect("a log");
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", r#"mount --bind "$0" /usr/share && exec "$@""#]);
    command.arg(programs.with_file_name("share")).arg(programs.join(name));
    command.args(arguments).current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    Guard::spawn(&mut command)
}

/// The scraped metrics: two machines that burn, or do not.
fn machines(burn: &Arc<AtomicBool>) -> Receiver {
    let burn = Arc::clone(burn);
    Receiver::start(move |_, _| {
        let burns = u8::from(burn.load(Ordering::Relaxed));
        let numbers = format!(
            "# HELP burning Does it burn?\n# TYPE burning gauge\nburning{{host=\"web-01\"}} {burns}\n\
             burning{{host=\"web-02\"}} {burns}\n"
        );
        Reply::Answer(200, vec![("Content-Type", "text/plain; version=0.0.4".to_owned())], numbers)
    })
}

const RULES: &str = r#"
groups:
  - name: fire
    rules:
      - alert: Burning
        expr: burning == 1
        labels: {severity: critical}
        annotations: {summary: "{{ $labels.host }} burns"}
"#;

fn prometheus_configuration(muster: &str, machines: u16, alertmanager: &str) -> String {
    format!(
        "global: {{scrape_interval: 1s, evaluation_interval: 1s}}\n\
         rule_files: [rules.yml]\n\
         alerting: {{alertmanagers: [{{static_configs: [{{targets: ['{alertmanager}']}}]}}]}}\n\
         scrape_configs:\n\
         - {{job_name: machines, static_configs: [{{targets: ['127.0.0.1:{machines}']}}]}}\n\
         - {{job_name: muster, static_configs: [{{targets: ['{muster}']}}]}}\n"
    )
}

/// The API key of a tenant and its secret.
fn key(client: &Client) -> (String, String) {
    let named = json!({"name": unique("alertmanager"), "role": "operator", "operations": ["reportAlertmanagerAlerts"]});
    let made = client.post("/apiKeys", &named).ok();
    (text(&made["key"]), text(&made["secret"]))
}

fn inbound(client: &Client) -> String {
    text(&client.post("/inbound", &json!({"name": unique("alertmanager")})).ok()["token"])
}

/// Three receivers that each get everything: the webhook, Opsgenie's interface and PagerDuty's.
fn alertmanager_configuration(base: &str, webhook: &Client, opsgenie: &Client, pagerduty: &Client) -> String {
    let (key, secret) = key(webhook);
    let tenant = webhook.tenant_id();
    let genie = inbound(opsgenie);
    let routing = inbound(pagerduty);
    format!(
        "route:\n\
        \x20 receiver: webhook\n\
        \x20 group_by: [alertname]\n\
        \x20 group_wait: 1s\n\
        \x20 group_interval: 1s\n\
        \x20 repeat_interval: 1s\n\
        \x20 routes:\n\
        \x20 - {{receiver: webhook, continue: true}}\n\
        \x20 - {{receiver: opsgenie, continue: true}}\n\
        \x20 - {{receiver: pagerduty}}\n\
         receivers:\n\
         - name: webhook\n\
        \x20 webhook_configs:\n\
        \x20 - url: {base}/api/v2/tenants/{tenant}/alerts/alertmanager\n\
        \x20   http_config: {{basic_auth: {{username: '{key}', password: '{secret}'}}}}\n\
         - name: opsgenie\n\
        \x20 opsgenie_configs:\n\
        \x20 - {{api_url: '{base}/', api_key: {genie}, entity: web-01, priority: P1}}\n\
         - name: pagerduty\n\
        \x20 pagerduty_configs:\n\
        \x20 - {{url: '{base}/v2/enqueue', routing_key: {routing}, severity: critical}}\n"
    )
}

fn alerts(client: &Client) -> Vec<Value> {
    let page = client.search("/alerts/search", "").page();
    page["results"].as_array().cloned().unwrap_or_default()
}

fn states(client: &Client) -> Vec<String> {
    alerts(client).iter().map(|alert| text(&alert["currentState"])).collect()
}

/// How often an alert was reported.
fn reports(client: &Client) -> u64 {
    alerts(client).iter().filter_map(|alert| alert["repeatCount"].as_u64()).min().unwrap_or_default()
}

fn alertmanager_reports_in_three_ways(server: &Server) {
    let Some(programs) = debian_programs(&PACKAGES) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let webhook = server.new_client();
    let opsgenie = server.new_client();
    let pagerduty = server.new_client();
    let burn = Arc::new(AtomicBool::new(true));
    let machines = machines(&burn);
    let manager = free_address();
    let prometheus = free_address();
    let place = |name: &str| {
        let place = directory.path().join(name);
        std::fs::create_dir(&place).expect("a directory");
        place
    };
    let managers = place("alertmanager");
    let prometheus_place = place("prometheus");
    let write = |path: &Path, text: String| std::fs::write(path, text).expect("a file");
    write(&managers.join("config.yml"), alertmanager_configuration(server.base(), &webhook, &opsgenie, &pagerduty));
    let muster = server.base().trim_start_matches("http://");
    let configuration = prometheus_configuration(muster, machines.port, &manager);
    write(&prometheus_place.join("config.yml"), configuration);
    write(&prometheus_place.join("rules.yml"), RULES.to_owned());
    let _manager = spawn(
        &managers,
        &programs,
        "prometheus-alertmanager",
        &[
            "--config.file=config.yml".to_owned(),
            "--storage.path=data".to_owned(),
            "--cluster.listen-address=".to_owned(),
            format!("--web.listen-address={manager}"),
        ],
    );
    let _prometheus = spawn(
        &prometheus_place,
        &programs,
        "prometheus",
        &[
            "--config.file=config.yml".to_owned(),
            "--storage.tsdb.path=data".to_owned(),
            format!("--web.listen-address={prometheus}"),
        ],
    );
    let log = |place: &Path| std::fs::read_to_string(place.join("log")).unwrap_or_default();
    let told = || {
        format!(
            "webhook {:?}, opsgenie {:?}, pagerduty {:?}\n{}\n{}",
            alerts(&webhook),
            alerts(&opsgenie),
            alerts(&pagerduty),
            log(&managers),
            log(&prometheus_place)
        )
    };
    // The webhook tells of two machines, the others of one group.
    let open = || {
        let critical = |count: usize| vec!["Critical".to_owned(); count];
        states(&webhook) == critical(2) && states(&opsgenie) == critical(1) && states(&pagerduty) == critical(1)
    };
    wait_for(SOON, open, told);
    // Reported again every second, it stays the same.
    wait_for(SOON, || [&webhook, &opsgenie, &pagerduty].iter().all(|client| reports(client) >= 2), told);
    assert!(open(), "{}", told());
    let mut subjects: Vec<_> = alerts(&webhook).iter().map(|alert| text(&alert["subject"])).collect();
    subjects.sort();
    assert_eq!(subjects, ["web-01 burns", "web-02 burns"]);

    // The service itself is scraped meanwhile, and counted.
    let up = || {
        let query = format!("http://{prometheus}/api/v1/query?query=muster_http_requests_total");
        let answer = http().get(query).send().and_then(|answer| answer.json::<Value>()).unwrap_or_default();
        answer["data"]["result"].as_array().is_some_and(|found| !found.is_empty())
    };
    wait_for(SOON, up, told);

    burn.store(false, Ordering::Relaxed);
    let over = || {
        let ok = |count: usize| vec!["Ok".to_owned(); count];
        states(&webhook) == ok(2) && states(&opsgenie) == ok(1) && states(&pagerduty) == ok(1)
    };
    wait_for(SOON, over, told);
    for alert in [&webhook, &opsgenie, &pagerduty].into_iter().flat_map(alerts) {
        assert_eq!(alert["status"], json!("Closed"), "{alert}");
        assert!(alert["closure"].is_object() && alert["closure"]["by"].is_null(), "a report did it: {alert}");
    }
}

fn promtool_has_nothing_to_say(server: &Server) {
    let Some(programs) = debian_programs(&PACKAGES) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("metrics");
    std::fs::write(&file, server.get("/metrics").text()).expect("a file");
    let metrics = std::fs::File::open(&file).expect("a file");
    let exit = Exit::of(Command::new(programs.join("promtool")).args(["check", "metrics"]).stdin(metrics));
    assert!(exit.status.success() && exit.stderr.is_empty(), "{}{}", exit.stdout, exit.stderr);
}
