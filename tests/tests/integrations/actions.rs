//! Which events an action fires.

use muster_tests::{Backend, both_backends, unique};
use serde_json::{Value, json};

use super::{event, incident, install, on_incidents, path, receiver::Receiver, server, text};

both_backends![
    filters_decide_what_fires,
    changes_are_seen_in_updates,
    resources_fire_by_themselves,
    a_partner_hears_of_its_clients,
    what_is_switched_off_does_not_fire,
    a_test_says_what_would_happen,
];

fn filters_decide_what_fires(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    let filter = |match_type: &str| {
        let mut body = on_incidents("{\"id\": \"$incident.id\"}");
        body["name"] = json!(match_type);
        body["filterCriteria"] = json!({"matchType": match_type, "rules": [
            {"key": "Subject", "operator": "Contains", "value": "DISK"},
            {"key": "tags.env", "operator": "Regex", "value": "^prod"},
        ]});
        body
    };
    let any = event(&client, &made, &filter("ANY"));
    let all = event(&client, &made, &filter("ALL"));
    let fired = |subject: &str, env: &str| {
        let object = json!({"id": "INC-1", "subject": subject, "tags": [{"name": "env", "value": env}]});
        let answer = incident(&client, &object);
        let mut fired: Vec<&str> = Vec::new();
        for one in answer["deliveries"].as_array().into_iter().flatten() {
            fired.push(if any.ends_with(&text(&one["eventId"])) { "any" } else { "all" });
            assert!(any.ends_with(&text(&one["eventId"])) || all.ends_with(&text(&one["eventId"])));
        }
        fired.sort_unstable();
        fired
    };
    assert_eq!(fired("disk full", "production"), ["all", "any"]);
    assert_eq!(fired("disk full", "test"), ["any"]);
    assert!(fired("all well", "test").is_empty());
    let update = json!({"entity": "INCIDENT", "eventType": "UPDATE", "object": {"subject": "disk"}});
    assert_eq!(client.post("/integrations/actions", &update).ok()["deliveries"], json!([]));
    let alert = json!({"entity": "ALERT", "eventType": "CREATE", "object": {}});
    client.post("/integrations/actions", &alert).invalid(&["eventType"]);
    client.post("/integrations/actions", &json!({"entity": "X"})).invalid(&["entity", "eventType", "object"]);
    assert_eq!(receiver.wait(3).len(), 3);
}

fn changes_are_seen_in_updates(backend: Backend) {
    let client = server(backend).new_client();
    let made = install(&client, &Receiver::willing().url());
    let mut body = on_incidents("{}");
    body["eventType"] = json!("UPDATE");
    body["filterCriteria"] = json!({"rules": [{"key": "status", "operator": "Changed To", "value": "Closed"}]});
    event(&client, &made, &body);
    for (from, to, expected) in [("Open", "Closed", 1), ("Closed", "Closed", 0), ("Open", "New", 0)] {
        let action = json!({"entity": "INCIDENT", "eventType": "UPDATE", "object": {"status": to},
            "previous": {"status": from}});
        let answer = client.post("/integrations/actions", &action).ok();
        assert_eq!(answer["deliveries"].as_array().map(Vec::len), Some(expected), "{from} {to}");
    }
}

fn resources_fire_by_themselves(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    for (kind, method) in [("CREATE", "POST"), ("UPDATE", "PATCH"), ("DELETE", "DELETE")] {
        event(
            &client,
            &made,
            &json!({"entity": "Resource", "eventType": kind, "thirdPartyEventType": method,
            "endPointURI": "/r/$resource.hostName",
            "eventPayload": "{\"name\": \"$resource.hostName\", \"was\": \"$resource.previous.description\", \
                \"tag\": \"$resource.tags.env\", \"type\": \"$event.type\"}"}),
        );
    }
    let host = unique("host");
    let body =
        json!({"name": host, "hostName": host, "description": "old", "tags": [{"name": "env", "value": "prod"}]});
    let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
    client.post(&format!("/resources/{id}"), &json!({"description": "new"})).ok();
    client.delete(&format!("/resources/{id}")).ok();
    let received = receiver.wait(3);
    let told: Vec<Value> = received.iter().map(super::receiver::Received::json).collect();
    // They come in any order: only what happens to one entity is told in order, not delivered in order.
    for (kind, was, method) in [("CREATE", "", "POST"), ("UPDATE", "old", "PATCH"), ("DELETE", "", "DELETE")] {
        let expected = json!({"name": host, "was": was, "tag": "prod", "type": kind});
        let place = told.iter().position(|one| *one == expected).unwrap_or_else(|| panic!("{expected}: {told:?}"));
        assert_eq!(
            (received[place].method.as_str(), received[place].path.as_str()),
            (method, format!("/r/{host}").as_str())
        );
    }
}

