//! Quiet hours: what is of low urgency waits until they are over.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{person, text};

both_backends![low_urgency_waits_for_the_end_of_quiet_hours, what_becomes_critical_waits_no_longer];

/// The time of day in GMT so many minutes from now, by the clock of the service.
fn time(client: &Client, minutes: i64) -> String {
    let now = text(&client.get("/rosters/onCall").ok()["at"]);
    let part = |range: std::ops::Range<usize>| now[range].parse::<i64>().unwrap();
    let minute = (part(11..13) * 60 + part(14..16) + minutes).rem_euclid(24 * 60);
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

fn report(client: &Client, state: &str) -> String {
    let body = json!({"currentState": state, "subject": unique(state)});
    text(&client.post("/alert", &body).ok()["id"])
}

fn page(client: &Client, alert: &str) -> Value {
    client.get(&format!("/pages/search?queryString=alertId:{alert}")).page()["results"][0].clone()
}

/// Somebody to whom all alerts go, with these fields of the policy.
fn told_person(client: &Client, receiver: &Receiver, more: &Value) -> String {
    let user = person(client);
    let method = json!({"name": "hook", "type": "HTTP", "url": receiver.url(), "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    let mut policy = json!({"name": "quiet", "steps": [{"targets": [{"user": {"id": user}}], "wait": "1d"}]});
    policy.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let policy = client.post("/escalationPolicies", &policy).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    user
}

/// Sets the quiet hours of somebody, by minutes from now; answers when they end.
fn quiet(client: &Client, user: &str, from: i64, to: i64) -> String {
    let end = time(client, to);
    let hours = json!({"from": time(client, from), "to": end, "timeZone": "GMT"});
    let rule = json!({"urgency": "low", "steps": [], "quietHours": hours});
    client.post(&format!("/users/{user}/notificationRules"), &rule).ok();
    end
}

fn low_urgency_waits_for_the_end_of_quiet_hours(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let user = told_person(&client, &receiver, &json!({}));
    let quiet = |from: i64, to: i64| quiet(&client, &user, from, to);
    // It is the middle of the night, whatever hour it is: a warning waits, and what is critical does not.
    let end = quiet(-120, 120);
    let warning = report(&client, "Warning");
    let critical = report(&client, "Critical");
    let settled = || page(&client, &critical)["status"] == "sent" && !page(&client, &warning).is_null();
    wait_for(Duration::from_secs(30), settled, || page(&client, &critical).to_string());
    let held = page(&client, &warning);
    assert_eq!((&held["status"], &held["urgency"]), (&json!("pending"), &json!("low")), "{held}");
    assert!(text(&held["dueDate"]).contains(&format!("T{end}:00")), "{held} waits for {end}");
    assert_eq!(receiver.count(), 1);
    // Somebody answers before morning: then nobody is woken at all.
    client.post_empty(&format!("/alerts/{warning}/actions/acknowledge")).ok();
    wait_for(Duration::from_secs(30), || page(&client, &warning)["status"] == "stopped", || held.to_string());
    client.post_empty(&format!("/alerts/{warning}/actions/close")).ok();
    // By day it is told at once.
    quiet(120, 240);
    let warning = report(&client, "Warning");
    let sent = || page(&client, &warning)["status"] == "sent";
    wait_for(Duration::from_secs(30), sent, || page(&client, &warning).to_string());
    assert_eq!(receiver.count(), 2);
}

/// Whether people were to hear of it just then or not.
fn what_becomes_critical_waits_no_longer(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let user = told_person(&client, &receiver, &json!({"reopenWhenWorse": false}));
    quiet(&client, &user, -120, 120);
    let pages = |alert: &str| {
        let page = client.get(&format!("/pages/search?queryString=alertId:{alert}&sortName=createdDate")).page();
        let pages = page["results"].as_array().cloned().unwrap_or_default();
        let shown = pages.iter().map(|page| format!("{} {}", text(&page["urgency"]), text(&page["status"])));
        let mut shown: Vec<String> = shown.collect();
        shown.sort();
        shown
    };
    let wait_for_pages = |alert: &str, wanted: &[&str]| {
        wait_for(Duration::from_secs(30), || pages(alert) == wanted, || format!("{:?}", pages(alert)));
    };
    let say = |state: &str, metric: &str| {
        text(&client.post("/alert", &json!({"currentState": state, "metric": metric})).ok()["id"])
    };
    let act = |alert: &str, action: &str| client.post_empty(&format!("/alerts/{alert}/actions/{action}")).ok();
    let open = say("Warning", "open");
    wait_for_pages(&open, &["low pending"]);
    assert_eq!(say("Critical", "open"), open);
    wait_for_pages(&open, &["high sent", "low stopped"]);
    let suppressed = say("Warning", "suppressed");
    wait_for_pages(&suppressed, &["low pending"]);
    act(&suppressed, "suppress");
    say("Critical", "suppressed");
    act(&suppressed, "unsuppress");
    wait_for_pages(&suppressed, &["high sent", "low stopped"]);
    let acknowledged = say("Warning", "acknowledged");
    wait_for_pages(&acknowledged, &["low pending"]);
    act(&acknowledged, "acknowledge");
    say("Critical", "acknowledged");
    act(&acknowledged, "unacknowledge");
    wait_for_pages(&acknowledged, &["high sent", "low stopped"]);
    // An incident is as urgent as its priority says.
    let incident = text(&client.post("/incidents", &json!({"subject": "Web is slow"})).ok()["id"]);
    let policy = text(&client.get("/escalationPolicies/search").page()["results"][0]["id"]);
    client.post(&format!("/incidents/{incident}/escalate"), &json!({"policy": {"id": policy}})).ok();
    wait_for_pages(&incident, &["low pending"]);
    client.post(&format!("/incidents/{incident}"), &json!({"priority": "Urgent"})).ok();
    wait_for_pages(&incident, &["high sent", "low stopped"]);
    // So is one whose steps were all taken, though nobody has heard of it yet.
    let short = json!({"name": "short", "steps": [{"targets": [{"user": {"id": user}}], "wait": "1s"}]});
    let short = client.post("/escalationPolicies", &short).ok();
    let ended = text(&client.post("/incidents", &json!({"subject": "Mail is slow"})).ok()["id"]);
    client.post(&format!("/incidents/{ended}/escalate"), &json!({"policy": {"id": short["id"]}})).ok();
    wait_for_pages(&ended, &["low pending"]);
    std::thread::sleep(Duration::from_secs(2));
    client.post(&format!("/incidents/{ended}"), &json!({"priority": "Urgent"})).ok();
    wait_for_pages(&ended, &["high sent", "low stopped"]);
}
