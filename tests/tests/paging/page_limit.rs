//! How many messages a contact method gets in a minute, also where two gateways send them, about several clients, or
//! where they fail.

use std::{thread, time::Duration};

use muster_tests::{
    Backend, Client, Server, both_backends, fresh_database, psql,
    receiver::{Receiver, Reply, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{reachable, text};

both_backends![what_goes_to_an_address_that_is_gone_fails_together];

const ARGUMENTS: [&str; 4] = ["--egress-allow", "127.0.0.0/8", "--page-limit", "3"];

fn two(url: &str) -> (Server, Server) {
    let first = Server::start_at(Backend::Postgres, Some(url.to_owned()), &ARGUMENTS);
    let second = Server::start_beside(&first, &ARGUMENTS);
    (first, second)
}

/// Lets a new client tell these people of all its alerts, each an hour after the one before.
fn paged_client(server: &Server, users: &[&str]) -> Client {
    let client = server.new_client();
    let steps = users.iter().map(|user| json!({"targets": [{"user": {"id": user}}], "wait": "1h"}));
    let steps = Value::from_iter(steps);
    let policy =
        text(&client.post("/escalationPolicies", &json!({"name": unique("policy"), "steps": steps})).ok()["id"]);
    client.post("/alertRoutes", &json!({"name": "all", "policy": {"id": policy}, "isDefault": true})).ok();
    client
}

fn report(client: &Client, alerts: usize) {
    let report = |number| json!({"currentState": "Critical", "subject": format!("alert {number}")});
    client.post("/alerts", &Value::from_iter((0..alerts).map(report))).ok();
}

/// Of each somebody else hears at once.
fn what_goes_to_an_address_that_is_gone_fails_together(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let [gone, there] = [Receiver::start(|_, _| Reply::status(404)), Receiver::willing()];
    let partner = server.admin();
    let users = [reachable(&partner, &gone.url()), reachable(&partner, &there.url())];
    let client = paged_client(&server, &[&users[0], &users[1]]);
    report(&client, 24);
    let count = |user: usize, status: &str| {
        let search = format!("userId:{}+status:{status}", users[user]);
        client.search("/pages/search", &search).page()["totalResults"].as_u64().unwrap_or(0)
    };
    let told = || (count(0, "failed"), count(1, "pending") + count(1, "sent") + count(1, "summarised"));
    wait_for(Duration::from_secs(120), || told() == (24, 24), || format!("{:?}", told()));
    // Those whose alerts were handed on later may have had another minute.
    assert!((3..=6).contains(&gone.count()), "{} calls", gone.count());
}

/// The pages of two clients are due at one instant, and one of them is changed by somebody else meanwhile, so that
/// both gateways claim at once.
#[test]
fn two_gateways_keep_to_the_limit_of_a_person_together() {
    let url = fresh_database();
    let (first, second) = two(&url);
    let receiver = Receiver::willing();
    let user = reachable(&first.admin(), &receiver.url());
    let clients = [paged_client(&first, &[&user]), paged_client(&first, &[&user])];
    let count = |condition: &str| -> usize {
        let text = psql(&url, &format!("SELECT count(*) FROM pages WHERE kind = 'page' AND {condition}"));
        text.lines().find_map(|line| line.trim().parse().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    clients.iter().for_each(|client| report(client, 12));
    wait_for(Duration::from_secs(30), || count("1 = 1") == 24, || "24 pages".to_owned());
    let settled = || count("due_ms IS NULL OR owner = ''") == 24;
    wait_for(Duration::from_secs(30), settled, || "nothing is in hand".to_owned());
    let before = receiver.count();
    psql(
        &url,
        "UPDATE pages SET status = 'pending', why = '', owner = '', log = '[]', attempts = 0, sent_ms = NULL, \
         called_ms = NULL, due_ms = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 2000 WHERE kind = 'page'",
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
    assert_eq!(count("status = 'sent'"), 3);
    for server in [&first, &second] {
        let log = server.log();
        assert!(!log.contains("deadlock") && !log.contains("writing down what became"), "{log}");
    }
}
