//! Two gateways on one Postgres send the pages of one person, whoever they are about.

use std::{thread, time::Duration};

use muster_tests::{
    Backend, Client, Server, fresh_database, psql,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{reachable, text};

const ARGUMENTS: [&str; 4] = ["--egress-allow", "127.0.0.0/8", "--page-limit", "3"];

fn two(url: &str) -> (Server, Server) {
    let first = Server::start_at(Backend::Postgres, Some(url.to_owned()), &ARGUMENTS);
    let second = Server::start_beside(&first, &ARGUMENTS);
    (first, second)
}

/// Lets a new client tell this person of all its alerts.
fn paged_client(server: &Server, user: &str) -> Client {
    let client = server.new_client();
    let steps = json!([{"targets": [{"user": {"id": user}}], "wait": "1h"}]);
    let policy =
        text(&client.post("/escalationPolicies", &json!({"name": unique("policy"), "steps": steps})).ok()["id"]);
    client.post("/alertRoutes", &json!({"name": "all", "policy": {"id": policy}, "isDefault": true})).ok();
    client
}

/// The pages of two clients are due at one instant, and one of them is changed by somebody else meanwhile, so that
/// both gateways claim at once.
#[test]
fn two_gateways_keep_to_the_limit_of_a_person_together() {
    let url = fresh_database();
    let (first, second) = two(&url);
    let receiver = Receiver::willing();
    let user = reachable(&first.admin(), &receiver.url());
    let clients = [paged_client(&first, &user), paged_client(&first, &user)];
    let count = |condition: &str| -> usize {
        let text = psql(&url, &format!("SELECT count(*) FROM pages WHERE kind = 'page' AND {condition}"));
        text.lines().find_map(|line| line.trim().parse().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    for client in &clients {
        let report = |number| json!({"currentState": "Critical", "subject": format!("alert {number}")});
        client.post("/alerts", &Value::from_iter((0..12).map(report))).ok();
    }
    wait_for(Duration::from_secs(30), || count("1 = 1") == 24, || "24 pages".to_owned());
    let settled = || count("due_ms IS NULL OR owner = ''") == 24;
    wait_for(Duration::from_secs(30), settled, || "nothing is in hand".to_owned());
    let before = receiver.count();
    psql(
        &url,
        "UPDATE pages SET status = 'pending', why = '', owner = '', log = '[]', attempts = 0, sent_ms = NULL, due_ms = \
         (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 2000 WHERE kind = 'page'",
    );
    let held = format!(
        "BEGIN; SELECT id FROM pages WHERE tenant_id = '{}' AND kind = 'page' ORDER BY id LIMIT 1 FOR UPDATE; \
         SELECT pg_sleep(4); COMMIT",
        clients[0].tenant_id()
    );
    let holds = thread::spawn({
        let url = url.clone();
        move || psql(&url, &held)
    });
    let told = || count("status IN ('sent', 'summarised')");
    // What somebody else changes waits for no one, and nobody for it.
    wait_for(Duration::from_secs(60), || told() >= 23, || format!("{} are told", told()));
    holds.join().unwrap();
    thread::sleep(Duration::from_secs(1));
    assert_eq!(receiver.count() - before, 3, "no more than three in a minute");
    assert_eq!((count("status = 'sent'"), told()), (3, 23));
    for server in [&first, &second] {
        let log = server.log();
        assert!(!log.contains("deadlock") && !log.contains("writing down what became"), "{log}");
    }
}
