//! An acknowledged alert that gets worse, or whose acknowledgement is taken back, is told again.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{reachable, text};

both_backends![
    what_gets_worse_is_told_again,
    what_gets_worse_is_told_again_however_often_one_request_says_so,
    an_acknowledgement_is_taken_back,
    an_acknowledgement_that_held_for_its_time_is_taken_back,
    an_incident_that_was_open_for_its_time_is_new_again,
];

fn policy(client: &Client, user: &str, more: &Value) {
    let mut policy = json!({"name": unique("policy"), "steps": [{"targets": [{"user": {"id": user}}], "wait": "1h"}]});
    policy.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    let made = client.post("/escalationPolicies", &policy).ok();
    assert_eq!(made["reopenWhenWorse"], json!(more["reopenWhenWorse"].as_bool().unwrap_or(true)), "{made}");
    let route = json!({"name": unique("all"), "isDefault": true, "policy": {"id": made["id"]}});
    client.post("/alertRoutes", &route).ok();
}

fn report(client: &Client, state: &str) -> Value {
    client.post("/alert", &json!({"currentState": state, "metric": "load", "device": "x"})).ok()
}

fn act(client: &Client, alert: &Value, action: &str) -> Value {
    client.post(&format!("/alerts/{}/actions/{action}", text(&alert["id"])), &json!({})).ok()
}

#[track_caller]
fn told(receiver: &Receiver, count: usize) -> String {
    wait_for(Duration::from_secs(30), || receiver.count() >= count, || format!("{} calls", receiver.count()));
    assert_eq!(receiver.count(), count);
    receiver.all()[count - 1].text()
}

fn what_gets_worse_is_told_again(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    policy(&client, &reachable(&client, &receiver.url()), &json!({}));
    let made = report(&client, "Warning");
    told(&receiver, 1);
    assert_eq!(act(&client, &made, "acknowledge")["status"], json!("Acknowledged"));
    assert_eq!(report(&client, "Warning")["status"], json!("Acknowledged"), "it is as it was");
    assert_eq!(report(&client, "Info")["status"], json!("Acknowledged"), "it is better");
    let worse = report(&client, "Critical");
    assert_eq!((&worse["result"], &worse["status"]), (&json!("changed"), &json!("New")));
    let page = told(&receiver, 2);
    assert!(page.contains("raised from Info to Critical"), "{page}");
    let timeline = client.get(&format!("/alerts/{}/timeline", text(&made["id"]))).ok();
    let events = timeline["events"].as_array().cloned().unwrap_or_default();
    let of = |what: &str| events.iter().filter(|event| event["what"] == what).cloned().collect::<Vec<_>>();
    assert_eq!((of("acknowledged").len(), of("page").len()), (1, 2), "{timeline}");
    assert_eq!(of("unacknowledged")[0]["text"], json!("raised from Info to Critical"));
    // A policy may say otherwise.
    let calm = server.new_client();
    let quiet = Receiver::willing();
    policy(&calm, &reachable(&calm, &quiet.url()), &json!({"reopenWhenWorse": false}));
    let made = report(&calm, "Warning");
    told(&quiet, 1);
    act(&calm, &made, "acknowledge");
    let worse = report(&calm, "Critical");
    assert_eq!((&worse["result"], &worse["status"]), (&json!("changed"), &json!("Acknowledged")));
    let pages = calm.get(&format!("/pages/search?queryString=alertId:{}", text(&made["id"]))).page();
    assert_eq!(pages["totalResults"], json!(1), "{pages}");
    // Nobody answers for an alert without a policy, and it is New all the same.
    let none = server.new_client();
    let made = report(&none, "Warning");
    act(&none, &made, "acknowledge");
    assert_eq!(report(&none, "Critical")["status"], json!("New"));
}

