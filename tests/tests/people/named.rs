//! Who did something is named: in the record, in the audit log, and in what events send.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use muster_tests::{
    Backend, Browser, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{audit, person, personal, text};

both_backends![
    whoever_acknowledges_and_closes_is_named,
    an_incident_is_changed_by_a_person,
    whoever_overrides_a_roster_is_named,
    bodies_name_nothing_of_another_tenant
];

/// A person's session as a caller like those with keys.
fn session(server: &Server, client: &Client, user: &str) -> Client {
    let url = text(&client.post_empty(&format!("/users/{user}/signInLink")).ok()["url"]);
    client.with_cookie(&Browser::sign_in(server, &url).cookie)
}

/// An event of an integration that sends this template to a receiver.
fn create_event(client: &Client, receiver: &Receiver, entity: &str, kind: &str, payload: &Value) {
    let notifier = json!({"type": "REST_API", "baseURI": receiver.url()});
    let made =
        client.post("/integrations/install/CUSTOM", &json!({"displayName": unique("i"), "baseNotifier": notifier}));
    let path = format!("/integrations/installed/{}/event", text(&made.ok()["id"]));
    let event = json!({
        "name": unique("event"), "entity": entity, "eventType": kind, "endPointURI": "/",
        "payload": STANDARD.encode(payload.to_string()),
    });
    client.post(&path, &event).ok();
}

fn sent(receiver: &Receiver, wanted: &Value) -> bool {
    let bodies = receiver.by_id().into_values().flatten();
    let all: Vec<Value> = bodies.filter_map(|body| serde_json::from_slice(&body).ok()).collect();
    all.contains(wanted)
}

fn whoever_acknowledges_and_closes_is_named(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let ann = person(&client, "operator");
    let bob = person(&client, "operator");
    let receiver = Receiver::willing();
    let payload = json!({"acknowledged": "$alert.acknowledgement.by.id", "closed": "$alert.closure.by.id"});
    create_event(&client, &receiver, "ALERT", "NONE", &payload);
    let report = json!({"subject": "full", "metric": "disk", "device": {"hostName": "h"}, "currentState": "Critical"});
    let alert = text(&client.post("/alert", &report).ok()["id"]);
    let at = |action: &str| format!("/alerts/{alert}/actions/{action}");
    session(&server, &client, &ann).post(&at("acknowledge"), &json!({})).ok();
    personal(&server, &client, &bob, "operator").post(&at("close"), &json!({})).ok();
    let shown = client.get(&format!("/alerts/{alert}")).ok();
    assert_eq!((&shown["acknowledgement"]["by"]["id"], &shown["closure"]["by"]["id"]), (&json!(ann), &json!(bob)));
    let rows = audit(&client, &alert);
    for (user, by_session) in [(&ann, true), (&bob, false)] {
        let row = rows.iter().find(|row| row["userId"] == json!(user));
        let row = row.unwrap_or_else(|| panic!("{user} is not named: {rows:?}"));
        assert_eq!(text(&row["keyId"]).starts_with("SES-"), by_session, "{row}");
    }
    let wanted = json!({"acknowledged": ann, "closed": bob});
    wait_for(
        Duration::from_secs(20),
        || sent(&receiver, &wanted),
        || format!("{wanted} was not sent: {:?}", receiver.by_id()),
    );
}

fn an_incident_is_changed_by_a_person(server: &Server) {
    let client = server.new_client();
    let ann = person(&client, "operator");
    let bob = person(&client, "operator");
    let made = session(server, &client, &ann).post("/incidents", &json!({"subject": "fire", "note": "hot"})).ok();
    let path = format!("/incidents/{}", text(&made["id"]));
    personal(server, &client, &bob, "operator").post(&path, &json!({"subject": "flood"})).ok();
    let shown = client.get(&path).ok();
    assert_eq!((&shown["createdBy"]["id"], &shown["updatedBy"]["id"]), (&json!(ann), &json!(bob)));
    let users: Vec<Value> = audit(&client, &text(&made["id"])).iter().map(|row| row["userId"].clone()).collect();
    assert!(users.contains(&json!(ann)) && users.contains(&json!(bob)), "{users:?}");
}

