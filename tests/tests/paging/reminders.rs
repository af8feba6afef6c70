//! Who asked for it is told before a shift of theirs begins.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{reachable, text};

both_backends![who_asked_for_it_is_told_before_a_shift, two_gateways_tell_of_a_shift_once];

const ARGUMENTS: [&str; 2] = ["--egress-allow", "127.0.0.0/8"];

/// An instant so many minutes from now.
fn at(minutes: i64) -> String {
    let seconds = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap() + 60 * minutes;
    let output = std::process::Command::new("date")
        .args(["-u", "-d", &format!("@{seconds}"), "+%Y-%m-%dT%H:%M:%SZ"])
        .output()
        .unwrap_or_else(|error| panic!("date: {error}"));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A roster in which somebody stands from one minute from now to another.
fn roster(client: &Client, name: &str, user: &str, (from, to): (i64, i64)) {
    let schedule = json!({"type": "one-time", "startDate": at(from), "endDate": at(to)});
    let shift = json!({"name": "s", "users": [{"id": user}], "userGroups": [], "schedule": schedule});
    let zone = json!({"name": "GMT"});
    let roster = json!({"name": unique(name), "description": "d", "timeZone": zone, "shiftDetails": [shift]});
    client.post("/rosters", &roster).ok();
}

/// Somebody who is told by a hook of their own, so long before.
fn asks(client: &Client, hooks: &str, before: &str) -> String {
    let user = reachable(client, hooks);
    let rule = json!({"urgency": "low", "steps": [], "beforeShift": before});
    let set = client.post(&format!("/users/{user}/notificationRules"), &rule).ok();
    assert_eq!(set["beforeShift"], if before.is_empty() { Value::Null } else { json!(before) });
    user
}

fn told(client: &Client) -> Vec<Value> {
    client.get("/pages/search?queryString=kind:shift").page()["results"].as_array().unwrap().clone()
}

fn who_asked_for_it_is_told_before_a_shift(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let hooks = receiver.url();
    let asked = asks(&client, &hooks, "1h");
    let late = asks(&client, &hooks, "5m");
    let silent = asks(&client, &hooks, "");
    let quiet = json!({"from": "00:00", "to": "23:59", "timeZone": "GMT"});
    let rule = json!({"urgency": "low", "steps": [], "beforeShift": "1h", "quietHours": quiet});
    // Begun already, soon, and too far away.
    for user in [&asked, &late, &silent] {
        for (name, time) in [("past", (-60, 600)), ("soon", (30, 90)), ("later", (150, 200))] {
            roster(&client, name, user, time);
        }
    }
    // Who asks anew is looked after at once; quiet hours are for what others want.
    client.post(&format!("/users/{asked}/notificationRules"), &rule).ok();
    let first = receiver.wait(1)[0].clone();
    assert_eq!(first.path, format!("/{asked}"));
    let body = first.json();
    assert_eq!((&body["kind"], &body["urgency"], body.get("link")), (&json!("shift"), &json!("low"), None));
    assert!(text(&body["title"]).starts_with("You are on call from 20") && text(&body["title"]).contains(": soon"));
    let sent = || told(&client).len() == 1 && told(&client)[0]["status"] == "sent";
    wait_for(Duration::from_secs(30), sent, || json!(told(&client)).to_string());
    // Asked for once more, it is the same page; the one who is told five minutes before is not told yet.
    client.post(&format!("/users/{asked}/notificationRules"), &rule).ok();
    client
        .post(&format!("/users/{late}/notificationRules"), &json!({"urgency": "low", "steps": [], "beforeShift": "5m"}))
        .ok();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!((receiver.count(), told(&client).len()), (1, 1));
    // A shift that is taken over is told of as well.
    roster(&client, "over", &late, (3, 90));
    client
        .post(&format!("/users/{late}/notificationRules"), &json!({"urgency": "low", "steps": [], "beforeShift": "5m"}))
        .ok();
    let second = receiver.wait(2)[1].clone();
    assert_eq!(second.path, format!("/{late}"));
    assert!(text(&second.json()["title"]).contains(": over"));
    // What others may not see of them, and what makes no sense.
    let path = format!("/users/{asked}/notificationRules");
    for wrong in ["4m", "25h", "soon"] {
        client.post(&path, &json!({"urgency": "low", "steps": [], "beforeShift": wrong})).invalid(&["beforeShift"]);
    }
    client.post(&path, &json!({"urgency": "high", "steps": [], "beforeShift": "1h"})).invalid(&["beforeShift"]);
}

fn two_gateways_tell_of_a_shift_once(backend: Backend) {
    let mut servers = vec![Server::start_with(backend, &ARGUMENTS)];
    if backend == Backend::Postgres {
        let beside = Server::start_beside(&servers[0], &ARGUMENTS);
        servers.push(beside);
    }
    let client = servers[0].new_client();
    let receiver = Receiver::willing();
    for _ in 0..5 {
        let user = asks(&client, &receiver.url(), "1d");
        roster(&client, "soon", &user, (30, 90));
        client
            .post(
                &format!("/users/{user}/notificationRules"),
                &json!({"urgency": "low", "steps": [], "beforeShift": "1d"}),
            )
            .ok();
    }
    receiver.wait(5);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!((receiver.count(), receiver.by_id().len(), told(&client).len()), (5, 5, 5));
}
