//! An acknowledged alert that gets worse, or whose acknowledgement is taken back, is told again.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{reachable, text};

both_backends![what_gets_worse_is_told_again, an_acknowledgement_is_taken_back];

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
