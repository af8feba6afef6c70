//! What is logged while the database is away: a line for a cause, and not hundreds.

use std::time::Duration;

use muster_tests::{Backend, Server};
use serde_json::{Value, json};

use super::standstill::DatabaseProxy;

#[test]
fn an_outage_is_told_in_few_lines() {
    let way = DatabaseProxy::to_a_new_database();
    let server = Server::start_at(Backend::Postgres, Some(way.url()), &[]);
    let before = server.log().lines().count();
    way.away();
    std::thread::sleep(Duration::from_secs(8));
    let log = server.log();
    let of_itself = |line: &Value| {
        let level = line["level"].as_str().unwrap_or_default();
        ["WARN", "ERROR"].contains(&level) && line.get("request_id").is_none()
    };
    let lines: Vec<Value> = log
        .lines()
        .skip(before)
        .filter_map(|line| serde_json::from_str::<Value>(line.trim_start_matches("stderr: ")).ok())
        .filter(of_itself)
        .collect();
    assert!(!lines.is_empty(), "it is told\n{log}");
    assert!(lines.len() <= 20, "{} lines in 8 seconds: {lines:#?}", lines.len());
    let broken = |line: &Value| line["error"].as_str().is_some_and(|text| text.contains(['\n', '\t']));
    assert!(!lines.iter().any(broken), "{lines:#?}");
    way.open();
    let client = server.admin().tenant("client_1");
    super::until("it goes on", Duration::from_secs(20), || {
        client.post("/resources", &json!({"name": "a"})).status == 200
    });
}
