//! Undoing change sets of what sends and reports: whose secret is gone stays gone, or comes back silent.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{
    text,
    undos::{left, newest, refused, send, undo, undone},
};

both_backends![a_heartbeat_is_as_it_was, an_inbound_address_is_revoked_for_good];

/// Does an address take what is sent to it?
#[track_caller]
fn is_open(server: &Server, url: &str) -> bool {
    let path = url.find("/api/").map(|at| &url[at..]).expect("a path");
    match server.request("POST", path).json(&json!({"subject": "full", "currentState": "Critical"})).send().status {
        200 => true,
        401 | 404 => false,
        other => panic!("{path}: {other}"),
    }
}

fn a_heartbeat_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": unique("backup"), "interval": "1d", "grace": "30m", "severity": "Warning",
        "device": "web-01"});
    let made = client.post("/heartbeats", &body).ok();
    let id = text(&made["id"]);
    let path = format!("/heartbeats/{id}");
    let told = |heartbeat: &Value| {
        ["id", "name", "interval", "grace", "severity", "device", "state"].map(|field| heartbeat[field].clone())
    };
    let name = unique("change");
    send(&client, &name, &path, &json!({"name": unique("other"), "interval": "1h", "grace": "1m"}));
    send(&client, &name, &path, &json!({"severity": "Critical", "device": ""}));
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), Value::Null);
    let after = client.get(&path).ok();
    let (_, first) = undone(&client, &set);
    assert_eq!(told(&client.get(&path).ok()), told(&made));
    undone(&client, &first);
    assert_eq!(told(&client.get(&path).ok()), told(&after));

    let renamed = unique("change");
    send(&client, &renamed, &path, &json!({"name": unique("third")}));
    client.post("/heartbeats", &json!({"name": after["name"], "interval": "1d"})).ok();
    let reason = refused(&client, &newest(&client, &renamed), &format!("Heartbeat {id}"));
    assert!(reason.contains("already exists"), "{reason}");

    // A new one goes, and its address with it at once.
    let name = unique("create");
    let new = send(&client, &name, "/heartbeats", &json!({"name": unique("new"), "interval": "1d"}));
    let url = text(&new["url"]);
    assert!(is_open(server, &url));
    let (_, gone) = undone(&client, &newest(&client, &name));
    assert!(!is_open(server, &url));
    stays_gone(&client, &gone, "Heartbeat", &text(&new["id"]));
    client.get(&format!("/heartbeats/{}", text(&new["id"]))).not_found();
}

/// A set that removed something whose secret is gone: nothing of it can be undone.
#[track_caller]
fn stays_gone(client: &Client, set: &str, kind: &str, id: &str) {
    let preview = client.post_empty(&format!("/changeSets/{set}/undo?preview=true")).ok();
    let named = &preview["notUndone"][0];
    assert_eq!((&named["entity"], &named["entityId"], named.get("fields")), (&json!(kind), &json!(id), None));
    undo(client, set).problem(409, "0004");
}

fn an_inbound_address_is_revoked_for_good(server: &Server) {
    let client = server.new_client();
    let name = unique("create");
    let made = send(&client, &name, "/inbound", &json!({"name": unique("grafana")}));
    let (id, url) = (text(&made["id"]), text(&made["url"]));
    assert!(is_open(server, &url));
    let (_, gone) = undone(&client, &newest(&client, &name));
    assert!(!is_open(server, &url));
    stays_gone(&client, &gone, "InboundAddress", &id);
    // With what can be undone, it is named, and the rest comes back.
    let other = text(&client.post("/inbound", &json!({"name": unique("grafana")})).ok()["id"]);
    let name = unique("tidy");
    let site = send(&client, &name, "/sites", &json!({"name": "Graz"}))["id"].to_string();
    client.request("DELETE", &format!("/inbound/{other}")).header("X-Change-Set", &name).send().ok();
    let set = newest(&client, &name);
    assert_eq!(undone(&client, &set).0, 1);
    client.get(&format!("/sites/{site}")).not_found();
    assert!(client.get("/inbound").list().iter().all(|listed| listed["id"] != json!(other)));
}