fn an_acknowledgement_is_taken_back(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    policy(&client, &reachable(&client, &receiver.url()), &json!({}));
    let made = report(&client, "Critical");
    told(&receiver, 1);
    let path = format!("/alerts/{}/actions/unacknowledge", text(&made["id"]));
    client.post(&path, &json!({})).problem(409, "0004");
    act(&client, &made, "acknowledge");
    let back = client.post(&path, &json!({"note": "not me"})).ok();
    assert_eq!((&back["status"], &back["lastEvent"]), (&json!("New"), &json!("Unacknowledged")));
    assert_eq!(back["unacknowledgement"]["note"], json!("not me"));
    told(&receiver, 2);
    client.post(&path, &json!({})).problem(409, "0004");
    server.caller(client.tenant_id(), "viewer").post(&path, &json!({})).forbidden();
}

fn what_gets_worse_is_told_again_however_often_one_request_says_so(server: &Server) {
    let client = server.new_client();
    let say = |states: &[&str]| {
        let bodies = states.iter().map(|state| json!({"currentState": state, "metric": "load", "device": "x"}));
        client.post("/alerts", &bodies.collect()).ok()
    };
    for (states, note) in [
        (vec!["Critical", "Critical"], "raised from Warning to Critical"),
        // As if one came after the other: it is New by the first of them.
        (vec!["Critical", "Warning"], "raised from Warning to Critical"),
    ] {
        let made = say(&["Warning"])[0].clone();
        act(&client, &made, "acknowledge");
        let results = say(&states);
        assert_eq!(results[0]["result"], json!("changed"), "{results}");
        let alert = client.get(&format!("/alerts/{}", text(&made["id"]))).ok();
        assert_eq!((&alert["status"], &alert["unacknowledgement"]["note"]), (&json!("New"), &json!(note)), "{alert}");
        act(&client, &made, "close");
    }
    // What is over is over.
    let made = say(&["Warning"])[0].clone();
    act(&client, &made, "acknowledge");
    assert_eq!(say(&["Critical", "Ok"])[1]["result"], json!("closed"));
    assert_eq!(client.get(&format!("/alerts/{}", text(&made["id"]))).ok()["status"], json!("Closed"));
}

fn an_acknowledgement_that_held_for_its_time_is_taken_back(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    policy(&client, &reachable(&client, &receiver.url()), &json!({"ackTimeout": "2s"}));
    let made = report(&client, "Critical");
    told(&receiver, 1);
    act(&client, &made, "acknowledge");
    assert_eq!(report(&client, "Critical")["status"], json!("Acknowledged"), "another report is no answer");
    told(&receiver, 2);
    let path = format!("/alerts/{}", text(&made["id"]));
    let alert = client.get(&path).ok();
    assert_eq!((&alert["status"], &alert["lastEvent"]), (&json!("New"), &json!("Unacknowledged")), "{alert}");
    assert_eq!(alert["unacknowledgement"].get("by"), None, "{alert}");
    assert!(text(&alert["unacknowledgement"]["note"]).starts_with("acknowledged since "), "{alert}");
    assert!(alert["previousAcknowledgement"]["by"].is_object(), "{alert}");
    // Who is told again can answer, and a report of what is known takes nothing back.
    assert_eq!(report(&client, "Critical")["status"], json!("New"));
    act(&client, &made, "acknowledge");
    let escalation = || client.get(&format!("{path}/timeline")).ok()["escalation"].clone();
    wait_for(Duration::from_secs(30), || escalation() == "acknowledged", || escalation().to_string());
    act(&client, &made, "close");
    assert_eq!(receiver.count(), 2);
}

fn an_incident_that_was_open_for_its_time_is_new_again(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let user = reachable(&client, &receiver.url());
    let steps = json!([{"targets": [{"user": {"id": user}}], "wait": "1h"}]);
    let policy = json!({"name": unique("policy"), "ackTimeout": "2s", "steps": steps});
    let policy = client.post("/escalationPolicies", &policy).ok();
    let incident = text(&client.post("/incidents", &json!({"subject": "Web is down", "priority": "High"})).ok()["id"]);
    let path = format!("/incidents/{incident}");
    client.post(&format!("{path}/escalate"), &json!({"policy": {"id": policy["id"]}})).ok();
    told(&receiver, 1);
    client.post(&path, &json!({"status": "Open"})).ok();
    told(&receiver, 2);
    assert_eq!(client.get(&path).ok()["status"], json!("New"));
}
