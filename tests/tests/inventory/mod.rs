//! The inventory: lists, details, writes and agent reports.

mod applications;
mod bulk;
mod detail;
mod device_shapes;
mod dynamic_groups;
mod filters;
mod filters_cloud;
mod filters_groups;
mod filters_time;
mod groups;
mod history;
mod history_filters;
mod manage;
mod minimal;
mod partner;
mod races;
mod reports;
mod resource_types;
mod resources;
mod search;
mod sites;
mod totals;

use std::time::Duration;

use muster_tests::Client;
use serde_json::{Value, json};

/// Creates a resource and gives its id.
#[track_caller]
fn create(client: &Client, body: &Value) -> String {
    let answer = client.post("/resources", body).ok();
    assert_eq!(answer["tenantID"], json!(client.tenant_id()), "{answer}");
    text(&answer["resourceUUID"])
}

/// The detail of a resource.
#[track_caller]
fn detail(client: &Client, id: &str) -> Value {
    client.get(&format!("/resources/{id}")).ok()
}

/// The names that the minimal list gives for a `queryString`, in order.
#[track_caller]
fn found(client: &Client, query_string: &str) -> Vec<String> {
    names(&client.search("/resources/minimal", query_string).list())
}

/// Checks the names found by each `queryString`; expected ones are joined by spaces, in order.
#[track_caller]
fn finds(client: &Client, table: &[(&str, &str)]) {
    for (query_string, expected) in table {
        assert_eq!(found(client, query_string).join(" "), *expected, "{query_string}");
    }
}

/// The names of listed items, in order.
#[track_caller]
fn names(items: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = items.iter().map(|item| text(&item["name"])).collect();
    names.sort();
    names
}

#[track_caller]
fn text(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => panic!("not a text: {value}"),
    }
}

#[track_caller]
fn integer(value: &Value) -> i64 {
    match value.as_i64() {
        Some(number) => number,
        None => panic!("not an integer: {value}"),
    }
}

/// Checks the form `2026-11-20T20:37:00+0000` and gives the text.
#[track_caller]
fn timestamp(value: &Value) -> String {
    let text = text(value);
    let pattern: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    assert!(pattern == "9999-99-99T99:99:99+9999" && text.ends_with("+0000"), "not a timestamp: {text}");
    text
}

/// The object's own keys.
#[track_caller]
fn keys(value: &Value) -> Vec<&str> {
    match value.as_object() {
        Some(object) => object.keys().map(String::as_str).collect(),
        None => panic!("not an object: {value}"),
    }
}

/// Timestamps count whole seconds: waits until the next one has begun.
fn next_second() {
    std::thread::sleep(Duration::from_millis(1_050));
}
