//! Inbound addresses: monitors that can set no header, each in its own format.

use muster_tests::{Client, Response, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{found, host, text};

both_backends![
    an_address_reports_and_does_nothing_else,
    an_address_that_was_revoked_is_closed,
    two_fields_are_enough,
    a_notification_of_grafana_is_taken_in,
    an_event_of_zabbix_opens_acknowledges_and_closes,
    pagerduty_events_trigger_acknowledge_and_resolve,
    opsgenie_alerts_are_created_acknowledged_and_closed,
    a_partners_address_finds_what_is_over_at_its_client,
    a_suspended_tenant_reports_nothing,
];

/// A new inbound address of a tenant: its id and its token.
#[track_caller]
fn address(client: &Client) -> (String, String) {
    let made = client.post("/inbound", &json!({"name": unique("monitor")})).ok();
    let token = text(&made["token"]);
    assert!(text(&made["url"]).ends_with(&format!("/api/v2/inbound/{token}")), "{made}");
    (text(&made["id"]), token)
}

fn send(server: &Server, token: &str, format: &str, body: &Value) -> Response {
    server.request("POST", &format!("/api/v2/inbound/{token}{format}")).json(body).send()
}

#[track_caller]
fn only(client: &Client, query_string: &str) -> Value {
    let page = client.search("/alerts/search", query_string).page();
    assert_eq!(page["totalResults"], json!(1), "{query_string}: {page}");
    page["results"][0].clone()
}

fn an_address_reports_and_does_nothing_else(server: &Server) {
    let client = server.new_client();
    let (id, token) = address(&client);
    let listed = client.get("/inbound").list();
    assert_eq!((listed.len(), &listed[0]["id"]), (1, &json!(id)));
    assert!(listed[0].get("token").is_none() && listed[0].get("url").is_none(), "{listed:?}");
    client.post("/inbound", &json!({"name": listed[0]["name"]})).problem(409, "0004");
    client.post("/inbound", &json!({})).invalid(&["name"]);
    // The token is no bearer token, and no secret of a key.
    client.with_token(&token).get("/alerts/search").unauthenticated();
    server.request("GET", "/api/v2/tenants/client_1/alerts/search").basic(&token, &token).send().unauthenticated();
    send(server, &token, "/alerts", &json!({"subject": "s"})).not_found();
    send(server, &token, "?x=1", &json!({"subject": "s"})).invalid(&["x"]);
    for method in ["GET", "DELETE", "PUT"] {
        let answer = server.request(method, &format!("/api/v2/inbound/{token}")).send();
        assert_eq!(answer.status, 405, "{answer}");
    }
    for role in ["viewer", "operator", "integrator"] {
        let caller = server.caller(client.tenant_id(), role);
        caller.post("/inbound", &json!({"name": "mine"})).forbidden();
        caller.get("/inbound").forbidden();
    }
    send(server, &token, "", &json!({"subject": "It burns"})).ok();
    let alert = only(&client, "state:Critical");
    assert_eq!(alert["subject"], json!("It burns"));
}

fn an_address_that_was_revoked_is_closed(server: &Server) {
    let client = server.new_client();
    let (id, token) = address(&client);
    send(server, &token, "", &json!({"subject": "s"})).ok();
    client.delete(&format!("/inbound/{id}")).ok();
    client.delete(&format!("/inbound/{id}")).not_found();
    send(server, &token, "", &json!({"subject": "t"})).unauthenticated();
    send(server, "x".repeat(43).as_str(), "/zabbix", &json!({})).unauthenticated();
    send(server, "short", "", &json!({})).unauthenticated();
    let body = json!({"routing_key": token, "event_action": "trigger", "payload": {"summary": "s"}});
    server.request("POST", "/v2/enqueue").json(&body).send().unauthenticated();
    let genie = server.request("POST", "/v2/alerts").header("Authorization", &format!("GenieKey {token}"));
    genie.json(&json!({"message": "m"})).send().unauthenticated();
    server.request("POST", "/v2/alerts").json(&json!({"message": "m"})).send().unauthenticated();
    assert_eq!(found(&client, "subject:s").len(), 1, "what was reported stays");
    assert!(found(&client, "subject:t").is_empty());
}

fn two_fields_are_enough(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    let failed = json!({"message": "Backup failed", "level": "error", "host": name});
    assert_eq!(send(server, &token, "", &failed).ok()["result"], json!("created"));
    assert_eq!(send(server, &token, "", &failed).ok()["result"], json!("repeated"));
    let alert = only(&client, "subject:Backup");
    assert_eq!((&alert["device"]["id"], &alert["repeatCount"]), (&json!(id), &json!(2)));
    let over = json!({"message": "Backup failed", "level": "OK", "host": name});
    assert_eq!(send(server, &token, "", &over).ok()["result"], json!("closed"));
    send(server, &token, "", &json!({"level": "mauve"})).invalid(&["state", "subject"]);
    // Another address of the tenant is another sender: its problems are its own.
    let (_, other) = address(&client);
    send(server, &token, "", &json!({"subject": "s", "key": "1"})).ok();
    assert_eq!(send(server, &other, "", &json!({"subject": "s", "key": "1"})).ok()["result"], json!("created"));
}

fn a_notification_of_grafana_is_taken_in(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    let alert = |status: &str| {
        json!({
            "receiver": "My Super Webhook", "status": status, "orgId": 1, "version": "1", "truncatedAlerts": 0,
            "groupLabels": {}, "commonLabels": {"team": "blue"}, "commonAnnotations": {}, "groupKey": "{}:{}",
            "externalURL": "https://play.grafana.example/", "title": "[FIRING:1] (blue)", "state": "alerting",
            "message": "**Firing**",
            "alerts": [{
                "status": status, "fingerprint": "c6eadffa33fcdf37", "values": {"B": 44.2, "C": 1},
                "labels": {"alertname": "High memory usage", "team": "blue", "instance": name},
                "annotations": {"summary": "The system has high memory usage", "runbook_url": "https://r.example/1"},
                "startsAt": "2026-10-12T09:51:03.157076+02:00", "endsAt": "0001-01-01T00:00:00Z",
                "generatorURL": "", "panelURL": "https://play.grafana.example/d/1?viewPanel=1"
            }]
        })
    };
    let firing = send(server, &token, "/grafana", &alert("firing")).ok();
    assert_eq!(firing[0]["result"], json!("created"));
    let made = only(&client, "status:New");
    assert_eq!((&made["device"]["id"], &made["app"]), (&json!(id), &json!("Grafana")));
    assert_eq!(made["url"], json!("https://play.grafana.example/d/1?viewPanel=1"));
    assert_eq!(made["alertTime"], json!("2026-10-12T07:51:03+0000"));
    let mut resolved = alert("resolved");
    resolved["alerts"][0]["endsAt"] = json!("2026-10-12T10:51:03+02:00");
    // The same body is taken where a token is sent.
    assert_eq!(client.post("/alerts/alertmanager", &resolved).ok()[0]["result"], json!("closed"));
}

fn an_event_of_zabbix_opens_acknowledges_and_closes(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    let mut event = json!({
        "event_id": "1047", "event_name": "High CPU utilization", "event_severity": "Average", "event_value": "1",
        "event_date": "2026.10.20", "event_time": "20:37:00", "event_update_status": "0", "host_host": name,
        "host_ip": "10.9.9.9", "event_tags": "scope:performance", "event_recovery_id": "{EVENT.RECOVERY.ID}",
    });
    assert_eq!(send(server, &token, "/zabbix", &event).ok()[0]["result"], json!("created"));
    let made = only(&client, "app:Zabbix");
    assert_eq!((&made["currentState"], &made["device"]["id"]), (&json!("Warning"), &json!(id)));
    assert_eq!((&made["alertTime"], &made["extAlertId"]), (&json!("2026-10-20T20:37:00+0000"), &json!("1047")));
    event["event_update_action"] = json!("acknowledged");
    event["event_update_message"] = json!("on it");
    send(server, &token, "/zabbix", &event).ok();
    let acknowledged = only(&client, "status:Acknowledged");
    assert_eq!(acknowledged["acknowledgement"]["note"], json!("on it"));
    let over = json!({"event_id": "1047", "event_name": "High CPU utilization", "event_value": "0"});
    assert_eq!(send(server, &token, "/zabbix", &over).ok()[0]["result"], json!("closed"));
    send(server, &token, "/zabbix", &json!({})).invalid(&["event_id", "event_name"]);
}

fn pagerduty_events_trigger_acknowledge_and_resolve(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    let enqueue = |body: Value| server.request("POST", "/v2/enqueue").json(&body).send();
    let event = |action: &str| json!({"routing_key": token, "event_action": action, "dedup_key": "disk"});
    let mut trigger = event("trigger");
    trigger["payload"] = json!({"summary": "Disk is full", "source": name, "severity": "warning", "component": "/var",
        "custom_details": {"free": "2 MB"}, "timestamp": "2026-10-17T08:42:58.315+0000"});
    let answer = enqueue(trigger.clone());
    assert_eq!(answer.status, 202, "{answer}");
    assert_eq!(answer.json()["dedup_key"], json!("disk"));
    assert_eq!(enqueue(trigger).status, 202);
    let made = only(&client, "extAlertId:disk");
    assert_eq!((&made["currentState"], &made["repeatCount"]), (&json!("Warning"), &json!(2)));
    assert_eq!((&made["device"]["id"], &made["component"]), (&json!(id), &json!("/var")));
    assert_eq!(enqueue(event("acknowledge")).status, 202);
    assert_eq!(enqueue(event("acknowledge")).status, 202, "again is no error");
    let by = &only(&client, "status:Acknowledged")["acknowledgement"]["by"];
    assert!(by["lastName"] == json!("Inbound address"), "{by}");
    assert_eq!(enqueue(event("resolve")).status, 202);
    only(&client, "status:Closed");
    assert_eq!(enqueue(event("resolve")).status, 202, "what is not open stays so");
    // A trigger without a key gets one.
    let unnamed = json!({"routing_key": token, "event_action": "trigger", "payload": {"summary": "other"}});
    let key = text(&enqueue(unnamed).json()["dedup_key"]);
    let resolve = json!({"routing_key": token, "event_action": "resolve", "dedup_key": key});
    assert_eq!(enqueue(resolve).status, 202);
    assert_eq!(found(&client, "status:Closed").len(), 2);
    enqueue(json!({"event_action": "trigger"})).invalid(&["routing_key"]);
    enqueue(json!({"routing_key": token, "event_action": "burn"})).invalid(&["dedup_key", "event_action"]);
}

fn opsgenie_alerts_are_created_acknowledged_and_closed(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    let call = |path: &str, body: Value| {
        let request = server.request("POST", &format!("/v2/alerts{path}"));
        let answer = request.header("Authorization", &format!("GenieKey {token}")).json(&body).send();
        assert_eq!(answer.status, 202, "{answer}");
        answer.json()
    };
    let alert = json!({"message": "Disk is full", "alias": "a/b c", "entity": name, "priority": "P1",
        "details": {"mount": "/var"}, "tags": ["disk"], "source": "https://mon.example/1", "description": "98 %"});
    let answer = call("", alert);
    assert!(answer["requestId"].is_string(), "{answer}");
    let made = only(&client, "state:Critical");
    assert_eq!((&made["device"]["id"], &made["url"]), (&json!(id), &json!("https://mon.example/1")));
    call("/a%2Fb%20c/acknowledge?identifierType=alias", json!({"user": "ann", "note": "on it"}));
    assert_eq!(only(&client, "status:Acknowledged")["acknowledgement"]["note"], json!("on it"));
    call("/unknown/close?identifierType=alias", json!({}));
    assert!(found(&client, "status:Closed").is_empty());
    call("/a%2Fb%20c/close?identifierType=alias", json!({"source": "alertmanager"}));
    only(&client, "status:Closed");
    let request = server.request("POST", "/v2/alerts").header("Authorization", &format!("GenieKey {token}"));
    request.json(&json!({"alias": "a"})).send().invalid(&["message"]);
}

fn a_partners_address_finds_what_is_over_at_its_client(server: &Server) {
    let (client, partner) = (server.new_client(), server.admin());
    let (_, token) = address(&partner);
    let (_, name) = host(&client);
    let key = unique("key");
    let trigger = json!({"routing_key": token, "event_action": "trigger", "dedup_key": key,
        "payload": {"summary": "s", "source": name, "severity": "critical"}});
    server.request("POST", "/v2/enqueue").json(&trigger).send();
    only(&client, "status:New");
    // It names no machine, so nothing but the key says whose it is.
    let resolve = json!({"routing_key": token, "event_action": "resolve", "dedup_key": key});
    server.request("POST", "/v2/enqueue").json(&resolve).send();
    only(&client, "status:Closed");
}

fn a_suspended_tenant_reports_nothing(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    server.admin().post_empty(&format!("/clients/{}/suspend", client.tenant_id())).ok();
    send(server, &token, "", &json!({"subject": "s"})).forbidden();
    server.admin().post_empty(&format!("/clients/{}/resume", client.tenant_id())).ok();
    send(server, &token, "", &json!({"subject": "s"})).ok();
}
