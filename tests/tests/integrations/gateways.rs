//! Two gateways on one Postgres share the work; one that stops and comes back too late changes nothing.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use muster_tests::{Backend, Server, fresh_database, rounds};
use serde_json::json;

use super::{
    event, incident, install, on_incidents,
    receiver::{Receiver, Reply, wait_for},
    text,
};

const ARGUMENTS: [&str; 8] = [
    "--egress-allow",
    "127.0.0.0/8",
    "--retry-schedule",
    "200ms,200ms,200ms,200ms,200ms,200ms",
    "--delivery-timeout",
    "500ms",
    "--delivery-calls-to-one",
    "4",
];

fn signal(server: &Server, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &server.pid().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// Both open the secrets with the key of the first.
fn two(url: &str) -> (Server, Server) {
    let first = Server::start_at(Backend::Postgres, Some(url.to_owned()), &ARGUMENTS);
    let key = first.data_dir().join("secrets.key").display().to_string();
    let arguments: Vec<&str> = ARGUMENTS.into_iter().chain(["--secrets-key-file", &key]).collect();
    // The key of the first start is in the database already: the second takes it over.
    let second = Server::start_beside(&first, &arguments);
    (first, second)
}

#[test]
fn a_gateway_that_stops_loses_its_claims() {
    let total = rounds("events shared by two gateways", 300, 5_000);
    let (first, second) = two(&fresh_database());
    let receiver = Receiver::start(|_, _| {
        std::thread::sleep(Duration::from_millis(5));
        Reply::status(200)
    });
    let client = second.admin().tenant("client_1");
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{\"n\": $incident.id}"));
    let mut accepted: Vec<String> = Vec::new();
    for number in 0..total {
        accepted.push(text(&incident(&client, &json!({"id": number}))["deliveries"][0]["id"]));
        if number == total / 2 {
            signal(&first, "STOP");
        }
    }
    let left = || client.get(&format!("{at}/deliveries?status=pending&pageSize=1")).page()["totalResults"].clone();
    // The lease of what the first had in hand: five times the timeout, and ten seconds.
    wait_for(Duration::from_secs(120), || left() == json!(0), || format!("{} left", left()));
    signal(&first, "CONT");
    std::thread::sleep(Duration::from_secs(3));
    let arrived: BTreeMap<String, Vec<Vec<u8>>> = receiver.by_id();
    let missing = accepted.iter().filter(|id| !arrived.contains_key(*id)).count();
    assert_eq!(missing, 0, "of {total}");
    assert!(arrived.values().all(|bodies| bodies.iter().all(|body| *body == bodies[0])));
    let page = client.get(&format!("{at}/deliveries?pageSize=1000")).page();
    for one in page["results"].as_array().into_iter().flatten() {
        assert_eq!(
            (&one["status"], &one["attempts"]),
            (&json!("delivered"), &json!(1)),
            "a late end was written down: {one}"
        );
    }
}

/// A call that outlasts the sleep of its gateway ends when the delivery is somebody else's.
#[test]
fn a_late_end_is_refused() {
    let (first, second) = two(&fresh_database());
    let client = first.admin().tenant("client_1");
    let receiver = Receiver::start(|_, number| {
        if number == 1 {
            std::thread::sleep(Duration::from_millis(300));
        }
        Reply::status(if number == 1 { 500 } else { 200 })
    });
    signal(&second, "STOP");
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{}"));
    incident(&client, &json!({}));
    receiver.wait(1);
    // The first gateway sleeps through its lease, with the call in hand; the second takes it over.
    signal(&first, "STOP");
    signal(&second, "CONT");
    let other = second.admin().tenant("client_1");
    let status = || other.get(&format!("{at}/deliveries")).page()["results"][0].clone();
    wait_for(Duration::from_secs(60), || status()["status"] == json!("delivered"), || status().to_string());
    signal(&first, "CONT");
    wait_for(
        Duration::from_secs(20),
        || first.log().contains("were another gateway's"),
        || "no end was refused".to_owned(),
    );
    assert_eq!((&status()["status"], &status()["attempts"]), (&json!("delivered"), &json!(1)));
}
