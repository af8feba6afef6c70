//! What is kept for how long, and how much a tenant may have.

use std::thread::sleep;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, both_backends, receiver::wait_for, unique};
use serde_json::{Value, json};

both_backends![
    what_is_too_old_goes,
    a_backlog_goes_once_whoever_removes_it,
    a_backlog_of_runs_goes_with_what_they_printed,
    a_tenant_has_so_much_and_no_more,
];

const DAY: i64 = 86_400_000;

/// The value of a number of the metrics; 0 when it is not there.
fn metric(server: &Server, start: &str) -> f64 {
    let text = server.get("/metrics").text();
    let line = text.lines().find(|line| line.starts_with(start));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0.0)
}

fn removed(server: &Server, kind: &str) -> f64 {
    metric(server, &format!(r#"muster_rows_removed_total{{kind="{kind}",reason="age"}}"#))
}

#[track_caller]
fn wait(what: &str, done: impl Fn() -> bool) {
    wait_for(Duration::from_secs(60), done, || what.to_owned());
}

/// What of each kind is there, by the path that answers it.
fn paths(client: &Client) -> Vec<(&'static str, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let made = client.post("/resources", &json!({"name": unique("old"), "hostName": unique("old")})).json();
    let resource = text(&made["resourceUUID"]);
    client.post(&format!("/resources/{resource}/decommission"), &json!({})).ok();
    let report =
        |state: &str| json!({"subject": "full", "metric": "disk", "device": {"hostName": "h"}, "currentState": state});
    let alert = text(&client.post("/alert", &report("Critical")).json()["id"]);
    client.post("/alert", &report("Ok")).ok();
    let incident = text(&client.post("/incidents", &json!({"subject": "fire", "note": "hot"})).json()["id"]);
    client.post(&format!("/incidents/{incident}/close"), &json!({})).ok();
    let category = text(&client.post("/kb/category", &json!({"name": unique("c")})).json()["id"]);
    let article = json!({"title": "t", "content": "one", "category": {"id": category}});
    let article = text(&client.post("/kb/article", &article).json()["id"]);
    client.post(&format!("/kb/article/{article}"), &json!({"content": "two"})).ok();
    vec![
        ("history", format!("/history/resources/{resource}")),
        ("alerts", format!("/alerts/{alert}")),
        ("incidents", format!("/incidents/{incident}")),
        ("article_versions", format!("/kb/article/{article}?revision=1")),
    ]
}

/// Makes everything older that ages.
fn age(server: &Server, days: i64) {
    let by = days * DAY;
    let older = [
        ("audit_log", "at_ms"),
        ("resources", "decommissioned_ms"),
        ("alerts", "closed_ms"),
        ("incidents", "closed_ms"),
        ("kb_article_revisions", "replaced_ms"),
        ("idempotency", "created_ms"),
        ("tokens", "expires_ms"),
    ];
    for (table, column) in older {
        server.sql(&format!("UPDATE {table} SET {column} = {column} - {by}"));
    }
}

fn what_is_too_old_goes(backend: Backend) {
    let mut server = Server::start(backend);
    let (key, secret) = server.credentials();
    let key = key.to_owned();
    let secret = secret.to_owned();
    let client = server.admin().tenant("client_1");
    let paths = paths(&client);
    for (kind, path) in &paths {
        assert_eq!(client.get(path).status, 200, "{kind}");
    }
    let site = client.request("POST", "/sites").header("Idempotency-Key", "k").json(&json!({"name": "Graz"}));
    site.send().ok();
    server.stop();
    age(&server, 399);
    server.restart();
    // Nobody asks for a token, and those that expired go all the same.
    wait("tokens", || removed(&server, "tokens") >= 1.0);
    wait("answers", || removed(&server, "idempotency") >= 1.0);
    let client = client.at(server.base()).with_token(&server.token(&key, &secret));
    for (kind, path) in &paths {
        assert_eq!(client.get(path).status, 200, "{kind} after 399 days");
        assert_eq!(removed(&server, kind), 0.0, "{kind}");
        let age = metric(&server, &format!(r#"muster_oldest_row_age_seconds{{kind="{kind}"}}"#));
        assert!((age - 399.0 * 86_400.0).abs() < 3_600.0, "{kind}: {age}");
    }

    server.stop();
    age(&server, 10);
    server.set_arguments(&["--keep-history", "410", "--keep-incidents=410", "--keep-article-versions=0"]);
    server.restart();
    wait("alerts", || removed(&server, "alerts") >= 1.0);
    let client = client.at(server.base()).with_token(&server.token(&key, &secret));
    client.get(&paths[1].1).not_found();

    server.stop();
    age(&server, 1);
    server.set_arguments(&[
        "--keep-audit=30",
        "--keep-history",
        "409",
        "--keep-incidents=409",
        "--keep-article-versions=409",
    ]);
    server.restart();
    for kind in ["audit", "history", "incidents", "article_versions"] {
        wait(kind, || removed(&server, kind) >= 1.0);
    }
    let client = client.at(server.base()).with_token(&server.token(&key, &secret));
    for (_, path) in &paths {
        client.get(path).not_found();
    }
    let article = paths[3].1.trim_end_matches("?revision=1");
    assert_eq!(client.get(article).json()["content"], "two", "the present version stays");
    client.get(&format!("{article}?revision=2")).ok();
    assert_eq!(client.get("/auditLog/search").page()["totalResults"], json!(0));
    // What is gone is no longer in the way.
    client.post("/resources", &json!({"name": "old", "hostName": "old"})).ok();
    assert!(!server.log().contains("removing what is old"), "{}", server.log());
}

fn a_backlog_goes_once_whoever_removes_it(backend: Backend) {
    let mut server = Server::start(backend);
    server.stop();
    let row = "'client_' || (n % 7), n, 1000 + n, 'u', 'k', 'CREATE', 'X', 'x', '{}', 'r'";
    server.sql(&format!(
        "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 20000) INSERT INTO audit_log \
             (tenant_id, id, at_ms, user_id, key_id, action, entity, entity_id, changes, request_id) \
             SELECT {row} FROM t"
    ));
    server.set_arguments(&["--keep-audit", "1000"]);
    server.restart();
    let other = (backend == Backend::Postgres).then(|| Server::start_beside(&server, &["--keep-audit", "1000"]));
    let gone = || removed(&server, "audit") + other.as_ref().map_or(0.0, |other| removed(other, "audit"));
    let begun = Instant::now();
    let client = server.admin().tenant("client_1");
    let mut slowest = Duration::ZERO;
    while gone() < 20_000.0 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{} of 20,000", gone());
        let asked = Instant::now();
        client.post("/sites", &json!({"name": unique("beside")})).ok();
        slowest = slowest.max(asked.elapsed());
    }
    eprintln!("20,000 rows in {:?}; the slowest write beside it took {slowest:?}", begun.elapsed());
    sleep(Duration::from_millis(500));
    assert_eq!(gone(), 20_000.0, "each once");
}

/// Ended runs of one job, all of them too old, among them some that printed much.
fn a_backlog_of_runs_goes_with_what_they_printed(backend: Backend) {
    const RUNS: usize = 8_000;
    let mut server = Server::start(backend);
    let client = server.admin().tenant("client_1");
    let job = json!({"name": unique("job"), "script": {"jobType": "antivirus"},
        "schedule": {"startDate": "2035-01-01T00:00:00Z", "pattern": {"type": "daily", "frequency": "everyday"}}});
    let job = client.post("/jobs", &job).ok()["id"].as_str().unwrap_or_default().to_owned();
    let run = |exit_code: i32| {
        let made = client.post_empty(&format!("/jobs/{job}/run")).ok()["id"].clone();
        client.post("/jobs/runs/claim", &json!({"jobs": [job]})).ok();
        let path = format!("/jobs/runs/{}", made.as_str().unwrap_or_default());
        client.post(&format!("{path}/log"), &json!({"attempt": 1, "lines": ["printed"]})).ok();
        client.post(&format!("{path}/result"), &json!({"attempt": 1, "exitCode": exit_code})).ok();
        path
    };
    let old = run(7);
    let young = run(8);
    let open = client.post_empty(&format!("/jobs/{job}/run")).ok()["id"].clone();
    server.stop();
    // As that run, each due a while earlier; the open one is as old, and is not over.
    let names = "tenant_id, job_id, job_name, job_type, cause, state, reason, exclusive, maintenance, started_ms, \
        attempt, lease_s, runner, runner_user, runner_key, exit_code, output_bytes, output_cut";
    let within = 89 * DAY;
    let beyond = 91 * DAY;
    server.sql(&format!(
        "UPDATE job_runs SET created_ms = 0, finished_ms = finished_ms - {beyond} WHERE exit_code = 7; \
         UPDATE job_runs SET finished_ms = finished_ms - {within} WHERE exit_code = 8; \
         UPDATE job_runs SET created_ms = 0 WHERE finished_ms IS NULL; \
         WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < {RUNS} - 1) INSERT INTO job_runs \
         ({names}, id, due_ms, created_ms, finished_ms) SELECT {names}, 'RUN-' || n, due_ms - 1000 * n, 0, \
         finished_ms - n FROM job_runs, t WHERE exit_code = 7; \
         WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 4000) INSERT INTO job_output \
         (tenant_id, run_id, position, text) SELECT 'client_1', 'RUN-' || (1 + n % 4), n, 'printed' FROM t; \
         WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < {RUNS} - 1) INSERT INTO job_output \
         (tenant_id, run_id, position, text) SELECT 'client_1', 'RUN-' || n, 0, 'printed' FROM t"
    ));
    server.restart();
    let client = client.at(server.base());
    let begun = Instant::now();
    let mut times = Vec::new();
    while removed(&server, "runs") < RUNS as f64 {
        assert!(begun.elapsed() < Duration::from_secs(120), "{} of {RUNS}", removed(&server, "runs"));
        let asked = Instant::now();
        client.post("/sites", &json!({"name": unique("beside")})).ok();
        times.push(asked.elapsed());
    }
    times.sort_unstable();
    let usual = times.get(times.len() / 2);
    let slowest = times.last();
    eprintln!(
        "{RUNS} runs in {:?}; {} writes beside it took {usual:?}, {slowest:?} at most",
        begun.elapsed(),
        times.len()
    );
    // Removed in one step, or a thousand at a time, they would hold every write beside them.
    assert!(usual < Some(&Duration::from_millis(150)) && slowest < Some(&Duration::from_secs(5)), "{times:?}");
    client.get(&old).not_found();
    assert_eq!(client.get(&young).ok()["output"], json!("printed\n"));
    assert_eq!(
        client.get(&format!("/jobs/runs/{}", open.as_str().unwrap_or_default())).ok()["status"],
        json!("QUEUED")
    );
    assert_eq!(client.get(&format!("/jobs/{job}/runs")).page()["totalResults"], json!(2));
    sleep(Duration::from_millis(500));
    assert_eq!(removed(&server, "runs"), RUNS as f64, "each once");
    server.stop();
    // What they printed is gone too: rows that are left would be there twice, which their key forbids.
    server.sql("INSERT INTO job_output SELECT * FROM job_output WHERE run_id NOT IN (SELECT id FROM job_runs)");
}

fn a_tenant_has_so_much_and_no_more(backend: Backend) {
    let server = Server::start(backend);
    let client = server.admin().tenant("client_1");
    client.post("/sites", &json!({"name": "first"})).ok();
    server.sql(
        "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 19998) \
         INSERT INTO sites (tenant_id, id, version, name, name_key, description, address, city, country, created_ms, \
         updated_ms) SELECT 'client_1', 1000000 + n, 1, 'n' || n, 'n' || n, '', '', '', '', 0, 0 FROM t",
    );
    client.post("/sites", &json!({"name": "last"})).ok();
    let refused = client.post("/sites", &json!({"name": "beyond"}));
    assert!(refused.text().contains("at most 20,000 sites"), "{refused}");
    refused.problem(409, "0004");
    server.new_client().post("/sites", &json!({"name": "beyond"})).ok();
    assert_eq!(metric(&server, r#"muster_quota_refusals_total{kind="sites"}"#), 1.0);
    server.sql("DELETE FROM sites WHERE id > 1000000");
    client.post("/sites", &json!({"name": "beyond"})).ok();
}
