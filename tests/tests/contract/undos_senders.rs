//! Undoing change sets of what sends and reports: whose secret is gone stays gone, or comes back silent.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{
    text,
    undos::{left, newest, refused, send, undo, undone},
};

both_backends![
    a_heartbeat_is_as_it_was,
    an_inbound_address_is_revoked_for_good,
    an_integration_is_as_it_was,
    an_integration_without_its_secrets_comes_back_disabled,
    an_event_is_as_it_was,
    an_event_without_its_secrets_comes_back_inactive,
];

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

/// Installs an integration with this base notifier.
#[track_caller]
fn install(client: &Client, notifier: &Value) -> Value {
    let body = json!({"displayName": unique("tickets"), "description": "before", "baseNotifier": notifier});
    client.post("/integrations/install/CUSTOM", &body).ok()
}

fn open_notifier(path: &str) -> Value {
    json!({"type": "REST_API", "baseURI": format!("https://example.net/{path}"), "authType": "NONE"})
}

fn secret_notifier() -> Value {
    json!({"type": "REST_API", "baseURI": "https://example.net/api", "authType": "BASIC", "userName": "muster",
        "password": "a secret"})
}

/// What is seen of an integration, but for when it changed.
#[track_caller]
fn seen(client: &Client, path: &str) -> Value {
    let mut shown = client.get(path).ok();
    for name in ["createdDate", "updatedDate", "createdBy"] {
        shown.as_object_mut().expect("an object").remove(name);
    }
    shown
}

fn an_integration_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let id = text(&install(&client, &open_notifier("one"))["id"]);
    let path = format!("/integrations/installed/{id}");
    let before = seen(&client, &path);
    let name = unique("change");
    let change = json!({"displayName": unique("other"), "description": "", "baseNotifier": open_notifier("two")});
    send(&client, &name, &path, &change);
    send(&client, &name, &format!("{path}/disable"), &json!({}));
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), Value::Null);
    let after = seen(&client, &path);
    let (_, first) = undone(&client, &set);
    assert_eq!(seen(&client, &path), before);
    undone(&client, &first);
    assert_eq!(seen(&client, &path), after);

    // A notifier with other secrets goes on as it is.
    let name = unique("secret");
    send(&client, &name, &path, &json!({"displayName": "Secret", "baseNotifier": secret_notifier()}));
    let set = newest(&client, &name);
    let named = left(&client, &set);
    assert!(named.to_string().contains("baseNotifier.password"), "{named}");
    assert!(named.to_string().contains("baseNotifier.authType"), "{named}");
    undone(&client, &set);
    let now = seen(&client, &path);
    assert_eq!((&now["displayName"], &now["baseNotifier"]["authType"]), (&after["displayName"], &json!("BASIC")));
    // Another host gets no secrets, so that the notifier stays where it leads by now, with the same password too.
    let name = unique("host");
    let elsewhere = json!({"baseURI": "https://example.org/api", "password": "a secret"});
    send(&client, &name, &path, &json!({"displayName": unique("moved"), "baseNotifier": elsewhere}));
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), json!(["baseNotifier.baseURI"]));
    undone(&client, &set);
    let back = seen(&client, &path);
    assert_eq!(back["displayName"], now["displayName"]);
    assert_eq!(back["baseNotifier"]["baseURI"], json!("https://example.org/api"));
    // A signing secret does not come back, and with nothing else there is nothing to undo.
    client.post_empty(&format!("{path}/signingSecret/rotate")).ok();
    undo(&client, &newest(&client, "")).problem(409, "0004");

    // A new one goes, unless events were added to it.
    let name = unique("install");
    let new = text(&send(&client, &name, "/integrations/install/CUSTOM", &json!({"displayName": unique("new")}))["id"]);
    let new = format!("/integrations/installed/{new}");
    let event = text(&client.post(&format!("{new}/event"), &json!({"name": "later"})).ok()["id"]);
    let set = newest(&client, &name);
    let reason = undo(&client, &set).problem(409, "0004")["errors"][0]["message"].to_string();
    assert!(reason.contains("events"), "{reason}");
    client.delete(&format!("{new}/event/{event}")).ok();
    undone(&client, &set);
    client.get(&new).not_found();
}