fn a_partner_hears_of_its_clients(backend: Backend) {
    let server = server(backend);
    let client = server.new_client();
    let other = server.new_client();
    let partner = server.admin();
    let receiver = Receiver::willing();
    let made = install(&partner, &receiver.url());
    let mut body = on_incidents("{\"tenant\": \"$event.tenantId\", \"subject\": \"$incident.subject\"}");
    let subject = unique("subject");
    body["filterCriteria"] = json!({"rules": [{"key": "subject", "operator": "Equals", "value": subject}]});
    event(&partner, &made, &body);
    let answer = incident(&client, &json!({"subject": subject}));
    assert_eq!(answer["deliveries"], json!([]), "a client does not see what its partner is told");
    let told = receiver.wait(1)[0].json();
    assert_eq!(told, json!({"tenant": client.tenant_id(), "subject": subject}));
    // A client's own events are its own.
    let own = install(&client, &receiver.url());
    event(&client, &own, &body);
    assert_eq!(incident(&other, &json!({"subject": subject}))["deliveries"], json!([]));
    receiver.wait(2);
    client.delete(&path(&own)).ok();
    partner.delete(&path(&made)).ok();
}

fn what_is_switched_off_does_not_fire(backend: Backend) {
    let client = server(backend).new_client();
    let made = install(&client, &Receiver::willing().url());
    let at = event(&client, &made, &on_incidents("{}"));
    let fires = || incident(&client, &json!({}))["deliveries"].as_array().map_or(0, Vec::len);
    assert_eq!(fires(), 1);
    client.post_empty(&format!("{at}/deactivate")).ok();
    assert_eq!(fires(), 0);
    client.post_empty(&format!("{at}/activate")).ok();
    assert_eq!(fires(), 1);
    client.post_empty(&format!("{}/disable", path(&made))).ok();
    assert_eq!(fires(), 0);
    client.post_empty(&format!("{}/enable", path(&made))).ok();
    assert_eq!(fires(), 1);
    client.delete(&at).ok();
    assert_eq!(fires(), 0);
}

fn a_test_says_what_would_happen(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::start(|_, _| super::receiver::Reply::Answer(201, Vec::new(), "made".to_owned()));
    let made = install(&client, &receiver.url());
    let mut body = on_incidents("{\"s\": \"$incident.subject\"}");
    body["filterCriteria"] = json!({"rules": [
        {"key": "Subject", "operator": "Contains", "value": "disk"},
        {"key": "priority", "operator": "Equals", "value": "P0"}]});
    body["notifier"] = json!({"baseURI": receiver.url(), "authType": "BASIC", "userName": "u", "password": "secret-p"});
    let object = json!({"subject": "disk \"full\"", "priority": "P1"});
    let unsaved = client.post(&format!("{}/event/test", path(&made)), &json!({"event": body, "object": object})).ok();
    let at = event(&client, &made, &body);
    let saved = client.post(&format!("{at}/test"), &json!({"object": object})).ok();
    assert_eq!(saved, unsaved);
    assert_eq!(saved["fires"], json!(false));
    let rules: Vec<(&Value, &Value)> =
        saved["rules"].as_array().into_iter().flatten().map(|rule| (&rule["matches"], &rule["actual"])).collect();
    assert_eq!(rules, [(&json!(true), &json!(["disk \"full\""])), (&json!(false), &json!(["P1"]))]);
    let request = &saved["request"];
    assert_eq!((&request["method"], &request["url"]), (&json!("POST"), &json!(format!("{}/tickets", receiver.url()))));
    assert_eq!(request["body"], json!("{\"s\": \"disk \\\"full\\\"\"}"));
    assert!(!saved.to_string().contains("secret-p"), "{saved}");
    assert_eq!(receiver.count(), 0, "nothing was sent");
    let sent = client.post(&format!("{at}/test"), &json!({"object": object, "send": true})).ok();
    assert_eq!((&sent["response"]["status"], &sent["response"]["body"]), (&json!(201), &json!("made")));
    assert_eq!(receiver.wait(1)[0].text(), "{\"s\": \"disk \\\"full\\\"\"}");
    assert_eq!(client.get(&format!("{at}/deliveries")).page()["totalResults"], json!(0));
    let wrong = json!({"event": {"entity": "TICKET", "notifier": {"authType": "BASIC", "userName": "u"}}});
    client.post(&format!("{}/event/test", path(&made)), &wrong).invalid(&[
        "object",
        "event.entity",
        "event.notifier.baseURI",
        "event.notifier.password",
    ]);
}
