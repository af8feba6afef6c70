//! Scheduled jobs: what is due when, exactly once, and who carries it out.

mod alarms;
mod bad_input;
mod confinement;
mod crud;
mod gateways;
mod runner;
mod runs;
mod schedule;
mod scripts;
mod search;

use std::time::{Duration, Instant};

use muster_tests::{Client, Pauses, unique};
use serde_json::{Value, json};

/// Long ago: a job that starts here is due at once.
const LONG_AGO: &str = "2020-01-01T00:00:00Z";
/// Far ahead: a job that starts here is not due during a test.
const FAR_AHEAD: &str = "2035-01-01T10:00:00Z";

fn everyday() -> Value {
    json!({"type": "daily", "frequency": "everyday"})
}

/// A job to create, of a type that needs nothing else.
fn job(start: &str, pattern: Value) -> Value {
    json!({"name": unique("job"), "schedule": {"startDate": start, "pattern": pattern},
        "script": {"jobType": "antivirus"}})
}

/// Creates a job; gives its id.
#[track_caller]
fn create(client: &Client, body: &Value) -> String {
    text(&client.post("/jobs", body).ok()["id"])
}

/// Creates a script; gives its number.
#[track_caller]
fn script(client: &Client, content: &str) -> Value {
    client.post("/jobs/scripts", &json!({"name": unique("script"), "content": content})).ok()["id"].clone()
}

#[track_caller]
fn runs(client: &Client, job: &str) -> Vec<Value> {
    let page = client.get(&format!("/jobs/{job}/runs")).page();
    page["results"].as_array().cloned().unwrap_or_default()
}

/// Waits until a job has so many runs.
#[track_caller]
fn wait_for_runs(client: &Client, job: &str, count: usize) -> Vec<Value> {
    let until = Instant::now() + Duration::from_secs(30);
    let pauses = Pauses::begin();
    loop {
        let found = runs(client, job);
        if found.len() >= count {
            return found;
        }
        assert!(Instant::now() < until, "{} runs of {count}: {found:?}", found.len());
        pauses.pause();
    }
}

/// Claims a run of a job; gives its id.
#[track_caller]
fn claim(client: &Client, job: &str) -> String {
    let claimed = client.post("/jobs/runs/claim", &json!({"runner": "test", "jobs": [job]})).ok();
    text(&claimed["runs"][0]["run"]["id"])
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
