//! Inbound addresses: monitors that can set no header, each in its own format.

use muster_tests::{Server, both_backends, unique};
use serde_json::{Value, json};

use super::{address, each, found, host, only, send, text};

both_backends![
    an_address_reports_and_does_nothing_else,
    an_address_that_was_revoked_is_closed,
    two_fields_are_enough,
    pagerduty_events_trigger_acknowledge_and_resolve,
    opsgenie_alerts_are_created_acknowledged_and_closed,
    a_plain_acknowledgement_leaves_the_state,
    a_partners_address_finds_what_is_over_at_its_client,
    a_partners_address_reaches_all_that_is_open_under_a_key,
    a_suspended_tenant_reports_nothing,
];

fn an_address_reports_and_does_nothing_else(server: &Server) {
    let client = server.new_client();
    let (id, token) = address(&client);
    let listed = client.get("/inbound").list();
    assert_eq!((listed.len(), &listed[0]["id"]), (1, &json!(id)));
    assert!(listed[0].get("token").is_none() && listed[0].get("url").is_none(), "{listed:?}");
    client.post("/inbound", &json!({"name": listed[0]["name"]})).problem(409, "0004");
    client.post("/inbound", &json!({})).invalid(&["name"]);
    // The token is neither a bearer token nor the secret of a key.
    client.with_token(&token).get("/alerts/search").unauthenticated();
    server.request("GET", "/api/v2/tenants/client_1/alerts/search").basic(&token, &token).send().unauthenticated();
    send(server, &token, "/alerts", &json!({"subject": "s"})).not_found();
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
    assert_eq!(enqueue(event("acknowledge")).status, 202, "a second time is not an error");
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
    enqueue(json!({"routing_key": token, "event_action": "burn"})).invalid(&["event_action", "payload.summary"]);
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
    request.json(&json!({"priority": "P1"})).send().invalid(&["message"]);
}

fn a_plain_acknowledgement_leaves_the_state(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (_, name) = host(&client);
    let say = |more: &[(&str, &str)]| {
        let mut body = json!({"subject": "Load", "host": name});
        more.iter().for_each(|(field, value)| body[*field] = json!(value));
        send(server, &token, "", &body).ok()
    };
    assert_eq!(say(&[("status", "acknowledged")])["result"], json!("ignored"));
    assert_eq!(say(&[("severity", "warning"), ("event_action", "trigger")])["result"], json!("created"));
    for _ in 0..2 {
        let answer = say(&[("severity", "critical"), ("Status", "acknowledged")]);
        let said = ["result", "currentState", "status"].map(|field| &answer[field]);
        assert_eq!(said, [&json!("changed"), &json!("Warning"), &json!("Acknowledged")], "{answer}");
    }
    let mixed =
        json!([{"subject": "Load", "host": name, "state": "ack"}, 7, {"subject": "Load", "host": name, "state": "ok"}]);
    let results = each(&send(server, &token, "", &mixed).json(), "result");
    assert_eq!(results, ["ignored", "invalid", "closed"], "it is over when that is acknowledged");
}

fn a_partners_address_finds_what_is_over_at_its_client(server: &Server) {
    let client = server.new_client();
    let partner = server.admin();
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

fn a_partners_address_reaches_all_that_is_open_under_a_key(server: &Server) {
    let (one, other) = (server.new_client(), server.new_client());
    let (_, token) = address(&server.admin());
    let key = unique("key");
    let hosts = [&one, &other].map(|client| host(client).1);
    let genie = |path: &str, body: Value| {
        let request = server.request("POST", &format!("/v2/alerts{path}"));
        request.header("Authorization", &format!("GenieKey {token}")).json(&body).send()
    };
    let both = |status: &str| {
        only(&one, &format!("extAlertId:{key}+status:{status}"));
        only(&other, &format!("extAlertId:{key}+status:{status}"));
    };
    for name in &hosts {
        genie("", json!({"message": "Cluster", "alias": key, "entity": name}));
    }
    both("New");
    genie(&format!("/{key}/acknowledge"), json!({}));
    both("Acknowledged");
    // It names the machine of one of them.
    let resolve = json!({"routing_key": token, "event_action": "resolve", "dedup_key": key,
        "payload": {"summary": "Cluster", "source": hosts[1]}});
    assert_eq!(server.request("POST", "/v2/enqueue").json(&resolve).send().status, 202);
    both("Closed");
}

fn a_suspended_tenant_reports_nothing(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    server.admin().post_empty(&format!("/clients/{}/suspend", client.tenant_id())).ok();
    send(server, &token, "", &json!({"subject": "s"})).forbidden();
    server.admin().post_empty(&format!("/clients/{}/resume", client.tenant_id())).ok();
    send(server, &token, "", &json!({"subject": "s"})).ok();
}