fn an_integration_without_its_secrets_comes_back_disabled(server: &Server) {
    let client = server.new_client();
    for (notifier, kept) in [(open_notifier("api"), true), (secret_notifier(), false)] {
        let id = text(&install(&client, &notifier)["id"]);
        let path = format!("/integrations/installed/{id}");
        let body = json!({"name": "Ticket", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets"});
        let event = text(&client.post(&format!("{path}/event"), &body).ok()["id"]);
        let before = seen(&client, &path);
        client.delete(&path).ok();
        let set = newest(&client, "");
        let preview = client.post_empty(&format!("/changeSets/{set}/undo?preview=true")).ok();
        let all = preview["notUndone"].as_array().expect("an array");
        let of_it = all.iter().find(|one| one["entity"] == json!("Integration")).expect("the integration");
        let named = of_it["fields"].to_string();
        assert!(named.contains("signingSecret") && named.contains("status"), "{named}");
        assert_eq!(named.contains("baseNotifier"), !kept, "{named}");
        let (objects, first) = undone(&client, &set);
        assert_eq!(objects, 2);
        let back = seen(&client, &path);
        assert_eq!((&back["id"], &back["displayName"]), (&before["id"], &before["displayName"]));
        assert_eq!(back["status"], json!("DISABLED"));
        assert_eq!(back.get("baseNotifier"), before.get("baseNotifier").filter(|_| kept));
        let shown = client.get(&format!("{path}/event/{event}")).ok();
        let state = if kept { "Active" } else { "Incomplete" };
        assert_eq!((&shown["endPointURI"], &shown["state"]), (&json!("/tickets"), &json!(state)));
        // A new signing secret is there to be had.
        assert!(client.post_empty(&format!("{path}/signingSecret/rotate")).ok()["signingSecret"].is_string());
        undo(&client, &first).problem(409, "0004");
    }
}

fn an_event_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let integration = text(&install(&client, &open_notifier("api"))["id"]);
    let events = format!("/integrations/installed/{integration}/event");
    let rule = |value: &str| json!([{"key": "subject", "operator": "Contains", "value": value}]);
    let body = json!({"name": "Ticket", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets",
        "filterCriteria": {"matchType": "ANY", "rules": rule("disk")}, "eventPayload": "{\"a\": 1}",
        "headers": [{"key": "X-Source", "value": "muster"}]});
    let id = text(&client.post(&events, &body).ok()["id"]);
    let path = format!("{events}/{id}");
    let before = seen(&client, &path);
    let name = unique("change");
    let change = json!({"name": "Other", "eventType": "UPDATE", "endPointURI": "", "notifier": open_notifier("own"),
        "filterCriteria": {"matchType": "ALL", "rules": rule("fan")}, "eventPayload": "b", "thirdPartyEventType": "PUT",
        "headers": [], "responseHeaders": [{"key": "X-Id", "value": "1"}]});
    send(&client, &name, &path, &change);
    send(&client, &name, &format!("{path}/deactivate"), &json!({}));
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), Value::Null);
    let after = seen(&client, &path);
    let (_, first) = undone(&client, &set);
    assert_eq!(seen(&client, &path), before);
    let (_, second) = undone(&client, &first);
    assert_eq!(seen(&client, &path), after);
    undone(&client, &second);
    // Its own notifier is changed, and what it was about is taken away.
    client.post(&path, &json!({"notifier": open_notifier("own")})).ok();
    client.post(&path, &json!({"notifier": open_notifier("another")})).ok();
    undone(&client, &newest(&client, ""));
    assert_eq!(seen(&client, &path)["notifier"], open_notifier("own"));
    // One with credentials that led to another host stays where it leads by now.
    client.post(&path, &json!({"notifier": secret_notifier()})).ok();
    let elsewhere = json!({"baseURI": "https://example.org/api", "password": "a secret"});
    client.post(&path, &json!({"name": "Moved", "notifier": elsewhere})).ok();
    let set = newest(&client, "");
    assert_eq!(left(&client, &set), json!(["notifier.baseURI"]));
    undone(&client, &set);
    let back = seen(&client, &path);
    assert_eq!((&back["name"], &back["notifier"]["baseURI"]), (&json!("Ticket"), &json!("https://example.org/api")));
    client.post(&path, &json!({"notifier": open_notifier("own")})).ok();

    // Deleted and back, made and gone.
    let before = seen(&client, &path);
    client.delete(&path).ok();
    let set = newest(&client, "");
    assert_eq!(left(&client, &set), json!(["deliveries"]));
    let (_, first) = undone(&client, &set);
    let mut back = seen(&client, &path);
    back["filterCriteria"]["id"] = before["filterCriteria"]["id"].clone();
    assert_eq!(back, before);
    undone(&client, &first);
    client.get(&path).not_found();
    // Its integration is gone.
    client.post(&path, &json!({"name": "again"})).ok();
    client.delete(&path).ok();
    let set = newest(&client, "");
    client.delete(&format!("/integrations/installed/{integration}")).ok();
    assert!(refused(&client, &set, &format!("IntegrationEvent {id}")).contains("gone"));
}

fn an_event_without_its_secrets_comes_back_inactive(server: &Server) {
    let client = server.new_client();
    let integration = text(&install(&client, &open_notifier("api"))["id"]);
    let events = format!("/integrations/installed/{integration}/event");
    let header = |value: &str| json!([{"key": "X-Api-Key", "value": value}, {"key": "X-Source", "value": "muster"}]);
    let body = json!({"name": "Ticket", "entity": "INCIDENT", "eventType": "CREATE", "headers": header("a secret")});
    let id = text(&client.post(&events, &body).ok()["id"]);
    let path = format!("{events}/{id}");
    // Another secret stays, and the headers with it.
    let name = unique("change");
    send(&client, &name, &path, &json!({"name": "Other", "headers": header("another")}));
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), json!(["headers.x-api-key"]));
    undone(&client, &set);
    assert_eq!(client.get(&path).ok()["name"], json!("Ticket"));

    client.delete(&path).ok();
    let set = newest(&client, "");
    assert_eq!(left(&client, &set), json!(["headers.x-api-key", "active", "deliveries"]));
    undone(&client, &set);
    let back = client.get(&path).ok();
    assert_eq!(
        (&back["state"], &back["headers"]),
        (&json!("Inactive"), &json!([{"key": "X-Source", "value": "muster"}]))
    );

    // With credentials of its own it would have nowhere to go.
    client.post(&path, &json!({"notifier": secret_notifier()})).ok();
    client.delete(&path).ok();
    stays_gone(&client, &newest(&client, ""), "IntegrationEvent", &id);
}
