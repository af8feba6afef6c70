//! Quiet hours: what is of low urgency waits until they are over.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{person, text};

both_backends![low_urgency_waits_for_the_end_of_quiet_hours];

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

fn low_urgency_waits_for_the_end_of_quiet_hours(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let user = person(&client);
    let method = json!({"name": "hook", "type": "HTTP", "url": receiver.url(), "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    let policy = json!({"name": "quiet", "steps": [{"targets": [{"user": {"id": user}}], "wait": "1d"}]});
    let policy = client.post("/escalationPolicies", &policy).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let quiet = |from: i64, to: i64| {
        let end = time(&client, to);
        let hours = json!({"from": time(&client, from), "to": end, "timeZone": "GMT"});
        let rule = json!({"urgency": "low", "steps": [], "quietHours": hours});
        client.post(&format!("/users/{user}/notificationRules"), &rule).ok();
        end
    };
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
    // By day it is told at once.
    quiet(120, 240);
    let warning = report(&client, "Warning");
    let sent = || page(&client, &warning)["status"] == "sent";
    wait_for(Duration::from_secs(30), sent, || page(&client, &warning).to_string());
    assert_eq!(receiver.count(), 2);
}
