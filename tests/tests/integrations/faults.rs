//! What was accepted arrives, whatever breaks on the way.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use muster_tests::{Backend, Server, both_backends, rounds};
use serde_json::json;

use super::{
    event, incident, install, on_incidents,
    receiver::{Receiver, Reply, wait_for},
    text,
};

both_backends![nothing_is_lost_while_the_gateway_is_killed];

/// How often the gateway is killed.
const KILLS: usize = 20;

/// Fails three times in ten: with a 503, a connection that is closed, or no answer at all.
fn unreliable() -> Receiver {
    let dice = AtomicU64::new(0x9e37_79b9_7f4a_7c15);
    Receiver::start(move |_, _| {
        let seed = dice.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        match (mixed >> 32) % 100 {
            0..=14 => Reply::status(503),
            15..=24 => Reply::Reset,
            25..=29 => Reply::Hang,
            _ => Reply::status(200),
        }
    })
}

fn nothing_is_lost_while_the_gateway_is_killed(backend: Backend) {
    let total = rounds("events to an unreliable receiver, through 20 kills", 400, 10_000);
    let waits = ["50ms"; 60].join(",");
    let arguments = ["--egress-allow", "127.0.0.0/8", "--retry-schedule", &waits, "--delivery-timeout", "200ms"];
    let mut server = Server::start_with(backend, &arguments);
    let receiver = unreliable();
    let client = server.admin().tenant("client_1");
    let at = event(
        &client,
        &install(&client, &receiver.url()),
        &on_incidents("{\"n\": \"$incident.id\", \"t\": \"$event.time\"}"),
    );
    let mut accepted: BTreeSet<String> = BTreeSet::new();
    for round in 0..KILLS {
        let client = server.admin().tenant("client_1");
        for number in 0..total / KILLS {
            let made = incident(&client, &json!({"id": format!("{round}-{number}")}));
            accepted.insert(text(&made["deliveries"][0]["id"]));
        }
        server.kill9();
        server.restart();
    }
    let client = server.admin().tenant("client_1");
    let left = || client.get(&format!("{at}/deliveries?status=pending&pageSize=1")).page()["totalResults"].clone();
    wait_for(
        Duration::from_secs(if total > 1_000 { 900 } else { 120 }),
        || left() == json!(0),
        || format!("{} left", left()),
    );
    let arrived = receiver.by_id();
    let missing: Vec<&String> = accepted.iter().filter(|id| !arrived.contains_key(*id)).collect();
    assert!(missing.is_empty(), "{} of {} never arrived", missing.len(), accepted.len());
    for (id, bodies) in &arrived {
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{id} came with different bodies");
    }
    let failed = client.get(&format!("{at}/deliveries?status=failed&pageSize=1")).page()["totalResults"].clone();
    assert_eq!(failed, json!(0));
}
