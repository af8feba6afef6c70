//! Alerts: the intake of reports, and the alerts that follow.

mod actions;
mod alertmanager;
mod bad_input;
mod bulk;
mod counts;
mod crashes;
mod figures;
mod figures_of_past_days;
mod grafana;
mod heartbeats;
mod inbound;
mod intake;
mod lenient;
mod maintenance;
mod nearly_json;
mod notes;
mod opsgenie;
mod order;
mod prometheus;
mod room;
mod search;
mod zabbix;

use muster_tests::{Client, Response, Server, unique};
use serde_json::{Value, json};

/// A new resource of a tenant; its id and its host name.
#[track_caller]
fn host(client: &Client) -> (String, String) {
    let name = unique("host");
    let made = client.post("/resources", &json!({"name": name, "hostName": name})).ok();
    (text(&made["resourceUUID"]), name)
}

/// A report of one metric of a host.
fn report(host: &str, state: &str, metric: &str) -> Value {
    json!({"currentState": state, "subject": format!("{metric} is {state}"), "metric": metric,
        "device": {"hostName": host}})
}

/// The same, as of a time.
fn at(mut report: Value, time: &str) -> Value {
    report["alertTime"] = json!(time);
    report
}

/// Reports one alert; its result.
#[track_caller]
fn post(client: &Client, report: &Value) -> Value {
    client.post("/alert", report).ok()
}

/// The alert of a result.
#[track_caller]
fn get(client: &Client, result: &Value) -> Value {
    client.get(&format!("/alerts/{}", text(&result["id"]))).ok()
}

/// The ids that a search finds.
#[track_caller]
fn found(client: &Client, query_string: &str) -> Vec<String> {
    let page = client.search("/alerts/search", query_string).page();
    page["results"].as_array().into_iter().flatten().map(|alert| text(&alert["id"])).collect()
}

/// A new inbound address of a tenant: its id and its token.
#[track_caller]
fn address(client: &Client) -> (String, String) {
    let made = client.post("/inbound", &json!({"name": unique("monitor")})).ok();
    let token = text(&made["token"]);
    assert!(text(&made["url"]).ends_with(&format!("/api/v2/inbound/{token}")), "{made}");
    (text(&made["id"]), token)
}

/// Sends a body to an inbound address, in a format such as `/grafana`.
fn send(server: &Server, token: &str, format: &str, body: &Value) -> Response {
    server.request("POST", &format!("/api/v2/inbound/{token}{format}")).json(body).send()
}

/// The one alert that a search finds.
#[track_caller]
fn only(client: &Client, query_string: &str) -> Value {
    let page = client.search("/alerts/search", query_string).page();
    assert_eq!(page["totalResults"], json!(1), "{query_string}: {page}");
    page["results"][0].clone()
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// The field of each element of an array.
fn each(list: &Value, field: &str) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|one| text(&one[field])).collect()
}
