//! The audit log answers every change: also those of what is not shown, such as secrets.

use muster_tests::{Client, Server, both_backends, unique, uuid};
use serde_json::{Value, json};

both_backends![
    a_rotated_key_is_in_the_log,
    changed_secrets_of_integrations_are_in_the_log,
    changes_of_a_resource_that_nobody_is_told_of_are_in_the_log,
    characters_are_counted_and_not_bytes,
    identifiers_match_whatever_their_letter_case,
];

/// What the log has of an entity, oldest first: what was done, and the fields that changed.
#[track_caller]
fn log(client: &Client, id: &str) -> Vec<(String, Value)> {
    let page = client.get(&format!("/auditLog/search?isDescendingOrder=false&queryString=entityId:{id}")).page();
    let rows = page["results"].as_array().expect("rows").iter();
    rows.map(|row| (super::text(&row["action"]), row["changes"].clone())).collect()
}

fn changed() -> Value {
    json!({"before": "[secret]", "after": "[secret]"})
}

fn a_rotated_key_is_in_the_log(server: &Server) {
    let client = server.new_client();
    let key = client.post("/apiKeys", &json!({"name": unique("key"), "role": "viewer"})).ok();
    let id = super::text(&key["id"]);
    // At once, and a second time: what is shown of the key may be the same before and after.
    let rotations = [json!({}), json!({}), json!({"revokePrevious": true}), json!({"revokePrevious": true})];
    for body in &rotations {
        client.post(&format!("/apiKeys/{id}/rotate"), body).ok();
    }
    let log = log(&client, &id);
    assert_eq!(log.len(), 1 + rotations.len(), "{log:?}");
    assert_eq!(log[0].1["secret"], json!({"after": "[secret]"}));
    for (action, changes) in &log[1..] {
        assert_eq!((action.as_str(), &changes["secret"]), ("UPDATE", &changed()), "{changes}");
    }
}

fn changed_secrets_of_integrations_are_in_the_log(server: &Server) {
    let client = server.new_client();
    let first = uuid();
    let second = uuid();
    let with = |password: &str| {
        json!({"baseURI": "https://receiver.invalid/api", "authType": "BASIC", "userName": "u",
            "password": password})
    };
    let made = client
        .post("/integrations/install/CUSTOM", &json!({"displayName": unique("one"), "baseNotifier": with(&first)}));
    let id = super::text(&made.ok()["id"]);
    let path = format!("/integrations/installed/{id}");
    for _ in 0..2 {
        client.post(&format!("{path}/signingSecret/rotate"), &json!({})).ok();
    }
    client.post(&format!("{path}/notifier"), &with(&second)).ok();
    let rows = log(&client, &id);
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert_eq!(rows[0].1["signingSecret"], json!({"after": "[secret]"}));
    assert_eq!(rows[0].1["baseNotifier.password"], json!({"after": "[secret]"}));
    for (_, changes) in &rows[1..3] {
        assert_eq!(changes["signingSecret"], changed(), "{changes}");
    }
    assert_eq!((&rows[3].1["baseNotifier.password"], &rows[3].1["signingSecret"]), (&changed(), &Value::Null));

    let header = |value: &str| json!({"headers": [{"key": "X-Api-Key", "value": value}]});
    let event = super::text(&client.post(&format!("{path}/event"), &header(&first)).ok()["id"]);
    client.post(&format!("{path}/event/{event}"), &header(&second)).ok();
    let own = json!({"notifier": with(&first), "headers": []});
    client.post(&format!("{path}/event/{event}"), &own).ok();
    let rows = log(&client, &event);
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(rows[1].1["headers.x-api-key"], changed());
    assert_eq!(rows[2].1["headers.x-api-key"], json!({"before": "[secret]"}));
    assert_eq!(rows[2].1["notifier.password"], json!({"after": "[secret]"}));
    let whole = client.get("/auditLog/search?pageSize=1000").text();
    assert!(!whole.contains(&first) && !whole.contains(&second), "the log tells a secret");
}

fn changes_of_a_resource_that_nobody_is_told_of_are_in_the_log(server: &Server) {
    let client = server.new_client();
    let id = super::device(&client, &unique("quiet"));
    let path = format!("/resources/{id}");
    let bodies = [
        json!({"cpus": [{"model": "Xeon"}]}),
        json!({"cpus": [{"model": "Epyc"}]}),
        json!({"consoles": [{"name": "ilo"}]}),
        json!({"locationUuids": ["a"]}),
        json!({"managementProfile": {"name": "p"}}),
        json!({"components": ["fan"]}),
        json!({"metricTypes": [{"metricName": "load"}]}),
        json!({"credential": {"port": 443}}),
        json!({"credential": {"port": 444}}),
    ];
    for body in &bodies {
        let etag = client.get(&path).header("ETag").map(ToOwned::to_owned);
        let answer = client.post(&path, body);
        answer.ok();
        assert_ne!(answer.header("ETag").map(ToOwned::to_owned), etag, "{body}");
    }
    let rows = log(&client, &id);
    assert_eq!(rows.len(), 1 + bodies.len(), "{rows:?}");
    for (body, (action, changes)) in bodies.iter().zip(&rows[1..]) {
        let name = body.as_object().and_then(|body| body.keys().next()).expect("a field");
        let changes = changes.as_object().expect("fields");
        assert_eq!((action.as_str(), changes.len()), ("UPDATE", 1), "{changes:?}");
        assert!(changes.keys().all(|field| field.split('.').next() == Some(name)), "{name}: {changes:?}");
    }
    assert_eq!(rows[9].1["credential"], changed());
    let model = |row: &(String, Value), side: &str| row.1["cpus"][side][0]["model"].clone();
    assert_eq!((model(&rows[2], "before"), model(&rows[2], "after")), (json!("Xeon"), json!("Epyc")));
    // A whole is logged with all its parts.
    let made = client.post("/resources", &json!({"name": "whole", "cpus": [{"model": "Xeon"}]})).ok();
    let rows = log(&client, &super::text(&made["resourceUUID"]));
    assert_eq!((rows.len(), model(&rows[0], "after")), (1, json!("Xeon")));
}

fn characters_are_counted_and_not_bytes(server: &Server) {
    let client = server.new_client();
    let text = "ä".repeat(2000);
    let made = client.post("/incidents", &json!({"subject": "long", "description": text})).ok();
    let rows = log(&client, &super::text(&made["id"]));
    assert_eq!(rows[0].1["description"]["after"], json!(text));
    let made = client.post("/incidents", &json!({"subject": "long", "description": format!("{text}ä")})).ok();
    let rows = log(&client, &super::text(&made["id"]));
    assert_eq!(rows[0].1["description"]["after"], "(2001 characters)");
}

fn identifiers_match_whatever_their_letter_case(server: &Server) {
    let client = server.new_client();
    let id = super::device(&client, &unique("cased"));
    let row = client.get(&format!("/auditLog/search?queryString=entityId:{id}")).page()["results"][0].clone();
    for name in ["entityId", "userId", "keyId", "requestId"] {
        let value = super::text(&row[name]);
        for value in [value.to_lowercase(), value.to_uppercase()] {
            let found = client.search("/auditLog/search", &format!("{name}:{value}")).page();
            assert!(found["results"].as_array().expect("rows").contains(&row), "{name}:{value}: {found}");
        }
    }
    assert_eq!(client.search("/auditLog/search", "action:create").page()["results"][0], row);
    client.search("/auditLog/search", "action:FOO").invalid(&["queryString"]);
    client.search("/auditLog/search", "action:CREATE,FOO").invalid(&["queryString"]);
}
