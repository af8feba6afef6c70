//! What alerts have to do with each other: one that comes and goes, and those of machines whose site is down.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{person, text};

both_backends![what_comes_and_goes_is_told_as_such, machines_wait_for_the_alert_of_their_site];

fn told(client: &Client, receiver: &Receiver) {
    let user = person(client);
    let method = json!({"name": "hook", "type": "HTTP", "url": receiver.url(), "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    let policy = json!({"name": unique("around"), "steps": [{"targets": [{"user": {"id": user}}], "wait": "1d"}]});
    let policy = client.post("/escalationPolicies", &policy).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
}

fn report(client: &Client, host: &str, metric: &str, state: &str) -> String {
    let body = json!({"currentState": state, "subject": metric, "metric": metric, "device": {"hostName": host}});
    text(&client.post("/alert", &body).ok()["id"])
}

fn what_comes_and_goes_is_told_as_such(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    told(&client, &receiver);
    for number in 1..=5 {
        let id = report(&client, "web-01", "load", "Critical");
        let body = receiver.wait(number)[number - 1].json();
        let flapping = text(&body["title"]).contains(&format!("flapping, {number} times in 30 minutes"));
        assert_eq!((flapping, body["flaps"].as_i64()), (number >= 4, (number >= 4).then_some(number as i64)), "{body}");
        client.post_empty(&format!("/alerts/{id}/actions/close")).ok();
    }
    // Another measure of the machine is another problem.
    report(&client, "web-01", "disk", "Critical");
    assert_eq!(receiver.wait(6)[5].json().get("flaps"), None);
}

fn machines_wait_for_the_alert_of_their_site(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    told(&client, &receiver);
    let machine = |host: &str, site: &Value, tags: Value| {
        client.post("/resources", &json!({"hostName": host, "location": {"id": site["id"]}, "tags": tags})).ok()
    };
    let graz = client.post("/sites", &json!({"name": "Graz"})).ok();
    let linz = client.post("/sites", &json!({"name": "Linz"})).ok();
    machine("router", &graz, json!([{"name": "standsFor", "value": "site"}]));
    ["web-01", "web-02"].iter().for_each(|host| drop(machine(host, &graz, json!([]))));
    machine("db-01", &linz, json!([]));
    let timeline = |id: &str| client.get(&format!("/alerts/{id}/timeline")).ok();
    let stands = |id: &str, stage: &str| {
        wait_for(Duration::from_secs(30), || timeline(id)["escalation"] == stage, || timeline(id).to_string());
    };
    // A warning of the router is not an outage.
    let router = report(&client, "router", "ping", "Warning");
    stands(&router, "running");
    let before = report(&client, "web-01", "load", "Critical");
    stands(&before, "running");
    receiver.wait(2);
    // It is one now, which is told again, as urgent.
    assert_eq!(report(&client, "router", "ping", "Critical"), router);
    receiver.wait(3);
    let down = || {
        let report = json!({"alert": {"currentState": "Critical", "subject": "x", "device": {"hostName": "web-02"}}});
        client.post("/paging/explain", &report).ok()
    };
    wait_for(Duration::from_secs(30), || down().get("dependency").is_some(), || down().to_string());
    assert_eq!(down()["dependency"]["alert"]["id"], json!(router));
    assert!(text(&down()["gaps"][0]).contains(&router), "{}", down());
    // A machine there waits; one elsewhere does not; nor does the router itself.
    let held = report(&client, "web-02", "load", "Critical");
    stands(&held, "waiting");
    let elsewhere = report(&client, "db-01", "load", "Critical");
    stands(&elsewhere, "running");
    let again = report(&client, "router", "fan", "Critical");
    stands(&again, "running");
    receiver.wait(5);
    // That somebody works on it does not bring it up.
    client.post_empty(&format!("/alerts/{router}/actions/acknowledge")).ok();
    std::thread::sleep(Duration::from_millis(500));
    assert!(timeline(&held)["events"].as_array().unwrap().iter().any(|event| event["what"] == "waits"));
    assert_eq!(client.search("/pages/search", &format!("alertId:{held}")).page()["totalResults"], json!(0));
    // It is over, and what waited closes by itself: nobody was told.
    for id in [&router, &again] {
        client.post_empty(&format!("/alerts/{id}/actions/close")).ok();
    }
    wait_for(Duration::from_secs(30), || down().get("dependency").is_none(), || down().to_string());
    client.post_empty(&format!("/alerts/{held}/actions/close")).ok();
    stands(&held, "closed");
    assert_eq!(receiver.count(), 5);
    // The next one is told at once.
    let next = report(&client, "web-02", "disk", "Critical");
    stands(&next, "running");
    receiver.wait(6);
}