/// By an override, by an exchange and by taking over from somebody who asked: each makes overrides.
fn whoever_overrides_a_roster_is_named(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let ann = person(&client, "operator");
    let bob = person(&client, "operator");
    let at_desk = session(&server, &client, &ann);
    let by_script = personal(&server, &client, &bob, "operator");
    let receiver = Receiver::willing();
    let payload = json!({"id": "$rosterOverride.id", "by": "$rosterOverride.createdBy.id"});
    create_event(&client, &receiver, "RosterOverride", "CREATE", &payload);
    let roster = json!({"name": unique("roster"), "description": "d", "timeZone": {"name": "GMT"}, "shiftDetails": [{
        "name": "Day", "users": [{"id": ann}, {"id": bob}], "userGroups": [],
        "schedule": {"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": "08:00:00",
            "endTime": "20:00:00", "pattern": {"type": "daily", "repeatFrequency": 1},
            "endPattern": {"type": "NEVER"}}}]});
    let path = format!("/rosters/{}", text(&client.post("/rosters", &roster).ok()["id"]));
    let overrides = format!("{path}/overrides");
    let time = |day: &str| json!({"start": format!("{day}T08:00:00Z"), "end": format!("{day}T20:00:00Z")});
    let of = |user: &str, day: &str| {
        let mut body = time(day);
        body["user"] = json!({"id": user});
        body
    };
    // Whose time it is does not say who entered it.
    let mut made = vec![
        (at_desk.post(&overrides, &of(&bob, "2035-05-01")).ok(), &ann),
        (by_script.post(&overrides, &of(&ann, "2035-05-02")).ok(), &bob),
    ];
    let swap = json!({"first": of(&ann, "2035-05-03"), "second": of(&bob, "2035-05-04")});
    let swapped = by_script.post(&format!("{path}/swaps"), &swap).ok();
    made.extend(swapped["overrides"].as_array().into_iter().flatten().map(|one| (one.clone(), &bob)));
    let asked = text(&by_script.post(&format!("{path}/coverRequests"), &time("2035-05-05")).ok()["id"]);
    let accepted = at_desk.post(&format!("{path}/coverRequests/{asked}/accept"), &json!({})).ok();
    let taken = client.get(&overrides).page()["results"].as_array().cloned().unwrap_or_default();
    made.extend(taken.into_iter().filter(|one| one["id"] == accepted["overrideId"]).map(|one| (one, &ann)));
    assert_eq!(made.len(), 5);
    for (one, author) in &made {
        assert_eq!(one["createdBy"]["id"], json!(author), "{one}");
        let rows = audit(&client, &text(&one["id"]));
        assert_eq!((rows.len(), &rows[0]["userId"]), (1, &json!(author)), "{rows:?}");
        assert_eq!(text(&rows[0]["keyId"]).starts_with("SES-"), *author == &ann, "{rows:?}");
        let wanted = json!({"id": one["id"], "by": author});
        wait_for(
            Duration::from_secs(20),
            || sent(&receiver, &wanted),
            || format!("{wanted} was not sent: {:?}", receiver.all().iter().map(|one| one.text()).collect::<Vec<_>>()),
        );
    }
    // Another takes one back: the audit log says who.
    let id = text(&made[0].0["id"]);
    by_script.delete(&format!("{overrides}/{id}")).ok();
    let users: Vec<Value> = audit(&client, &id).iter().map(|row| row["userId"].clone()).collect();
    assert!(users.len() == 2 && users.contains(&json!(ann)) && users.contains(&json!(bob)), "{users:?}");
}

/// A person may name in a body what is in reach, and nothing of another tenant: as if it were not there.
fn bodies_name_nothing_of_another_tenant(server: &Server) {
    let mine = server.new_client();
    let theirs = server.new_client();
    let ann = person(&mine, "admin");
    let stranger = person(&theirs, "viewer");
    let category = text(&theirs.post("/kb/category", &json!({"name": unique("c")})).ok()["id"]);
    let group = text(&theirs.post("/userGroups", &json!({"name": unique("g")})).ok()["uniqueId"]);
    let bodies = [
        ("/kb/article", json!({"title": "t", "content": "c", "category": {"id": category}})),
        ("/incidents", json!({"subject": "s", "note": "n", "assignee": {"id": stranger}})),
        ("/incidents", json!({"subject": "s", "note": "n", "assigneeGroup": {"uniqueId": group}})),
        ("/apiKeys", json!({"name": unique("k"), "role": "viewer", "userId": stranger})),
    ];
    for caller in [session(server, &mine, &ann), personal(server, &mine, &ann, "admin")] {
        for (path, body) in &bodies {
            let answer = caller.post(path, body);
            assert!([400, 404].contains(&answer.status), "{path} {body}: {answer}");
            for secret in [&category, &group, &stranger] {
                let said = answer.text().replace(&body.to_string(), "");
                assert!(!said.contains("belongs to") && answer.status != 403, "{secret}: {answer}");
            }
        }
    }
}
