//! `kill -9` while alerts come in; the reports are sent again with the same keys, and every one counts once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use muster_tests::{Backend, Client, Server, both_backends, rounds};
use serde_json::{Value, json};

use super::{host, report, text};

both_backends![every_report_counts_once_through_crashes];

/// Reports in a request.
const BATCH: usize = 20;
const SENDERS: usize = 4;
const CRASHES: usize = 3;
/// Problems that are reported; each again and again.
const PROBLEMS: usize = 50;

fn body(host: &str, number: usize) -> Value {
    let reports =
        (0..BATCH).map(|place| report(host, "Critical", &format!("m{}", (number * BATCH + place) % PROBLEMS)));
    reports.collect()
}

/// Sends a batch; was it answered?
fn send(client: &Client, host: &str, number: usize) -> bool {
    let request = client.request("POST", "/alerts").header("Idempotency-Key", &format!("batch-{number}"));
    match request.json(&body(host, number)).try_send() {
        Ok(answer) => {
            assert!(answer.status != 200 || answer.list().len() == BATCH, "{answer}");
            answer.status == 200
        }
        Err(_) => false,
    }
}

fn every_report_counts_once_through_crashes(backend: Backend) {
    let batches = rounds("alerts through crashes", 1_000, 10_000) / BATCH;
    let mut server = Server::start(backend);
    let client = server.new_client();
    let (_, name) = host(&client);
    let tenant = client.tenant_id().to_owned();
    for crash in 1..=CRASHES {
        let client = server.admin().tenant(&tenant);
        let sent = AtomicUsize::new(0);
        let until = batches * crash / (CRASHES + 1);
        std::thread::scope(|scope| {
            for sender in 0..SENDERS {
                let client = &client;
                let name = &name;
                let sent = &sent;
                scope.spawn(move || {
                    for number in (sender..batches).step_by(SENDERS) {
                        if !send(client, name, number) {
                            break;
                        }
                        sent.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            while sent.load(Ordering::Relaxed) < until {
                sleep(Duration::from_millis(1));
            }
            server.kill9();
        });
        server.restart();
    }
    let client = server.admin().tenant(&tenant);
    (0..batches).for_each(|number| assert!(send(&client, &name, number), "batch {number}"));
    let page = client.get("/alerts/search?pageSize=1000").page();
    let mut counts = BTreeMap::new();
    for alert in page["results"].as_array().into_iter().flatten() {
        let before = counts.insert(text(&alert["metric"]), alert["repeatCount"].clone());
        assert_eq!(before, None, "one problem, one alert: {alert}");
    }
    let all = (batches * BATCH).div_euclid(PROBLEMS);
    assert_eq!(counts.len(), PROBLEMS);
    assert!(counts.values().all(|count| *count == json!(all)), "{all} reports of each: {counts:?}");
}
